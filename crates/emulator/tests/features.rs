//! One kernel for each feature of CUDA C++: it runs with the results of a GPU, or is refused by name, as NVRTC refuses it.
//! `docs/emulated-features.md` names them all.

use crate::common::{Case, cases, digest, emulator, expected, groups, run, source_of, tests};
use repro_emulator::Instruments;
use std::collections::BTreeMap;

/// What comes of every kernel that is not to be refused.
fn outcomes(cases: &[Case], instruments: Instruments) -> BTreeMap<String, Result<String, String>> {
    let mut all = BTreeMap::new();
    for group in groups(cases, 30) {
        let device = emulator(instruments, 0);
        let names: Vec<&str> = group.iter().map(|case| case.kernel.as_str()).collect();
        let kernels = device.load(&source_of(&group), &names).unwrap_or_else(|error| panic!("{error}"));
        for (kernel, case) in kernels.iter().zip(&group) {
            let outcome =
                run(&device, kernel, case).map_err(|error| error.to_string()).and_then(
                    |outcome| match outcome.findings.first() {
                        Some(finding) => Err(finding.to_string()),
                        None => Ok(digest(&outcome.output)),
                    },
                );
            if std::env::var_os("WRITE_OUTPUTS").is_some() {
                eprintln!("{} {outcome:?}", case.name);
            }
            all.insert(case.name.clone(), outcome);
        }
    }
    all
}

fn compare<const N: usize>(instruments: [Instruments; N]) {
    let (cases, expected) = (cases("features"), expected("features"));
    let mut wrong = Vec::new();
    let all = instruments.map(|instruments| outcomes(&cases, instruments));
    for (name, outcome) in all.into_iter().flatten() {
        match (outcome, expected.get(&name)) {
            (Err(words), _) => wrong.push(format!("{name}: {words}")),
            (Ok(_), None) => wrong.push(format!("{name}: no GPU has run it")),
            (Ok(found), Some(gpu)) if found != *gpu => {
                wrong.push(format!("{name}: {found}, and {gpu} on a GPU"))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn every_feature_runs_with_the_results_of_a_gpu() {
    compare([Instruments::CHECK, Instruments::BOUNDS]);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_feature_runs_with_these_results_where_nothing_is_watched_or_all_is_counted() {
        compare([Instruments::NONE, Instruments::ALL]);
    }
}

#[test]
fn what_nvrtc_refuses_is_refused_by_name() {
    for case in cases("features").iter().filter(|case| case.refused.is_some()) {
        let device = emulator(Instruments::CHECK, 0);
        let error = device.load(&source_of(&[case]), &[&case.kernel]).err().map(|error| error.to_string());
        let words = case.refused.as_deref().unwrap();
        assert!(error.as_ref().is_some_and(|error| error.contains(words)), "{}: {error:?}", case.name);
    }
}

#[test]
fn the_page_names_each_kernel_once_and_only_code_of_kernels() {
    let page = std::fs::read_to_string(tests().join("../../../docs/emulated-features.md")).unwrap();
    let cases = cases("features");
    // `*` stands for any end of a name.
    let has = |case: &Case, code: &str| code.split('*').all(|part| case.text.contains(part));
    let mut named = Vec::new();
    for row in page.lines() {
        let cells: Vec<&str> = row.split('|').collect();
        let ["", topic, runs, kernels, ""] = cells[..] else { continue };
        if ["Kernels", "---"].contains(&kernels) {
            continue;
        }
        for code in [topic, runs].iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
            assert!(
                cases.iter().any(|case| has(case, code)),
                "docs/emulated-features.md: no kernel has {code}"
            );
        }
        for name in kernels.split(", ") {
            let case = cases.iter().find(|case| case.name == name);
            let case = case.unwrap_or_else(|| panic!("docs/emulated-features.md: no kernel {name}"));
            // Headers, and words of refusals.
            let belongs = !topic.starts_with('`') || has(case, topic.trim_matches('`'));
            assert!(belongs, "docs/emulated-features.md: {name} has no {topic}");
            named.push(name);
        }
    }
    named.sort_unstable();
    let all: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(named, all, "docs/emulated-features.md: each kernel of tests/features in one row");
}
