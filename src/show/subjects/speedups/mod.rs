//! How many times faster one implementation is than another: what a paper's text states, its table, and this machine.

mod baselines;
mod figure;

pub use baselines::baselines;
pub use figure::figures;

use super::seconds::shown_sizes;
use crate::lists::{distinct, grouped};
use crate::plot::Published;
use crate::published::{Bound, Claim, PublishedPaper, PublishedTable};
use crate::show::words::published_in_words;
use crate::show::{Context, Grid};
use crate::timing::Scope;

/// What a paper says of two implementations by one clock.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    pub faster: &'a str,
    pub slower: &'a str,
    pub scope: Scope,
    /// Whether the paper names that clock.
    pub by_clock: bool,
    /// The least and the most that any statement names; open where one is.
    pub low: f64,
    pub high: Option<f64>,
    /// Whether both are the most that the paper reached.
    pub up_to: bool,
    pub from_n: Option<usize>,
}

impl<'a> Pair<'a> {
    /// None of a claim that is no speed-up.
    fn of(claim: &'a Claim) -> Option<Self> {
        let (faster, slower) = claim.speed_up()?;
        let (low, high) = match (claim.value, claim.low, claim.high) {
            (Some(value), ..) => (value, Some(value).filter(|_| claim.bound != Some(Bound::Floor))),
            (None, Some(low), high) => (low, high),
            (None, None, Some(high)) => (high, Some(high)),
            // "Faster", by how much it does not say.
            (None, None, None) => (1.0, None),
        };
        let (scope, by_clock) = (claim.scope.unwrap_or(Scope::Kernel), claim.scope.is_some());
        let up_to = claim.bound == Some(Bound::UpTo);
        Some(Self { faster, slower, scope, by_clock, low, high, up_to, from_n: claim.from_n })
    }

    fn names(&self) -> (&'a str, &'a str) {
        (self.faster, self.slower)
    }

    fn and(self, other: Self) -> Self {
        let high = self.high.zip(other.high).map(|(a, b)| a.max(b));
        Self { low: self.low.min(other.low), high, up_to: self.up_to && other.up_to, ..self }
    }

    /// What is stated for this n. "Faster", by how much it does not say, is no number.
    pub fn published(&self, n: usize) -> Option<Published> {
        let speaks_of = self.from_n.is_none_or(|from| n >= from) && (self.high.is_some() || self.low != 1.0);
        speaks_of.then_some(Published { low: self.low, high: self.high })
    }
}

/// All pairs of the paper. Where it names a clock for a pair, statements by no clock are left out: only equal scopes are compared.
pub fn pairs(paper: &PublishedPaper) -> Vec<Pair<'_>> {
    let said: Vec<Pair> = paper.claims.iter().filter_map(Pair::of).collect();
    let is_compared = |pair: &&Pair| {
        pair.by_clock || !said.iter().any(|other| other.by_clock && other.names() == pair.names())
    };
    let by_clock = grouped(said.iter().filter(is_compared).map(|pair| ((pair.names(), pair.scope), *pair)));
    by_clock.into_iter().filter_map(|(_, pairs)| pairs.into_iter().reduce(Pair::and)).collect()
}

/// Every pair of implementations that the paper's claims compare, the faster one first.
pub fn compared(paper: &PublishedPaper) -> Vec<(&str, &str)> {
    distinct(paper.claims.iter().filter_map(Claim::speed_up))
}

/// One column for every speed-up that the paper's text states of what its table has, the range in the title. None when nothing here bears
/// on any.
pub fn beside_table(context: &Context) -> Option<Grid> {
    let (paper, published) = (context.paper?, context.table?);
    let sizes = context.sizes();
    let relevant = paper.claims.iter().filter_map(|claim| {
        let (faster, slower) = claim.speed_up()?;
        let is_here = sizes.iter().any(|&n| context.times_as_fast(faster, slower, n).is_some());
        (is_here && table_has(published, faster, slower)).then_some((claim, faster, slower))
    });
    let relevant: Vec<(&Claim, &str, &str)> = relevant.collect();
    let name = |(claim, faster, slower): &(&Claim, &str, &str)| {
        format!("{faster}\nover {slower}\n{}", in_short(claim))
    };
    let shown = |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"));
    let cell = |(_, faster, slower): &(&Claim, &str, &str), n: usize| match (
        published.ratio(faster, slower, n),
        context.times_as_fast(faster, slower, n),
    ) {
        (None, None) => String::new(),
        (paper, here) => format!("{} / {}", shown(paper), shown(here)),
    };
    let title = "How many times faster: paper's table / here";
    Grid::by_size(title, sizes.iter().copied(), &relevant, name, cell)
}

/// A column for every pair of implementations that the paper's text compares and that were measured here; a row a size. The
/// speed-ups of a published table stand beside that table where it is shown.
pub fn table(context: &Context) -> Option<Grid> {
    let paper = context.paper?;
    let is_in_table = |(faster, slower): (&str, &str)| {
        context.table.is_some() && paper.tables.iter().any(|table| table_has(table, faster, slower))
    };
    let said = paper.claims.iter().filter_map(|claim| {
        let pair = claim.speed_up().filter(|pair| !is_in_table(*pair))?;
        Some((pair, in_short(claim)))
    });
    let sizes = context.sizes();
    let is_here = |(faster, slower): (&str, &str)| {
        sizes.iter().any(|&n| context.times_as_fast(faster, slower, n).is_some())
    };
    let mut shown = grouped(said);
    shown.retain(|(pair, _)| is_here(*pair));
    let name = |((faster, slower), texts): &((&str, &str), Vec<String>)| {
        format!("{faster}\nover {slower}\n{}", texts.join("\n"))
    };
    let cell = |((faster, slower), _): &((&str, &str), Vec<String>), n| {
        let ratio = context.times_as_fast(faster, slower, n);
        ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
    };
    let title = "How many times faster here, scope kernel; above, what the paper's text says";
    Grid::by_size(title, shown_sizes(context), &shown, name, cell)
}

/// Whether a published table has columns of both.
fn table_has(table: &PublishedTable, faster: &str, slower: &str) -> bool {
    [faster, slower].iter().all(|name| table.columns.contains_key(*name))
}

/// What a claim says, in short: its numbers and where they hold.
fn in_short(claim: &Claim) -> String {
    let Claim { low, high, bound, .. } = *claim;
    // Of a range with a floor, that is its number.
    let value = claim.value.or(low.filter(|_| bound.is_some() && high.is_none()));
    let number = published_in_words(value, (low, high), bound, |number| number.to_string());
    let number = number.unwrap_or("faster".to_string());
    match (claim.n, claim.from_n) {
        (Some(n), _) => format!("text: {number} at {n}"),
        (None, Some(n)) => format!("text: {number} from {n}"),
        (None, None) => format!("text: {number}"),
    }
}
