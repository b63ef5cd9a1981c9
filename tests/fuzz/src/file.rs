//! Bytes → a whole file, read as the function reads one: header, plan, decode, assembly, place.

use bytes::Bytes;
use edgetile_raster::crs::Crs;
use edgetile_raster::decode::decode;
use edgetile_raster::header::{Header, Need};
use edgetile_raster::plan::{Limits, Masking, Plan, PlanError, Read, Wanted};
use edgetile_raster::span::{Known, Missing};
use edgetile_raster::warp::{Assembly, Rect};

/// What one window may cost here.
const LIMITS: Limits = Limits {
    memory: 1 << 19,
    blocks: 64,
    bytes: 1 << 18,
};

/// Side of the window, in pixels.
const SIDE_PX: u32 = 48;

/// Most samples of a block that is decoded.
const MAX_SAMPLES: u64 = 1 << 18;

/// A file, and in its last four bytes which level and which window of it to read.
pub fn header(data: &[u8]) {
    let Some((file, choice)) = data.split_last_chunk::<4>() else {
        return;
    };
    let size = file.len() as u64;
    let mut known = Known::new();
    let header = loop {
        match Header::read(&known, size) {
            Ok(header) => break header,
            Err(Need::Bytes(missing)) => learn(&mut known, file, &missing),
            Err(Need::Refused(error)) => {
                assert!(!error.to_string().is_empty());
                return;
            }
        }
    };
    if let Ok(keys) = &header.geo_keys {
        drop(Crs::from_geokeys(keys));
    }
    window(&header, &mut known, file, *choice);
}

/// Hands over what was asked for and the kilobyte behind it. Asking for nothing, for what is known already or for
/// what lies behind the end of the file would never end.
fn learn(known: &mut Known, file: &[u8], Missing(missing): &Missing) {
    assert!(!missing.is_empty(), "nothing is missing, yet it goes not on");
    let before = known.len();
    for range in missing {
        assert!(
            range.start < range.end && range.end <= file.len() as u64,
            "{range:?}"
        );
        let end = (range.end as usize + 1024).min(file.len());
        let bytes = Bytes::copy_from_slice(&file[range.start as usize..end]);
        known.insert(range.start, bytes);
    }
    assert!(known.len() > before, "what is missing was known already");
}

fn window(header: &Header, known: &mut Known, file: &[u8], [level, x, y, band]: [u8; 4]) {
    let level = usize::from(level) % header.levels.len();
    let image = &header.levels[level].image;
    let at = |choice: u8, size: u32| (u64::from(choice) * u64::from(size) / 256) as u32;
    let (x, y) = (at(x, image.width_px), at(y, image.height_px));
    let rect = Rect {
        x,
        y,
        width: SIDE_PX.min(image.width_px - x),
        height: SIDE_PX.min(image.height_px - y),
    };
    let wanted = Wanted {
        level,
        rect,
        turn_px: None,
        bands: vec![0, usize::from(band) % header.bands.len()],
        nodata: None,
        masking: Masking::Own,
    };
    let plan = loop {
        match Plan::new(header, known, wanted.clone(), &LIMITS) {
            Ok(plan) => break plan,
            Err(PlanError::Missing(missing)) => learn(known, file, &missing),
            Err(_) => return,
        }
    };
    let Ok(data_type) = image.format.data_type() else {
        return;
    };
    let mut assembly = Assembly::new(header, &plan, data_type);
    for read in &plan.reads {
        if !place(header, &plan, read, file, &mut assembly) {
            return;
        }
    }
    let raster = assembly.finish().raster;
    assert_eq!(raster.samples.len(), 2 * rect.area());
    for mask in [raster.any_band(), raster.every_band()].into_iter().flatten() {
        assert_eq!(mask.len(), rect.area());
    }
}

/// Decodes one block into its place; `false` where it is broken or large.
fn place(header: &Header, plan: &Plan, read: &Read, file: &[u8], assembly: &mut Assembly) -> bool {
    let level = &header.levels[plan.level];
    let image = match read {
        Read::Data { .. } => Some(&level.image),
        Read::Mask { .. } => level.mask.as_ref(),
    };
    let image = image.expect("a mask is read only where there is one");
    let (stored, needed) = read.rows();
    let format = &image.format;
    let per_row = u64::from(format.width_px).saturating_mul(format.samples_per_pixel.into());
    if per_row.saturating_mul(format.height_px.into()) > MAX_SAMPLES {
        return false;
    }
    let Some(at) = read.at() else {
        assembly.leave_empty(plan, read, (image.block_width_px, stored));
        return true;
    };
    let bytes = &file[at.start as usize..at.end as usize];
    let Ok(decoded) = decode(format, bytes, stored, needed) else {
        return false;
    };
    assembly.place(plan, read, &decoded, image.block_width_px);
    true
}
