//! The EPSG registry as sorted text in deflated blocks: a lookup inflates and reads the one block that it needs.
//!
//! `testdata/crs_registry.py` writes the three files and describes their lines. The parameters are facts of the EPSG
//! Dataset v11.022 (IOGP, <https://epsg.org>) and of Esri's list, as PROJ 9.5.1 holds them.
//!
//! Of the 6,430 systems that we project, each at 49 points of its area of use, 10 differ from PROJ by more than 1 mm.
//! Their ways to WGS 84 are steps that we do not read, and they lie up to 600 m off: offsets in degrees (EPSG:2000,
//! 4120, 4600, 4815) and turns of the meridian (4805, 5132, 5169 to 5172).

mod packed;

use self::packed::Packed;
use super::CrsError;
use super::method::fold;

#[expect(clippy::unreadable_literal, reason = "build.rs writes the codes")]
const SYSTEMS: Packed = Packed {
    blocks: include!(concat!(env!("OUT_DIR"), "/crs.rs")),
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/crs.deflate")),
};
const SHIFTS: Packed = Packed {
    blocks: include!(concat!(env!("OUT_DIR"), "/shifts.rs")),
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/shifts.deflate")),
};
const DATUMS: Packed = Packed {
    blocks: include!(concat!(env!("OUT_DIR"), "/datums.rs")),
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/datums.deflate")),
};

/// Codes, first and last of each run, whose first axis points to the north. Runs go through codes that are none.
const NORTH_FIRST: &str = include_str!("registry/north_first.txt");

/// Whether the registry gives a system's coordinates north first.
pub(super) fn is_north_first(code: u32) -> bool {
    let holds = |line: &str| {
        let (first, last) = line.split_once(' ')?;
        Some((first.parse().ok()?..=last.parse().ok()?).contains(&code))
    };
    NORTH_FIRST.lines().any(|line| holds(line) == Some(true))
}

/// One system of the registry.
pub(super) struct Entry {
    /// The code after aliases: a compound system's horizontal part, 3857 for 900913.
    pub(super) code: u32,
    /// The geographic system whose datum a projected one stands on; its own code for a geographic one.
    pub(super) base: Option<u32>,
    /// PROJ parameters without those of the base.
    pub(super) parameters: String,
    /// The registry's name.
    pub(super) name: String,
}

/// The codes under which web maps have known EPSG:3857.
const WEB_MERCATOR: [u32; 5] = [3785, 41_001, 102_100, 102_113, 900_913];

/// Looks a code up, following an alias.
pub(super) fn find(code: u32) -> Result<Entry, CrsError> {
    let code = if WEB_MERCATOR.contains(&code) { 3857 } else { code };
    let unknown = CrsError::UnknownCode(code);
    let lines = SYSTEMS.lines_of(code);
    let line = lines.first().ok_or_else(|| unknown.clone())?;
    if let Some(alias) = line.strip_prefix('=') {
        return find(alias.parse().map_err(|_| unknown)?);
    }
    let (head, name) = line.split_once(" |").ok_or_else(|| unknown.clone())?;
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
        parameters: parameters.to_owned(),
        name: name.to_owned(),
    })
}

/// The ways from a geographic system's datum to WGS 84, in order of rank: lines of numbers after the code.
pub(super) fn shifts(base: u32) -> Vec<String> {
    SHIFTS.lines_of(base)
}

/// The geographic system, in degrees from Greenwich, on the datum of that code or of that name.
pub(super) fn base_of_datum(code: Option<u32>, name: &str) -> Option<u32> {
    let base = |rest: &str| rest.split(' ').next()?.parse().ok();
    let by_code = || base(DATUMS.lines_of(code?).first()?);
    let wanted = fold(name.strip_prefix("D_").unwrap_or(name));
    let by_name = || {
        DATUMS.find(|line| {
            let (_, rest) = line.split_once(' ')?;
            let (_, names) = rest.split_once(' ')?;
            names
                .split(';')
                .any(|name| fold(name) == wanted)
                .then(|| base(rest))?
        })
    };
    by_code().or_else(|| if wanted.is_empty() { None } else { by_name() })
}

/// The code of the system with that name, letter by letter.
pub(super) fn find_by_name(name: &str) -> Option<u32> {
    SYSTEMS.find(|line| {
        let (head, found) = line.split_once(" |")?;
        (found == name).then(|| head.split(' ').next()?.parse().ok())?
    })
}
