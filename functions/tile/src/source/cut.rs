//! A read cut into its pieces while its bytes come, so that the first is decoded while the last is on its way.
//!
//! A try that fails half-way, or a second one that was sent because the first was late, begins anew: a piece is
//! given once, by the try that brings all of it first.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedSender;

use super::store::StoreError;
use crate::fetch::{Lead, Meter, Piece, part};

/// A piece of a read, and those who wait for it where it is kept in memory.
pub(super) type Led<'a> = (Range<u64>, Option<Lead<'a, Piece, Bytes, StoreError>>);

/// Pieces that have come, each with its place in the file.
pub(super) type Came = UnboundedSender<(Range<u64>, Bytes)>;

/// A read under way.
pub(super) struct Cut<'a> {
    read: Range<u64>,
    /// The pieces that have not come yet, the one that ends first behind the others.
    awaited: Mutex<Vec<Led<'a>>>,
    /// The read is one piece: that is kept as it came. A part of a read would hold all of it in memory.
    is_one: bool,
    meter: &'a Meter,
    came: Came,
}

impl<'a> Cut<'a> {
    /// Pieces that lie within `read`.
    pub(super) fn new(read: Range<u64>, mut led: Vec<Led<'a>>, meter: &'a Meter, came: Came) -> Self {
        led.sort_by_key(|(range, _)| std::cmp::Reverse(range.end));
        Self {
            read,
            is_one: led.len() == 1,
            awaited: Mutex::new(led),
            meter,
            came,
        }
    }

    /// So many bytes of the read have come, counted from its start.
    pub(super) fn reach(&self, bytes: &[u8]) {
        if self.is_one {
            return;
        }
        let whole = self.read.start + bytes.len() as u64;
        let mut awaited = self.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((range, lead)) = awaited.pop_if(|(range, _)| range.end <= whole) {
            let at = |offset: u64| offset.saturating_sub(self.read.start) as usize;
            if let Some(piece) = bytes.get(at(range.start)..at(range.end)) {
                self.give(range, lead, Bytes::copy_from_slice(piece));
            }
        }
    }

    /// The read has ended: what has not come yet comes now, or fails.
    pub(super) fn end(self, answer: Result<Bytes, StoreError>) -> Result<(), StoreError> {
        let awaited = self.awaited.into_inner().unwrap_or_else(PoisonError::into_inner);
        let cut = Self {
            awaited: Mutex::default(),
            ..self
        };
        match answer {
            Ok(bytes) => awaited.into_iter().rev().try_for_each(|(range, lead)| {
                let piece = part(&cut.read, &bytes, &range).ok_or(StoreError::WrongAnswer)?;
                let shares = lead.is_some() && !cut.is_one;
                cut.give(
                    range,
                    lead,
                    if shares {
                        Bytes::copy_from_slice(&piece)
                    } else {
                        piece
                    },
                );
                Ok(())
            }),
            Err(error) => {
                let leads = awaited.into_iter().filter_map(|(_, lead)| lead);
                leads.for_each(|lead| lead.fail(error));
                Err(error)
            }
        }
    }

    fn give(&self, range: Range<u64>, lead: Option<Lead<'a, Piece, Bytes, StoreError>>, piece: Bytes) {
        if let Some(lead) = lead {
            self.meter.count_miss();
            lead.keep(piece.clone(), piece.len() as u64);
        }
        // Whoever wanted it may have gone; those who follow have it.
        let _ = self.came.send((range, piece));
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;

    fn cut<'a>(meter: &'a Meter, pieces: &[Range<u64>]) -> (Cut<'a>, UnboundedReceiver<(Range<u64>, Bytes)>) {
        let (came, coming) = unbounded_channel();
        let led = pieces.iter().map(|range| (range.clone(), None)).collect();
        (Cut::new(100..110, led, meter, came), coming)
    }

    fn come(coming: &mut UnboundedReceiver<(Range<u64>, Bytes)>) -> Vec<(Range<u64>, Bytes)> {
        std::iter::from_fn(|| coming.try_recv().ok()).collect()
    }

    const BYTES: &[u8] = b"0123456789";

    #[test]
    fn pieces_come_with_their_last_byte_and_once() {
        let meter = Meter::default();
        // Blocks of a malicious file may lie over each other.
        let (cut, mut coming) = cut(&meter, &[104..108, 100..103, 102..110, 101..103]);
        cut.reach(&BYTES[..2]);
        assert_eq!(come(&mut coming), []);
        cut.reach(&BYTES[..3]);
        let mut early = come(&mut coming);
        early.sort_by_key(|(range, _)| range.start);
        assert_eq!(early, [(100..103, "012".into()), (101..103, "12".into())]);
        // The read is tried once more.
        cut.reach(&BYTES[..5]);
        assert_eq!(come(&mut coming), []);
        cut.end(Ok(Bytes::from_static(BYTES))).unwrap();
        assert_eq!(
            come(&mut coming),
            [(104..108, "4567".into()), (102..110, "23456789".into())]
        );
    }

    #[test]
    fn one_piece_is_given_as_it_came() {
        let meter = Meter::default();
        let (cut, mut coming) = cut(&meter, &[100..110; 1]);
        cut.reach(BYTES);
        assert_eq!(come(&mut coming), []);
        let bytes = Bytes::from_static(BYTES);
        cut.end(Ok(bytes.clone())).unwrap();
        assert_eq!(come(&mut coming)[0].1.as_ptr(), bytes.as_ptr());
    }

    #[test]
    fn a_read_that_fails_has_given_what_had_come() {
        let meter = Meter::default();
        let (cut, mut coming) = cut(&meter, &[100..103, 103..110]);
        cut.reach(&BYTES[..9]);
        assert_eq!(
            cut.end(Err(StoreError::Unavailable)),
            Err(StoreError::Unavailable)
        );
        assert_eq!(come(&mut coming), [(100..103, "012".into())]);
    }

    #[test]
    fn an_answer_that_is_too_short_is_none() {
        let meter = Meter::default();
        let (cut, _coming) = cut(&meter, &[100..103, 103..110]);
        let short = cut.end(Ok(Bytes::from_static(&BYTES[..9])));
        assert_eq!(short, Err(StoreError::WrongAnswer));
    }
}
