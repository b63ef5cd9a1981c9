//! A TIFF's image file directory as it is written (TIFF 6.0, section 2).

/// The values of a tag.
pub(super) enum Value {
    /// Text and its closing NUL.
    Ascii(Vec<u8>),
    /// 16 bits.
    Short(Vec<u16>),
    /// 32 bits.
    Long(Vec<u32>),
    /// 64-bit floating point.
    Double(Vec<f64>),
}

impl Value {
    /// Text.
    pub(super) fn text(text: &str) -> Self {
        Self::Ascii(text.bytes().chain([0]).collect())
    }

    /// The type's number, how many values there are, and their bytes.
    fn encode(&self) -> (u16, u32, Vec<u8>) {
        match self {
            Self::Ascii(values) => (2, values.len() as u32, values.clone()),
            Self::Short(values) => (
                3,
                values.len() as u32,
                values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            ),
            Self::Long(values) => (
                4,
                values.len() as u32,
                values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            ),
            Self::Double(values) => (
                12,
                values.len() as u32,
                values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            ),
        }
    }
}

/// Tags, added in ascending order.
#[derive(Default)]
pub(super) struct Directory(Vec<(u16, Value)>);

impl Directory {
    /// Adds a tag; they must come in ascending order.
    pub(super) fn add(&mut self, tag: u16, value: Value) {
        debug_assert!(
            self.0.last().is_none_or(|(last, _)| *last < tag),
            "tag {tag} is out of order"
        );
        self.0.push((tag, value));
    }

    /// Appends the directory, and writes its offset at `pointer`. Gives the place of the pointer to the next one.
    pub(super) fn write(&self, bytes: &mut Vec<u8>, pointer: usize) -> usize {
        let mut table = (self.0.len() as u16).to_le_bytes().to_vec();
        for (tag, value) in &self.0 {
            let (kind, count, data) = value.encode();
            table.extend_from_slice(&tag.to_le_bytes());
            table.extend_from_slice(&kind.to_le_bytes());
            table.extend_from_slice(&count.to_le_bytes());
            let mut field = [0; 4];
            if let Some(inline) = field.get_mut(..data.len()) {
                inline.copy_from_slice(&data);
            } else {
                field = aligned(bytes).to_le_bytes();
                bytes.extend_from_slice(&data);
            }
            table.extend_from_slice(&field);
        }
        let start = aligned(bytes);
        bytes[pointer..pointer + 4].copy_from_slice(&start.to_le_bytes());
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&[0; 4]);
        bytes.len() - 4
    }
}

/// The end of the bytes, made even as TIFF asks of offsets.
fn aligned(bytes: &mut Vec<u8>) -> u32 {
    if bytes.len() % 2 == 1 {
        bytes.push(0);
    }
    bytes.len() as u32
}
