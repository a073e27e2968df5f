//! Columns of published tables as claims.

use crate::published::{
    Claim, ClaimKind, Contender, EvidenceKind, PublishedPaper, PublishedTable, SAMPLES, Sizes, Test, Unit,
};

/// Each column of each table, except the slowest, as a claim: it is faster than the next slower one at every size that both have.
/// Times on the paper's GPU cannot be compared with times here; their order can.
pub fn columns_as_claims(paper: &PublishedPaper) -> Vec<Claim> {
    let of_table = |table: &PublishedTable| -> Vec<Claim> {
        table.columns.keys().filter_map(|name| column_as_claim(paper, table, name)).collect()
    };
    paper.tables.iter().flat_map(of_table).collect()
}

fn column_as_claim(paper: &PublishedPaper, table: &PublishedTable, name: &str) -> Option<Claim> {
    let by_speed = by_speed(table);
    let at = by_speed.iter().position(|other| *other == name)?;
    let slower = by_speed[at.checked_sub(1)?];
    let column = &table.columns[name];
    let shared: Vec<usize> =
        column.iter().map(|(n, _)| *n).filter(|n| table.seconds(slower, *n).is_some()).collect();
    let test = Test {
        pairs: vec![(Contender::plain(name), Contender::plain(slower))],
        sizes: shared.iter().map(|n| Sizes::One(*n)).collect(),
        at_least: Some(1.0),
        samples: SAMPLES,
        ..Test::default()
    };
    let seconds = || column.iter().map(|(_, seconds)| *seconds);
    Some(Claim {
        id: format!("{}-{name}", table.id),
        kind: ClaimKind::Table,
        evidence: Some(EvidenceKind::Order),
        statement: format!(
            "{name} is faster than {slower}, the next in the table, at the {} sizes from n = {} to {} that both have",
            shared.len(),
            shared.first()?,
            shared.last()?
        ),
        place: table.place.clone(),
        low: seconds().reduce(f64::min),
        high: seconds().reduce(f64::max),
        unit: Some(Unit::Seconds),
        gpu: paper.cpu.clone().filter(|_| table.on_cpu.iter().any(|column| column == name)),
        tests: vec![test],
        run: Some(table.run.clone()),
        ..Claim::default()
    })
}

/// The columns, the slowest first. Two columns are compared at the largest n that both have.
fn by_speed(table: &PublishedTable) -> Vec<&str> {
    let slower = |a: &str, b: &str| {
        let mut shared =
            table.columns.get(a)?.iter().rev().filter_map(|(n, a)| Some((*a, table.seconds(b, *n)?)));
        shared.next().map(|(a, b)| a > b)
    };
    let slower_than =
        |name: &str| table.columns.keys().filter(|other| slower(other, name) == Some(true)).count();
    let mut names: Vec<&str> = table.columns.keys().map(String::as_str).collect();
    names.sort_by_key(|name| slower_than(name));
    names
}
