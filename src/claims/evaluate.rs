//! Every statement of every paper, compared on every machine.

use super::evidence::Evidence;
use super::outcome::{Outcome, with_unit};
use super::rules::{self, Question, rule_of};
use super::{ClaimRow, Range, RowKind, Verdict, ranges};
use crate::lists::extent;
use crate::record::{
    Claim, ClaimKind, Figure, Inconsistency, PublishedPaper, PublishedTable, Speedup, StructuralClaim,
    runs_on_device,
};

/// One row a claim, in the order of the papers and of their files: tables, stated speed-ups, what is counted, everything
/// else, and where the paper contradicts itself.
pub fn evaluate(papers: &[PublishedPaper], machines: &[Evidence]) -> Vec<ClaimRow> {
    papers.iter().flat_map(|paper| of_paper(paper, machines)).collect()
}

fn of_paper(paper: &PublishedPaper, machines: &[Evidence]) -> Vec<ClaimRow> {
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
fn row(paper: &PublishedPaper, id: &str, kind: RowKind, statement: &str, place: &str) -> ClaimRow {
    ClaimRow {
        paper: paper.id.clone(),
        id: id.to_string(),
        kind,
        statement: statement.to_string(),
        place: place.to_string(),
        published: String::new(),
        published_gpu: paper.gpu.clone(),
        note: None,
        headline: false,
        results: Vec::new(),
    }
}

/// Adds what we think is the cause where a claim comes out otherwise; marked as ours, since no measurement here proves it.
fn with_cause(mut row: ClaimRow, cause: Option<&String>) -> ClaimRow {
    for result in &mut row.results {
        if let (Verdict::Differs, Some(cause)) = (result.verdict, cause) {
            result.reason += &format!(" A likely cause, in our view: {cause}.");
        }
    }
    row
}

fn on_each(row: ClaimRow, machines: &[Evidence], compare: impl Fn(&Evidence) -> Outcome) -> ClaimRow {
    let results = machines.iter().map(|evidence| compare(evidence).into_result(&evidence.machine)).collect();
    ClaimRow { results, ..row }
}

fn column(paper: &PublishedPaper, table: &PublishedTable, name: &str, machines: &[Evidence]) -> ClaimRow {
    let cells = &table.columns[name];
    let sizes: Vec<usize> = cells.keys().copied().collect();
    let statement = match (sizes.first(), sizes.last()) {
        (Some(first), Some(last)) => {
            format!("seconds of {name} at {} sizes from n = {first} to {last}", sizes.len())
        }
        _ => format!("seconds of {name}"),
    };
    let published = extent(cells.values().copied()).map_or(String::new(), |(least, most)| {
        format!("{} to {} {}", ranges::number(least), ranges::number(most), table.unit)
    });
    let id = format!("{}-{name}", table.id);
    let is_of_gpu = runs_on_device(name);
    let cpu = paper.cpu.clone().filter(|_| !is_of_gpu);
    let row = row(paper, &id, RowKind::Table, &statement, &table.place);
    let row = ClaimRow { published, published_gpu: cpu.unwrap_or_else(|| paper.gpu.clone()), ..row };
    on_each(row, machines, |evidence| rules::column(paper, table, name, evidence))
}

fn speedup(paper: &PublishedPaper, claim: &Speedup, machines: &[Evidence]) -> ClaimRow {
    let statement = format!("{} over {}", claim.faster, claim.slower);
    let published = format!("{} times", claim.range());
    let note = "judged at the sizes at which the paper's own table bears it out".to_string();
    let row = ClaimRow {
        published,
        note: (!paper.tables.is_empty()).then_some(note),
        headline: claim.headline,
        ..row(paper, &claim.id, RowKind::Ratio, &statement, &claim.place)
    };
    let row = on_each(row, machines, |evidence| rules::speedup(paper, claim, evidence));
    with_cause(row, claim.cause.as_ref())
}

fn structural(paper: &PublishedPaper, claim: &StructuralClaim, machines: &[Evidence]) -> ClaimRow {
    let number = Range { low: claim.low, high: claim.high }.in_words(ranges::number).unwrap_or_default();
    let published = match (claim.figure, claim.low) {
        // A share that the paper does not state as a number.
        (Figure::LoadSectorsUsed, None) => "not coalesced".to_string(),
        (Figure::LoadSectorsUsed, Some(_)) => "coalesced".to_string(),
        _ => with_unit(&number, rules::unit_of(claim.figure)),
    };
    let row =
        ClaimRow { published, ..row(paper, &claim.id, RowKind::Structural, &claim.statement, &claim.place) };
    on_each(row, machines, |evidence| rules::structural(paper, claim, evidence))
}

fn claim(paper: &PublishedPaper, claim: &Claim, machines: &[Evidence]) -> ClaimRow {
    let kind = match claim.kind {
        ClaimKind::Absolute => RowKind::Absolute,
        ClaimKind::Ratio => RowKind::Ratio,
        ClaimKind::Bandwidth => RowKind::Bandwidth,
        ClaimKind::Derived => RowKind::Derived,
        ClaimKind::Structural => RowKind::Structural,
        ClaimKind::Trend => RowKind::Trend,
        ClaimKind::Judgement => RowKind::Judgement,
    };
    // Figures are of something, and the statement alone does not always say of what.
    let of = match claim.kind {
        ClaimKind::Ratio => claim.faster.as_deref(),
        ClaimKind::Absolute => claim.implementation.as_deref(),
        _ => None,
    };
    let statement = of.map_or_else(|| claim.statement.clone(), |of| format!("{of}: {}", claim.statement));
    let row = ClaimRow {
        published: ranges::in_words(claim),
        published_gpu: claim.gpu.clone().unwrap_or_else(|| paper.gpu.clone()),
        note: claim.note.clone(),
        headline: claim.headline,
        ..row(paper, &claim.id, kind, &statement, &claim.place)
    };
    let row = on_each(row, machines, |evidence| match rule_of(&paper.id, claim) {
        Some(rule) => rule(&Question { paper, claim, evidence }),
        None => Outcome::missing("No rule compares this claim: a defect of this build."),
    });
    with_cause(row, claim.cause.as_ref())
}

fn inconsistency(paper: &PublishedPaper, one: &Inconsistency) -> ClaimRow {
    row(paper, &one.id, RowKind::Inconsistency, &one.statement, &one.place)
}
