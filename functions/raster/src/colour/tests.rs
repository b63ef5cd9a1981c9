use super::*;

fn one(samples: Samples, mask: Mask) -> Raster {
    Raster {
        bands: 1,
        height: 1,
        width: samples.len(),
        samples,
        mask,
    }
}

fn style() -> Style<'static> {
    Style::default()
}

fn gray(raster: &Raster, rescale: &str) -> Vec<u8> {
    let rescale = Rescale::parse([rescale]).unwrap();
    match render(
        raster,
        &Style {
            rescale: Some(&rescale),
            ..style()
        },
    )
    .unwrap()
    .pixels
    {
        Pixels::Gray(values) => values,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_bands_are_stretched_each_over_its_range_and_keep_their_masks() {
    let mask = Mask::PerBand(vec![255, 255, 0, 255]);
    let raster = Raster {
        bands: 2,
        height: 1,
        width: 2,
        samples: Samples::U16(vec![0, 500, 7, 100]),
        mask: mask.clone(),
    };
    let both = stretched(&raster, &Rescale::parse(["0,1000", "0,100"]).unwrap()).unwrap();
    assert_eq!(
        (both.samples, both.mask),
        (Samples::U8(vec![0, 128, 0, 255]), mask)
    );
    assert!(stretched(&raster, &Rescale::parse(["0,1", "0,1", "0,1"]).unwrap()).is_err());
}

/// White sand is 255 in one band more than in others: where that is nodata the pixel is shown, for another band holds data.
#[test]
fn a_band_that_is_masked_alone_keeps_its_value_unless_it_is_stretched() {
    let raster = Raster {
        bands: 3,
        height: 1,
        width: 2,
        samples: Samples::U8(vec![200, 255, 224, 255, 255, 255]),
        mask: Mask::PerBand(vec![255, 0, 255, 0, 0, 0]),
    };
    let as_it_is = render(&raster, &style()).unwrap();
    assert_eq!(as_it_is.pixels, Pixels::Rgb(vec![200, 224, 255, 0, 0, 0]));
    assert_eq!(as_it_is.alpha, Some(vec![255, 0]));
    let wide = Raster {
        samples: Samples::U16(vec![200, 255, 224, 255, 255, 255]),
        ..raster.clone()
    };
    assert_eq!(
        render(&wide, &style()).unwrap().pixels,
        Pixels::Rgb16(vec![200, 224, 255, 0, 0, 0])
    );
    let range = Rescale::parse(["0,255"]).unwrap();
    let stretched = Style {
        rescale: Some(&range),
        ..style()
    };
    assert_eq!(
        render(&raster, &stretched).unwrap().pixels,
        Pixels::Rgb(vec![200, 224, 0, 0, 0, 0])
    );
}

/// The colours that a picture of a palette shows.
fn shown(picture: &Picture) -> Vec<Rgba> {
    match &picture.pixels {
        Pixels::Palette { index, palette } => {
            index.iter().map(|&place| palette[usize::from(place)]).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rescale_takes_the_nearest_level_and_clips() {
    // 1000 / 255 = 3.92… values for each level.
    let values = one(Samples::U16(vec![0, 1, 2, 500, 998, 1000, 60000]), Mask::All);
    assert_eq!(gray(&values, "0,1000"), [0, 0, 1, 128, 254, 255, 255]);
    let index = one(
        Samples::F32(vec![-2.0, -1.0, -0.004, 0.5, 1.0, f32::NAN, f32::INFINITY]),
        Mask::All,
    );
    assert_eq!(gray(&index, "-1,1"), [0, 0, 127, 191, 255, 0, 255]);
    assert_eq!(
        gray(&one(Samples::U8(vec![0, 51, 255]), Mask::All), "255,0"),
        [255, 204, 0]
    );
    assert_eq!(
        gray(
            &one(Samples::I64(vec![i64::MIN, 0, i64::MAX]), Mask::All),
            "[-1,1]"
        ),
        [0, 128, 255]
    );
}

#[test]
fn rescale_says_what_is_wrong() {
    let wrong = |text: &'static str| Rescale::parse([text]).unwrap_err();
    assert_eq!(wrong("5"), ColourError::RescaleSyntax("5".to_owned()));
    assert_eq!(wrong("a,1"), ColourError::RescaleSyntax("a,1".to_owned()));
    assert_eq!(wrong("0,1,2"), ColourError::RescaleSyntax("0,1,2".to_owned()));
    assert_eq!(wrong("0,inf"), ColourError::RescaleSyntax("0,inf".to_owned()));
    assert_eq!(wrong("5,5.0"), ColourError::RescaleEmpty(5.0));
    assert_eq!(wrong("-1e308,1e308"), ColourError::RescaleWide(-1e308, 1e308));
    let two = Rescale::parse(["0,1", "0,2"]).unwrap();
    let three = Raster {
        bands: 3,
        height: 1,
        width: 1,
        samples: Samples::U8(vec![0; 3]),
        mask: Mask::All,
    };
    let found = render(
        &three,
        &Style {
            rescale: Some(&two),
            ..style()
        },
    );
    assert_eq!(found, Err(ColourError::RescaleCount { given: 2, bands: 3 }));
}

#[test]
fn each_band_has_its_own_range_and_mask() {
    let samples = Samples::U16(vec![10, 20, 10, 20, 10, 20]);
    let mask = Mask::PerBand(vec![255, 0, 255, 0, 0, 0]);
    let raster = Raster {
        bands: 3,
        height: 1,
        width: 2,
        samples,
        mask,
    };
    let rescale = Rescale::parse(["0,10", "0,20", "0,10"]).unwrap();
    let picture = render(
        &raster,
        &Style {
            rescale: Some(&rescale),
            ..style()
        },
    )
    .unwrap();
    // The first pixel has data in two bands, so it shows; the second in none.
    assert_eq!(picture.pixels, Pixels::Rgb(vec![255, 128, 0, 0, 0, 0]));
    assert_eq!(picture.alpha, Some(vec![255, 0]));
    let opaque = render(
        &raster,
        &Style {
            rescale: Some(&rescale),
            opaque: true,
            ..style()
        },
    )
    .unwrap();
    assert_eq!((opaque.pixels, opaque.alpha), (picture.pixels, None));
}

#[test]
fn types_without_rescale() {
    let shown = |samples| render(&one(samples, Mask::All), &style()).map(|picture| picture.pixels);
    assert_eq!(shown(Samples::U8(vec![3])), Ok(Pixels::Gray(vec![3])));
    assert_eq!(shown(Samples::U16(vec![300])), Ok(Pixels::Gray16(vec![300])));
    assert_eq!(
        shown(Samples::I16(vec![i16::MIN, i16::MAX])),
        Ok(Pixels::Gray(vec![0, 255]))
    );
    assert_eq!(
        shown(Samples::F32(vec![0.5])),
        Err(ColourError::RescaleMissing("float32"))
    );
    let default = Rescale(vec![(0.0, 2.0)]);
    let with = Style {
        default_range: Some(&default),
        ..style()
    };
    let picture = render(&one(Samples::F32(vec![2.0, 1.0]), Mask::All), &with).unwrap();
    assert_eq!(picture.pixels, Pixels::Gray(vec![255, 128]));
    let sixteen = Raster {
        bands: 3,
        height: 1,
        width: 1,
        samples: Samples::U16(vec![1, 2, 3]),
        mask: Mask::All,
    };
    assert_eq!(
        render(&sixteen, &style()).unwrap().pixels,
        Pixels::Rgb16(vec![1, 2, 3])
    );
}

#[test]
fn only_one_or_three_bands_make_a_picture() {
    for bands in [2, 4, 5] {
        let raster = Raster {
            bands,
            height: 1,
            width: 1,
            samples: Samples::U8(vec![0; bands]),
            mask: Mask::All,
        };
        assert_eq!(render(&raster, &style()), Err(ColourError::Bands(bands)));
        let colormap = Colormap::named("viridis");
        let coloured = render(
            &raster,
            &Style {
                colormap: colormap.as_ref(),
                ..style()
            },
        );
        assert_eq!(coloured, Err(ColourError::ColormapBands(bands)));
    }
}

#[test]
fn partial_alpha_stays() {
    let picture = render(
        &one(Samples::U8(vec![9, 9, 9]), Mask::Shared(vec![0, 128, 255])),
        &style(),
    )
    .unwrap();
    assert_eq!(
        (picture.pixels, picture.alpha),
        (Pixels::Gray(vec![0, 9, 9]), Some(vec![0, 128, 255]))
    );
    let colormap = Colormap::named("gray").unwrap();
    let with = Style {
        colormap: Some(&colormap),
        ..style()
    };
    let picture = render(
        &one(Samples::U8(vec![9, 9, 9]), Mask::Shared(vec![0, 128, 255])),
        &with,
    )
    .unwrap();
    assert_eq!(shown(&picture), [[0; 4], [9, 9, 9, 128], [9, 9, 9, 255]]);
}

/// rio-tiler 9.4.2's own tables.
#[test]
fn named_colormaps_are_the_published_ones() {
    let colours = |name| match Colormap::named(name).unwrap() {
        Colormap::Lut(lut) => {
            [lut[0], lut[1], lut[127], lut[128], lut[200], lut[255]].map(|[r, g, b, _]| [r, g, b])
        }
        other => panic!("{other:?}"),
    };
    let viridis = [
        [68, 1, 84],
        [68, 2, 85],
        [32, 143, 140],
        [32, 144, 140],
        [112, 206, 86],
        [253, 231, 36],
    ];
    assert_eq!(colours("viridis"), viridis);
    let rdylgn = [
        [165, 0, 38],
        [166, 1, 38],
        [254, 254, 189],
        [254, 254, 189],
        [112, 193, 100],
        [0, 104, 55],
    ];
    assert_eq!(colours("RdYlGn"), rdylgn);
    // Not the mirror image of `paired`: matplotlib samples it anew.
    let paired = [
        [177, 89, 40],
        [177, 89, 40],
        [253, 191, 111],
        [227, 26, 28],
        [178, 223, 138],
        [166, 206, 227],
    ];
    assert_eq!(colours("paired_r"), paired);
    assert_eq!(colours("cfastie_r")[5], [255, 255, 255]);
    assert_eq!(
        Colormap::named("nothing")
            .or(Colormap::named("_r"))
            .or(Colormap::named("viridis_r_r")),
        None
    );
}

#[test]
fn all_tables_together_have_the_checksum_of_the_published_ones() {
    let names: Vec<String> = Colormap::names().collect();
    assert_eq!(names.len(), 214);
    // The published names: all but the mirror images that rio-tiler lacks.
    let lacking = ["cfastie_r", "rplumbo_r", "schwarzwald_r"];
    let published = names.iter().filter(|name| !lacking.contains(&name.as_str()));
    let bytes: Vec<u8> = published
        .flat_map(|name| Colormap::named(name).unwrap().lut().map(|[r, g, b, _]| [r, g, b]))
        .flatten()
        .collect();
    assert_eq!(libdeflater::crc32(&bytes), 3_642_342_736);
}

#[test]
fn a_colormap_that_says_two_things_is_refused() {
    let wrong = |json: &str| Colormap::parse_json(json).unwrap_err().to_string();
    assert_eq!(
        wrong(r##"[[[0, 1], "#f00"], [[5, 2], "#00f"]]"##),
        "colormap: the interval [[5,2],\"#00f\"] ends before it begins"
    );
    assert_eq!(
        wrong(r##"{"1": "#f00", "01": "#00f"}"##),
        "colormap: 1 has more than one colour"
    );
}

#[test]
fn a_colormap_makes_a_palette_with_a_place_for_the_transparent() {
    let colormap = Colormap::named("viridis").unwrap();
    let values: Vec<u8> = (0..=255).chain([7]).collect();
    let mut mask = vec![255; 257];
    mask[256] = 0;
    let style = Style {
        colormap: Some(&colormap),
        ..style()
    };
    // Every level is in use: two like colours share a place.
    let picture = render(&one(Samples::U8(values), Mask::Shared(mask)), &style).unwrap();
    let shown = shown(&picture);
    assert_eq!(shown[256], [0; 4]);
    for (colour, exact) in shown.iter().zip(colormap.lut().iter()) {
        assert!(
            colour.iter().zip(exact).all(|(a, b)| a.abs_diff(*b) <= 1),
            "{colour:?} for {exact:?}"
        );
    }
}

#[test]
fn a_table_without_like_neighbours_needs_no_palette() {
    let lut = Box::new(std::array::from_fn(|at| {
        [(at as u8).wrapping_mul(37), at as u8, 0, 255]
    }));
    let colormap = Colormap::Lut(lut.clone());
    let values: Vec<u8> = (0..=255).chain([7]).collect();
    let mut mask = vec![255; 257];
    mask[256] = 0;
    let style = Style {
        colormap: Some(&colormap),
        ..style()
    };
    let picture = render(&one(Samples::U8(values), Mask::Shared(mask.clone())), &style).unwrap();
    let Pixels::Rgb(pixels) = &picture.pixels else {
        panic!("{picture:?}")
    };
    assert!(
        pixels
            .chunks(3)
            .zip(lut.iter())
            .all(|(pixel, exact)| pixel == &exact[..3])
    );
    assert_eq!((&pixels[768..], picture.alpha), (&[0; 3][..], Some(mask)));
}

#[test]
fn rescale_comes_before_the_colormap() {
    let colormap = Colormap::named("rdylgn").unwrap();
    let rescale = Rescale::parse(["-1,1"]).unwrap();
    let style = Style {
        rescale: Some(&rescale),
        colormap: Some(&colormap),
        ..style()
    };
    let picture = render(
        &one(
            Samples::F32(vec![-1.0, 1.0, 0.0]),
            Mask::Shared(vec![255, 255, 0]),
        ),
        &style,
    )
    .unwrap();
    assert_eq!(shown(&picture), [[165, 0, 38, 255], [0, 104, 55, 255], [0; 4]]);
}

#[test]
fn exact_values_intervals_and_ramps_see_the_values_themselves() {
    let colours = |json: &str, samples| {
        let colormap = Colormap::parse_json(json).unwrap();
        shown(
            &render(
                &one(samples, Mask::All),
                &Style {
                    colormap: Some(&colormap),
                    ..style()
                },
            )
            .unwrap(),
        )
    };
    let (red, none) = ([255, 0, 0, 255], [0; 4]);
    let exact = r##"{"-5": "#f00", "1000": [0, 128, 0, 64], "3": "#0000ff80"}"##;
    let expected = [red, [0, 128, 0, 64], none, [0, 0, 255, 128]];
    assert_eq!(colours(exact, Samples::I16(vec![-5, 1000, 0, 3])), expected);
    assert_eq!(
        colours(exact, Samples::F32(vec![-5.0, 1000.0, -5.5, 3.0])),
        expected
    );
    assert_eq!(colours(exact, Samples::U8(vec![3, 4])), [[0, 0, 255, 128], none]);
    let intervals = r##"[[[0, 1], "#ff0000"], [[1, 2.5], [1, 2, 3]]]"##;
    let expected = [red, [1, 2, 3, 255], none, none];
    assert_eq!(
        colours(intervals, Samples::F64(vec![0.0, 1.0, 2.5, f64::NAN])),
        expected
    );
    let ramp = r##"[[10, "#000000"], [20, [100, 200, 0]], [0, "#ff0000"]]"##;
    let expected = [red, red, [0, 0, 0, 255], [25, 50, 0, 255], [100, 200, 0, 255]];
    assert_eq!(
        colours(ramp, Samples::F32(vec![-1.0, 0.0, 10.0, 12.5, 99.0])),
        expected
    );
}

#[test]
fn a_ramp_of_many_colours_is_red_green_and_blue() {
    let colormap = Colormap::parse_json(r##"[[0, "#000"], [100, "#f00"], [200, "#ff0"]]"##).unwrap();
    let values: Vec<f32> = (0..2000).map(|at| at as f32 / 10.0).collect();
    let mut mask = vec![255; 2000];
    mask[0] = 0;
    let picture = render(
        &one(Samples::F32(values), Mask::Shared(mask.clone())),
        &Style {
            colormap: Some(&colormap),
            ..style()
        },
    );
    let picture = picture.unwrap();
    assert_eq!(picture.alpha, Some(mask));
    let Pixels::Rgb(pixels) = picture.pixels else {
        panic!()
    };
    assert_eq!(pixels[3 * 1500..][..3], [255, 128, 0]);
}

#[test]
fn a_dictionary_of_all_bytes_is_a_table() {
    let json: Vec<String> = (0..256).map(|at| format!("\"{at}\":[{at},0,0,255]")).collect();
    let colormap = Colormap::parse_json(&format!("{{{}}}", json.join(","))).unwrap();
    assert!(matches!(colormap, Colormap::Lut(lut) if lut[77] == [77, 0, 0, 255]));
}

#[test]
fn a_colormap_says_what_is_wrong() {
    let wrong = |text: &str| Colormap::parse_json(text).unwrap_err();
    assert!(matches!(wrong("{"), ColourError::ColormapJson(_)));
    assert_eq!(wrong("{}"), ColourError::ColormapEmpty);
    assert_eq!(wrong("7"), ColourError::ColormapForm("7".to_owned()));
    assert!(matches!(
        wrong(r##"{"a": "#fff"}"##),
        ColourError::ColormapForm(_)
    ));
    for colour in [
        r##""#ff""##,
        r##""#ggg""##,
        "[1,2]",
        "[1,2,300]",
        "[1,2,-3]",
        "null",
        "\"#é12345\"",
    ] {
        assert!(
            matches!(wrong(&format!("{{\"1\": {colour}}}")), ColourError::Colour(_)),
            "{colour}"
        );
    }
    assert!(matches!(
        wrong(r##"[[[0, 1], "#fff"], [5, "#fff"]]"##),
        ColourError::ColormapForm(_)
    ));
    assert!(matches!(
        wrong(r##"[[[0], "#fff"]]"##),
        ColourError::ColormapForm(_)
    ));
}

#[test]
fn the_formula_stands_between_rescale_and_colormap() {
    let formula = Formula::parse("gamma R 2").unwrap();
    let rescale = Rescale::parse(["0,1"]).unwrap();
    let with = Style {
        rescale: Some(&rescale),
        formula: Some(&formula),
        ..style()
    };
    let quarter = one(Samples::F32(vec![0.25, 0.25]), Mask::Shared(vec![255, 0]));
    // sqrt(64 / 255) * 255 = 127.75
    let picture = render(&quarter, &with).unwrap();
    assert_eq!(picture.pixels, Pixels::Gray(vec![128, 0]));
    let colormap = Colormap::named("gray").unwrap();
    let coloured = render(
        &quarter,
        &Style {
            colormap: Some(&colormap),
            ..with
        },
    )
    .unwrap();
    assert_eq!(shown(&coloured), [[128, 128, 128, 255], [0; 4]]);
    // 16-bit data become levels by the range of their type.
    let sixteen = render(
        &one(Samples::U16(vec![16_448]), Mask::All),
        &Style {
            formula: Some(&formula),
            ..style()
        },
    );
    assert_eq!(sixteen.unwrap().pixels, Pixels::Gray(vec![128]));
}

#[test]
fn a_key_that_stands_twice_in_the_same_letters_is_refused() {
    for text in [
        r##"{"1": "#ff0000", "1": "#00ff00"}"##,
        r##"{"1": "#ff0000", " 1": "#00ff00"}"##,
    ] {
        let error = Colormap::parse_json(text).unwrap_err();
        assert!(
            matches!(error, ColourError::ColormapTwice(key) if key == "1"),
            "{text}"
        );
    }
}
