//! `repro claims`: the verdicts of the runs stored with the build, in a clone and anywhere else, or those of runs that are given.

use crate::common::place::Place;
use crate::common::stored::{copy, reference};
use crate::common::{assert_refused, repro, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// What it prints in a folder.
fn said(here: &Path, words: &[&str]) -> String {
    let output = repro().current_dir(here).arg("claims").args(words).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{words:?}");
    stdout(&output)
}

fn in_clone(words: &[&str]) -> String {
    said(Path::new(env!("CARGO_MANIFEST_DIR")), words)
}

#[test]
fn claims_have_the_builds_verdicts_in_a_clone_and_outside_of_it() {
    let place = Place::new();
    let outside = place.path("");
    // What lies about is not judged unasked.
    copy("h200/limits", &place.path("results/runs/limits"));
    let runs = reference("").display().to_string();
    // A row of the build that these runs do not give is found here, whatever it was changed in.
    for words in [&[][..], &["smem-kk"], &["takafuji-2020"]] {
        let own = said(&outside, words);
        assert_eq!(own, in_clone(words));
        let (source, rest) = own.split_once('\n').unwrap();
        assert!(
            source.starts_with("Verdicts of the runs stored with this build, ")
                && source.contains(" runs on NVIDIA H200 and NVIDIA H100 80GB HBM3; "),
            "{source}"
        );
        let judged = said(&outside, &[words, &["--runs", &runs]].concat());
        let (by, judged) = judged.split_once('\n').unwrap();
        assert!(by.starts_with("Verdicts of the runs given, "), "{by}");
        assert_eq!(
            rest, judged,
            "{words:?}: the report of the stored runs is renewed, and not yet this build"
        );
    }
    let json = |words: &[&str]| -> Vec<Value> {
        serde_json::from_str(&said(&outside, &[words, &["--json"]].concat())).unwrap()
    };
    let values = json(&[]);
    assert!(values.len() > 100 && values == json(&["--runs", &runs]));
    assert_eq!(json(&["staged-over-kk"])[0]["results"][0]["verdict"], "DIFFERS");
}

#[test]
fn each_claim_has_a_verdict_and_one_that_is_not_measured_its_command() {
    let place = Place::new();
    // It decides none.
    let nothing = reference("h200-x2/scaling").display().to_string();
    for (words, at_least) in [(&[][..], 1), (&["--runs", &nothing], 100)] {
        let text = said(&place.path(""), words);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).collect();
        let is_verdict = |line: &str| line.starts_with("      ");
        assert!(lines.iter().filter(|line| !is_verdict(line)).count() > 100, "{text}");
        let is_bare = |two: &[&str]| !is_verdict(two[0]) && !is_verdict(two[1]);
        assert!(!lines.windows(2).any(is_bare) && is_verdict(lines[lines.len() - 1]), "{text}");
        let open = lines.iter().filter(|line| line.trim_start().starts_with("NOT MEASURED"));
        // Or a sentence that says why no command would.
        let (sentences, commands): (Vec<&&str>, Vec<&&str>) = open.partition(|line| line.ends_with('.'));
        assert!(commands.iter().all(|line| line.contains("repro run ")), "{commands:?}");
        assert!(commands.len() >= at_least && !sentences.is_empty(), "{text}");
    }
}

#[test]
fn claims_fit_a_narrow_terminal_and_a_wrong_name_is_answered_by_the_right_one() {
    let output = repro().env("COLUMNS", "80").args(["claims", "smem-cut"]).output().unwrap();
    let text = stdout(&output);
    assert!(text.lines().count() > 5 && text.lines().all(|line| line.width() <= 80), "{text}");
    let output = repro().args(["claims", "smem-ctu"]).output().unwrap();
    assert_refused(&output, &["no claim 'smem-ctu'", "did you mean smem-cut?"]);
}
