//! Pieces of an open file: blocks, and parts of its index, each read once however many want it.

use std::future::ready;
use std::ops::Range;
use std::time::Instant;

use bytes::Bytes;
use edgetile_raster::span::{Known, Missing};
use futures_util::future::try_join_all;
use futures_util::stream::{self, FuturesUnordered, Stream};
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use tokio::sync::mpsc::unbounded_channel;

use super::Source;
use super::cut::{Came, Cut};
use super::store::StoreError;
use crate::fetch::{Claim, Fetcher, Found, Meter, Piece};

/// Pieces in which the index of blocks is read where the head does not hold it: the entries of some ten rows of blocks
/// of a scene of 100,000 px, in a fraction of the round trip.
const PAGE: u64 = 16 << 10;

impl Source {
    /// Pieces of this version of the file, in the order in which they come: from memory, from a read that another
    /// request has under way, or from reads of our own, all sent at once. A piece comes as soon as its bytes are there.
    pub fn pieces<'a>(
        &'a self,
        fetcher: &'a Fetcher,
        ranges: Vec<Range<u64>>,
        deadline: Instant,
        meter: &'a Meter,
    ) -> impl Stream<Item = Result<(Range<u64>, Bytes), StoreError>> + 'a {
        let reads = FuturesUnordered::new();
        let (came, mut coming) = unbounded_channel();
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
                    let _ = came.send((range, bytes));
                }
                Found::Lead(lead) => ours.push((range, Some(lead))),
                Found::Follow(_) => {
                    reads.push(self.shared(fetcher, range, deadline, meter, came.clone()).boxed());
                }
            }
        }
        let model = self.object.host().model();
        for read in model.merge(ours.iter().map(|(range, _)| range.clone()).collect()) {
            let within = |range: &Range<u64>| read.start <= range.start && range.end <= read.end;
            let led = ours.extract_if(.., |(range, _)| within(range)).collect();
            let cut = Cut::new(read.clone(), led, meter, came.clone());
            reads.push(self.cut(fetcher, read, cut, deadline, meter).boxed());
        }
        let come = stream::poll_fn(move |context| coming.poll_recv(context)).map(Ok);
        let failed = reads.filter_map(|read: Result<(), StoreError>| ready(read.err().map(Err)));
        stream::select(come, failed)
    }

    /// Reads a range and cuts it.
    async fn cut(
        &self,
        fetcher: &Fetcher,
        read: Range<u64>,
        cut: Cut<'_>,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<(), StoreError> {
        let parts = self.object.host().model().parts(&read);
        let answer = if parts.len() == 1 || !self.object.is_remote() {
            self.read(fetcher, read, deadline, meter, &|bytes| cut.reach(bytes))
                .await
        } else {
            let reads = parts
                .into_iter()
                .map(|part| self.read(fetcher, part, deadline, meter, &|_| ()));
            try_join_all(reads).await.map(|parts| parts.concat().into())
        };
        cut.end(answer)
    }

    /// One piece that another request is reading: from there, or by ourselves when it gives up.
    async fn shared(
        &self,
        fetcher: &Fetcher,
        range: Range<u64>,
        deadline: Instant,
        meter: &Meter,
        came: Came,
    ) -> Result<(), StoreError> {
        match fetcher.pieces.claim(&self.piece(&range), deadline).await? {
            Claim::Had(bytes) => {
                meter.count_hit();
                let _ = came.send((range, bytes));
                Ok(())
            }
            Claim::Lead(lead) => {
                let cut = Cut::new(range.clone(), vec![(range.clone(), Some(lead))], meter, came);
                self.cut(fetcher, range, cut, deadline, meter).await
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
        while let Some((range, bytes)) = arriving.try_next().await? {
            known.insert(range.start, bytes);
        }
        Ok(())
    }
}
