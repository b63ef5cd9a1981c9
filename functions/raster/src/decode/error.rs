//! Why a block did not become samples.

/// An error of decoding, sorted by who must act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The file uses what this library does not read; whoever made it can write it otherwise.
    #[error("{what} (tag {tag}) is not read")]
    Unsupported {
        /// What it uses, in the words of the format.
        what: String,
        /// The TIFF tag that says so.
        tag: u16,
    },
    /// The tags contradict each other or say nothing that can be meant.
    #[error("{what} (tag {tag}) cannot be meant")]
    Malformed {
        /// What the tag says.
        what: String,
        /// The TIFF tag.
        tag: u16,
    },
    /// A block is larger than this library takes into memory.
    #[error("a block of {bytes} bytes is over the limit of {limit}: rewrite the file with smaller tiles")]
    TooLarge {
        /// Its decoded size.
        bytes: u64,
        /// [`super::MAX_BLOCK_BYTES`].
        limit: u64,
    },
    /// The bytes of the block are not what its codec writes, or end too early.
    #[error("broken {codec} block: {why}")]
    Broken {
        /// The codec.
        codec: &'static str,
        /// What is wrong with the bytes.
        why: String,
    },
}

impl DecodeError {
    pub(super) fn broken(codec: &'static str, why: impl Into<String>) -> Self {
        Self::Broken {
            codec,
            why: why.into(),
        }
    }

    pub(super) fn short(codec: &'static str, got: usize, needed: usize) -> Self {
        Self::broken(codec, format!("it holds {got} bytes where {needed} are needed"))
    }

    pub(super) fn unsupported(what: impl Into<String>, tag: u16) -> Self {
        Self::Unsupported {
            what: what.into(),
            tag,
        }
    }

    pub(super) fn malformed(what: impl Into<String>, tag: u16) -> Self {
        Self::Malformed {
            what: what.into(),
            tag,
        }
    }
}
