//! What a paper claims holds on what the paper itself publishes, or its folder says where it contradicts itself: a bound of ours that the
//! paper's own numbers fail is wrong.

use super::LUND;
use repro::judge::{ClaimResult, ClaimRow, evaluate};
use repro::published::{PublishedPaper, published_papers};
use std::collections::BTreeSet;

fn rows(papers: &[PublishedPaper]) -> Vec<ClaimRow> {
    evaluate(papers, &[("GPU", &[])], &[])
}

/// The claims that their papers' own numbers do not bear out, and those that name an inconsistency by which they do not.
fn failing(papers: &[PublishedPaper]) -> [BTreeSet<String>; 2] {
    let rows = rows(papers);
    let ids = |is: &dyn Fn(&ClaimRow) -> bool| {
        rows.iter().filter(|row| is(row)).map(|row| row.id.clone()).collect()
    };
    let fails = |row: &ClaimRow| row.own.as_ref().is_some_and(|own| !own.verdict.holds());
    [ids(&fails), ids(&|row| !row.contradicted_by.is_empty())]
}

#[test]
fn every_claim_holds_on_the_numbers_of_its_paper_or_names_the_contradiction() {
    let papers = published_papers().unwrap();
    let [failing, contradicted] = failing(&papers);
    assert_eq!(failing, contradicted);
    let own = rows(&papers).iter().filter(|row| row.own.is_some()).count();
    assert!(own >= 30, "{own} claims by their papers' own numbers");
}

/// The paper calls 42 of the 77 GB/s of a copy limited: 60% would be a bound that its own GPU fails.
#[test]
fn a_bound_that_the_paper_itself_fails_is_found() {
    let change = |edit: fn(&mut PublishedPaper)| {
        let mut papers = published_papers().unwrap();
        papers.iter_mut().filter(|paper| paper.id == LUND).for_each(edit);
        let [failing, contradicted] = failing(&papers);
        failing.difference(&contradicted).cloned().collect::<Vec<_>>()
    };
    let bound = |paper: &mut PublishedPaper| {
        let claim = paper.claims.iter_mut().find(|claim| claim.id == "hn-limited-by-memory").unwrap();
        claim.tests[0].at_least = Some(60.0);
    };
    assert_eq!(change(bound), ["hn-limited-by-memory"]);
    let printed = |paper: &mut PublishedPaper| {
        let column = paper.tables[0].columns.get_mut("staged-load").unwrap();
        column[4].1 *= 2.0;
    };
    assert_eq!(change(printed), ["constant", "staged-over-kk", "staged-over-opt"]);
    assert!(change(|_| ()).is_empty());
}

/// What is read of a table and of stated numbers, by hand.
#[test]
fn own_numbers_are_those_that_the_paper_prints() {
    let papers = published_papers().unwrap();
    let rows = rows(&papers);
    let own = |id: &str| -> &ClaimResult {
        rows.iter().find(|row| row.paper == LUND && row.id == id).unwrap().own.as_ref().unwrap()
    };
    let values =
        |id: &str| own(id).points.iter().map(|point| (point.at.n, point.measured.value)).collect::<Vec<_>>();
    let ratio = |n, slower: f64, faster: f64| (Some(n), slower / faster);
    // Of three blocks of threads the paper has one, which it does not name.
    let printed = [(3072, 10.99, 2.01), (4096, 26.05, 4.62), (6144, 87.9, 15.09), (8192, 208.6, 35.37)];
    assert_eq!(values("kk-over-hn"), printed.map(|(n, slower, faster)| ratio(n, slower, faster)));
    assert_eq!(values("staged-over-opt-as-resident"), [ratio(8192, 16.39, 6.88)]);
    assert_eq!(values("smem-cut")[0], (Some(128), 12320.0 / 1056.0));
    assert_eq!(values("hn-rate"), [(Some(4096), 4096f64.powi(3) / 26.05)]);
    // Both of a ratio are of one implementation: the paper says nothing.
    let without = |id: &str| rows.iter().any(|row| row.paper == LUND && row.id == id && row.own.is_none());
    assert!(without("blocks-hide-latency") && without("register-alone") && without("opt-growth"));
}
