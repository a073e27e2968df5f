//! What the paper says of how many times faster one implementation is, beside its table and this machine.

use super::clocks::at;
use super::context::{Context, Time, over};
use super::words::{list, times};
use crate::experiment::{TableColumn, shown_sizes};
use crate::record::PublishedPaper;
use crate::report::plot::palette::{BAND, GREY, INK, MUTED};
use crate::report::plot::{
    Axis, Band, Chart, Guide, Key, Mark, Plot, Quantity, Row, RowPoint, Rows, Scale, Shape, Stroke, Trace,
    look, significant,
};
use crate::timing::Scope;

/// What a paper says of two implementations by one clock.
pub struct Pair {
    pub faster: String,
    pub slower: String,
    pub scope: Scope,
    /// The least and the most that any statement names; open where one is.
    pub low: f64,
    pub high: Option<f64>,
    pub from_n: Option<usize>,
}

/// All pairs of the paper. Where it names a clock for a pair, statements by no clock are left out: only equal scopes are compared.
pub fn pairs(paper: &PublishedPaper) -> Vec<Pair> {
    let mut said: Vec<(Pair, bool)> = Vec::new();
    for one in &paper.speedups {
        let (faster, slower) = (one.faster.clone(), one.slower.clone());
        let pair = Pair { faster, slower, scope: Scope::Kernel, low: one.low, high: one.high, from_n: None };
        said.push((pair, false));
    }
    for claim in &paper.claims {
        let (Some(faster), Some(slower)) = (claim.faster.clone(), claim.slower.clone()) else { continue };
        let (low, high) = match (claim.value, claim.low, claim.high) {
            (Some(value), ..) => (value, Some(value)),
            (None, Some(low), high) => (low, high),
            (None, None, Some(high)) => (high, Some(high)),
            // "Faster", by how much it does not say.
            (None, None, None) => (1.0, None),
        };
        let scope = claim.scope.unwrap_or(Scope::Kernel);
        said.push((Pair { faster, slower, scope, low, high, from_n: claim.from_n }, claim.scope.is_some()));
    }
    let mut pairs: Vec<Pair> = Vec::new();
    let same = |a: &Pair, b: &Pair| (&a.faster, &a.slower) == (&b.faster, &b.slower);
    for at in 0..said.len() {
        let (one, has_clock) = &said[at];
        let clocked = said.iter().any(|(other, has_clock)| same(one, other) && *has_clock);
        if clocked && !has_clock {
            continue;
        }
        match pairs.iter_mut().find(|pair| same(pair, one) && pair.scope == one.scope) {
            Some(pair) => {
                pair.low = pair.low.min(one.low);
                pair.high = pair.high.zip(one.high).map(|(a, b)| a.max(b));
            }
            None => pairs.push(Pair { faster: one.faster.clone(), slower: one.slower.clone(), ..*one }),
        }
    }
    pairs
}

/// None when the paper compares nothing that was measured here.
pub fn plot(context: &Context) -> Option<Plot> {
    let pairs = pairs(context.paper?);
    let sizes: Vec<usize> = shown_sizes(&context.columns);
    let (first, last) = (*sizes.first()?, *sizes.last()?);
    let within = |n: usize| {
        let share = (n as f64 / first as f64).ln() / (last as f64 / first as f64).ln();
        if last > first { share } else { 0.5 }
    };
    let mut outside: Vec<String> = Vec::new();
    let mut inside = 0;
    let rows: Vec<Row> = pairs
        .iter()
        .filter_map(|pair| {
            let row = row(context, pair, &sizes, &within, (first, last))?;
            let here = row.traces.last()?;
            let holds =
                |point: &RowPoint| point.x >= pair.low && pair.high.is_none_or(|high| point.x <= high);
            let count = here.points.iter().filter(|point| holds(point)).count();
            if count == 0 {
                let ends = here.points.iter().map(|point| point.x);
                let (low, high) =
                    ends.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
                let range =
                    if low == high { times(low) } else { format!("{} to {}", times(low), times(high)) };
                outside.push(format!("{} over {} ({range})", pair.faster, pair.slower));
            } else {
                inside += 1;
            }
            Some(row)
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let has_table = context.table.is_some();
    let key = |text: &str, mark, ink, stroke| Key { text: text.into(), ink, mark, stroke };
    let mark = |filled| Some(Mark { shape: Shape::Circle, filled });
    let mut keys =
        vec![key("the paper's text", None, BAND, Stroke::None), key("here", mark(true), INK, Stroke::Solid)];
    if has_table {
        keys.insert(1, key("the paper's table", mark(false), INK, Stroke::Dotted));
    }
    let finding = match (inside, outside.len()) {
        (_, 0) => "Every ratio reaches what the text states at some n. ".to_string(),
        (_, _) => format!("At no n within what the text states: {}. ", list(&outside)),
    };
    Some(Plot {
        id: "speedups".into(),
        title: "Speed-ups, published and here".into(),
        caption: format!(
            "{finding}Within each row n grows downwards from {first} to {last}; to the right is faster. Ratios of medians, by \
             the paper's clock where it names one and scope kernel otherwise; bars span what the intervals of both medians allow."
        ),
        alt: format!(
            "A row for each of {} pairs of implementations: the range that the paper's text states and the ratios measured here at each n.",
            rows.len()
        ),
        chart: Chart::Rows(Rows {
            x: Axis::new("How many times faster", Scale::Log, Quantity::Times),
            rows,
            heading: String::new(),
            note_heading: String::new(),
            guides: vec![Guide {
                at: 1.0,
                label: "×1".into(),
                short: "×1".into(),
                ink: GREY,
                stroke: Stroke::Solid,
            }],
            keys,
            joined: false,
        }),
    })
}

fn row(
    context: &Context,
    pair: &Pair,
    sizes: &[usize],
    within: &dyn Fn(usize) -> f64,
    (first, last): (usize, usize),
) -> Option<Row> {
    let (fast, slow) = (context.columns.of(&pair.faster)?, context.columns.of(&pair.slower)?);
    let ratio = |n: usize| -> Option<Time> {
        // One clock reads the CPU alike.
        let of = |column: &TableColumn| at(context, column, n, pair.scope);
        match pair.scope {
            Scope::Kernel => context.ratio(slow, fast, n, Scope::Kernel),
            _ => Some(over(of(slow)?, of(fast)?)),
        }
    };
    let points: Vec<RowPoint> = sizes
        .iter()
        .filter_map(|&n| {
            let Time { median, low, high } = ratio(n)?;
            Some(RowPoint { x: median, low, high, within: within(n), name: format!("n = {n}") })
        })
        .collect();
    let looks = look(&pair.faster);
    let mut traces = Vec::new();
    if let Some(table) = context.table {
        let of = |n: usize| Some(table.seconds(&pair.slower, n)? / table.seconds(&pair.faster, n)?);
        let published = sizes.iter().filter_map(|&n| {
            Some(RowPoint { x: of(n)?, low: None, high: None, within: within(n), name: format!("n = {n}") })
        });
        let points: Vec<RowPoint> = published.collect();
        if !points.is_empty() {
            let mark = Mark { shape: looks.shape, filled: false };
            traces.push(Trace {
                name: "published".into(),
                points,
                ink: looks.ink,
                mark,
                stroke: Stroke::Dotted,
            });
        }
    }
    if points.is_empty() {
        return None;
    }
    let mark = Mark { shape: looks.shape, filled: true };
    traces.push(Trace { name: "here".into(), points, ink: looks.ink, mark, stroke: Stroke::Solid });
    let mut text = match pair.high {
        Some(high) if high == pair.low => significant(high, 4),
        Some(high) => format!("{} to {}", significant(pair.low, 4), significant(high, 4)),
        None if pair.low == 1.0 => "faster".into(),
        None => format!("over {}", significant(pair.low, 4)),
    };
    if let Some(n) = pair.from_n {
        text += &format!(" from {n}");
    }
    let clock = if pair.scope == Scope::Kernel { String::new() } else { format!(" ({})", pair.scope) };
    Some(Row {
        label: format!("{}\nover {}{clock}", pair.faster, pair.slower),
        note: format!("text: {text}"),
        band: Some(Band { low: pair.low, high: pair.high, text: "the paper's text".into() }),
        bars: Vec::new(),
        traces,
        ends: Some((first.to_string(), last.to_string())),
    })
}

/// A published ratio as a line to compare with.
pub fn published(pair: &Pair, multi: bool) -> Vec<Guide> {
    let guide = |at: f64, how: &str| Guide {
        at,
        label: format!("published{how} over {}: {}", pair.slower, times(at)),
        short: if multi {
            format!("publ. {} {}", pair.slower, times(at))
        } else {
            format!("published {}", times(at))
        },
        ink: if multi { look(&pair.slower).ink } else { MUTED },
        stroke: Stroke::Dotted,
    };
    match pair.high {
        Some(high) if high == pair.low => vec![guide(high, "")],
        Some(high) => vec![guide(pair.low, ""), guide(high, " up to")],
        None => vec![guide(pair.low, " at least")],
    }
}
