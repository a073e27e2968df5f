//! A paper is data: nothing in Rust knows one.

use super::{CLAIMS, open};
use crate::common::stored::{STRUCTURE, TABLE1};
use repro::judge::{Verdict, evaluate};
use repro::published::PublishedPaper;
use std::path::Path;

const PAPER: &str = r#"
id = "doe-2031"
title = "Another paper"
authors = "J. Doe"
reference = "nowhere"
gpu = "Some GPU"

[[inconsistencies]]
id = "slip"
statement = "says one thing and another"
place = "section 1"
"#;

const CLAIMS_OF_IT: &str = r#"
[[claims]]
id = "fast"
kind = "ratio"
evidence = "magnitude"
statement = "over katz-kider"
place = "section 2"
low = 2.0
unit = "times"
scope_note = "it does not say"
faster = "staged-load"
slower = "katz-kider"
bound = "floor"
run = "table1"
tests = [{ pairs = [["staged-load", "katz-kider"]], sizes = [{ from = 4096, to = 8192, step = 4096 }] }]

[[claims]]
id = "launches"
kind = "structural"
evidence = "construction"
statement = "one launch a vertex"
place = "section 4"
run = "table1 --device emulated --sizes 128"
tests = [{ figure = "launches", relation = "value", series = ["harish-narayanan:harish_narayanan"], sizes = [128], polynomial = { of = "n", coefficients = [0, 1] } }]

[[claims]]
id = "elsewhere"
kind = "trend"
evidence = "order"
statement = "of sizes that nobody ran"
place = "section 5"
run = "table1"
tests = [{ pairs = [["staged-load", "katz-kider"]], sizes = [77], at_least = 1 }]
"#;

#[test]
fn a_paper_in_a_folder_is_judged_without_any_rust_that_knows_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("doe-2031");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("paper.toml"), PAPER).unwrap();
    std::fs::write(folder.join("claims.toml"), CLAIMS_OF_IT).unwrap();
    let paper = PublishedPaper::open(&folder).unwrap();
    let (table1, structure) = (open(TABLE1), open(STRUCTURE));
    let rows = evaluate(&[paper], &[("GPU", &[&table1])], &[&structure]);
    let of: Vec<(&str, Option<Verdict>)> =
        rows.iter().map(|row| (row.id.as_str(), row.results.first().map(|one| one.verdict))).collect();
    let expected = [
        ("fast", Some(Verdict::Exceeds)),
        ("launches", Some(Verdict::Reproduced)),
        ("elsewhere", Some(Verdict::NotMeasured)),
        ("slip", None),
    ];
    assert_eq!(of, expected);
}

#[test]
fn no_code_that_judges_knows_a_paper_or_a_claim() {
    let rust = |folder: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let files = rust("src/judge");
    assert!(files.len() >= 8);
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        for (paper, claim) in CLAIMS.iter() {
            // As a whole string: ids such as `scales` are words of the language, too.
            for id in [paper, &claim.id] {
                assert!(!text.contains(&format!("\"{id}\"")), "{}: {id}", path.display());
            }
            let long = claim.id.contains('-').then_some(&claim.id);
            for id in long.into_iter().chain([paper]) {
                let is_word = text.match_indices(id.as_str()).any(|(at, _)| {
                    let end = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '-');
                    end(text[..at].chars().last()) && end(text[at + id.len()..].chars().next())
                });
                assert!(!is_word, "{}: {id}", path.display());
            }
        }
    }
}
