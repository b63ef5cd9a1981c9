//! The machine: runs a program over blocks of 512 pixels, which keep all registers in the first-level cache.

use super::graph::Node;
use super::lane::Lane;
use super::program::{Program, Register, Step};
use crate::samples::{Mask, Raster, Samples};
use crate::with_samples;

/// Pixels at a time. Measured: 256 to 1024 are alike; below, the steps' overhead shows, above, the cache spills.
const BLOCK: usize = 512;

/// Runs a program over a raster in `f32` or `f64`; `mask` is the inputs' common plane.
/// Gives samples `[outputs, height, width]` and their mask.
pub(super) fn run(program: &Program, input: &Raster, mask: Option<Vec<u8>>, wide: bool) -> (Samples, Mask) {
    let size = input.height * input.width;
    if wide {
        let (values, mask) =
            with_samples!(&input.samples, samples => evaluate::<f64, _>(program, samples, size, mask));
        (Samples::F64(values), mask)
    } else {
        let (values, mask) =
            with_samples!(&input.samples, samples => evaluate::<f32, _>(program, samples, size, mask));
        (Samples::F32(values), mask)
    }
}

/// A stored sample as a lane's number.
trait Load<L>: Copy {
    fn load(self) -> L;
}

macro_rules! load {
    ($($t:ty),*) => { $(
        impl Load<f32> for $t { #[inline] fn load(self) -> f32 { self as f32 } }
        impl Load<f64> for $t { #[inline] fn load(self) -> f64 { self as f64 } }
    )* };
}

load!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

fn evaluate<L: Lane, S: Load<L>>(
    program: &Program,
    samples: &[S],
    size: usize,
    mask: Option<Vec<u8>>,
) -> (Vec<L>, Mask) {
    let mut machine = Machine::<L>::new(program);
    let mut values = vec![L::default(); program.outputs.len() * size];
    let mut masks = Masks {
        shared: mask,
        planes: None,
        size,
        outputs: program.outputs.len(),
    };
    for start in (0..size).step_by(BLOCK) {
        let block = start..size.min(start + BLOCK);
        for band in 0..program.bands {
            machine.load(band, &samples[band * size..][block.clone()]);
        }
        program.steps.iter().for_each(|step| machine.step(step));
        for (output, &register) in program.outputs.iter().enumerate() {
            let result = &machine.registers[register][..block.len()];
            values[output * size..][block.clone()].copy_from_slice(result);
            if !result.iter().fold(true, |all, value| all & value.finite()) {
                masks.hide(output, start, &mut values[output * size..][block.clone()]);
            }
        }
    }
    let mask = masks.finish(&mut values);
    (values, mask)
}

struct Machine<L> {
    registers: Vec<Box<[L]>>,
    /// Where a step writes before it changes place with the register meant.
    spare: Box<[L]>,
}

impl<L: Lane> Machine<L> {
    fn new(program: &Program) -> Self {
        let block = || vec![L::default(); BLOCK].into_boxed_slice();
        let mut registers: Vec<_> = (0..program.registers).map(|_| block()).collect();
        for (register, &value) in registers.iter_mut().skip(program.bands).zip(&program.constants) {
            register.fill(L::of(value));
        }
        Self {
            registers,
            spare: block(),
        }
    }

    fn load<S: Load<L>>(&mut self, register: Register, samples: &[S]) {
        self.registers[register]
            .iter_mut()
            .zip(samples)
            .for_each(|(into, sample)| *into = sample.load());
    }

    fn step(&mut self, step: &Step) {
        let (registers, into) = (&self.registers, &mut self.spare);
        match step.node {
            Node::Unary(operation, a) => L::map(operation, &registers[a], into),
            Node::Binary(operation, a, b) => L::zip(operation, &registers[a], &registers[b], into),
            Node::Where(condition, then, otherwise) => {
                let choices = registers[then].iter().zip(&registers[otherwise]);
                for ((into, &condition), (&then, &otherwise)) in
                    into.iter_mut().zip(&registers[condition]).zip(choices)
                {
                    *into = if condition == L::default() {
                        otherwise
                    } else {
                        then
                    };
                }
            }
            Node::Band(_) | Node::Constant(_) => return,
        }
        std::mem::swap(&mut self.registers[step.into], &mut self.spare);
    }
}

/// The mask as it grows: one plane as long as no output has holes of its own.
struct Masks {
    shared: Option<Vec<u8>>,
    planes: Option<Vec<u8>>,
    size: usize,
    outputs: usize,
}

impl Masks {
    /// Masks what is not finite in a block of an output, and zeroes it.
    fn hide<L: Lane>(&mut self, output: usize, start: usize, values: &mut [L]) {
        let (size, outputs, shared) = (self.size, self.outputs, &self.shared);
        let planes = self.planes.get_or_insert_with(|| match shared {
            Some(plane) => plane.repeat(outputs),
            None => vec![255; size * outputs],
        });
        for (value, mask) in values.iter_mut().zip(&mut planes[output * size + start..]) {
            if !value.finite() {
                (*value, *mask) = (L::default(), 0);
            }
        }
    }

    /// Zeroes what the inputs' mask hides, and gives the mask.
    fn finish<L: Lane>(self, values: &mut [L]) -> Mask {
        if let Some(plane) = &self.shared {
            for values in values.chunks_exact_mut(self.size.max(1)) {
                // A choice for every pixel rather than a step over most: it becomes vector code.
                for (value, &mask) in values.iter_mut().zip(plane) {
                    *value = if mask == 0 { L::default() } else { *value };
                }
            }
        }
        match (self.planes, self.shared) {
            (Some(planes), _) if self.outputs == 1 => Mask::Shared(planes),
            (Some(planes), _) => Mask::PerBand(planes),
            (None, Some(plane)) => Mask::Shared(plane),
            (None, None) => Mask::All,
        }
    }
}
