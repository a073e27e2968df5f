//! One kernel for each feature of CUDA C++: it runs with the results of a GPU, or is refused by name, as NVRTC refuses it.
//! `docs/emulated-features.md` has what they show.

use crate::common::{Case, cases, digest, emulator, expected, groups, run, source_of, tests};
use repro_emulator::{Instruments, Source};
use std::collections::{BTreeMap, BTreeSet};

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

/// NVRTC refuses these, and nvcc or an older compiler took them.
#[test]
fn what_other_compilers_of_cuda_take_is_taken() {
    let device = emulator(Instruments::CHECK, 0);
    for text in [
        "extern \"C\"__global__ void k(int *to) { *to = 1; } extern \"C\"__device__ int f() { return 1; }",
        "__global__ void a(int *to) { extern __shared__ int tile[]; *to = tile[0]; }
         extern \"C\" __global__ void k(float *to) { extern __shared__ float tile[]; *to = tile[0]; }",
    ] {
        if let Err(error) = device.load(&Source::new("k.cu", text), &["k"]) {
            panic!("{text}: {error}");
        }
    }
}

/// The rows of a page's tables, each with the heading above it and its two cells.
fn rows(page: &str) -> Vec<(&str, [&str; 2])> {
    let (mut heading, mut rows) = ("", Vec::new());
    for line in page.lines() {
        if let Some(text) = line.strip_prefix("## ") {
            heading = text;
        }
        let row = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
        rows.extend(row.and_then(|row| row.split_once('|')).map(|(topic, runs)| (heading, [topic, runs])));
    }
    rows
}

#[test]
fn the_page_names_only_code_of_kernels_and_all_headers() {
    let page = std::fs::read_to_string(tests().join("../../../docs/emulated-features.md")).unwrap();
    let (cases, rows) = (cases("features"), rows(&page));
    assert!(rows.len() > 50, "{} rows", rows.len());
    // `*` stands for any end of a name.
    for code in rows.iter().flat_map(|(_, cells)| cells).flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
        let is_in = |case: &Case| code.split('*').all(|part| case.text.contains(part));
        assert!(cases.iter().any(is_in), "docs/emulated-features.md: no kernel has {code}");
    }
    let headers = rows.iter().filter(|(heading, _)| *heading == "Headers");
    let named: BTreeSet<&str> = headers.filter_map(|(_, [topic, _])| topic.split('`').nth(1)).collect();
    assert_eq!(named, cases.iter().filter_map(|case| case.needs.as_deref()).collect());
}
