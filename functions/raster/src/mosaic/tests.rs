//! Selections over three rasters whose values and holes are known; the expected values were computed by hand.

use super::*;

/// Two bands of three pixels; 0 in `mask` is a hole.
fn raster(samples: [i16; 6], mask: [u8; 6]) -> Raster {
    Raster {
        bands: 2,
        height: 1,
        width: 3,
        samples: Samples::I16(samples.to_vec()),
        mask: Mask::PerBand(mask.to_vec()),
    }
}

fn three() -> [Raster; 3] {
    [
        raster([10, 20, 30, 5, 6, 7], [255, 0, 0, 255, 0, 255]),
        raster([40, 50, 60, 4, 9, 8], [255, 255, 0, 255, 255, 255]),
        raster([25, 10, 90, 9, 1, 1], [255, 255, 0, 255, 255, 0]),
    ]
}

fn made(selection: Selection) -> Raster {
    let mut mosaic = Mosaic::new(selection);
    for raster in three() {
        mosaic.feed(raster).unwrap();
    }
    mosaic.finish().unwrap()
}

fn assert_made(selection: Selection, values: &[i16], mask: &[u8]) {
    let made = made(selection);
    let Samples::I16(samples) = &made.samples else {
        panic!("{selection:?} changes the type")
    };
    let own = planes(&made);
    assert_eq!(
        own.iter().map(|mask| u8::from(*mask > 0)).collect::<Vec<_>>(),
        mask,
        "{selection:?}"
    );
    for (at, (value, expected)) in samples.iter().zip(values).enumerate() {
        assert!(
            own[at] == 0 || value == expected,
            "{selection:?} at {at}: {value}, not {expected}"
        );
    }
    assert_eq!(samples.len(), values.len(), "{selection:?}");
}

#[test]
fn selections_choose_band_by_band_among_samples_that_hold_data() {
    let mask = [1, 1, 0, 1, 1, 1];
    assert_made(Selection::First, &[10, 50, 0, 5, 9, 7], &mask);
    assert_made(Selection::Highest, &[40, 50, 0, 9, 9, 8], &mask);
    assert_made(Selection::Lowest, &[10, 10, 0, 4, 1, 7], &mask);
    assert_made(Selection::Mean, &[25, 30, 0, 6, 5, 8], &mask);
    assert_made(Selection::Median, &[25, 30, 0, 5, 5, 8], &mask);
    assert_made(Selection::Sum, &[75, 60, 0, 18, 10, 15], &mask);
}

#[test]
fn the_last_band_chooses_for_the_others_and_is_left_out() {
    // Last bands are 5, 4, 9; -, 9, 1; 7, 8, -.
    assert_made(Selection::LastBandHigh, &[25, 50, 0], &[1, 1, 0]);
    assert_made(Selection::LastBandLow, &[40, 10, 0], &[1, 1, 0]);
    assert_eq!(made(Selection::LastBandLow).bands, 1);
}

#[test]
fn the_deviation_is_of_the_population_and_the_count_of_the_first_band() {
    let deviation = made(Selection::Stdev);
    let Samples::F64(values) = &deviation.samples else {
        panic!("no float64")
    };
    for (at, expected) in [
        (0, (150.0_f64).sqrt()),
        (1, 20.0),
        (3, (14.0_f64 / 3.0).sqrt()),
        (4, 4.0),
        (5, 0.5),
    ] {
        assert!((values[at] - expected).abs() < 1e-12, "{at}: {}", values[at]);
    }
    let count = made(Selection::Count);
    assert_eq!(
        (count.bands, count.samples, count.mask),
        (1, Samples::U8(vec![3, 2, 0]), Mask::All)
    );
}

#[test]
fn the_first_is_full_when_every_sample_holds_data() {
    let whole = |value| Raster {
        mask: Mask::All,
        ..raster([value; 6], [255; 6])
    };
    let [holes, ..] = three();
    let mut first = Mosaic::new(Selection::First);
    first.feed(holes).unwrap();
    assert!(!first.is_full());
    first.feed(whole(77)).unwrap();
    assert!(first.is_full());
    let made = first.finish().unwrap();
    assert_eq!(
        (made.samples, made.mask),
        (Samples::I16(vec![10, 77, 77, 5, 77, 7]), Mask::All)
    );
    let mut highest = Mosaic::new(Selection::Highest);
    highest.feed(whole(1)).unwrap();
    assert!(!highest.is_full());
}

#[test]
fn types_meet_in_float64_and_other_bands_are_refused() {
    let [one, ..] = three();
    let mut mosaic = Mosaic::new(Selection::First);
    mosaic.feed(one.clone()).unwrap();
    let half = Raster {
        samples: Samples::F32(vec![0.5; 6]),
        mask: Mask::All,
        ..one.clone()
    };
    mosaic.feed(half).unwrap();
    let expected = vec![10.0, 0.5, 0.5, 5.0, 0.5, 7.0];
    let mut other = Mosaic::new(Selection::Mean);
    other.feed(one.clone()).unwrap();
    let narrow = Raster {
        bands: 1,
        samples: Samples::I16(vec![1; 3]),
        mask: Mask::All,
        ..one
    };
    assert_eq!(other.feed(narrow.clone()), Err(Unlike { first: 2, other: 1 }));
    assert_eq!(mosaic.finish().unwrap().samples, Samples::F64(expected));
    let mut chosen = Mosaic::new(Selection::Lowest);
    let [one, ..] = three();
    chosen.feed(one).unwrap();
    assert!(chosen.feed(narrow).is_err());
}

#[test]
fn sums_keep_to_the_range_of_their_type() {
    let mut mosaic = Mosaic::new(Selection::Sum);
    let full = raster([30_000; 6], [255; 6]);
    mosaic.feed(full.clone()).unwrap();
    mosaic.feed(full).unwrap();
    assert_eq!(mosaic.finish().unwrap().samples, Samples::I16(vec![i16::MAX; 6]));
    for (name, selection) in Selection::ALL {
        assert_eq!(
            (Selection::named(name), selection.name()),
            (Some(selection), name)
        );
        assert!(Mosaic::new(selection).finish().is_none());
    }
}
