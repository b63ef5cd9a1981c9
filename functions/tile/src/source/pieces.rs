//! Pieces of an open file: blocks, and parts of its index, each read once however many want it.

use std::ops::Range;
use std::time::Instant;

use bytes::Bytes;
use edgetile_raster::span::{Known, Missing};
use futures_util::stream::{FuturesUnordered, Stream};
use futures_util::{FutureExt, TryStreamExt};
use tokio::time::timeout_at;

use super::Source;
use super::store::StoreError;
use crate::fetch::{Fetcher, Found, Lead, Meter, Piece, part};

/// Pieces in which the index of blocks is read where the head does not hold it: the entries of some ten rows of blocks
/// of a scene of 100,000 px, in a fraction of the round trip.
const PAGE: u64 = 16 << 10;

impl Source {
    /// Pieces of this version of the file, in the order in which they come, some at a time: from memory, from a read
    /// that another request has under way, or from reads of our own, all sent at once.
    pub fn pieces<'a>(
        &'a self,
        fetcher: &'a Fetcher,
        ranges: Vec<Range<u64>>,
        deadline: Instant,
        meter: &'a Meter,
    ) -> impl Stream<Item = Result<Vec<(Range<u64>, Bytes)>, StoreError>> + 'a {
        let arriving = FuturesUnordered::new();
        let mut ours = Vec::new();
        for range in ranges {
            // The system keeps what it read of local files.
            if !self.object.is_remote() {
                ours.push((range, None));
                continue;
            }
            match fetcher.pieces.find(self.piece(&range)) {
                Found::Kept(bytes) => {
                    meter.count_hit();
                    arriving.push(std::future::ready(Ok(vec![(range, bytes)])).left_future());
                }
                Found::Lead(lead) => ours.push((range, Some(lead))),
                Found::Follow(follow) => {
                    let wait = async move {
                        let led = timeout_at(deadline.into(), follow.wait()).await;
                        match led.map_err(|_| StoreError::TimedOut)? {
                            Some(Ok(bytes)) => {
                                meter.count_hit();
                                Ok(vec![(range, bytes)])
                            }
                            Some(Err(error)) => Err(error),
                            None => {
                                let bytes = self.own(fetcher, range.clone(), deadline, meter).await?;
                                Ok(vec![(range, bytes)])
                            }
                        }
                    };
                    arriving.push(wait.boxed().right_future());
                }
            }
        }
        let model = self.object.host().model();
        for read in model.merge(ours.iter().map(|(range, _)| range.clone()).collect()) {
            let within = |range: &Range<u64>| read.start <= range.start && range.end <= read.end;
            let led: Vec<_> = ours.extract_if(.., |(range, _)| within(range)).collect();
            let run = async move {
                let answer = self.read(fetcher, read.clone(), deadline, meter).await;
                share(&read, answer, led, meter)
            };
            arriving.push(run.boxed().right_future());
        }
        arriving
    }

    /// One piece, when whoever read it has given up.
    async fn own(
        &self,
        fetcher: &Fetcher,
        range: Range<u64>,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Bytes, StoreError> {
        loop {
            match fetcher.pieces.find(self.piece(&range)) {
                Found::Kept(bytes) => {
                    meter.count_hit();
                    return Ok(bytes);
                }
                Found::Lead(lead) => {
                    let answer = self.read(fetcher, range.clone(), deadline, meter).await;
                    let mut shared = share(&range, answer, vec![(range.clone(), Some(lead))], meter)?;
                    return shared
                        .pop()
                        .map(|(_, bytes)| bytes)
                        .ok_or(StoreError::WrongAnswer);
                }
                Found::Follow(follow) => {
                    let led = timeout_at(deadline.into(), follow.wait()).await;
                    if let Some(answer) = led.map_err(|_| StoreError::TimedOut)? {
                        meter.count_hit();
                        return answer;
                    }
                }
            }
        }
    }

    fn piece(&self, range: &Range<u64>) -> Piece {
        Piece {
            edition: self.edition.clone(),
            start: range.start,
            end: range.end,
        }
    }

    /// Does not keep a piece whose bytes turned out not to be what they should.
    pub fn discard(&self, fetcher: &Fetcher, range: &Range<u64>) {
        fetcher.pieces.forget(&self.piece(range), |_| true);
    }

    /// Reads parts of the index that are missing in `known` and adds them.
    pub async fn learn(
        &self,
        fetcher: &Fetcher,
        known: &mut Known,
        missing: Missing,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<(), StoreError> {
        let mut pages: Vec<u64> = missing
            .0
            .iter()
            .flat_map(|range| range.start / PAGE..range.end.div_ceil(PAGE))
            .collect();
        pages.sort_unstable();
        pages.dedup();
        let range = |page: u64| page * PAGE..((page + 1) * PAGE).min(self.header.size);
        let pages = pages.into_iter().map(range).collect();
        let mut arriving = std::pin::pin!(self.pieces(fetcher, pages, deadline, meter));
        while let Some(arrived) = arriving.try_next().await? {
            for (range, bytes) in arrived {
                known.insert(range.start, bytes);
            }
        }
        Ok(())
    }
}

type Led<'a> = (Range<u64>, Option<Lead<'a, Piece, Bytes, StoreError>>);

/// Cuts a read into the pieces for which it was made, and gives each to all who wait for it.
fn share(
    read: &Range<u64>,
    answer: Result<Bytes, StoreError>,
    led: Vec<Led<'_>>,
    meter: &Meter,
) -> Result<Vec<(Range<u64>, Bytes)>, StoreError> {
    let bytes = match answer {
        Ok(bytes) => bytes,
        Err(error) => {
            // Our time is not theirs: those who wait read it themselves.
            if error != StoreError::TimedOut {
                let leads = led.into_iter().filter_map(|(_, lead)| lead);
                leads.for_each(|lead| lead.fail(error));
            }
            return Err(error);
        }
    };
    let alone = led.len() == 1;
    let cut = |(range, lead): Led<'_>| {
        let mut piece = part(read, &bytes, &range).ok_or(StoreError::WrongAnswer)?;
        if let Some(lead) = lead {
            meter.count_miss();
            if !alone {
                // Otherwise a piece that is kept would hold the whole read in memory.
                piece = Bytes::copy_from_slice(&piece);
            }
            lead.keep(piece.clone(), piece.len() as u64);
        }
        Ok((range, piece))
    };
    led.into_iter().map(cut).collect()
}
