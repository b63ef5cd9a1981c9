//! Blocks whose samples are known by construction, through the public door.

use super::*;

fn format(kind: SampleKind, bits: u16, samples: u16, (width, height): (u32, u32)) -> BlockFormat {
    BlockFormat {
        kind,
        bits,
        samples_per_pixel: samples,
        width_px: width,
        height_px: height,
        ..BlockFormat::default()
    }
}

fn samples(format: &BlockFormat, bytes: &[u8]) -> Samples {
    decode(format, bytes, format.height_px, format.height_px)
        .unwrap()
        .samples
}

#[test]
fn bits_are_read_highest_first_and_rows_begin_on_a_byte() {
    let one = format(SampleKind::Uint, 1, 1, (3, 2));
    assert_eq!(
        samples(&one, &[0b1010_0000, 0b0110_0000]),
        Samples::U8(vec![1, 0, 1, 0, 1, 1])
    );
    let reversed = BlockFormat {
        fill_order_lsb_first: true,
        ..one
    };
    assert_eq!(
        samples(&reversed, &[0b0000_0101, 0b0000_0110]),
        Samples::U8(vec![1, 0, 1, 0, 1, 1])
    );
    let two = format(SampleKind::Uint, 2, 1, (3, 1));
    assert_eq!(samples(&two, &[0b1101_1000]), Samples::U8(vec![3, 1, 2]));
    let four = format(SampleKind::Uint, 4, 3, (1, 2));
    assert_eq!(
        samples(&four, &[0x12, 0x30, 0xab, 0xc0]),
        Samples::U8(vec![1, 2, 3, 10, 11, 12])
    );
    let ten = format(SampleKind::Uint, 10, 1, (3, 1));
    assert_eq!(
        samples(&ten, &[0xff, 0xc0, 0x05, 0x54]),
        Samples::U16(vec![1023, 0, 341])
    );
    let twelve = format(SampleKind::Uint, 12, 1, (2, 1));
    assert_eq!(
        samples(&twelve, &[0xab, 0xc1, 0x23]),
        Samples::U16(vec![0xabc, 0x123])
    );
    let twenty = format(SampleKind::Uint, 20, 1, (2, 1));
    assert_eq!(
        samples(&twenty, &[0xab, 0xcd, 0xe1, 0x23, 0x45]),
        Samples::U32(vec![0xabcde, 0x12345])
    );
    let signed = format(SampleKind::Int, 12, 1, (2, 1));
    assert_eq!(
        samples(&signed, &[0xff, 0xe7, 0xff]),
        Samples::I16(vec![-2, 2047])
    );
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        let three = BlockFormat {
            byte_order,
            ..format(SampleKind::Int, 24, 1, (2, 1))
        };
        assert_eq!(
            samples(&three, &[0, 0, 0x6b, 0xff, 0xff, 0xfe]),
            Samples::I32(vec![107, -2])
        );
    }
}

#[test]
fn whole_bytes_stand_in_the_files_order() {
    let little = format(SampleKind::Int, 16, 1, (2, 1));
    let big = BlockFormat {
        byte_order: ByteOrder::Big,
        ..little.clone()
    };
    assert_eq!(samples(&little, &[1, 2, 0xfe, 0xff]), Samples::I16(vec![513, -2]));
    assert_eq!(samples(&big, &[2, 1, 0xff, 0xfe]), Samples::I16(vec![513, -2]));
    let long = format(SampleKind::Uint, 64, 1, (1, 1));
    let value = u64::MAX - 1;
    assert_eq!(samples(&long, &value.to_le_bytes()), Samples::U64(vec![value]));
    let long = BlockFormat {
        kind: SampleKind::Int,
        byte_order: ByteOrder::Big,
        ..long
    };
    assert_eq!(
        samples(&long, &i64::MIN.to_be_bytes()),
        Samples::I64(vec![i64::MIN])
    );
    let double = BlockFormat {
        kind: SampleKind::Float,
        ..long
    };
    assert_eq!(
        samples(&double, &1.5e300f64.to_be_bytes()),
        Samples::F64(vec![1.5e300])
    );
}

#[test]
fn small_floats_keep_their_value() {
    let half = format(SampleKind::Float, 16, 1, (7, 1));
    let stored = [0x3c00u16, 0xc000, 0x7bff, 0x0001, 0x0400, 0x7c00, 0x8000];
    let expected = [
        1.0,
        -2.0,
        65504.0,
        2f32.powi(-24),
        2f32.powi(-14),
        f32::INFINITY,
        -0.0,
    ];
    let bytes: Vec<u8> = stored.iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(samples(&half, &bytes), Samples::F32(expected.to_vec()));
    let Samples::F32(values) = samples(&half, &[0x01, 0x7e].repeat(7)) else {
        panic!("a float")
    };
    assert!(values.iter().all(|v| v.is_nan()));

    // Sign, 7 bits of exponent with bias 63, 16 of fraction.
    let triple = format(SampleKind::Float, 24, 1, (5, 1));
    let triple = BlockFormat {
        byte_order: ByteOrder::Big,
        ..triple
    };
    let stored = [0x3f_0000u32, 0xc0_8000, 0x00_0001, 0xff_0000, 0x7e_ffff];
    let expected = [
        1.0,
        -3.0,
        2f32.powi(-78),
        f32::NEG_INFINITY,
        (2.0 - 2f32.powi(-16)) * 2f32.powi(63),
    ];
    let bytes: Vec<u8> = stored
        .iter()
        .flat_map(|v| v.to_be_bytes()[1..].to_vec())
        .collect();
    assert_eq!(samples(&triple, &bytes), Samples::F32(expected.to_vec()));
}

#[test]
fn only_the_rows_needed_are_asked_of_the_bytes() {
    let strip = format(SampleKind::Uint, 8, 1, (2, 100));
    let decoded = decode(&strip, &[1, 2, 3, 4], 100, 2).unwrap();
    assert_eq!(
        (decoded.rows, decoded.samples),
        (2, Samples::U8(vec![1, 2, 3, 4]))
    );
    let short = decode(&strip, &[1, 2, 3, 4], 100, 3).unwrap_err().to_string();
    assert_eq!(
        short,
        "broken uncompressed block: it holds 4 bytes where 6 are needed"
    );
    assert_eq!(decode(&strip, &[], 100, 0).unwrap().samples, Samples::U8(vec![]));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let base = format(SampleKind::Uint, 8, 1, (8, 8));
    let refused = |format: BlockFormat| format.check().unwrap_err().to_string();
    let complex = BlockFormat {
        kind: SampleKind::ComplexFloat,
        bits: 64,
        ..base.clone()
    };
    assert_eq!(
        refused(complex),
        "a file of complex samples (tag 339) is not read"
    );
    let codec = BlockFormat {
        compression: Compression::from_tag(34661),
        ..base.clone()
    };
    assert_eq!(refused(codec), "compression 34661 (tag 259) is not read");
    let jpeg = BlockFormat {
        compression: Compression::Jpeg,
        bits: 16,
        ..base.clone()
    };
    assert_eq!(refused(jpeg), "JPEG of 16 bits a sample (tag 259) is not read");
    let predicted = BlockFormat {
        compression: Compression::Lzw,
        predictor: Predictor::FloatingPoint,
        ..base.clone()
    };
    assert_eq!(
        refused(predicted),
        "predictor 3 on 8 bits of Uint samples (tag 317) is not read"
    );
    let flat = BlockFormat { height_px: 0, ..base };
    assert_eq!(refused(flat), "a block height of 0 (tag 323) cannot be meant");
}

#[test]
fn the_limit_is_on_the_rows_taken_not_on_the_strip() {
    let image = format(SampleKind::Uint, 1, 1, (100_000, 1_000_000));
    let rows = decode(&image, &vec![0xff; 12_500 * 2], 1_000_000, 2).unwrap();
    assert_eq!(rows.samples, Samples::U8(vec![1; 200_000]));
    let all = decode(&image, &[], 1_000_000, 1_000_000).unwrap_err();
    assert_eq!(
        all,
        DecodeError::TooLarge {
            bytes: 100_000_000_000,
            limit: MAX_BLOCK_BYTES
        }
    );
    let row = format(SampleKind::Uint, 8, u16::MAX, (u32::MAX, 1));
    assert!(matches!(row.check(), Err(DecodeError::TooLarge { .. })));
}
