//! Low form of a TIFF directory: its fields as they stand, values read only for the tags that mean something to us.
//!
//! Arrays of block offsets and counts stay where they are; a directory only knows their place. What this form
//! may not hold: a field type of unknown width, a value longer than [`MAX_VALUE`], a value of a tag not listed in
//! [`tag`].

use bytes::Bytes;

use super::{HeaderError, Need};
use crate::decode::ByteOrder;
use crate::span::{Known, Missing};

#[expect(missing_docs, reason = "the names are the specification's")]
pub mod tag;

/// Longest value that is read with a directory. GDAL_METADATA of real files reaches some 100 kB; a colour map of
/// 16 bits has 384 KiB.
const MAX_VALUE: u64 = 1 << 20;

/// Most fields in one directory. Real ones have about 20; GDAL refuses more than 65,535.
const MAX_FIELDS: u64 = 4096;

/// How the ghost area of GDAL's COG driver begins; six digits, " bytes" and a line feed follow.
const GHOST: &[u8] = b"GDAL_STRUCTURAL_METADATA_SIZE=";

/// Bytes of the ghost area's first line, and the most that are looked at of what it announces.
const GHOST_SIZES: (u64, u64) = (43, 1024);

/// The first bytes of a file.
#[derive(Clone, Copy, Debug)]
pub struct Prologue {
    /// II or MM.
    pub order: ByteOrder,
    /// 64-bit offsets.
    pub big: bool,
    /// Offset of the first directory.
    pub first: u64,
    /// What GDAL's ghost area says, where it follows.
    pub ghost: Option<Ghost>,
}

/// What GDAL's ghost area says of the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ghost {
    /// It promises that blocks lie in the order of the index, each between a leader and a trailer of four bytes.
    pub leaders: bool,
    /// It says that the file was changed since by a program that did not keep its promises.
    pub edited: bool,
}

/// What GDAL's ghost area must say for the size of a block to follow from the offset of the next one.
const PROMISES: [&str; 3] = [
    "BLOCK_ORDER=ROW_MAJOR",
    "BLOCK_LEADER=SIZE_AS_UINT4",
    "BLOCK_TRAILER=LAST_4_BYTES_REPEATED",
];

/// What makes its promises void: an edit by a program that did not know them; masks or bands between the blocks.
const EDITED: &str = "KNOWN_INCOMPATIBLE_EDITION=YES";
const INTERLEAVED: &str = "INTERLEAVE";

impl Prologue {
    /// Reads the file's first bytes (TIFF 6.0 section 2; BigTIFF).
    pub fn read(known: &Known, size: u64) -> Result<Self, Need> {
        let head = Cursor::take(known, size, "the file header", 0, 8).map_err(|need| match need {
            Need::Refused(_) => Need::Refused(HeaderError::NotTiff),
            bytes @ Need::Bytes(_) => bytes,
        })?;
        let order = match head.bytes.get(..2) {
            Some(b"II") => ByteOrder::Little,
            Some(b"MM") => ByteOrder::Big,
            _ => return Err(HeaderError::NotTiff.into()),
        };
        let head = head.with(order);
        let (big, first) = match head.u16(2) {
            42 => (false, u64::from(head.u32(4))),
            43 if head.u16(4) == 8 => (
                true,
                Cursor::take(known, size, "the file header", 8, 8)?
                    .with(order)
                    .u64(0),
            ),
            _ => return Err(HeaderError::NotTiff.into()),
        };
        let at = if big { 16 } else { 8 };
        let end = u64::saturating_add(at, GHOST.len() as u64);
        let cog = known.get(at..end).is_ok_and(|ghost| ghost == GHOST);
        let ghost = cog.then(|| Ghost::of(&ghost(known, at).unwrap_or_default()));
        Ok(Self {
            order,
            big,
            first,
            ghost,
        })
    }
}

impl Ghost {
    fn of(text: &str) -> Self {
        let edited = text.contains(EDITED);
        let promised = PROMISES.iter().all(|promise| text.contains(promise));
        Self {
            leaders: promised && !edited && !text.contains(INTERLEAVED),
            edited,
        }
    }
}

/// What the ghost area at `at` says; one that is not known as a whole says nothing.
fn ghost(known: &Known, at: u64) -> Option<String> {
    let line = GHOST_SIZES.0;
    let text = |at: u64, length: u64| {
        let bytes = known.get(at..at.saturating_add(length)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let first = text(at, line)?;
    let announced: u64 = first.get(GHOST.len()..)?.get(..6)?.parse().ok()?;
    text(at.saturating_add(line), announced.min(GHOST_SIZES.1))
}

/// The type of a field's values (TIFF 6.0 section 2, BigTIFF).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum FieldType {
    Byte,
    Ascii,
    Short,
    Long,
    Rational,
    SByte,
    Undefined,
    SShort,
    SLong,
    SRational,
    Float,
    Double,
    Long8,
    SLong8,
}

impl FieldType {
    fn from_code(code: u16) -> Option<Self> {
        Some(match code {
            1 => Self::Byte,
            2 => Self::Ascii,
            3 => Self::Short,
            4 | 13 => Self::Long,
            5 => Self::Rational,
            6 => Self::SByte,
            7 => Self::Undefined,
            8 => Self::SShort,
            9 => Self::SLong,
            10 => Self::SRational,
            11 => Self::Float,
            12 => Self::Double,
            16 | 18 => Self::Long8,
            17 => Self::SLong8,
            _ => return None,
        })
    }

    /// Bytes that one value takes.
    pub fn size(self) -> u64 {
        match self {
            Self::Byte | Self::Ascii | Self::SByte | Self::Undefined => 1,
            Self::Short | Self::SShort => 2,
            Self::Long | Self::SLong | Self::Float => 4,
            Self::Rational | Self::SRational | Self::Double | Self::Long8 | Self::SLong8 => 8,
        }
    }
}

/// One field: where its values lie, and the values themselves if the tag is one that is read.
#[derive(Clone, Debug)]
pub struct Field {
    /// The tag's number.
    pub tag: u16,
    /// The type of the values.
    pub kind: FieldType,
    /// How many values.
    pub count: u64,
    /// Offset of the first value in the file, also where it stands in the field itself.
    pub at: u64,
    value: Option<Bytes>,
}

/// The fields of one directory.
#[derive(Clone, Debug)]
pub struct Directory {
    /// Where it begins in the file.
    pub at: u64,
    fields: Vec<Field>,
    order: ByteOrder,
}

impl Directory {
    /// Reads the directory at `at`; answers it and the offset of the following one (0: none).
    pub fn read(known: &Known, size: u64, prologue: &Prologue, at: u64) -> Result<(Self, u64), Need> {
        let (count_size, field_size, inline_size) = if prologue.big { (8, 20, 8) } else { (2, 12, 4) };
        let head = Cursor::take(known, size, "a directory", at, count_size)?.with(prologue.order);
        let count = if prologue.big {
            head.u64(0)
        } else {
            u64::from(head.u16(0))
        };
        if count == 0 || count > MAX_FIELDS {
            return Err(HeaderError::TooMany("fields in a directory", count, MAX_FIELDS).into());
        }
        let start = at.saturating_add(count_size);
        let length = count.saturating_mul(field_size);
        let next_size = if prologue.big { 8 } else { 4 };
        let body = Cursor::take(known, size, "a directory", start, length)?.with(prologue.order);
        // Some writers end the file with the last directory, without the offset of a next one.
        let next = match Cursor::take(
            known,
            size,
            "a directory",
            start.saturating_add(length),
            next_size,
        ) {
            Ok(tail) if prologue.big => tail.with(prologue.order).u64(0),
            Ok(tail) => u64::from(tail.with(prologue.order).u32(0)),
            Err(Need::Refused(_)) => 0,
            Err(need) => return Err(need),
        };
        let mut fields: Vec<Field> = Vec::with_capacity(count as usize);
        for index in 0..count as usize {
            let here = index.saturating_mul(field_size as usize);
            // Fields of a type we do not know must be skipped (TIFF 6.0 section 2).
            let Some(kind) = FieldType::from_code(body.u16(here.saturating_add(2))) else {
                continue;
            };
            let after = here.saturating_add(4);
            let (count, value_at) = if prologue.big {
                (body.u64(after), after.saturating_add(8))
            } else {
                (u64::from(body.u32(after)), after.saturating_add(4))
            };
            let at = if count.saturating_mul(kind.size()) <= inline_size {
                start.saturating_add(value_at as u64)
            } else if prologue.big {
                body.u64(value_at)
            } else {
                u64::from(body.u32(value_at))
            };
            fields.push(Field {
                tag: body.u16(here),
                kind,
                count,
                at,
                value: None,
            });
        }
        read_values(known, size, &mut fields)?;
        Ok((
            Self {
                at,
                fields,
                order: prologue.order,
            },
            next,
        ))
    }

    /// The field of a tag.
    pub fn field(&self, tag: u16) -> Option<&Field> {
        self.fields.iter().find(|field| field.tag == tag)
    }

    /// Width and height in pixels; 0 where the tag is missing.
    pub fn size(&self) -> (u64, u64) {
        (
            self.long(tag::IMAGE_WIDTH).unwrap_or(0),
            self.long(tag::IMAGE_LENGTH).unwrap_or(0),
        )
    }

    /// Whether it is a reduced-resolution version of another image (tag 254 bit 0; the older tag 255 = 2).
    pub fn is_reduced(&self) -> bool {
        match self.long(tag::NEW_SUBFILE_TYPE) {
            Some(bits) => bits & 1 != 0,
            None => self.long(tag::SUBFILE_TYPE) == Some(2),
        }
    }

    /// Whether it is a transparency mask for another image (tag 254 bit 2).
    pub fn is_mask(&self) -> bool {
        self.long(tag::NEW_SUBFILE_TYPE).is_some_and(|bits| bits & 4 != 0)
    }

    /// The first value as an unsigned integer.
    pub fn long(&self, tag: u16) -> Option<u64> {
        self.longs(tag).first().copied()
    }

    /// The values as unsigned integers; empty where the tag is missing or not integral.
    pub fn longs(&self, tag: u16) -> Vec<u64> {
        let Some((field, cursor)) = self.value(tag) else {
            return Vec::new();
        };
        let at = |index: usize| index.saturating_mul(field.kind.size() as usize);
        let values = 0..field.count as usize;
        match field.kind {
            FieldType::Byte | FieldType::Undefined => values.map(|i| u64::from(cursor.u8(at(i)))).collect(),
            FieldType::Short | FieldType::SShort => values.map(|i| u64::from(cursor.u16(at(i)))).collect(),
            FieldType::Long | FieldType::SLong => values.map(|i| u64::from(cursor.u32(at(i)))).collect(),
            FieldType::Long8 | FieldType::SLong8 => values.map(|i| cursor.u64(at(i))).collect(),
            _ => Vec::new(),
        }
    }

    /// The values as 16-bit integers.
    pub fn shorts(&self, tag: u16) -> Vec<u16> {
        self.longs(tag)
            .into_iter()
            .map(|value| value.min(u64::from(u16::MAX)) as u16)
            .collect()
    }

    /// The values as floating point numbers; integers are converted.
    pub fn doubles(&self, tag: u16) -> Vec<f64> {
        let Some((field, cursor)) = self.value(tag) else {
            return Vec::new();
        };
        let values = 0..field.count as usize;
        match field.kind {
            FieldType::Double => values
                .map(|i| f64::from_bits(cursor.u64(i.saturating_mul(8))))
                .collect(),
            FieldType::Float => values
                .map(|i| f64::from(f32::from_bits(cursor.u32(i.saturating_mul(4)))))
                .collect(),
            _ => self.longs(tag).into_iter().map(|value| value as f64).collect(),
        }
    }

    /// The raw bytes of a value; empty where the tag is missing.
    pub fn bytes(&self, tag: u16) -> Bytes {
        self.field(tag)
            .and_then(|field| field.value.clone())
            .unwrap_or_default()
    }

    /// A text up to its first NUL, without white space around it.
    pub fn text(&self, tag: u16) -> Option<String> {
        let bytes = self.field(tag)?.value.as_ref()?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(bytes.get(..end)?).trim().to_owned())
    }

    fn value(&self, tag: u16) -> Option<(&Field, Cursor)> {
        let field = self.field(tag)?;
        Some((
            field,
            Cursor {
                bytes: field.value.clone()?,
                order: self.order,
            },
        ))
    }
}

/// Reads the values of the tags that mean something; all missing ranges are named at once.
fn read_values(known: &Known, size: u64, fields: &mut [Field]) -> Result<(), Need> {
    let mut missing = Vec::new();
    for field in fields.iter_mut().filter(|field| tag::READ.contains(&field.tag)) {
        let length = field.count.saturating_mul(field.kind.size());
        if length > MAX_VALUE {
            return Err(HeaderError::TooMany("bytes in the value of a tag", length, MAX_VALUE).into());
        }
        match Cursor::take(known, size, "the value of a tag", field.at, length) {
            Ok(cursor) => field.value = Some(cursor.bytes),
            Err(Need::Bytes(more)) => missing.extend(more.0),
            Err(refused) => return Err(refused),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    missing.sort_by_key(|range| range.start);
    missing.dedup();
    Err(Missing(missing).into())
}

/// Numbers out of a piece of the file, in its byte order. Reads beyond the piece give 0: lengths are checked when the
/// piece is taken.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    bytes: Bytes,
    order: ByteOrder,
}

impl Cursor {
    /// The `length` bytes at `at`, if the file of `size` bytes has them.
    pub(super) fn take(
        known: &Known,
        size: u64,
        what: &'static str,
        at: u64,
        length: u64,
    ) -> Result<Self, Need> {
        let end = at.saturating_add(length);
        if end > size {
            return Err(HeaderError::Truncated {
                what,
                start: at,
                end,
                size,
            }
            .into());
        }
        Ok(Self {
            bytes: known.get(at..end)?,
            order: ByteOrder::Little,
        })
    }

    pub(super) fn with(self, order: ByteOrder) -> Self {
        Self { order, ..self }
    }

    pub(super) fn u8(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn u16(&self, at: usize) -> u16 {
        self.array(at).map_or(0, |bytes| match self.order {
            ByteOrder::Little => u16::from_le_bytes(bytes),
            ByteOrder::Big => u16::from_be_bytes(bytes),
        })
    }

    pub(super) fn u32(&self, at: usize) -> u32 {
        self.array(at).map_or(0, |bytes| match self.order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        })
    }

    pub(super) fn u64(&self, at: usize) -> u64 {
        self.array(at).map_or(0, |bytes| match self.order {
            ByteOrder::Little => u64::from_le_bytes(bytes),
            ByteOrder::Big => u64::from_be_bytes(bytes),
        })
    }

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }
}
