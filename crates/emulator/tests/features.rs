//! One kernel for each feature of CUDA C++: it runs with the results of a GPU, or is refused by name, as NVRTC refuses it. The table
//! in `docs/emulated-features.md` is made here.

use crate::common::{Case, cases, digest, emulator, expected, groups, run, source_of, tests};
use repro_emulator::Instruments;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// What comes of every kernel that is not to be refused.
fn outcomes(cases: &[Case]) -> BTreeMap<String, Result<String, String>> {
    let mut all = BTreeMap::new();
    for group in groups(cases, 30) {
        let device = emulator(Instruments::CHECK, 0);
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

#[test]
fn every_feature_runs_with_the_results_of_a_gpu() {
    let (cases, expected) = (cases("features"), expected("features"));
    let mut wrong = Vec::new();
    for (name, outcome) in outcomes(&cases) {
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
fn what_nvrtc_refuses_is_refused_by_name() {
    for case in cases("features").iter().filter(|case| case.refused.is_some()) {
        let device = emulator(Instruments::CHECK, 0);
        let error = device.load(&source_of(&[case]), &[&case.kernel]).err().map(|error| error.to_string());
        let words = case.refused.as_deref().unwrap();
        assert!(error.as_ref().is_some_and(|error| error.contains(words)), "{}: {error:?}", case.name);
    }
}

fn table(cases: &[Case]) -> String {
    let mut text = String::from(
        "# Features of CUDA C++ on the emulated device\n\nMade by the test `features` of `crates/emulator` from the kernels in \
         `crates/emulator/tests/features`, a kernel a feature.\n\"runs\": the output has the same bits as on an H200.\n\n\
         | Feature | What its kernel does | On the emulated device |\n|---|---|---|\n",
    );
    for case in cases {
        let outcome = match (&case.refused, &case.needs) {
            (Some(words), _) => format!("refused, as by NVRTC: {words}"),
            (None, Some(header)) => format!("runs; NVRTC needs CUDA's {header}"),
            (None, None) => "runs".to_string(),
        };
        let _ = writeln!(text, "| {} | {} | {outcome} |", case.name, case.shows);
    }
    text
}

fn table_file() -> PathBuf {
    tests().join("../../../docs/emulated-features.md")
}

#[test]
fn the_table_is_that_of_the_kernels() {
    let made = table(&cases("features"));
    if std::env::var_os("WRITE_TABLE").is_some() {
        std::fs::write(table_file(), &made).unwrap();
    }
    let known = std::fs::read_to_string(table_file()).unwrap_or_default();
    assert!(known == made, "docs/emulated-features.md is not up to date: run this test with WRITE_TABLE=1");
}
