//! The paper that others start from.

use crate::common::{repro, stderr};
use repro::published::{Claim, PublishedPaper, Relation, Test};
use std::path::Path;

const EXAMPLE: &str = "examples/my-paper";

#[test]
fn the_example_of_a_paper_is_valid_and_shows_one_claim_of_each_sort() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = repro().current_dir(root).args(["claims", "--paper", EXAMPLE]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let paper = PublishedPaper::open(&root.join(EXAMPLE)).unwrap();
    assert!(paper.beside && !paper.tables.is_empty() && !paper.answer.is_empty());
    let any = |of: &dyn Fn(&Claim) -> bool| paper.claims.iter().any(of);
    let has_test = |claim: &Claim, of: &dyn Fn(&Test) -> bool| claim.tests.iter().any(of);
    assert!(any(&|one| one.low.is_some() && one.high.is_some()), "a range");
    let ratio = |test: &Test| test.at_least == Some(1.0) && test.relation == Relation::Ratio;
    assert!(any(&|one| has_test(one, &ratio)));
    assert!(any(&|one| has_test(one, &|test| test.is_counted())), "a counted one");
    assert!(any(&|one| one.untested.is_some()) && any(&|one| one.incomparable.is_some()));
    assert!(any(&|one| one.reading.is_some() && has_test(one, &|test| test.ours)), "bounds of ours");
    assert!(any(&|one| has_test(one, &|test| test.own_gpu) && !one.tested_by.is_empty()));
    for of in paper.claims.iter().flat_map(|claim| &claim.tests).flat_map(|test| test.contenders()) {
        let found = repro::implementation::find(&of.implementation).unwrap_or_else(|| panic!("{of}"));
        of.parameters.check(&found.name, &found.parameters).unwrap();
    }
}
