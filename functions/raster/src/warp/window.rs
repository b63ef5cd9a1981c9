//! A rectangle of a level, put together from decoded blocks: the wanted bands as planes, and their mask.

use std::ops::Range;

use crate::decode::Decoded;
use crate::header::nodata::NodataType;
use crate::header::{Header, Nodata};
use crate::plan::{Plan, Read};
use crate::samples::{DataType, Mask, Raster, Samples};
use crate::with_samples;

/// A rectangle of level pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// Columns, at least one.
    pub width: u32,
    /// Rows, at least one.
    pub height: u32,
}

impl Rect {
    /// Pixels in it.
    pub fn area(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Its columns as the level counts them: one range, or with a turn of the globe one for each turn that it meets.
    pub(crate) fn columns_of_level(&self, turn_px: Option<u32>) -> Vec<Range<u32>> {
        let end = self.x.saturating_add(self.width);
        let Some(turn) = turn_px else {
            return std::iter::once(self.x..end).collect();
        };
        turns(turn)
            .map(|west| self.x.saturating_sub(west)..end.saturating_sub(west).min(turn))
            .filter(|columns| columns.start < columns.end)
            .collect()
    }
}

/// Where the turns begin in which a rectangle's columns are counted: see [`Wanted`](crate::plan::Wanted).
fn turns(turn: u32) -> impl Iterator<Item = u32> {
    (0..3).map(move |count| turn.saturating_mul(count))
}

/// Samples of a level and where they lie in it.
#[derive(Clone, Debug)]
pub struct Window {
    /// Which pixels of the level these are.
    pub rect: Rect,
    /// The samples, `[bands, rect.height, rect.width]`.
    pub raster: Raster,
}

impl Window {
    /// The same samples, but those hold no data that are 0, or hold none, in the first band of a window of the same pixels.
    #[must_use]
    pub fn masked_by(mut self, mask: &Self) -> Self {
        let area = self.rect.area();
        let holds = match &mask.raster.mask {
            Mask::All => vec![255; area],
            Mask::Shared(holds) | Mask::PerBand(holds) => holds.clone(),
        };
        let shown = with_samples!(&mask.raster.samples, values => shown(values, &holds));
        self.raster.mask = match self.raster.mask {
            Mask::All => Mask::Shared(shown),
            Mask::Shared(own) => Mask::Shared(own.iter().zip(&shown).map(|(a, b)| *a.min(b)).collect()),
            Mask::PerBand(own) => {
                let both = own.iter().zip(shown.iter().cycle());
                Mask::PerBand(both.map(|(a, b)| *a.min(b)).collect())
            }
        };
        self
    }
}

/// 0 where a value is 0, else what is in `holds`.
fn shown<T: Copy + Default + PartialEq>(values: &[T], holds: &[u8]) -> Vec<u8> {
    let of = |(value, holds): (&T, &u8)| if *value == T::default() { 0 } else { *holds };
    values.iter().zip(holds).map(of).collect()
}

/// A window that is still being put together. Blocks may come in any order.
#[derive(Debug)]
pub struct Assembly {
    rect: Rect,
    bands: usize,
    samples: Samples,
    /// Alpha or mask IFD, 0 where no block has arrived.
    shared: Option<Vec<u8>>,
    /// Where blocks were never written, or their codec marked samples as invalid: per band.
    holes: Option<Vec<u8>>,
    nodata: Option<Nodata>,
    alpha_is_associated: bool,
}

impl Assembly {
    /// An empty window for a plan.
    pub fn new(header: &Header, plan: &Plan, data_type: DataType) -> Self {
        let area = plan.rect.area();
        let masked = plan.alpha.is_some() || plan.reads.iter().any(|read| matches!(read, Read::Mask { .. }));
        Self {
            rect: plan.rect,
            bands: plan.bands.len(),
            samples: Samples::zeros(data_type, plan.bands.len() * area),
            shared: masked.then(|| vec![0; area]),
            holes: None,
            nodata: plan.nodata,
            alpha_is_associated: plan.alpha.is_some_and(|alpha| header.alpha_is_associated(alpha)),
        }
    }

    /// Puts a decoded block in its place.
    pub fn place(&mut self, plan: &Plan, read: &Read, block: &Decoded, block_width: u32) {
        for overlap in self.overlaps(plan, read, (block_width, block.rows)) {
            self.place_at(&overlap, plan, read, block);
        }
    }

    /// Where a block meets the window: once, or with a turn of the globe up to three times.
    fn overlaps(&self, plan: &Plan, read: &Read, size: (u32, u32)) -> Vec<Overlap> {
        let (x, y) = read.origin();
        let Some(turn) = plan.turn_px else {
            return Overlap::new(&self.rect, (x, y), size, size.0)
                .into_iter()
                .collect();
        };
        // A column that repeats the first is left out.
        let columns = size.0.min(turn.saturating_sub(x));
        let shifted =
            |west: u32| Overlap::new(&self.rect, (x.saturating_add(west), y), (columns, size.1), size.0);
        turns(turn).filter_map(shifted).collect()
    }

    fn place_at(&mut self, overlap: &Overlap, plan: &Plan, read: &Read, block: &Decoded) {
        match read {
            Read::Mask { .. } => {
                let Some(shared) = &mut self.shared else { return };
                if let Samples::U8(values) = &block.samples {
                    overlap.copy(values, 1, 0, shared, |value| if value == 0 { 0 } else { 255 });
                }
            }
            Read::Data { plane, .. } => {
                let area = self.rect.area();
                let stride = plan.samples_in_block;
                for (at, band) in plan.bands.iter().enumerate() {
                    let Some(sample) = plan.sample_of(*band, *plane) else {
                        continue;
                    };
                    place_band(overlap, block, stride, sample, &mut self.samples, at * area);
                    if let Some(valid) = &block.mask {
                        let holes = self.holes.get_or_insert_with(|| vec![255; self.bands * area]);
                        overlap.copy(valid, 1, 0, &mut holes[at * area..(at + 1) * area], |value| value);
                    }
                }
                if let (Some(alpha), Some(shared)) = (plan.alpha, &mut self.shared)
                    && let Some(sample) = plan.sample_of(alpha, *plane)
                {
                    place_alpha(overlap, &block.samples, stride, sample, shared);
                }
            }
        }
    }

    /// Marks a block that was never written as holding nothing.
    pub fn leave_empty(&mut self, plan: &Plan, read: &Read, block_size: (u32, u32)) {
        let Read::Data { plane, .. } = read else { return };
        let area = self.rect.area();
        for overlap in self.overlaps(plan, read, block_size) {
            for (at, band) in plan.bands.iter().enumerate() {
                if plan.sample_of(*band, *plane).is_some() {
                    let holes = self.holes.get_or_insert_with(|| vec![255; self.bands * area]);
                    overlap.fill(&mut holes[at * area..(at + 1) * area], 0);
                }
            }
        }
    }

    /// The window with its mask: nodata if the file states one, else alpha or the mask IFD; never-written blocks always.
    pub fn finish(mut self) -> Window {
        if self.alpha_is_associated
            && let Some(shared) = &self.shared
        {
            unpremultiply(&mut self.samples, shared, self.bands);
        }
        let by_value = self.nodata.and_then(|nodata| nodata_mask(&self.samples, nodata));
        let per_band = match (by_value, self.holes) {
            (Some(mut mask), Some(holes)) => {
                mask.iter_mut().zip(holes).for_each(|(mask, hole)| *mask &= hole);
                Some(mask)
            }
            (mask, holes) => mask.or(holes),
        };
        let mask = match (per_band, self.shared) {
            (Some(mut mask), Some(shared)) => {
                for plane in mask.chunks_exact_mut(shared.len()) {
                    plane
                        .iter_mut()
                        .zip(&shared)
                        .for_each(|(mask, shared)| *mask = (*mask).min(*shared));
                }
                Mask::PerBand(mask)
            }
            (Some(mask), None) => Mask::PerBand(mask),
            (None, Some(shared)) if shared.iter().all(|value| *value == 255) => Mask::All,
            (None, Some(shared)) => Mask::Shared(shared),
            (None, None) => Mask::All,
        };
        let raster = Raster {
            bands: self.bands,
            height: self.rect.height as usize,
            width: self.rect.width as usize,
            samples: self.samples,
            mask,
        };
        Window {
            rect: self.rect,
            raster,
        }
    }
}

/// 255 where a sample is not nodata; `None` if no sample is.
fn nodata_mask(samples: &Samples, nodata: Nodata) -> Option<Vec<u8>> {
    fn mask<T: NodataType>(values: &[T], nodata: Nodata) -> Option<Vec<u8>> {
        let nodata = T::nodata(nodata)?;
        if !values.iter().any(|value| value.is(nodata)) {
            return None;
        }
        Some(
            values
                .iter()
                .map(|value| if value.is(nodata) { 0 } else { 255 })
                .collect(),
        )
    }
    with_samples!(samples, values => mask(values, nodata))
}

/// The part of a block that lies in the window.
struct Overlap {
    /// First column and row within the block.
    from: (usize, usize),
    /// First column and row within the window.
    to: (usize, usize),
    size: (usize, usize),
    block_width: usize,
    window_width: usize,
}

impl Overlap {
    /// Of `size` pixels of a block from its first, whose rows are `block_width` long.
    fn new(rect: &Rect, origin: (u32, u32), size: (u32, u32), block_width: u32) -> Option<Self> {
        let span = |start: u32, length: u32, window: u32, window_length: u32| {
            let from = start.max(window);
            let to = start.saturating_add(length).min(window + window_length);
            (from < to).then(|| {
                (
                    (from - start) as usize,
                    (from - window) as usize,
                    (to - from) as usize,
                )
            })
        };
        let (from_x, to_x, width) = span(origin.0, size.0, rect.x, rect.width)?;
        let (from_y, to_y, height) = span(origin.1, size.1, rect.y, rect.height)?;
        Some(Self {
            from: (from_x, from_y),
            to: (to_x, to_y),
            size: (width, height),
            block_width: block_width as usize,
            window_width: rect.width as usize,
        })
    }

    fn copy<A: Copy, B>(
        &self,
        block: &[A],
        stride: usize,
        sample: usize,
        plane: &mut [B],
        convert: impl Fn(A) -> B,
    ) {
        for row in 0..self.size.1 {
            let from = ((self.from.1 + row) * self.block_width + self.from.0) * stride + sample;
            let to = (self.to.1 + row) * self.window_width + self.to.0;
            let source = block[from..].iter().step_by(stride);
            for (target, value) in plane[to..to + self.size.0].iter_mut().zip(source) {
                *target = convert(*value);
            }
        }
    }

    fn copy_rows<T: Copy>(&self, block: &[T], plane: &mut [T]) {
        for row in 0..self.size.1 {
            let from = (self.from.1 + row) * self.block_width + self.from.0;
            let to = (self.to.1 + row) * self.window_width + self.to.0;
            plane[to..to + self.size.0].copy_from_slice(&block[from..from + self.size.0]);
        }
    }

    fn fill(&self, plane: &mut [u8], value: u8) {
        for row in 0..self.size.1 {
            let to = (self.to.1 + row) * self.window_width + self.to.0;
            plane[to..to + self.size.0].fill(value);
        }
    }
}

fn place_band(
    overlap: &Overlap,
    block: &Decoded,
    stride: usize,
    sample: usize,
    planes: &mut Samples,
    at: usize,
) {
    macro_rules! place {
        ($($kind:ident),*) => {
            match (&block.samples, planes) {
                $((Samples::$kind(values), Samples::$kind(planes)) => {
                    if stride == 1 {
                        overlap.copy_rows(values, &mut planes[at..]);
                    } else {
                        overlap.copy(values, stride, sample, &mut planes[at..], |value| value);
                    }
                })*
                // The header gives one type for all levels; a decoder keeps to it.
                _ => {}
            }
        };
    }
    place!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64);
}

/// Opaque is the greatest value of the type (1 for floating point); whatever is not wholly transparent stays visible.
fn place_alpha(overlap: &Overlap, samples: &Samples, stride: usize, sample: usize, shared: &mut [u8]) {
    let scale = |value: f64, full: f64| match (value / full * 255.0).round() {
        alpha if alpha < 1.0 && value > 0.0 => 1,
        alpha => alpha.clamp(0.0, 255.0) as u8,
    };
    match samples {
        Samples::U8(values) => overlap.copy(values, stride, sample, shared, |value| value),
        Samples::U16(values) => {
            overlap.copy(values, stride, sample, shared, |value| {
                scale(value.into(), 65535.0)
            });
        }
        Samples::U32(values) => {
            overlap.copy(values, stride, sample, shared, |value| {
                scale(value.into(), u32::MAX.into())
            });
        }
        Samples::U64(values) => {
            overlap.copy(values, stride, sample, shared, |value| {
                scale(value as f64, u64::MAX as f64)
            });
        }
        Samples::I8(values) => {
            overlap.copy(values, stride, sample, shared, |value| scale(value.into(), 127.0));
        }
        Samples::I16(values) => {
            overlap.copy(values, stride, sample, shared, |value| {
                scale(value.into(), 32767.0)
            });
        }
        Samples::I32(values) => {
            overlap.copy(values, stride, sample, shared, |value| {
                scale(value.into(), i32::MAX.into())
            });
        }
        Samples::I64(values) => {
            overlap.copy(values, stride, sample, shared, |value| {
                scale(value as f64, i64::MAX as f64)
            });
        }
        Samples::F32(values) => {
            overlap.copy(values, stride, sample, shared, |value| scale(value.into(), 1.0));
        }
        Samples::F64(values) => overlap.copy(values, stride, sample, shared, |value| scale(value, 1.0)),
    }
}

/// Takes the multiplication by alpha out of colours (TIFF 6.0 section 18, associated alpha). Whole numbers round.
fn unpremultiply(samples: &mut Samples, alpha: &[u8], bands: usize) {
    macro_rules! divide {
        ($values:expr, $max:expr, $kind:ty) => {
            for plane in 0..bands {
                let values = &mut $values[plane * alpha.len()..(plane + 1) * alpha.len()];
                for (value, alpha) in values
                    .iter_mut()
                    .zip(alpha)
                    .filter(|(_, alpha)| !matches!(alpha, 0 | 255))
                {
                    let full = (*value as f64 * 255.0 / f64::from(*alpha)).round();
                    *value = full.min($max) as $kind;
                }
            }
        };
    }
    match samples {
        Samples::U8(values) => divide!(values, 255.0, u8),
        Samples::U16(values) => divide!(values, 65535.0, u16),
        _ => {}
    }
}
