//! `sidecars`: whether files beside the source are read with it.

use std::fmt;

use super::{Query, Refused};

/// Which files beside a GeoTIFF are read with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sidecars {
    /// Overviews in a file that adds `.ovr` to the name.
    pub overviews: Wish,
    /// A mask in a file that adds `.msk` to the name, which then holds in place of the file's own nodata, alpha and mask.
    pub mask: Wish,
}

/// Whether a file is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// It is not looked for.
    #[default]
    No,
    /// It is read where it is there.
    IfThere,
    /// It must be there.
    Yes,
}

/// What overviews add to a file's name.
pub const OVERVIEWS: &str = ".ovr";
/// What a mask adds to a file's name.
pub const MASK: &str = ".msk";
/// What a mask's overviews add to a file's name.
pub const MASK_OVERVIEWS: &str = ".msk.ovr";

impl Sidecars {
    /// Overviews, where they are there.
    pub const ANY_OVERVIEWS: Self = Self {
        overviews: Wish::IfThere,
        mask: Wish::No,
    };

    /// Reads the parameter; absent where it is not given.
    pub fn read(query: &Query) -> Result<Option<Self>, Refused> {
        let text = query
            .one("sidecars")?
            .map(str::trim)
            .filter(|text| !text.is_empty());
        text.map(|text| {
            Self::parse(text)
                .ok_or_else(|| Refused::parameter("sidecars", "is none of auto, none, ovr, msk and ovr,msk"))
        })
        .transpose()
    }

    fn parse(text: &str) -> Option<Self> {
        let of = |overviews, mask| Some(Self { overviews, mask });
        let mut words: Vec<&str> = text.split(',').map(str::trim).collect();
        words.sort_unstable();
        match words.as_slice() {
            ["auto"] => of(Wish::IfThere, Wish::IfThere),
            ["none"] => of(Wish::No, Wish::No),
            ["ovr"] => of(Wish::Yes, Wish::No),
            ["msk"] => of(Wish::No, Wish::Yes),
            ["msk", "ovr"] => of(Wish::Yes, Wish::Yes),
            _ => None,
        }
    }

    /// What is added to a file's name, for each file that is looked for.
    pub fn suffixes(self) -> impl Iterator<Item = &'static str> {
        let overviews = self.overviews != Wish::No;
        let mask = self.mask != Wish::No;
        let wanted = [
            (OVERVIEWS, overviews),
            (MASK, mask),
            (MASK_OVERVIEWS, overviews && mask),
        ];
        wanted
            .into_iter()
            .filter_map(|(suffix, wanted)| wanted.then_some(suffix))
    }
}

/// The one spelling.
impl fmt::Display for Sidecars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.overviews, self.mask) {
            (Wish::IfThere, _) | (_, Wish::IfThere) => "auto",
            (Wish::Yes, Wish::Yes) => "ovr,msk",
            (Wish::Yes, Wish::No) => "ovr",
            (Wish::No, Wish::Yes) => "msk",
            (Wish::No, Wish::No) => "none",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> Result<Option<Sidecars>, Refused> {
        Sidecars::read(&Query::parse(raw).unwrap())
    }

    #[test]
    fn every_value_has_one_spelling_that_reads_back() {
        for text in ["auto", "none", "ovr", "msk", "ovr,msk"] {
            let sidecars = read(&format!("sidecars={text}")).unwrap().unwrap();
            assert_eq!(sidecars.to_string(), text);
        }
        assert_eq!(read("sidecars=msk,+ovr"), read("sidecars=ovr,msk"));
        assert_eq!(read("sidecars="), Ok(None));
        assert!(read("sidecars=true").unwrap_err().to_string().contains("ovr,msk"));
    }

    #[test]
    fn overviews_of_the_mask_are_looked_for_where_both_are() {
        let suffixes = |raw: &str| read(raw).unwrap().unwrap().suffixes().collect::<Vec<_>>();
        assert_eq!(suffixes("sidecars=msk"), [".msk"]);
        assert_eq!(suffixes("sidecars=auto"), [".ovr", ".msk", ".msk.ovr"]);
    }
}
