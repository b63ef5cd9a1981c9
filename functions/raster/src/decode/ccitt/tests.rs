//! Rows written out by hand from the tables; whole pictures come from libtiff (`testdata/`).

use super::*;

/// Bits written as text, spaces left out.
fn bytes(text: &str) -> Vec<u8> {
    let bits: Vec<u8> = text.bytes().filter(|c| *c != b' ').map(|c| c - b'0').collect();
    bits.chunks(8)
        .map(|byte| {
            byte.iter()
                .enumerate()
                .fold(0, |sum, (i, bit)| sum | bit << (7 - i))
        })
        .collect()
}

fn decode(format: &BlockFormat, text: &str) -> Result<Vec<u8>, DecodeError> {
    let mut out = vec![0; format.row_bytes() * format.height_px as usize];
    fill(format, &bytes(text), &mut out).map(|()| out)
}

fn format(compression: Compression, width_px: u32, height_px: u32) -> BlockFormat {
    BlockFormat {
        compression,
        width_px,
        height_px,
        ..BlockFormat::default()
    }
}

#[test]
fn rows_of_runs_begin_on_a_byte() {
    let rle = format(Compression::CcittRle, 10, 2);
    // White 2, black 3, white 5; then white 0, black 10.
    assert_eq!(
        decode(&rle, "0111 10 1100 000000 00110101 0000100"),
        Ok(vec![0b0011_1000, 0, 0xff, 0b1100_0000])
    );
}

#[test]
fn ends_of_lines_may_be_padded_or_left_out() {
    let g3 = format(Compression::CcittG3, 4, 2);
    let picture = Ok(vec![0b0110_0000, 0b1111_0000]);
    assert_eq!(
        decode(&g3, "000000000001 000111 11 000111 000000000001 00110101 011"),
        picture
    );
    assert_eq!(
        decode(
            &g3,
            "0000000000000001 000111 11 000111 0000000000000001 00110101 011"
        ),
        picture
    );
    assert_eq!(decode(&g3, "000111 11 000111 00110101 011"), picture);
    // With tag bits: the second row as one pass over the two changes above, then black to the end is not there.
    let g3 = BlockFormat { t4_options: 1, ..g3 };
    assert_eq!(
        decode(&g3, "000000000001 1 000111 11 000111 000000000001 0 1 1 1"),
        Ok(vec![0x60, 0x60])
    );
}

#[test]
fn changes_lie_relative_to_the_row_above() {
    let g4 = format(Compression::CcittG4, 8, 4);
    // From white: horizontal, white 2, black 3, then to the end; one right and one left of that; pass; start in black.
    let picture = decode(&g4, "001 0111 10 1  011 010 1  0001 1  001 00110101 11 1");
    assert_eq!(picture, Ok(vec![0b0011_1000, 0b0001_0000, 0, 0b1100_0000]));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let g4 = format(Compression::CcittG4, 8, 1);
    let error = |text| decode(&g4, text).unwrap_err().to_string();
    assert_eq!(
        error("000000000001 000000000001"),
        "broken CCITT group 4 block: no mode in row 0"
    );
    assert_eq!(
        error("001 1110 10 001 1110 10"),
        "broken CCITT group 4 block: a run beyond its end in row 0"
    );
    assert_eq!(
        error("011"),
        "broken CCITT group 4 block: a change out of place in row 0"
    );
    let rle = format(Compression::CcittRle, 8, 2);
    let cut = decode(&rle, "10011").unwrap_err().to_string();
    assert_eq!(cut, "broken CCITT RLE block: no run length in row 1");
}
