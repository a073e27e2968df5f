//! Speed-ups of one implementation over another, as the text of a paper states them: all of one pair, and those that are stated in numbers
//! next to measured ones on one axis.

use super::plot::key;
use crate::judge::{AcceptanceRange, ClaimResult, ClaimRow, Comparison, Verdict};
use crate::lists::{extent, grouped};
use crate::published::{BoundKind, Claim, ClaimKind, PublishedPaper};
use crate::report::draw::palette::{BAND, GREEN, GREY, MUTED, ORANGE, SKY, VERMILLION};
use crate::report::draw::{
    Axis, Band, Chart, Dot, Guide, Ink, Mark, Panel, Plot, Quantity, Row, Rows, Scale, Shape, Stroke, draw,
};
use crate::report::page::author_year;
use crate::report::text::{in_text, span};
use crate::report::words::short_label;
use crate::report::{Exhibit, words};
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

/// A row for each claim, a panel for each machine: the stated range in grey, and a mark at the geometric mean of the comparisons on a line
/// that spans all of their intervals. None if no machine compared at least two claims.
pub fn speed_ups(claims: &[ClaimRow], papers: &[PublishedPaper], machines: &[&str]) -> Option<Exhibit> {
    let of_machine = |machine: &&str| {
        let of_paper = |paper: &PublishedPaper| {
            let of_it = claims.iter().filter(|row| row.paper == paper.id && row.kind == ClaimKind::Ratio);
            let rows: Vec<Row> = of_it.filter_map(|row| drawn(row, machine)).collect();
            let heading = Row { label: format!("{}: {}", author_year(paper), paper.gpu), ..Row::default() };
            if rows.is_empty() { rows } else { [vec![heading], rows].concat() }
        };
        let rows: Vec<Row> = papers.iter().flat_map(of_paper).collect();
        let title = "A over B: how many times as fast A is";
        let mut keys = vec![key("what the paper states", BAND, None)];
        keys.extend(Verdict::all().filter(|one| one.is_decided()).map(|verdict| {
            let (ink, mark) = look(verdict);
            key(&verdict.to_string(), ink, Some(mark))
        }));
        let equal = Guide { at: 1.0, label: "equal times".into(), ink: GREY, stroke: Stroke::Solid };
        let x = Axis::new(title, Scale::Log, Quantity::Times);
        let chart = Chart::Rows(Rows { x, rows, guides: vec![equal], keys });
        Panel { heading: short_label(machine), source: String::new(), chart }
    };
    let has_several = |panel: &Panel| matches!(&panel.chart, Chart::Rows(rows) if rows.rows.len() > 2);
    let panels: Vec<Panel> = machines.iter().map(of_machine).filter(has_several).collect();
    let title = "Speed-ups that the papers state in numbers, and what they are here";
    let caption = "Grey is what the paper states; a mark is the geometric mean of a claim's comparisons, and its line spans their intervals, \
                   which decide the verdict.";
    let plot = Plot { id: "stated-speed-ups".into(), title: title.into(), caption: caption.into(), panels };
    let figure = (!plot.panels.is_empty()).then(|| draw(&plot))?;
    Some(Exhibit {
        figure: Some(figure),
        id: plot.id,
        title: plot.title,
        caption: plot.caption,
        ..Exhibit::default()
    })
}

/// The row of a claim. None if it has no short name, or if its comparisons have different published ranges.
fn drawn(row: &ClaimRow, machine: &str) -> Option<Row> {
    let label = row.short.clone()?;
    let result: &ClaimResult = row.results.iter().find(|one| one.machine == machine)?;
    let points: Vec<&Comparison> = result.points.iter().filter(|point| point.verdict.is_decided()).collect();
    let published: AcceptanceRange = points.first()?.published;
    if points.iter().any(|point| point.published != published || point.measured.value <= 0.0) {
        return None;
    }
    let mean = geometric_mean(points.iter().map(|point| point.measured.value));
    let (low, high) = extent(points.iter().flat_map(|point| [point.measured.low, point.measured.high]))?;
    let (ink, mark) = look(result.verdict);
    let told = format!(
        "{label}: {} by geometric mean of {} comparisons, {} to {}; {}",
        in_text(mean),
        points.len(),
        in_text(low),
        in_text(high),
        result.verdict
    );
    let dot = Dot { x: mean, low: Some(low), high: Some(high), within: 0.5, ink, mark, told };
    let band = Band {
        low: published.low,
        high: published.high,
        told: format!("published {}", words::published(row)),
    };
    let note = result.verdict.to_string();
    Some(Row { label, note, band: Some(band), dots: vec![dot], ..Row::default() })
}

fn look(verdict: Verdict) -> (Ink, Mark) {
    let (ink, shape, filled) = match verdict {
        Verdict::Reproduced => (GREEN, Shape::Circle, true),
        Verdict::Exceeds => (GREEN, Shape::Up, true),
        Verdict::HoldsWhereDecided => (GREEN, Shape::Circle, false),
        Verdict::InPart => (SKY, Shape::Diamond, true),
        Verdict::Differs => (VERMILLION, Shape::Square, true),
        Verdict::FailsWhereDecided => (VERMILLION, Shape::Square, false),
        Verdict::Ambiguous => (ORANGE, Shape::Up, false),
        Verdict::NotMeasured | Verdict::NotComparable => (MUTED, Shape::Circle, false),
    };
    (ink, Mark { shape, filled })
}

/// The geometric mean of positive numbers.
pub(super) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}
