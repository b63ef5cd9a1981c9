//! Where the pixels of a file lie in its own CRS (OGC GeoTIFF 1.1, clauses 7.2 and B.6).

use super::directory::{Directory, tag};

/// `x = a·column + b·row + c`, `y = d·column + e·row + f`; column and row count from the outer corner of the
/// first pixel, so its centre is at (0.5, 0.5).
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the formula above names them")]
pub struct Affine {
    pub a: f64,
    pub b: f64,
    pub c: f64,
    pub d: f64,
    pub e: f64,
    pub f: f64,
}

impl Affine {
    /// Column and row → x and y.
    pub fn apply(&self, column: f64, row: f64) -> (f64, f64) {
        (
            self.a * column + self.b * row + self.c,
            self.d * column + self.e * row + self.f,
        )
    }

    /// The other way round; `None` where the transform flattens the plane.
    pub fn inverse(&self) -> Option<Self> {
        let determinant = self.a * self.e - self.b * self.d;
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let (a, b) = (self.e / determinant, -self.b / determinant);
        let (d, e) = (-self.d / determinant, self.a / determinant);
        Some(Self {
            a,
            b,
            c: -(a * self.c + b * self.f),
            d,
            e,
            f: -(d * self.c + e * self.f),
        })
    }

    /// The same place, with columns and rows counted in units of `x_px` by `y_px` of the old ones.
    #[must_use]
    pub fn scaled(&self, x_px: f64, y_px: f64) -> Self {
        Self {
            a: self.a * x_px,
            b: self.b * y_px,
            d: self.d * x_px,
            e: self.e * y_px,
            ..*self
        }
    }

    /// Whether rows run along x and columns along y, without rotation or shear.
    pub fn is_upright(&self) -> bool {
        self.b == 0.0 && self.d == 0.0
    }

    fn shifted(&self, columns: f64, rows: f64) -> Self {
        let (c, f) = self.apply(columns, rows);
        Self { c, f, ..*self }
    }

    fn is_usable(&self) -> bool {
        let finite = [self.a, self.b, self.c, self.d, self.e, self.f]
            .iter()
            .all(|value| value.is_finite());
        finite && self.inverse().is_some()
    }
}

/// Where pixels lie, and how that was found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Georeference {
    /// Pixel corner → CRS.
    pub affine: Affine,
    /// Largest distance, in full-resolution pixels, between a ground control point and the fitted transform; 0 where the
    /// file gives the transform itself.
    pub fit_error_px: f64,
}

/// A control point: column, row, x, y.
type Point = [f64; 4];

impl Georeference {
    /// Reads tags 33550, 33922 and 34264. `None` where the file places its pixels nowhere.
    pub(super) fn new(directory: &Directory, is_point: bool, remarks: &mut Vec<String>) -> Option<Self> {
        let scale = directory.doubles(tag::MODEL_PIXEL_SCALE);
        let ties = directory.doubles(tag::MODEL_TIEPOINT);
        let matrix = directory.doubles(tag::MODEL_TRANSFORMATION);
        let points: Vec<Point> = ties
            .chunks_exact(6)
            .filter_map(|tie| match tie {
                [column, row, _, x, y, _] => Some([*column, *row, *x, *y]),
                _ => None,
            })
            .collect();
        let mut fit_error_px = 0.0;
        let affine = match (scale.as_slice(), points.as_slice(), matrix.as_slice()) {
            ([x, y, ..], [point, ..], _) if *x != 0.0 && *y != 0.0 => {
                if *y < 0.0 {
                    remarks.push("ScaleY is negative; it is read as north-up, as GDAL does".to_owned());
                }
                let [column, row, east, north] = *point;
                let affine = Affine {
                    a: *x,
                    b: 0.0,
                    c: east,
                    d: 0.0,
                    e: -y.abs(),
                    f: north,
                };
                affine.shifted(-column, -row)
            }
            (_, _, [a, b, _, c, d, e, _, f, ..]) => Affine {
                a: *a,
                b: *b,
                c: *c,
                d: *d,
                e: *e,
                f: *f,
            },
            (_, [_, _, _, ..], _) => {
                let affine = fit(&points)?;
                fit_error_px = fit_error(&affine, &points);
                remarks.push(format!(
                    "placed by an affine fit to {} ground control points, off by up to {fit_error_px:.2} px",
                    points.len()
                ));
                affine
            }
            // Two corners, for a north-up image, as GDAL's GDALGCPsToGeoTransform takes them.
            (_, [[c0, r0, x0, y0], [c1, r1, x1, y1]], _) if c0 != c1 && r0 != r1 => Affine {
                a: (x1 - x0) / (c1 - c0),
                b: 0.0,
                c: *x0,
                d: 0.0,
                e: (y1 - y0) / (r1 - r0),
                f: *y0,
            }
            .shifted(-c0, -r0),
            _ => return None,
        };
        // PixelIsPoint: the raster coordinates of a tie point mean a pixel's centre (19-008r4, 7.1.2).
        let affine = if is_point {
            affine.shifted(-0.5, -0.5)
        } else {
            affine
        };
        affine.is_usable().then_some(Self { affine, fit_error_px })
    }
}

/// Least squares over the control points, centred so that the normal equations stay well conditioned.
fn fit(points: &[Point]) -> Option<Affine> {
    let count = points.len() as f64;
    let mean = |axis: fn(&Point) -> f64| points.iter().map(axis).sum::<f64>() / count;
    let centre = [mean(|p| p[0]), mean(|p| p[1]), mean(|p| p[2]), mean(|p| p[3])];
    let (mut cc, mut cr, mut rr) = (0.0, 0.0, 0.0);
    let (mut cx, mut rx, mut cy, mut ry) = (0.0, 0.0, 0.0, 0.0);
    for [column, row, x, y] in points {
        let (column, row) = (column - centre[0], row - centre[1]);
        let (x, y) = (x - centre[2], y - centre[3]);
        cc += column * column;
        cr += column * row;
        rr += row * row;
        cx += column * x;
        rx += row * x;
        cy += column * y;
        ry += row * y;
    }
    let determinant = cc * rr - cr * cr;
    if determinant.abs() <= 1e-9 * cc * rr || determinant == 0.0 {
        return None;
    }
    let solve = |c: f64, r: f64| ((c * rr - r * cr) / determinant, (r * cc - c * cr) / determinant);
    let ((a, b), (d, e)) = (solve(cx, rx), solve(cy, ry));
    let affine = Affine {
        a,
        b,
        c: centre[2],
        d,
        e,
        f: centre[3],
    };
    Some(affine.shifted(-centre[0], -centre[1]))
}

fn fit_error(affine: &Affine, points: &[Point]) -> f64 {
    let Some(inverse) = affine.inverse() else {
        return f64::INFINITY;
    };
    let error = |[column, row, x, y]: &Point| {
        let (fitted_column, fitted_row) = inverse.apply(*x, *y);
        (fitted_column - column).hypot(fitted_row - row)
    };
    points.iter().map(error).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotated_transform_is_found_again_from_its_points() {
        let truth = Affine {
            a: 8.0,
            b: 3.0,
            c: 500_000.0,
            d: 2.0,
            e: -9.0,
            f: 5_000_000.0,
        };
        let points: Vec<Point> = [(0.0, 0.0), (100.0, 0.0), (0.0, 80.0), (100.0, 80.0)]
            .map(|(column, row)| {
                let (x, y) = truth.apply(column, row);
                [column, row, x, y]
            })
            .to_vec();
        let found = fit(&points).unwrap();
        assert!(fit_error(&found, &points) < 1e-6);
        let (x, y) = found.apply(17.0, 4.0);
        let (column, row) = truth.inverse().unwrap().apply(x, y);
        assert!((column - 17.0).abs() < 1e-6 && (row - 4.0).abs() < 1e-6);
    }

    #[test]
    fn points_on_one_line_place_nothing() {
        assert_eq!(
            fit(&[[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], [2.0, 2.0, 3.0, 3.0]]),
            None
        );
    }
}
