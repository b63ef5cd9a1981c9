use super::*;
use crate::crs::Crs;
use crate::warp::Target;

fn target(epsg: u32, west: f64, north: f64, resolution: (f64, f64), size: (usize, usize)) -> Target {
    Target {
        crs: Crs::from_epsg(epsg).unwrap(),
        west,
        north,
        resolution,
        size,
        origin_px: (0, 0),
    }
}

fn shares(cutline: &Cutline, crs: &Crs, target: &Target, scale: u32) -> Result<Vec<f32>, CutlineError> {
    Ok(cutline.on(crs, target, scale, &mut Budget::default())?.shares())
}

fn square(west: f64, south: f64, east: f64, north: f64) -> Polygon {
    vec![vec![[west, south], [east, south], [east, north], [west, north]]]
}

/// Of `testdata/make_cutlines.py`.
#[test]
fn pixels_are_those_that_gdal_finds() {
    let text = include_str!("../../testdata/cutlines.txt");
    let mut count = 0;
    for line in text.lines() {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap();
        let corner = |text: &str| {
            let (x, y) = text.split_once(',').unwrap();
            [x.parse().unwrap(), y.parse().unwrap()]
        };
        let ring = |text: &str| -> Ring { text.split_whitespace().map(corner).collect() };
        let polygons: Vec<Polygon> = next()
            .split(" | ")
            .map(|rings| rings.split(" / ").map(ring).collect())
            .collect();
        let size: Vec<usize> = next().split(' ').map(|number| number.parse().unwrap()).collect();
        let parts: Vec<f32> = next()
            .split([' ', ','])
            .map(|number| number.parse().unwrap())
            .collect();
        let found = cover::shares(&polygons, (size[0], size[1]), size[2]);
        let found: Vec<f32> = found
            .iter()
            .map(|share| (share * (size[2] * size[2]) as f32).round())
            .collect();
        let wrong: Vec<_> = (0..parts.len())
            .filter(|at| found[*at] != parts[*at])
            .map(|at| (at % size[0], at / size[0], found[at], parts[at]))
            .collect();
        assert!(wrong.is_empty(), "line {count}, scale {}: {wrong:?}", size[2]);
        count += 1;
    }
    assert_eq!(count, 30);
}

#[test]
fn edges_bend_as_the_projection_bends_them() {
    // A parallel over 40 degrees in a conic projection sags: its middle is not where the straight line has it.
    let cutline = Cutline::new(vec![square(-10.0, 50.0, 30.0, 60.0)]).unwrap();
    let wgs84 = Crs::from_epsg(4326).unwrap();
    let target = target(3035, 2_500_000.0, 4_500_000.0, (10_000.0, 10_000.0), (360, 260));
    let shares = shares(&cutline, &wgs84, &target, 1).unwrap();
    let laea = Crs::from_epsg(3035).unwrap();
    for (at, share) in shares.iter().enumerate() {
        let (column, row) = ((at % 360) as f64 + 0.5, (at / 360) as f64 + 0.5);
        let place = |column: f64, row: f64| {
            laea.inverse(2_500_000.0 + column * 1e4, 4_500_000.0 - row * 1e4)
                .unwrap()
        };
        let is_in = |(lon, lat): (f64, f64)| (-10.0..=30.0).contains(&lon) && (50.0..=60.0).contains(&lat);
        let corners = [(-0.6, -0.6), (0.6, -0.6), (-0.6, 0.6), (0.6, 0.6)];
        let all = corners
            .iter()
            .filter(|(x, y)| is_in(place(column + x, row + y)))
            .count();
        // Where a pixel and its surroundings lie wholly on one side there is no doubt.
        if all == 4 {
            assert_eq!(*share, 1.0, "{column} {row}");
        } else if all == 0 {
            assert_eq!(*share, 0.0, "{column} {row}");
        }
    }
}

#[test]
fn two_sides_of_the_antimeridian_stand_side_by_side() {
    let both = Cutline::new(vec![
        square(170.0, -5.0, 180.0, 5.0),
        square(-180.0, -5.0, -175.0, 5.0),
    ])
    .unwrap();
    assert_eq!(both.bounds(), [-180.0, -5.0, 180.0, 5.0]);
    let beside = both.across_seam(360.0);
    assert_eq!(beside.bounds(), [170.0, -5.0, 185.0, 5.0]);
    let web = target(3857, 18_900_000.0, 600_000.0, (100_000.0, 100_000.0), (18, 12));
    let shares = shares(&beside, &Crs::from_epsg(4326).unwrap(), &web, 1).unwrap();
    let middle: Vec<f32> = shares[6 * 18..7 * 18].to_vec();
    // 170 degrees are 18 924 313 m, 185 degrees are 20 594 105 m.
    let expected: Vec<f32> = (0..18).map(|column| f32::from(column < 17)).collect();
    assert_eq!(middle, expected);
    let one = Cutline::new(vec![square(-60.0, 0.0, -50.0, 5.0)]).unwrap();
    assert_eq!(one.clone().across_seam(360.0), one);
    let near = Cutline::new(vec![square(-3.0, 0.0, -1.0, 5.0), square(1.0, 0.0, 2.0, 1.0)]).unwrap();
    assert_eq!(near.clone().across_seam(360.0), near);
}

#[test]
fn what_is_no_outline_is_refused() {
    assert_eq!(Cutline::new(vec![]), None);
    assert_eq!(Cutline::new(vec![vec![vec![]]]), None);
    assert_eq!(Cutline::new(vec![vec![vec![[f64::NAN, 0.0]]]]), None);
    let wgs84 = Crs::from_epsg(4326).unwrap();
    let beyond = Cutline::new(vec![square(0.0, 0.0, 10.0, 1e300)]).unwrap();
    let web = target(3857, 0.0, 100.0, (1.0, 1.0), (10, 10));
    assert_eq!(
        shares(&beyond, &wgs84, &web, 1),
        Err(CutlineError::Nowhere(10.0, 1e300))
    );
    // Huge numbers overflow nothing.
    let huge = Cutline::new(vec![square(-1e300, -1e300, 1e300, 1e300)]).unwrap();
    let whole = shares(&huge, &web.crs, &web, 3).unwrap();
    assert!(whole.iter().all(|share| *share == 1.0));
    let level = Cutline::new(vec![vec![vec![
        [-1e300, 95.5],
        [1e300, 95.5],
        [1e300, 92.5],
        [-1e300, 92.5],
    ]]])
    .unwrap();
    let strip = shares(&level, &web.crs, &web, 1).unwrap();
    let rows: Vec<f32> = strip.chunks(10).map(|row| row.iter().sum()).collect();
    assert_eq!(rows, [0.0, 0.0, 0.0, 0.0, 10.0, 10.0, 10.0, 10.0, 0.0, 0.0]);
    let fine_pixels = target(3857, 0.0, 100.0, (1e-300, 1e-300), (10, 10));
    assert_eq!(
        shares(&level, &web.crs, &fine_pixels, 1),
        Err(CutlineError::Nowhere(-1e300, 95.5))
    );
    let zigzag: Ring = (0..200_000).map(|at| [0.0, f64::from(at % 2) * 1e6]).collect();
    let fine = Cutline::new(vec![vec![zigzag]]).unwrap();
    let tall = target(3857, 0.0, 1e6, (1e3, 1e3), (10, 1000));
    assert_eq!(shares(&fine, &tall.crs, &tall, 1), Err(CutlineError::TooFine));
}

#[test]
fn a_pole_lies_beyond_the_edge_of_maps_that_have_none() {
    let world = Cutline::new(vec![square(-180.0, -90.0, 180.0, 90.0)]).unwrap();
    let side_m = 20_037_508.342_789_244;
    let web = target(3857, -side_m, side_m, (side_m / 4.0, side_m / 4.0), (8, 8));
    let found = shares(&world, &Crs::from_epsg(4326).unwrap(), &web, 10).unwrap();
    assert!(found.iter().all(|share| *share == 1.0), "{found:?}");
}

/// Steps are rows of parts that edges meet; outlines of one answer pay from one budget.
#[test]
fn outlines_together_take_no_more_than_one_alone_may() {
    let zigzag: Ring = (0..19_000)
        .map(|at| [f64::from(at) / 20.0, f64::from(at % 2) * 1e3])
        .collect();
    let some = Cutline::new(vec![vec![zigzag]]).unwrap();
    let tall = target(3857, 0.0, 1e3, (1.0, 1.0), (1000, 1000));
    let mut budget = Budget::default();
    let mut on = || some.on(&tall.crs, &tall, 1, &mut budget).map(|_| ());
    let paid = std::iter::from_fn(|| on().ok()).take(9).count() as u64;
    assert_eq!(paid, Budget::STEPS / (19_000 * 1000));
}

/// What a crowded row looks at part by part, another sorts: they tell the same runs.
#[test]
fn crowded_rows_are_counted_as_sparse_ones_are() {
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let ring: Ring = (0..60)
        .map(|_| [random() * 24.0 - 2.0, random() * 12.0 - 1.0])
        .collect();
    let polygons = vec![
        vec![ring.clone()],
        vec![ring.iter().map(|[x, y]| [y * 2.0, x / 2.0]).collect()],
    ];
    let crowded = cover::shares(&polygons, (20, 10), 4);
    // The same, far from the east: a row of so many parts is never crowded.
    let sparse = cover::shares(&polygons, (2000, 10), 4);
    let sparse: Vec<f32> = sparse.chunks(2000).flat_map(|row| row[..20].to_vec()).collect();
    assert!(crowded.iter().any(|share| (0.1..0.9).contains(share)));
    assert_eq!(crowded, sparse);
}
