use super::*;
use crate::decode::decode;
use crate::header::{Affine, Block, Header, Image};
use crate::span::Known;

const TILE: Place<'static> = Place {
    origin: [1_000_000.0, 6_000_000.0],
    pixel_size: [10.0, 20.0],
    system: System::Registered {
        epsg: 3857,
        geographic: false,
    },
};

/// The file's header as our own reader sees it.
fn header(bytes: &Bytes) -> (Header, Known) {
    let mut known = Known::new();
    known.insert(0, bytes.clone());
    (Header::read(&known, bytes.len() as u64).unwrap(), known)
}

/// All samples of an image, band by band.
#[expect(clippy::unnecessary_cast, reason = "it is one for every type but `f64`")]
fn samples(image: &Image, known: &Known, size: u64) -> Vec<f64> {
    let planes = if image.planar {
        u32::from(image.samples_per_pixel)
    } else {
        1
    };
    let mut all = Vec::new();
    for (plane, row) in (0..planes).flat_map(|plane| (0..image.blocks_down()).map(move |row| (plane, row))) {
        let block = image
            .blocks
            .get(known, size, image.block_index(plane, 0, row))
            .unwrap()
            .unwrap();
        let Block::At(range) = block else {
            panic!("{block:?}")
        };
        let rows = image.rows_stored(row);
        let decoded = decode(&image.format, &known.get(range).unwrap(), rows, rows).unwrap();
        with_samples!(&decoded.samples, values => all.extend(values.iter().map(|&value| value as f64)));
    }
    all
}

fn raster(samples: Samples, bands: usize, width: usize, mask: Mask) -> Raster {
    Raster {
        bands,
        height: samples.len() / bands / width,
        width,
        samples,
        mask,
    }
}

fn ramp(len: usize) -> impl Iterator<Item = u32> {
    (0..len as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 16)
}

#[test]
#[expect(clippy::unnecessary_cast, reason = "it is one for every type but `f64`")]
fn every_type_comes_back_through_our_own_reader() {
    let len = 3 * 50 * 37;
    let every = [
        Samples::U8(ramp(len).map(|v| v as u8).collect()),
        Samples::I8(ramp(len).map(|v| v as i8).collect()),
        Samples::U16(ramp(len).map(|v| v as u16).collect()),
        Samples::I16(ramp(len).map(|v| v as i16).collect()),
        Samples::U32(ramp(len).map(|v| v * 3).collect()),
        Samples::I32(ramp(len).map(|v| v as i32 - 40_000).collect()),
        Samples::U64(ramp(len).map(u64::from).collect()),
        Samples::I64(ramp(len).map(|v| -i64::from(v)).collect()),
        Samples::F32(ramp(len).map(|v| v as f32 / 7.0).collect()),
        Samples::F64(ramp(len).map(|v| f64::from(v) / 7.0).collect()),
    ];
    for data in every {
        let expected: Vec<f64> =
            with_samples!(&data, values => values.iter().map(|&value| value as f64).collect());
        let data_type = data.data_type();
        let bytes = geotiff(&raster(data, 3, 37, Mask::All), &TILE, None).unwrap();
        let (header, known) = header(&bytes);
        let image = &header.levels[0].image;
        assert_eq!((image.width_px, image.height_px, header.bands.len()), (37, 50, 3));
        assert_eq!(samples(image, &known, header.size), expected, "{data_type:?}");
        assert!(header.levels[0].mask.is_none() && header.nodata.is_none());
        assert_eq!(header.remarks, Vec::<String>::new());
    }
}

#[test]
fn large_planes_are_cut_into_strips() {
    let data = Samples::U16(ramp(2 * 300 * 1000).map(|v| v as u16).collect());
    let bytes = geotiff(&raster(data.clone(), 2, 1000, Mask::All), &TILE, None).unwrap();
    let (header, known) = header(&bytes);
    let image = &header.levels[0].image;
    // 2^18 bytes hold 131 rows of 2,000.
    assert_eq!((image.block_height_px, image.blocks_down()), (131, 3));
    assert_eq!(
        Samples::U16(
            samples(image, &known, header.size)
                .iter()
                .map(|&v| v as u16)
                .collect()
        ),
        data
    );
}

#[test]
fn the_place_comes_back() {
    let bytes = geotiff(&raster(Samples::U8(vec![0; 4]), 1, 2, Mask::All), &TILE, None).unwrap();
    let header = header(&bytes).0;
    let affine = Affine {
        a: 10.0,
        b: 0.0,
        c: 1_000_000.0,
        d: 0.0,
        e: -20.0,
        f: 6_000_000.0,
    };
    assert_eq!(header.georeference.unwrap().affine, affine);
    let keys = header.geo_keys.unwrap();
    assert_eq!(
        (keys.short(1024), keys.short(1025), keys.short(3072)),
        (Some(1), Some(1), Some(3857))
    );
}

#[test]
fn what_is_masked_becomes_nodata_in_each_band() {
    let mask = Mask::PerBand(vec![255, 0, 255, 255, 0, 0]);
    let data = raster(Samples::I16(vec![1, 2, 3, 4, 5, 6]), 2, 3, mask);
    let bytes = geotiff(&data, &TILE, Some(Nodata::Integer(-9999))).unwrap();
    let (header, known) = header(&bytes);
    assert_eq!(header.nodata, Some(Nodata::Integer(-9999)));
    let image = &header.levels[0].image;
    assert_eq!(
        samples(image, &known, header.size),
        [1.0, -9999.0, 3.0, 4.0, -9999.0, -9999.0]
    );
    assert!(header.levels[0].mask.is_none());
}

#[test]
fn a_mask_is_kept_where_no_value_can_stand_for_nothing() {
    let mut plane = vec![255; 60];
    plane[0..11].fill(0);
    plane[59] = 1;
    let expected: Vec<u8> = plane.iter().map(|&mask| u8::from(mask > 0)).collect();
    let data = raster(Samples::U8(vec![7; 60]), 1, 10, Mask::Shared(plane));
    // -1 is no `uint8`.
    for nodata in [None, Some(Nodata::Integer(-1))] {
        let bytes = geotiff(&data, &TILE, nodata).unwrap();
        let (header, known) = header(&bytes);
        assert_eq!(header.nodata, None);
        let mask = header.levels[0].mask.as_ref().unwrap();
        let bits: Vec<u8> = samples(mask, &known, header.size)
            .iter()
            .map(|&bit| u8::from(bit > 0.0))
            .collect();
        assert_eq!(bits, expected);
    }
}

#[test]
fn no_pixel_is_an_error() {
    let nothing = Raster {
        bands: 1,
        height: 0,
        width: 0,
        samples: Samples::U8(Vec::new()),
        mask: Mask::All,
    };
    assert!(matches!(
        geotiff(&nothing, &TILE, None),
        Err(EncodeError::TiffSize)
    ));
}
