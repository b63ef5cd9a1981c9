//! The named colormaps: about 210 tables of 256 colours, unpacked one at a time when asked for.

use super::Colormap;
use super::colormap::Lut;
use libdeflater::Decompressor;

/// Made by `colormaps/make.py`, which also says how it is laid out; licences in `colormaps/SOURCES.txt`.
static TABLES: &[u8] = include_bytes!("../../colormaps/tables.bin");

/// What a reversed colormap's name ends in.
const REVERSED: &str = "_r";

/// A table as it is stored.
struct Entry {
    name: &'static str,
    data: &'static [u8],
}

/// The stored tables, in the order of their names: a directory of names and lengths, then the data.
fn entries() -> Vec<Entry> {
    let mut sizes = Vec::new();
    let mut rest = TABLES;
    while let Some((&length @ 1.., after)) = rest.split_first() {
        let Some((name, after)) = after.split_at_checked(usize::from(length)) else {
            break;
        };
        let Some((&[low, high], after)) = after.split_first_chunk() else {
            break;
        };
        sizes.push((
            std::str::from_utf8(name).unwrap_or_default(),
            u16::from_le_bytes([low, high]),
        ));
        rest = after;
    }
    // The zero that ends the directory.
    let mut data = rest.get(1..).unwrap_or_default();
    let split = |(name, size)| {
        let (table, after) = data.split_at_checked(usize::from(size))?;
        data = after;
        Some(Entry { name, data: table })
    };
    sizes.into_iter().map_while(split).collect()
}

/// All names: those stored, and the mirror image of each that is not.
pub(super) fn names() -> impl Iterator<Item = String> {
    let mut names: Vec<String> = entries().iter().map(|entry| entry.name.to_owned()).collect();
    let originals = names.iter().filter(|name| !name.ends_with(REVERSED));
    let mirrors: Vec<String> = originals
        .map(|name| format!("{name}{REVERSED}"))
        .filter(|mirror| !names.contains(mirror))
        .collect();
    names.extend(mirrors);
    names.sort_unstable();
    names.into_iter()
}

/// The colormap of a name, written in any case.
pub(super) fn find(name: &str) -> Option<Colormap> {
    let stored = |name: &str| {
        entries()
            .into_iter()
            .find(|entry| entry.name.eq_ignore_ascii_case(name))
    };
    if let Some(entry) = stored(name) {
        return Some(Colormap::Lut(unpack(entry.data)?));
    }
    let original = name.get(..name.len().checked_sub(REVERSED.len())?)?;
    let reversed = name.get(original.len()..)?.eq_ignore_ascii_case(REVERSED);
    let mut lut = unpack(stored(original).filter(|_| reversed)?.data)?;
    lut.reverse();
    Some(Colormap::Lut(lut))
}

/// Three planes of differences → 256 opaque colours.
fn unpack(data: &[u8]) -> Option<Lut> {
    let mut planes = [0; 768];
    Decompressor::new().deflate_decompress(data, &mut planes).ok()?;
    let mut lut = Box::new([[0, 0, 0, 255]; 256]);
    for (channel, steps) in planes.chunks_exact(256).enumerate() {
        let mut value = 0u8;
        for (colour, step) in lut.iter_mut().zip(steps) {
            value = value.wrapping_add(*step);
            colour[channel] = value;
        }
    }
    Some(lut)
}
