//! A place, as the path of a request names it.

use super::{NamedCrs, Query, Refused};

/// `lon,lat` in degrees, or x and y of `coord_crs`; beside them as they were given.
pub(super) fn read(place: &str, query: &Query) -> Result<[(f64, f64); 2], Refused> {
    let wrong = || Refused::parameter("point", "is not lon,lat in degrees, such as 11.58,48.14");
    let (x, y) = place.split_once(',').ok_or_else(wrong)?;
    let given: (f64, f64) = (
        x.trim().parse().map_err(|_| wrong())?,
        y.trim().parse().map_err(|_| wrong())?,
    );
    let (lon_deg, lat_deg) = match NamedCrs::read(query, ["coord_crs", "coord-crs"])? {
        Some(named) if named != NamedCrs::wgs84()? => {
            let outside = || Refused::parameter("point", "is no place of its coord_crs");
            named.crs().inverse(given.0, given.1).ok_or_else(outside)?
        }
        _ => given,
    };
    if !(-180.0..=360.0).contains(&lon_deg) || !(-90.0..=90.0).contains(&lat_deg) {
        return Err(wrong());
    }
    Ok([(lon_deg, lat_deg), given])
}
