//! The tables of a comparison.

use super::escaped_for_markdown;
use super::words::reason;
use crate::lists::grouped;
use crate::regression::{CellComparison, CellTiming, CellVerdict, Comparison};
use crate::report::text::{Grid, in_row, ratio, ratio_with_interval};
use crate::timing::Estimate;
use repro_base::lists::extent;
use repro_base::text::foreign_text;

/// The most rows of changes where not all cells are asked for.
const MOST_CHANGES: usize = 6;
/// Cells of one implementation are one change where neighbouring ratios differ by at most this share.
const LIKE_AMOUNTS: f64 = 0.02;
/// So many sizes are listed.
const MOST_SIZES: usize = 4;
/// Of a name or a message in a cell of a table.
const LONGEST_TEXT: usize = 200;

/// Cells of one implementation on one graph that changed by like amounts.
struct Change<'a> {
    verdict: CellVerdict,
    cells: Vec<&'a CellComparison>,
}

impl Change<'_> {
    /// The largest distance of a ratio from 1; infinite for a failed cell, so that it comes first.
    fn magnitude(&self) -> f64 {
        let sizes =
            self.cells.iter().map(|cell| cell.ratio.map_or(f64::INFINITY, |ratio| ratio.value.ln().abs()));
        sizes.fold(0.0, f64::max)
    }

    fn name(&self) -> String {
        let Some(first) = self.cells.first() else { return String::new() };
        let sizes: Vec<String> = self.cells.iter().map(|cell| cell.cell.n.to_string()).collect();
        let sizes = match &sizes[..] {
            [_] => return first.cell.to_string(),
            few if few.len() <= MOST_SIZES => few.join(", "),
            [first, .., last] => format!("{first} to {last} ({} cells)", sizes.len()),
            [] => String::new(),
        };
        let parts = [&first.cell.implementation, &first.cell.params, &first.cell.graph];
        let parts: Vec<&str> =
            parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        format!("{} n = {sizes}", parts.join(" "))
    }

    fn ratio(&self) -> String {
        match &self.cells[..] {
            [one] => of_ratio(one, one.ratio),
            cells => extent(cells.iter().filter_map(|cell| Some(cell.ratio?.value)))
                .map_or_else(none, |(least, most)| format!("{} to {}", ratio(least), ratio(most))),
        }
    }
}

fn none() -> String {
    "-".to_string()
}

/// What failed, became slower or faster, the largest change first.
fn all_changes(comparison: &Comparison) -> Vec<Change<'_>> {
    let is_change = |cell: &&CellComparison| cell.verdict.is_regression() || cell.verdict.is_change();
    let key = |cell: &CellComparison| {
        (
            cell.verdict,
            cell.scope,
            cell.cell.implementation.clone(),
            cell.cell.params.clone(),
            cell.cell.graph.clone(),
        )
    };
    let by_name = grouped(comparison.cells.iter().filter(is_change).map(|cell| (key(cell), cell)));
    let mut all: Vec<Change> = Vec::new();
    for ((verdict, ..), mut cells) in by_name {
        let value = |cell: &CellComparison| cell.ratio.map_or(f64::INFINITY, |ratio| ratio.value);
        cells.sort_by(|a, b| value(a).total_cmp(&value(b)));
        let alike = cells.chunk_by(|a, b| value(b) <= value(a) * (1.0 + LIKE_AMOUNTS));
        for cells in alike {
            let mut cells = cells.to_vec();
            cells.sort_by_key(|cell| cell.cell.n);
            all.push(Change { verdict, cells });
        }
    }
    all.sort_by(|a, b| a.verdict.cmp(&b.verdict).then(b.magnitude().total_cmp(&a.magnitude())));
    all
}

/// Untrusted text of a record, made harmless for a cell of a table.
fn foreign(text: &str, for_markdown: bool) -> String {
    let text = foreign_text(text, LONGEST_TEXT);
    if for_markdown { escaped_for_markdown(&text) } else { text }
}

/// A row for each change, the largest first and no more than are read at a glance.
pub fn changes(comparison: &Comparison, for_markdown: bool) -> Grid {
    let all = all_changes(comparison);
    let row = |change: &Change| {
        let seconds = |side: fn(&CellComparison) -> Option<CellTiming>| match &change.cells[..] {
            [one] => of_seconds(side(one)),
            _ => String::new(),
        };
        vec![
            foreign(&change.name(), for_markdown),
            change.verdict.to_string(),
            change.ratio(),
            seconds(|cell| cell.base),
            seconds(|cell| cell.new),
        ]
    };
    let more = all.len().saturating_sub(MOST_CHANGES);
    let title = match more {
        0 => "Changes, seconds".to_string(),
        more if for_markdown => format!("Changes, seconds; {more} more below"),
        more => format!("Changes, seconds; {more} more: --all lists every cell"),
    };
    Grid::new(title, ["cells", "", "new / base", "base s", "new s"], all.iter().take(MOST_CHANGES).map(row))
}

/// A line for each change that a guard is there to stop.
pub fn regressions(comparison: &Comparison) -> Vec<String> {
    let all = all_changes(comparison).into_iter().filter(|change| change.verdict.is_regression());
    all.map(|change| {
        let why = change.cells.first().and_then(|cell| reason(cell)).map(|why| format!(": {why}"));
        let is_timed = change.cells.iter().any(|cell| cell.ratio.is_some());
        let times = is_timed.then(|| format!(", {} times the baseline", change.ratio()));
        format!(
            "{}: {}{}{}",
            change.name(),
            change.verdict,
            times.unwrap_or_default(),
            why.unwrap_or_default()
        )
    })
    .collect()
}

/// A row for each cell; for Markdown with its reason.
pub fn every_cell(comparison: &Comparison, for_markdown: bool) -> Grid {
    let in_cycles = comparison.cells.iter().any(|cell| cell.cycles.is_some());
    let has_scopes = comparison.cells.iter().any(|cell| cell.scope != comparison.scope);
    let columns = [
        ("cell", true),
        ("scope", has_scopes),
        ("", true),
        ("base s", true),
        ("new s", true),
        ("new / base", true),
        ("samples", true),
        ("in cycles", in_cycles),
        ("because", for_markdown),
    ];
    let shown = |(text, (_, is_shown)): (String, (&str, bool))| is_shown.then_some(text);
    let row = |cell: &CellComparison| {
        let samples = |side: Option<CellTiming>| side.map_or(0, |side| side.samples);
        let row = [
            foreign(&cell.cell.to_string(), for_markdown),
            cell.scope.to_string(),
            cell.verdict.to_string(),
            of_seconds(cell.base),
            of_seconds(cell.new),
            of_ratio(cell, cell.ratio),
            format!("{} / {}", samples(cell.base), samples(cell.new)),
            of_ratio(cell, cell.cycles),
            foreign(&reason(cell).unwrap_or_default(), for_markdown),
        ];
        row.into_iter().zip(columns).filter_map(shown).collect()
    };
    let title = match has_scopes {
        true => "Seconds, medians".to_string(),
        false => format!("Seconds, scope {}, medians", comparison.scope),
    };
    let header = columns.into_iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| name);
    Grid::new(title, header, comparison.cells.iter().map(row))
}

fn of_seconds(side: Option<CellTiming>) -> String {
    side.map_or_else(none, |side| in_row(side.seconds.value))
}

/// With its interval, which one sample does not have.
fn of_ratio(cell: &CellComparison, of: Option<Estimate>) -> String {
    let has_interval = [cell.base, cell.new].iter().flatten().all(|side| side.samples > 1);
    match of {
        None => none(),
        Some(of) if has_interval => ratio_with_interval(of),
        Some(of) => ratio(of.value),
    }
}
