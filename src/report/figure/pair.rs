//! Speed-ups of one implementation over another, as the text of a paper states them.

use crate::lists::grouped;
use crate::published::{BoundKind, Claim, PublishedPaper};
use crate::report::draw::Band;
use crate::report::text::span;
use crate::timing::Scope;
use std::fmt;

/// Two implementations that a paper compares by one clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair<'a> {
    pub faster: &'a str,
    pub slower: &'a str,
    pub clock: Scope,
    /// Whether the paper names the clock; else it is that of kernels.
    by_clock: bool,
    /// The least and the most that any statement names; `high` is None if a statement has no upper end.
    low: f64,
    high: Option<f64>,
    /// Whether all statements are of the form "up to": the most that the paper reached.
    up_to: bool,
    from_n: Option<usize>,
}

impl fmt::Display for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} over {}", self.faster, self.slower)?;
        if self.by_clock { write!(f, ", {}", self.clock) } else { Ok(()) }
    }
}

impl<'a> Pair<'a> {
    /// The pair of one claim; None if the claim is no speed-up.
    fn new(claim: &'a Claim) -> Option<Self> {
        let (faster, slower) = claim.speed_up()?;
        let (low, high) = match (claim.value, claim.low, claim.high) {
            (Some(value), ..) => (value, Some(value).filter(|_| claim.bound != Some(BoundKind::Floor))),
            (None, Some(low), high) => (low, high),
            (None, None, Some(high)) => (high, Some(high)),
            // "Faster", by how much it does not say.
            (None, None, None) => (1.0, None),
        };
        let (clock, by_clock) = (claim.scope.unwrap_or(Scope::Kernel), claim.scope.is_some());
        let up_to = claim.bound == Some(BoundKind::UpTo);
        Some(Self { faster, slower, clock, by_clock, low, high, up_to, from_n: claim.from_n })
    }

    fn names(&self) -> (&'a str, &'a str) {
        (self.faster, self.slower)
    }

    fn and(self, other: Self) -> Self {
        let high = self.high.zip(other.high).map(|(a, b)| a.max(b));
        Self { low: self.low.min(other.low), high, up_to: self.up_to && other.up_to, ..self }
    }

    /// The stated range, whatever n, and its words.
    pub(super) fn stated(&self) -> Band {
        let text = match self.high {
            Some(high) if self.up_to => format!("up to {high}"),
            Some(high) => span(self.low, high, |value| value.to_string()),
            None if self.low == 1.0 => "faster".into(),
            None => format!("over {}", self.low),
        };
        let from = self.from_n.map_or(String::new(), |n| format!(" from n = {n}"));
        let low = Some(self.low).filter(|_| !self.up_to);
        Band { low, high: self.high, told: format!("{text}{from}") }
    }

    /// The range that is stated for this n. None for "faster" alone, which names no number.
    pub(super) fn published(&self, n: usize) -> Option<(f64, Option<f64>)> {
        let speaks_of = self.from_n.is_none_or(|from| n >= from) && (self.high.is_some() || self.low != 1.0);
        speaks_of.then_some((self.low, self.high))
    }
}

/// All pairs of the paper. If it names a clock for a pair, statements without one are left out: only equal scopes are compared.
pub(super) fn pairs(paper: &PublishedPaper) -> Vec<Pair<'_>> {
    let said: Vec<Pair> = paper.claims.iter().filter_map(Pair::new).collect();
    let is_compared = |pair: &&Pair| {
        pair.by_clock || !said.iter().any(|other| other.by_clock && other.names() == pair.names())
    };
    let by_clock = grouped(said.iter().filter(is_compared).map(|pair| ((pair.names(), pair.clock), *pair)));
    by_clock.into_iter().filter_map(|(_, pairs)| pairs.into_iter().reduce(Pair::and)).collect()
}
