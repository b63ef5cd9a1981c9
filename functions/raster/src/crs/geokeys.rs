//! The GeoKey directory as it stands in a file: three tags → keys with values, nothing understood yet; and back.
//!
//! OGC GeoTIFF 1.1 (19-008r4), clause 7.1: tag 34735 lists entries of four SHORTs (key, where its value stands, count,
//! value or offset); DOUBLEs stand in tag 34736, text in tag 34737 with `|` for the end.

use super::CrsError;

/// `GTModelTypeGeoKey`: 1 projected, 2 geographic, 3 geocentric.
pub const MODEL_TYPE: u16 = 1024;
/// `GTRasterTypeGeoKey`: 1 area, 2 point.
pub const RASTER_TYPE: u16 = 1025;

/// `GeodeticCRSGeoKey` and `ProjectedCRSGeoKey`: codes.
const GEODETIC: u16 = 2048;
const PROJECTED: u16 = 3072;

const DOUBLES: u16 = 34_736;
const ASCII: u16 = 34_737;
/// No file has more keys than the specification (about 60) by far; a larger count is a broken file.
const MAX_KEYS: usize = 1024;

/// The keys of one file. Low form: values as stored, none checked against another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeoKeys {
    entries: Vec<(u16, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Short(u16),
    Doubles(Vec<f64>),
    Text(String),
}

impl GeoKeys {
    /// Reads the values of tags 34735, 34736 and 34737. A key whose value lies outside its tag is left out, as GDAL
    /// does: many files carry one, and the others stay true.
    pub fn parse(directory: &[u16], doubles: &[f64], ascii: &[u8]) -> Result<Self, CrsError> {
        if directory.is_empty() {
            return Ok(Self::default());
        }
        let &[version, _, _, count, ref entries @ ..] = directory else {
            return Err(CrsError::Malformed(
                "the GeoKey directory is shorter than its header".to_owned(),
            ));
        };
        if version != 1 || usize::from(count) > MAX_KEYS {
            return Err(CrsError::Malformed(format!(
                "the GeoKey directory has version {version} and {count} keys"
            )));
        }
        let entries = entries.as_chunks::<4>().0.iter().take(count.into());
        let read = entries.filter_map(|&[key, place, count, value]| {
            let span = usize::from(value)..usize::from(value).checked_add(count.into())?;
            Some((
                key,
                match place {
                    0 => Value::Short(value),
                    DOUBLES => Value::Doubles(doubles.get(span)?.to_vec()),
                    ASCII => Value::Text(text_of(ascii.get(span.start..span.end.min(ascii.len()))?)),
                    _ => return None,
                },
            ))
        });
        Ok(Self {
            entries: read.collect(),
        })
    }

    /// The keys of a registered system, of pixels that are areas.
    pub fn registered(epsg: u16, is_geographic: bool) -> Self {
        let (model, key) = if is_geographic {
            (2, GEODETIC)
        } else {
            (1, PROJECTED)
        };
        let entries = [(MODEL_TYPE, model), (RASTER_TYPE, 1), (key, epsg)];
        Self {
            entries: entries.map(|(key, value)| (key, Value::Short(value))).to_vec(),
        }
    }

    /// The same keys, of pixels that are areas.
    #[must_use]
    pub fn of_areas(&self) -> Self {
        let others = self.entries.iter().filter(|(key, _)| *key != RASTER_TYPE);
        let mut entries: Vec<_> = others.cloned().collect();
        entries.push((RASTER_TYPE, Value::Short(1)));
        Self { entries }
    }

    /// The values of tags 34735, 34736 and 34737, keys in ascending order. The text is ASCII: other characters become `?`.
    pub fn written(&self) -> (Vec<u16>, Vec<f64>, String) {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        let mut directory = vec![1, 1, 0, entries.len() as u16];
        let (mut doubles, mut text) = (Vec::new(), String::new());
        for (key, value) in entries {
            let [place, count, value] = match value {
                Value::Short(value) => [0, 1, *value],
                Value::Doubles(values) => {
                    let start = doubles.len();
                    doubles.extend_from_slice(values);
                    [DOUBLES, values.len() as u16, start as u16]
                }
                Value::Text(value) => {
                    let start = text.len();
                    text.extend(value.chars().map(|c| if c.is_ascii() { c } else { '?' }));
                    text.push('|');
                    [ASCII, (text.len() - start) as u16, start as u16]
                }
            };
            directory.extend([*key, place, count, value]);
        }
        (directory, doubles, text)
    }

    fn get(&self, key: u16) -> Option<&Value> {
        self.entries
            .iter()
            .find(|(found, _)| *found == key)
            .map(|(_, value)| value)
    }

    /// The value of a SHORT key.
    pub fn short(&self, key: u16) -> Option<u16> {
        match self.get(key)? {
            Value::Short(value) => Some(*value),
            _ => None,
        }
    }

    /// The first value of a DOUBLE key; some writers store whole numbers as SHORT.
    pub fn double(&self, key: u16) -> Option<f64> {
        match self.get(key)? {
            Value::Short(value) => Some(f64::from(*value)),
            Value::Doubles(values) => values.first().copied().filter(|value| value.is_finite()),
            Value::Text(_) => None,
        }
    }

    /// All values of a DOUBLE key.
    pub fn doubles(&self, key: u16) -> Option<&[f64]> {
        match self.get(key)? {
            Value::Doubles(values) => Some(values),
            _ => None,
        }
    }

    /// The value of an ASCII key, without the closing `|`.
    pub fn text(&self, key: u16) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether raster coordinates name the centres of pixels instead of their corners (`GTRasterTypeGeoKey` = 2).
    pub fn is_pixel_point(&self) -> bool {
        self.short(RASTER_TYPE) == Some(2)
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Text up to the first NUL, without a closing `|`; bytes that are no UTF-8 are taken as Latin-1, as old writers meant.
fn text_of(bytes: &[u8]) -> String {
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let bytes = bytes.strip_suffix(b"|").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_they_are_read() {
        let directory = [
            1, 1, 0, 4, 1024, 0, 1, 1, 1026, 34_737, 6, 0, 3080, 34_736, 2, 1, 3092, 34_736, 1, 0,
        ];
        let keys = GeoKeys::parse(&directory, &[1.5, 6.25, 7.0], b"hello|").unwrap();
        let (directory, doubles, text) = keys.of_areas().written();
        assert_eq!(directory[..4], [1, 1, 0, 5]);
        let again = GeoKeys::parse(&directory, &doubles, text.as_bytes()).unwrap();
        assert_eq!(
            (again.text(1026), again.doubles(3080)),
            (Some("hello"), Some(&[6.25, 7.0][..]))
        );
        assert_eq!((again.double(3092), again.short(1025)), (Some(1.5), Some(1)));
        let registered = GeoKeys::registered(4326, true).written().0;
        assert_eq!(
            registered,
            [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]
        );
    }

    #[test]
    fn values_are_found_in_their_tags() {
        let directory = [
            1, 1, 0, 5, 1024, 0, 1, 1, 1025, 0, 1, 2, 1026, 34_737, 6, 0, 2057, 34_736, 1, 1, 2062, 34_736,
            9, 0,
        ];
        let keys = GeoKeys::parse(&directory, &[1.5, 6_378_137.0], b"hello|x|").unwrap();
        assert_eq!(keys.short(1024), Some(1));
        assert!(keys.is_pixel_point());
        assert_eq!(keys.text(1026), Some("hello"));
        assert_eq!(keys.double(2057), Some(6_378_137.0));
        // Runs past its tag: left out.
        assert_eq!(keys.doubles(2062), None);
    }

    #[test]
    fn a_broken_directory_is_named_and_a_short_one_read_as_far_as_it_goes() {
        assert!(matches!(
            GeoKeys::parse(&[1, 1], &[], &[]),
            Err(CrsError::Malformed(_))
        ));
        assert!(matches!(
            GeoKeys::parse(&[1, 1, 0, 60_000], &[], &[]),
            Err(CrsError::Malformed(_))
        ));
        let keys = GeoKeys::parse(&[1, 1, 0, 9, 1024, 0, 1, 2, 3072], &[], &[]).unwrap();
        assert_eq!(keys.short(1024), Some(2));
        assert_eq!(keys.short(3072), None);
    }
}
