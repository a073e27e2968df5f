//! Ranked implementations in words: one table, and the sentences below it.

use super::guard::disturbance;
use super::method::way_in_words;
use super::text::{Grid, RATE, digits, percent, rate};
use crate::lists::{count_of, grouped};
use crate::plan::GraphSource;
use crate::ranking::{Clock, RankedCell, Ranking};
use crate::store::Status;
use crate::timing::Scope;
use repro_base::terminal::wrapped;

/// The title of a column, and the text of its cells.
type RankColumn = (&'static str, fn(&RankedCell) -> String);

/// The columns of a contest, written in the row of place 1. Columns that are the same in all rows are written above the table.
const GROUP: [RankColumn; 5] = [
    ("machine", |cell| cell.machine.clone()),
    ("clock", |cell| if cell.clock == Clock::Events { "events" } else { "host" }.to_string()),
    ("graph", graph),
    ("type", |cell| cell.element.to_string()),
    ("n", |cell| cell.n.to_string()),
];

/// The columns of the place, and of what it follows from.
const PLACE: [RankColumn; 5] = [
    ("place", |cell| cell.place.to_string()),
    ("implementation", |cell| format!("{}\n{}", cell.implementation, cell.params).trim_end().to_string()),
    ("seconds", |cell| digits(cell.seconds.value)),
    ("±", half_width),
    ("over the\nfirst", |cell| digits(cell.over_first)),
];

/// The columns that say how far a time can be trusted and where it comes from. A narrow terminal shows only the remarks. Columns that are
/// the same in all rows are written above the table, too.
const ORIGIN: [RankColumn; 5] = [
    ("remarks", remarks),
    (RATE, |cell| rate(cell.tasks_per_s)),
    ("samples", |cell| cell.samples.to_string()),
    ("verified", |cell| cell.verification.map_or("yes".to_string(), way_in_words)),
    ("run", |cell| cell.run.clone()),
];

/// The ranking for a terminal of this width: the whole table if its columns fit, else a narrower one.
pub fn terminal(ranking: &Ranking, width: u16) -> String {
    let whole = table(ranking, true);
    let (table, more) = match whole.parts(width) {
        1 => (whole, ""),
        _ => (
            table(ranking, false),
            "--markdown also has rates, samples, how results were verified, and runs.\n",
        ),
    };
    format!("{}{more}\n{}\n", table.terminal(Some(width)), notes(ranking).join("\n"))
}

pub fn markdown(ranking: &Ranking) -> String {
    format!("{}\n{}\n", table(ranking, true).markdown(), notes(ranking).join("\n").replace('<', "&lt;"))
}

/// A row a cell, comparable ones together.
fn table(ranking: &Ranking, whole: bool) -> Grid {
    /// Wide enough for most names; text is broken where the table would else be too wide.
    const NARROW: u16 = 17;
    let cells = &ranking.cells;
    let differs = |(_, text): &RankColumn| cells.windows(2).any(|two| text(&two[0]) != text(&two[1]));
    let (group, above): (Vec<_>, Vec<_>) = GROUP.into_iter().partition(differs);
    let (origin, also_above): (Vec<_>, Vec<_>) = ORIGIN.into_iter().partition(differs);
    let same = above.iter().chain(&also_above).filter_map(|(name, text)| Some((name, text(cells.first()?))));
    let same = same.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!(", {name}: {text}"));
    let title = format!("Fastest first, by scope {}{}", ranking.scope, same.collect::<String>());
    let origin = origin.into_iter().filter(|(name, _)| whole || *name == "remarks");
    let columns: Vec<RankColumn> = PLACE.into_iter().chain(origin).collect();
    // Several columns next to each other would leave no room for a time.
    let is_one = group.len() > 2;
    let among = |cell: &RankedCell| -> Vec<String> {
        let all = group.iter().map(|(name, text)| match *name {
            "n" if is_one => format!("n = {}", text(cell)),
            _ => text(cell),
        });
        let all: Vec<String> = all.collect();
        if is_one { vec![all.join(", ")] } else { all }
    };
    let row = |cell: &RankedCell| {
        let line = |line: &str| wrapped(line, NARROW, "");
        let narrow = |text: String| text.lines().map(line).collect::<Vec<_>>().join("\n");
        let first = |text: String| if cell.place > 1 { String::new() } else { text };
        let own = columns.iter().map(|(_, text)| text(cell));
        among(cell).into_iter().map(first).chain(own).map(narrow).collect()
    };
    let keys: Vec<&str> = if is_one { vec!["among"] } else { group.iter().map(|(name, _)| *name).collect() };
    let header = keys.iter().copied().chain(columns.iter().map(|(name, _)| *name));
    Grid::new(title, header, cells.iter().map(row)).with_keys(keys.len() + 2).with_narrow_text(NARROW.into())
}

/// Half the width of the interval; one sample has none.
fn half_width(cell: &RankedCell) -> String {
    match cell.samples {
        1 => "-".to_string(),
        _ => percent(cell.seconds.relative_half_width()),
    }
}

/// The kind of graph, whatever its seed.
fn graph(cell: &RankedCell) -> String {
    let kind = match &cell.graph {
        GraphSource::Random(random) => {
            let signs = if random.negative { ", also negative" } else { "" };
            let ways = if random.undirected { ", undirected" } else { "" };
            format!("density {}, weights to {}{signs}{ways}", random.density, random.max_weight)
        }
        GraphSource::Edges(edges) => {
            format!("{} edges a vertex, weights to {}", edges.edges_per_vertex, edges.max_weight)
        }
        GraphSource::File { digest, .. } => format!("file {}", digest.get(..8).unwrap_or(digest)),
    };
    let several = Some(cell.graph.graphs()).filter(|graphs| *graphs > 1);
    let several = several.map_or(String::new(), |graphs| format!("{graphs} of "));
    format!("{several}{kind}{}", if cell.sharded { ", sharded" } else { "" })
}

fn remarks(cell: &RankedCell) -> String {
    let several = |count: usize, things: &str| (count > 1).then(|| format!("{count} {things}"));
    let remarks = [
        cell.tied_with_first.then(|| "tied with the first".to_string()),
        cell.external.then(|| "not of repro".to_string()),
        several(cell.parameter_sets, "parameter sets, this the fastest"),
        several(cell.devices, "GPUs"),
        several(cell.processes, "processes"),
        cell.iterations.map(|iterations| format!("estimated from {iterations} iterations")),
        cell.disturbance.map(|what| disturbance(what).to_string()),
    ];
    remarks.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The notes below the table: what the figures rest on, and which cells have no place.
fn notes(ranking: &Ranking) -> Vec<String> {
    let times = "Every result was verified; of several runs the newest counts. Seconds are medians; ± is half of an interval that holds 95% from six samples on.";
    let trust = "Scope program-solve trusts each program's adapter not to solve while loading or storing. Use --scope program for a time that needs no trust.";
    let trust = Some(trust.to_string()).filter(|_| ranking.scope == Scope::ProgramSolve);
    let alone = count_of(ranking.alone, "implementation");
    let alone = (ranking.alone > 0)
        .then(|| format!("Left out: {alone} with none to compare with; --n or --all shows them."));
    [Some(times.to_string()), trust, alone, excluded(ranking)].into_iter().flatten().collect()
}

/// How many cells have no verified time and why, with one of them as an example. None if all have one.
pub fn excluded(ranking: &Ranking) -> Option<String> {
    let all = &ranking.excluded;
    let one = all.iter().find(|cell| cell.status.invalidates_cell()).or(all.first())?;
    let reasons = grouped(all.iter().map(|cell| (cell.status, cell))).into_iter();
    let reason = |(status, cells): (Status, Vec<_>)| match status {
        Status::Ok => format!("{} not timed in scope {}", cells.len(), ranking.scope),
        status => format!("{} {status}", cells.len()),
    };
    let example = format!("{} in {}: {}", one.cell, one.run, one.message);
    let reasons: Vec<String> = reasons.map(reason).collect();
    Some(format!("Left out: {}; for example {}", reasons.join(", "), example.trim_end_matches(": ")))
}
