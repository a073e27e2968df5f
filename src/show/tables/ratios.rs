//! How many times faster one implementation is than another, as a paper's text states it.

use super::columns::Columns;
use crate::lists::grouped;
use crate::published::{Bound, Claim, PublishedPaper, PublishedTable};
use crate::show::grid::Grid;

/// A column for every pair of implementations that the paper's text compares and that were measured here; a row a size. The
/// speed-ups of a published table stand beside that table where it is shown.
pub fn grid(columns: &Columns, paper: &PublishedPaper, has_table: bool) -> Option<Grid> {
    let said = said(paper, has_table);
    let here = |pair: &Pair, n: usize| -> Option<f64> {
        let of = |name: &str| columns.median_over_graphs(columns.of(name)?, n);
        Some(of(&pair.slower)? / of(&pair.faster)?)
    };
    let shown: Vec<&Pair> =
        said.iter().filter(|pair| columns.sizes().iter().any(|&n| here(pair, n).is_some())).collect();
    let name = |pair: &&Pair| format!("{}\nover {}\n{}", pair.faster, pair.slower, pair.texts.join("\n"));
    let cell = |pair: &&Pair, n| here(pair, n).map_or(String::new(), |ratio| format!("{ratio:.2}"));
    let title = "How many times faster here, scope kernel; above, what the paper's text says";
    Grid::by_size(title, super::seconds::shown_sizes(columns), &shown, name, cell)
}

/// Two implementations and what a paper says of them, in short.
pub struct Pair {
    pub faster: String,
    pub slower: String,
    pub texts: Vec<String>,
}

/// Every pair that the paper's claims compare, but for those of a table that is shown with them.
pub fn said(paper: &PublishedPaper, has_table: bool) -> Vec<Pair> {
    let is_in_table = |(faster, slower): (&str, &str)| {
        has_table && paper.tables.iter().any(|table| table_has(table, faster, slower))
    };
    let claims = paper.claims.iter().filter_map(|claim| {
        let pair = claim.speed_up().filter(|pair| !is_in_table(*pair))?;
        Some(((pair.0.to_string(), pair.1.to_string()), in_short(claim)))
    });
    let pairs = grouped(claims).into_iter();
    pairs.map(|((faster, slower), texts)| Pair { faster, slower, texts }).collect()
}

/// Whether a published table has columns of both.
pub fn table_has(table: &PublishedTable, faster: &str, slower: &str) -> bool {
    [faster, slower].iter().all(|name| table.columns.contains_key(*name))
}

/// What a claim says, in short: its numbers and where they hold.
pub fn in_short(claim: &Claim) -> String {
    let number = match (claim.value, claim.low, claim.high) {
        (Some(value), ..) if claim.bound == Some(Bound::UpTo) => format!("up to {value}"),
        (Some(value), ..) if claim.bound.is_some() => format!("over {value}"),
        (Some(value), ..) => format!("{value}"),
        (None, Some(low), None) if claim.bound.is_some() => format!("over {low}"),
        (None, Some(low), Some(high)) => format!("{low} to {high}"),
        (None, Some(low), None) => format!("at least {low}"),
        (None, None, Some(high)) => format!("up to {high}"),
        (None, None, None) => "faster".to_string(),
    };
    match (claim.n, claim.from_n) {
        (Some(n), _) => format!("text: {number} at {n}"),
        (None, Some(n)) => format!("text: {number} from {n}"),
        (None, None) => format!("text: {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::published_papers;
    use crate::show::tables::fixtures::{cell, experiment, measured};

    /// The paper with one claim, on these two.
    fn paper(faster: &str, slower: &str) -> PublishedPaper {
        let papers = published_papers().unwrap();
        let known = papers.iter().find(|paper| !paper.claims.is_empty()).unwrap().clone();
        let claim = Claim {
            faster: Some(faster.into()),
            slower: Some(slower.into()),
            value: None,
            low: Some(2.5),
            high: None,
            n: None,
            from_n: Some(64),
            bound: None,
            speed_up: true,
            ..known.claims[0].clone()
        };
        PublishedPaper { claims: vec![claim], tables: Vec::new(), ..known }
    }

    #[test]
    fn a_ratio_is_the_seconds_of_the_slower_over_those_of_the_faster_where_both_were_measured() {
        let experiment = experiment(&[("katz-kider", ""), ("staged-load", "")], &[""]);
        let summary = [
            measured(cell("katz-kider", "", 64), &[3.0]),
            measured(cell("staged-load", "", 64), &[0.5]),
            measured(cell("staged-load", "", 128), &[1.0]),
        ];
        let columns = Columns::new(&experiment, &summary);
        let grid = |faster, slower| grid(&columns, &paper(faster, slower), true);
        let shown = grid("staged-load", "katz-kider").unwrap();
        assert_eq!(shown.rows, [["64", "6.00"]]);
        assert_eq!(shown.header[1], "staged-load\nover katz-kider\ntext: at least 2.5 from 64");
        assert!(grid("staged-load", "two-phase").is_none());
    }
}
