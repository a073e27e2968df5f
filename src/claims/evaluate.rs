//! Every statement of every paper, compared on every machine.

use super::evidence::Evidence;
use super::outcome::Outcome;
use super::rules::{self, Question, rule_of};
use super::said::{Cause, Lack};
use super::settings::{Change, Settings, Turn};
use super::{ClaimRow, Published, PublishedUnit, RowKind, Statement, Verdict};
use crate::lists::extent;
use crate::published::{
    Claim, ClaimKind, EvidenceKind, Inconsistency, PublishedCause, PublishedPaper, PublishedTable, Speedup,
    StructuralClaim, Unit,
};

/// One row a claim, in the order of the papers and of their files: tables, stated speed-ups, what is counted, everything
/// else, and where the paper contradicts itself.
pub fn evaluate(papers: &[PublishedPaper], machines: &[Evidence]) -> Vec<ClaimRow> {
    let machines: Vec<Machine> = machines.iter().map(Machine::new).collect();
    papers.iter().flat_map(|paper| of_paper(paper, &machines)).collect()
}

/// By which all intervals are multiplied to see whether a verdict stays.
const UNCERTAINTIES: [f64; 2] = [0.5, 2.0];
/// By which each threshold is multiplied to see whether a verdict stays.
const MOVES: [f64; 2] = [0.5, 1.5];

/// The records of a machine, and the same as if they were known better or worse.
struct Machine<'a> {
    as_measured: &'a Evidence<'a>,
    otherwise: Vec<(f64, Evidence<'a>)>,
}

impl<'a> Machine<'a> {
    fn new(evidence: &'a Evidence<'a>) -> Self {
        let otherwise = UNCERTAINTIES.map(|factor| (factor, evidence.with_uncertainty(factor)));
        Self { as_measured: evidence, otherwise: otherwise.into() }
    }
}

fn of_paper(paper: &PublishedPaper, machines: &[Machine]) -> Vec<ClaimRow> {
    let columns = paper
        .tables
        .iter()
        .flat_map(|table| table.columns.keys().map(move |name| column(paper, table, name, machines)));
    let speedups = paper.speedups.iter().map(|claim| speedup(paper, claim, machines));
    let structural = paper.structural.iter().map(|claim| structural(paper, claim, machines));
    let claims = paper.claims.iter().map(|one| claim(paper, one, machines));
    let inconsistencies = paper.inconsistencies.iter().map(|one| inconsistency(paper, one));
    columns.chain(speedups).chain(structural).chain(claims).chain(inconsistencies).collect()
}

/// A row without results.
fn row(paper: &PublishedPaper, id: &str, kind: RowKind, statement: Statement, place: &str) -> ClaimRow {
    ClaimRow {
        paper: paper.id.clone(),
        id: id.to_string(),
        kind,
        evidence: None,
        statement,
        place: place.to_string(),
        published: None,
        published_on: paper.gpu.clone(),
        note: None,
        reading: None,
        headline: false,
        results: Vec::new(),
    }
}

/// Adds the cause where a claim comes out otherwise.
fn with_cause(mut row: ClaimRow, cause: Option<&PublishedCause>) -> ClaimRow {
    for result in &mut row.results {
        if matches!(result.verdict, Verdict::Differs | Verdict::InPart) {
            result.cause = cause
                .map(|cause| Cause { statement: cause.statement.clone(), shown_by: cause.shown_by.clone() });
        }
    }
    row
}

/// The results of a rule on each machine, with what would turn each verdict.
fn on_each(
    row: ClaimRow,
    machines: &[Machine],
    compare: impl Fn(&Evidence, &Settings) -> Outcome,
) -> ClaimRow {
    let result = |machine: &Machine| {
        let settings = Settings::default();
        let outcome = compare(machine.as_measured, &settings);
        let verdict = outcome.verdict();
        let mut result = outcome.into_result(&machine.as_measured.machine, &settings);
        if verdict.is_decided() {
            let noise = machine.otherwise.iter().map(|(factor, evidence)| {
                (Change::Noise(*factor), compare(evidence, &Settings::default()).verdict())
            });
            let asked = settings.asked();
            let moved = asked.iter().flat_map(|one| MOVES.map(|factor| (one.threshold, factor)));
            let moved = moved.map(|(threshold, factor)| {
                let settings = Settings::moved(threshold, factor);
                (Change::Moved(threshold, factor), compare(machine.as_measured, &settings).verdict())
            });
            let turns = noise.chain(moved).filter(|(_, turned)| *turned != verdict);
            result.turns = turns.map(|(change, verdict)| Turn { change, verdict }).collect();
        }
        result
    };
    ClaimRow { results: machines.iter().map(result).collect(), ..row }
}

fn column(paper: &PublishedPaper, table: &PublishedTable, name: &str, machines: &[Machine]) -> ClaimRow {
    let cells = &table.columns[name];
    let (first, last) = (cells.keys().next(), cells.keys().next_back());
    let statement = Statement::Column {
        implementation: name.to_string(),
        sizes: cells.len(),
        first: first.copied().unwrap_or_default(),
        last: last.copied().unwrap_or_default(),
    };
    let published = extent(cells.values().copied()).map(|(least, most)| Published {
        value: None,
        low: Some(least),
        high: Some(most),
        unit: PublishedUnit::Of(Unit::Seconds),
    });
    let id = format!("{}-{name}", table.id);
    let cpu = paper.cpu.clone().filter(|_| table.is_on_cpu(name));
    let row = row(paper, &id, RowKind::Table, statement, &table.place);
    let row = ClaimRow {
        published,
        evidence: Some(EvidenceKind::Order),
        published_on: cpu.unwrap_or_else(|| paper.gpu.clone()),
        ..row
    };
    on_each(row, machines, |evidence, settings| rules::column(paper, table, name, (evidence, settings)))
}

/// A stated speed-up, asked as a claim of two implementations.
fn speedup(paper: &PublishedPaper, one: &Speedup, machines: &[Machine]) -> ClaimRow {
    let statement = Statement::Speedup { faster: one.faster.clone(), slower: one.slower.clone() };
    let published =
        Published { value: None, low: Some(one.low), high: one.high, unit: PublishedUnit::Of(Unit::Times) };
    let note = "judged at the sizes at which the paper's own table bears it out".to_string();
    let row = ClaimRow {
        published: Some(published),
        evidence: Some(EvidenceKind::Magnitude),
        note: (!paper.tables.is_empty()).then_some(note),
        reading: one.reading.clone(),
        headline: one.headline,
        ..row(paper, &one.id, RowKind::Ratio, statement, &one.place)
    };
    let claim = one.as_claim();
    let row = on_each(row, machines, |evidence, settings| {
        rules::speedup(&Question { paper, claim: &claim, evidence, settings }, one)
    });
    with_cause(row, one.cause.as_ref())
}

fn structural(paper: &PublishedPaper, claim: &StructuralClaim, machines: &[Machine]) -> ClaimRow {
    let published = Published {
        value: None,
        low: claim.low,
        high: claim.high,
        unit: PublishedUnit::Counted(claim.figure),
    };
    let statement = Statement::Words { text: claim.statement.clone(), of: None };
    let row = ClaimRow {
        published: Some(published),
        evidence: Some(EvidenceKind::Construction),
        reading: claim.reading.clone(),
        ..row(paper, &claim.id, RowKind::Structural, statement, &claim.place)
    };
    on_each(row, machines, |evidence, _| rules::structural(paper, claim, evidence))
}

fn claim(paper: &PublishedPaper, claim: &Claim, machines: &[Machine]) -> ClaimRow {
    let kind = match claim.kind {
        ClaimKind::Absolute => RowKind::Absolute,
        ClaimKind::Ratio => RowKind::Ratio,
        ClaimKind::Bandwidth => RowKind::Bandwidth,
        ClaimKind::Derived => RowKind::Derived,
        ClaimKind::Structural => RowKind::Structural,
        ClaimKind::Trend => RowKind::Trend,
        ClaimKind::Judgement => RowKind::Judgement,
    };
    // Figures are of something, and the statement alone does not always name it.
    let of = match claim.kind {
        ClaimKind::Ratio => claim.faster.clone(),
        ClaimKind::Absolute => claim.implementation.clone(),
        _ => None,
    };
    let published = claim.unit.map(|unit| Published {
        value: claim.value,
        low: claim.low,
        high: claim.high,
        unit: PublishedUnit::Of(unit),
    });
    let statement = Statement::Words { text: claim.statement.clone(), of };
    let row = ClaimRow {
        published,
        published_on: claim.gpu.clone().unwrap_or_else(|| paper.gpu.clone()),
        evidence: Some(claim.evidence),
        note: claim.note.clone(),
        reading: claim.reading.clone(),
        headline: claim.headline,
        ..row(paper, &claim.id, kind, statement, &claim.place)
    };
    let row = on_each(row, machines, |evidence, settings| match rule_of(&paper.id, claim) {
        Some(rule) => rule(&Question { paper, claim, evidence, settings }),
        None => Outcome::lacking(Lack::NoRule),
    });
    with_cause(row, claim.cause.as_ref())
}

fn inconsistency(paper: &PublishedPaper, one: &Inconsistency) -> ClaimRow {
    let statement = Statement::Words { text: one.statement.clone(), of: None };
    row(paper, &one.id, RowKind::Inconsistency, statement, &one.place)
}
