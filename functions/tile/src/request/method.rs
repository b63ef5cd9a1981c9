//! Which methods a path answers.

use std::fmt;

/// Which methods a path answers, beside OPTIONS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Methods {
    /// GET and HEAD.
    Read,
    /// POST.
    Post,
    /// All of them.
    Both,
}

impl Methods {
    /// Those of a path, by its segments.
    pub(super) fn of(segments: &[&str]) -> Self {
        let behind_prefix = match segments {
            ["tiles" | "index", _, rest @ ..] | ["ndvi" | "cog" | "stac" | "mosaicjson", rest @ ..] => rest,
            _ => &[],
        };
        let is_feature = |first: &str| matches!(first.strip_prefix("feature"), Some(rest) if rest.is_empty() || rest.starts_with('.'));
        match behind_prefix {
            ["statistics"] => Self::Both,
            [first] | [first, _] if is_feature(first) => Self::Post,
            _ => Self::Read,
        }
    }

    /// The value of `Allow`.
    pub fn allow(self) -> &'static str {
        match self {
            Self::Read => "GET, HEAD, OPTIONS",
            Self::Post => "POST, OPTIONS",
            Self::Both => "GET, HEAD, POST, OPTIONS",
        }
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "GET and HEAD are",
            Self::Post => "POST is",
            Self::Both => "GET, HEAD and POST are",
        })
    }
}
