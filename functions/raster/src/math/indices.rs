//! Well-known spectral indices: formula over common band names, source, and the range in which they are drawn.
//!
//! Bands have the common names of STAC's `eo` extension (v1.1.0, "Common Band Names"): `blue` 0.45 to 0.5 µm, `green`
//! 0.5 to 0.6, `red` 0.6 to 0.7, `rededge` 0.69 to 0.79, `nir` 0.76 to 0.9, `swir16` 1.55 to 1.75, `swir22` 2.1 to 2.3.
//! A ratio of differences to sums is the same for any scale of the bands; formulae with a constant beside a band want
//! reflectance from 0 to 1.

/// A spectral index.
#[derive(Debug, PartialEq)]
pub struct Index {
    /// What it is called for short.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// Its formula, an expression in which bands stand in braces: `({nir}-{red})/({nir}+{red})`.
    template: &'static str,
    /// The values between which it is drawn, the least first.
    pub range: (f64, f64),
    /// The colormap that it is drawn in.
    pub colormap: &'static str,
    /// Whether it wants reflectance from 0 to 1, rather than any numbers in proportion to it.
    pub wants_reflectance: bool,
    /// Who published it, when and where.
    pub source: &'static str,
}

/// Low is bare, high is green.
const GREEN: &str = "rdylgn";
/// High is wet or white.
const BLUE: &str = "rdylbu";
/// High is bare or built.
const BROWN: &str = "rdylgn_r";

/// An index between -1 and 1 that is a ratio.
const fn ratio(
    name: &'static str,
    title: &'static str,
    template: &'static str,
    colormap: &'static str,
    source: &'static str,
) -> Index {
    Index {
        name,
        title,
        template,
        range: (-1.0, 1.0),
        colormap,
        wants_reflectance: false,
        source,
    }
}

/// An index with a constant beside a band.
const fn adjusted(
    name: &'static str,
    title: &'static str,
    template: &'static str,
    source: &'static str,
) -> Index {
    Index {
        wants_reflectance: true,
        ..ratio(name, title, template, GREEN, source)
    }
}

/// All indices, in the order of their names.
pub static ALL: &[Index] = &[
    ratio(
        "ARVI",
        "Atmospherically resistant vegetation index",
        "({nir}-(2*{red}-{blue}))/({nir}+(2*{red}-{blue}))",
        GREEN,
        "Kaufman and Tanré 1992, IEEE Transactions on Geoscience and Remote Sensing 30(2), gamma 1",
    ),
    ratio(
        "BSI",
        "Bare soil index",
        "(({swir16}+{red})-({nir}+{blue}))/(({swir16}+{red})+({nir}+{blue}))",
        BROWN,
        "Rikimaru, Roy and Miyatake 2002, Tropical Ecology 43(1)",
    ),
    adjusted(
        "EVI",
        "Enhanced vegetation index",
        "2.5*({nir}-{red})/({nir}+6*{red}-7.5*{blue}+1)",
        "Huete et al. 2002, Remote Sensing of Environment 83",
    ),
    adjusted(
        "EVI2",
        "Two-band enhanced vegetation index",
        "2.5*({nir}-{red})/({nir}+2.4*{red}+1)",
        "Jiang, Huete, Didan and Miura 2008, Remote Sensing of Environment 112",
    ),
    ratio(
        "GLI",
        "Green leaf index",
        "(2*{green}-{red}-{blue})/(2*{green}+{red}+{blue})",
        GREEN,
        "Louhaichi, Borman and Johnson 2001, Geocarto International 16(1)",
    ),
    ratio(
        "GNDVI",
        "Green normalised difference vegetation index",
        "({nir}-{green})/({nir}+{green})",
        GREEN,
        "Gitelson, Kaufman and Merzlyak 1996, Remote Sensing of Environment 58",
    ),
    ratio(
        "MNDWI",
        "Modified normalised difference water index",
        "({green}-{swir16})/({green}+{swir16})",
        BLUE,
        "Xu 2006, International Journal of Remote Sensing 27(14)",
    ),
    adjusted(
        "MSAVI2",
        "Modified soil-adjusted vegetation index",
        "(2*{nir}+1-sqrt((2*{nir}+1)**2-8*({nir}-{red})))/2",
        "Qi, Chehbouni, Huete, Kerr and Sorooshian 1994, Remote Sensing of Environment 48",
    ),
    ratio(
        "NBR",
        "Normalised burn ratio",
        "({nir}-{swir22})/({nir}+{swir22})",
        GREEN,
        "García and Caselles 1991, Geocarto International 6(1)",
    ),
    ratio(
        "NDBI",
        "Normalised difference built-up index",
        "({swir16}-{nir})/({swir16}+{nir})",
        BROWN,
        "Zha, Gao and Ni 2003, International Journal of Remote Sensing 24(3)",
    ),
    ratio(
        "NDCI",
        "Normalised difference chlorophyll index",
        "({rededge}-{red})/({rededge}+{red})",
        GREEN,
        "Mishra and Mishra 2012, Remote Sensing of Environment 117",
    ),
    ratio(
        "NDMI",
        "Normalised difference moisture index",
        "({nir}-{swir16})/({nir}+{swir16})",
        BLUE,
        "Wilson and Sader 2002, Remote Sensing of Environment 80",
    ),
    ratio(
        "NDRE",
        "Normalised difference red edge index",
        "({nir}-{rededge})/({nir}+{rededge})",
        GREEN,
        "Gitelson and Merzlyak 1994, Journal of Plant Physiology 143",
    ),
    ratio(
        "NDSI",
        "Normalised difference snow index",
        "({green}-{swir16})/({green}+{swir16})",
        BLUE,
        "Hall, Riggs and Salomonson 1995, Remote Sensing of Environment 54",
    ),
    ratio(
        "NDVI",
        "Normalised difference vegetation index",
        "({nir}-{red})/({nir}+{red})",
        GREEN,
        "Rouse, Haas, Schell and Deering 1974, Third ERTS Symposium, NASA SP-351",
    ),
    ratio(
        "NDWI",
        "Normalised difference water index",
        "({green}-{nir})/({green}+{nir})",
        BLUE,
        "McFeeters 1996, International Journal of Remote Sensing 17(7)",
    ),
    adjusted(
        "OSAVI",
        "Optimised soil-adjusted vegetation index",
        "({nir}-{red})/({nir}+{red}+0.16)",
        "Rondeaux, Steven and Baret 1996, Remote Sensing of Environment 55",
    ),
    adjusted(
        "SAVI",
        "Soil-adjusted vegetation index",
        "1.5*({nir}-{red})/({nir}+{red}+0.5)",
        "Huete 1988, Remote Sensing of Environment 25, L 0.5",
    ),
    ratio(
        "VARI",
        "Visible atmospherically resistant index",
        "({green}-{red})/({green}+{red}-{blue})",
        GREEN,
        "Gitelson, Kaufman, Stark and Rundquist 2002, Remote Sensing of Environment 80",
    ),
];

impl Index {
    /// The index of a name, written in any case.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|index| index.name.eq_ignore_ascii_case(name))
    }

    /// The bands that its formula names, each once, in the order of their first use.
    pub fn bands(&self) -> Vec<&'static str> {
        let mut bands = Vec::new();
        for part in self.template.split('{').skip(1) {
            let band = part.split('}').next().unwrap_or_default();
            if !bands.contains(&band) {
                bands.push(band);
            }
        }
        bands
    }

    /// Its formula as an expression, each band called as `called` says.
    pub fn formula<'a>(&self, called: impl Fn(&'static str) -> &'a str) -> String {
        self.bands()
            .into_iter()
            .fold(self.template.to_owned(), |text, band| {
                text.replace(&format!("{{{band}}}"), called(band))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colormap;
    use crate::math::Expression;
    use crate::samples::{Mask, Raster, Samples};

    /// Reflectances of a green leaf, of the bands in the module's order.
    const LEAF: [(&str, f64); 7] = [
        ("blue", 0.04),
        ("green", 0.08),
        ("red", 0.05),
        ("rededge", 0.2),
        ("nir", 0.45),
        ("swir16", 0.25),
        ("swir22", 0.1),
    ];

    fn of_a_leaf(index: &Index) -> f64 {
        let parsed = Expression::parse(&index.formula(|band| band)).unwrap();
        let value = |name: &str| LEAF.iter().find(|(band, _)| *band == name).unwrap().1;
        let values: Vec<f64> = parsed.bands().iter().map(|band| value(&band.text)).collect();
        let input = Raster {
            bands: values.len(),
            height: 1,
            width: 1,
            samples: Samples::F64(values),
            mask: Mask::All,
        };
        match parsed.evaluate(&input).samples {
            Samples::F64(values) => values[0],
            other => panic!("{other:?}"),
        }
    }

    /// Worked out with a pocket calculator from the papers' formulae.
    #[test]
    fn a_leaf_has_the_values_of_the_papers() {
        for (name, expected) in [
            ("ARVI", 0.764_706),
            ("BSI", -0.240_506),
            ("EVI", 0.689_655),
            ("EVI2", 0.636_943),
            ("GLI", 0.28),
            ("GNDVI", 0.698_113),
            ("MNDWI", -0.515_152),
            ("MSAVI2", 0.629_844),
            ("NBR", 0.636_364),
            ("NDBI", -0.285_714),
            ("NDCI", 0.6),
            ("NDMI", 0.285_714),
            ("NDRE", 0.384_615),
            ("NDSI", -0.515_152),
            ("NDVI", 0.8),
            ("NDWI", -0.698_113),
            ("OSAVI", 0.606_061),
            ("SAVI", 0.6),
            ("VARI", 0.333_333),
        ] {
            let value = of_a_leaf(Index::named(name).unwrap());
            assert!((value - expected).abs() < 1e-5, "{name}: {value}");
        }
    }

    #[test]
    fn the_table_is_in_order_and_draws() {
        assert!(ALL.is_sorted_by_key(|index| index.name));
        for index in ALL {
            assert!(Colormap::named(index.colormap).is_some(), "{}", index.colormap);
            assert!(!index.formula(|band| band).contains(['{', '}']));
            assert!(
                index
                    .bands()
                    .iter()
                    .all(|band| LEAF.iter().any(|(name, _)| name == band))
            );
        }
        assert_eq!(Index::named("ndvi").unwrap().bands(), ["nir", "red"]);
        assert_eq!(
            Index::named("NDVI")
                .unwrap()
                .formula(|band| if band == "red" { "b3" } else { band }),
            "(nir-b3)/(nir+b3)"
        );
        assert!(Index::named("nosuch").is_none());
    }
}
