//! Styles from queries and from layers files, and back.

use super::*;

fn style(raw: &str) -> Style {
    Style::parse(&Query::parse(raw).unwrap()).unwrap()
}

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap()
}

fn refused(raw: &str) -> String {
    Style::parse(&Query::parse(raw).unwrap()).unwrap_err().to_string()
}

#[test]
fn reads_the_usual_request() {
    let style = style("expression=(b4-b3)/(b4%2Bb3)&rescale=-1,1&colormap_name=RdYlGn&resampling=bilinear");
    assert_eq!(
        style.bands,
        Some(Bands::Expression(formula("( b4 - b3 )/(b4+b3)")))
    );
    assert_eq!(style.rescale, Some(Rescale(vec![(-1.0, 1.0)])));
    assert_eq!(style.colormap, Some(ColormapChoice::named("rdylgn").unwrap()));
    assert_eq!(style.resampling, Some(Kernel::Bilinear));
}

#[test]
fn expression_overrides_bidx_and_two_colormaps_are_one_too_many() {
    assert_eq!(
        style("bidx=2&expression=b1").bands,
        Some(Bands::Expression(formula("b1")))
    );
    assert_eq!(
        refused(r#"colormap={"0":"%23000"}&colormap_name=viridis"#),
        "colormap stands beside colormap_name: give one or the other"
    );
    assert_eq!(
        refused("color_formula=gama+r+2"),
        "color_formula cannot be read: \"gama\" stands where gamma, sigmoidal or saturation should"
    );
}

#[test]
fn resampling_is_the_kernel_and_reproject_only_where_it_is_silent() {
    assert_eq!(style("reproject=cubic").resampling, Some(Kernel::Cubic));
    assert_eq!(
        style("reproject=cubic&resampling=nearest").resampling,
        Some(Kernel::Nearest)
    );
    assert!(refused("resampling=gauss").starts_with("resampling is none of nearest, bilinear, cubic"));
}

#[test]
fn one_style_has_one_spelling() {
    let one = style("rescale=[0.0,+3e3]&bidx=03&bidx=1&resampling=nearest&unscale=no&return_mask=1&buffer=0");
    let other = style("bidx=3&unscale=false&rescale=0,3000&bidx=1&padding=2");
    assert_eq!(one.pairs(), other.pairs());
    assert_eq!(
        other.pairs(),
        [
            ("bidx", "3".to_owned()),
            ("bidx", "1".to_owned()),
            ("rescale", "0,3000".to_owned())
        ]
    );
    let spaced = style(r#"colormap={"2":[1,2,3,4],+"1":"%23fff"}"#);
    assert_eq!(
        spaced.pairs(),
        style(r#"colormap={"1":"%23fff","2":[1,2,3,4]}"#).pairs()
    );
}

#[test]
fn titilers_buffer_for_an_algorithm_is_not_for_the_answer() {
    let edge = |raw: &str| {
        let grid = Grid::web().unwrap();
        style(raw).edge_px(&grid, Scale::ONE).unwrap()
    };
    assert_eq!(edge("buffer=3"), 262);
    assert_eq!(edge("algorithm=hillshade"), 256);
    assert_eq!(edge("buffer=3&algorithm=hillshade"), 256);
    assert_eq!(edge("buffer=4&algorithm=hillshade"), 258);
    assert_eq!(
        edge(r#"buffer=3&algorithm=slope&algorithm_params={"buffer":0}"#),
        262
    );
    assert_eq!(edge("buffer=3&algorithm=contours"), 262);
}

#[test]
fn an_index_brings_its_colours_where_the_request_has_none() {
    let plain = style("index=ndwi").coloured_by_index();
    assert_eq!(plain, style("index=NDWI&rescale=-1,1&colormap_name=rdylbu"));
    let own = style("index=ndwi&rescale=0,1&colormap_name=blues");
    assert_eq!(own.clone().coloured_by_index(), own);
    let expression = style("expression=b1");
    assert_eq!(expression.clone().coloured_by_index(), expression);
}

#[test]
fn different_styles_have_different_spellings() {
    let styles = [
        "bidx=1&bidx=2",
        "bidx=2&bidx=1",
        "nodata=0",
        "nodata=nan",
        "v=2",
        "buffer=0.5",
        "tilesize=512",
        "alpha=false",
        "sidecars=ovr",
        "sidecars=auto",
        "quality=50",
        "algorithm=hillshade",
        "algorithm=hillshade&algorithm_params={\"azimuth\":315}",
        "index=ndvi",
        "index=ndvi(nir=2)",
        "expression=(nir-red)/(nir%2Bred)",
    ];
    let mut texts: Vec<_> = styles.iter().map(|raw| style(raw).pairs()).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), styles.len());
}

#[test]
fn refusals_name_the_parameter() {
    for (raw, name) in [
        ("bidx=0", "bidx"),
        ("bidx=1,2", "bidx"),
        ("bidx=-1", "bidx"),
        ("rescale=1", "rescale"),
        ("rescale=0,nan", "rescale"),
        ("rescale=0,inf", "rescale"),
        ("rescale=5,5", "rescale"),
        ("rescale=0,1,0,1", "rescale"),
        ("nodata=none", "nodata"),
        ("unscale=maybe", "unscale"),
        ("alpha=nir", "alpha"),
        ("sidecars=yes", "sidecars"),
        ("reproject=best", "reproject"),
        ("buffer=0.3", "buffer"),
        ("buffer=-1", "buffer"),
        ("tilesize=0", "tilesize"),
        ("tilesize=256.5", "tilesize"),
        ("colormap=viridis", "colormap"),
        ("colormap=1", "colormap"),
        ("colormap_name=nosuch", "colormap_name"),
        ("algorithm=relief", "algorithm"),
        ("algorithm=slope&algorithm_params=1", "algorithm_params"),
        ("index=ndiv", "index"),
        ("index=ndvi&expression=b1", "index"),
        ("padding=x", "padding"),
        ("quality=0", "quality"),
        ("quality=101", "quality"),
        ("quality=high", "quality"),
    ] {
        let message = refused(raw);
        assert!(message.starts_with(&format!("{name} ")), "{raw}: {message}");
    }
    assert!(refused("bidx=1,2").contains("bidx=1&bidx=2"));
    let many = "bidx=1&".repeat(65);
    assert!(refused(&many).starts_with("bidx stands more than 64 times"));
    assert_eq!(
        refused("expression=b1+b2"),
        "expression is wrong at character 4: an operator is missing before \"b2\" (in a URL, + is written %2B)"
    );
}

#[test]
fn a_tile_beyond_the_limit_is_too_large_rather_than_unmeant() {
    let query = Query::parse("tilesize=4096").unwrap();
    assert_eq!(
        Style::parse(&query).unwrap_err(),
        Refused::TooManyPixels { edge_px: 4096 }
    );
    let query = Query::parse("tilesize=99999999999999").unwrap();
    assert_eq!(
        Style::parse(&query).unwrap_err(),
        Refused::TooManyPixels { edge_px: u32::MAX }
    );
}

#[test]
fn naming_bands_drops_the_colours_made_for_other_bands() {
    let layer = style("bidx=3&bidx=2&bidx=1&rescale=0,3000&nodata=0&resampling=bilinear");
    let plain = style("").over(&layer);
    assert_eq!(plain, layer);
    let ndvi = style("expression=b4-b3").over(&layer);
    assert_eq!(ndvi.bands, Some(Bands::Expression(formula("b4-b3"))));
    assert_eq!(
        (ndvi.rescale, ndvi.nodata, ndvi.resampling),
        (None, Some(0.0), Some(Kernel::Bilinear))
    );
    let shaded = style("algorithm=hillshade").over(&layer);
    assert_eq!((&shaded.bands, &shaded.rescale), (&layer.bands, &None));
    let plain = style("bidx=1").over(&shaded);
    assert_eq!(plain.algorithm, None);
    let brighter = style("rescale=0,1500").over(&layer);
    assert_eq!(brighter.bands, layer.bands);
    assert_eq!(brighter.rescale, Some(Rescale(vec![(0.0, 1500.0)])));
}
