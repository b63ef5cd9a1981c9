//! The EPSG registry as sorted text, searched in place: no parsing before a code is asked for, nothing on the heap.
//!
//! `testdata/crs_registry.py` writes the three files and describes their lines. The parameters are facts of the EPSG
//! Dataset v11.022 (IOGP, <https://epsg.org>) and of Esri's list, as PROJ 9.5.1 holds them.
//!
//! Of the 6,430 systems that we project, each at 49 points of its area of use, 10 differ from PROJ by more than 1 mm.
//! Their ways to WGS 84 are steps that we do not read, and they lie up to 600 m off: offsets in degrees (EPSG:2000,
//! 4120, 4600, 4815) and turns of the meridian (4805, 5132, 5169 to 5172).

use super::CrsError;
use super::method::fold;

const SYSTEMS: &str = include_str!("registry/crs.txt");
const SHIFTS: &str = include_str!("registry/shifts.txt");
const DATUMS: &str = include_str!("registry/datums.txt");

/// One system of the registry.
pub(super) struct Entry {
    /// The code after aliases: a compound system's horizontal part, 3857 for 900913.
    pub(super) code: u32,
    /// The geographic system whose datum a projected one stands on; its own code for a geographic one.
    pub(super) base: Option<u32>,
    /// PROJ parameters without those of the base.
    pub(super) parameters: &'static str,
    /// The registry's name.
    pub(super) name: &'static str,
}

/// The codes under which web maps have known EPSG:3857.
const WEB_MERCATOR: [u32; 5] = [3785, 41_001, 102_100, 102_113, 900_913];

/// Looks a code up, following an alias.
pub(super) fn find(code: u32) -> Result<Entry, CrsError> {
    let code = if WEB_MERCATOR.contains(&code) { 3857 } else { code };
    let unknown = CrsError::UnknownCode(code);
    let rest = lines_of(SYSTEMS, code).next().ok_or_else(|| unknown.clone())?;
    if let Some(alias) = rest.strip_prefix('=') {
        return find(alias.parse().map_err(|_| unknown)?);
    }
    let (head, name) = rest.split_once(" |").ok_or_else(|| unknown.clone())?;
    // A geographic system starts with its ellipsoid, a projected one with the number of its base.
    let (base, parameters) = match head.split_once(' ') {
        Some((base, parameters)) if base.bytes().all(|b| b.is_ascii_digit()) => {
            (base.parse().ok().filter(|base| *base != 0), parameters)
        }
        _ => (Some(code), head),
    };
    Ok(Entry {
        code,
        base,
        parameters,
        name,
    })
}

/// The ways from a geographic system's datum to WGS 84, in order of rank: lines of numbers after the code.
pub(super) fn shifts(base: u32) -> impl Iterator<Item = &'static str> {
    lines_of(SHIFTS, base)
}

/// The geographic system, in degrees from Greenwich, on the datum of that code or of that name.
pub(super) fn base_of_datum(code: Option<u32>, name: &str) -> Option<u32> {
    let by_code = code.and_then(|code| lines_of(DATUMS, code).next());
    let wanted = fold(name.strip_prefix("D_").unwrap_or(name));
    let by_name = || {
        let named = |line: &&str| {
            line.splitn(3, ' ')
                .nth(2)
                .is_some_and(|names| names.split(';').any(|name| fold(name) == wanted))
        };
        if wanted.is_empty() {
            None
        } else {
            DATUMS.lines().find(named)?.split_once(' ').map(|(_, rest)| rest)
        }
    };
    by_code.or_else(by_name)?.split(' ').next()?.parse().ok()
}

/// The code of the system with that name, letter by letter.
pub(super) fn find_by_name(name: &str) -> Option<u32> {
    let named = |line: &&str| line.split_once(" |").is_some_and(|(_, found)| found == name);
    SYSTEMS.lines().find(named)?.split(' ').next()?.parse().ok()
}

/// What follows `code ` on each line that starts with it, in a text whose lines are sorted by code.
fn lines_of(text: &'static str, code: u32) -> impl Iterator<Item = &'static str> {
    let start = partition(text, code);
    text[start..].lines().map_while(move |line| {
        let (number, rest) = line.split_once(' ')?;
        (number.parse() == Ok(code)).then_some(rest)
    })
}

/// Byte offset of the first line whose code is at least `code`.
fn partition(text: &str, code: u32) -> usize {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = text[..middle].rfind('\n').map_or(0, |at| at + 1).max(low);
        let line = text[start..].lines().next().unwrap_or_default();
        let at = line.split(' ').next().and_then(|number| number.parse().ok());
        if at.unwrap_or(0_u32) < code {
            low = (start + line.len() + 1).min(text.len());
        } else {
            high = start;
        }
    }
    low
}
