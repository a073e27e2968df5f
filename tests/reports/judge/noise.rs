//! The noise that verdicts assume is that of the committed runs.

use super::open;
use crate::common::stored::reference;
use repro::judge::NOISE;
use repro::results::{StoredRun, noise_floors};
use repro::timing::Scope;
use std::path::Path;

/// All committed runs on the H200, whatever claims need of them.
fn measured() -> Vec<StoredRun> {
    let folders = std::fs::read_dir(reference("h200")).unwrap().map(|entry| entry.unwrap().file_name());
    folders.map(|name| open(&format!("h200/{}", name.to_string_lossy()))).collect()
}

#[test]
fn the_noise_that_verdicts_assume_is_no_less_than_the_committed_runs_show_and_not_three_times_as_much() {
    let runs = measured();
    let floors = noise_floors(&runs.iter().collect::<Vec<_>>(), Scope::Kernel);
    let [gpu, small_gpu, cpu, small_cpu] = NOISE;
    let mut wrong = Vec::new();
    for floor in &floors {
        let assumed = match (floor.on_gpu, floor.small) {
            (true, false) => gpu,
            (true, true) => small_gpu,
            (false, false) => cpu,
            (false, true) => small_cpu,
        };
        let shown = floor.within_runs.unwrap();
        if !(shown..=3.0 * shown).contains(&assumed) {
            wrong.push(format!("{assumed} is assumed, and shown is {floor:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(floors.len(), 4);
}

#[test]
fn the_page_on_verdicts_states_the_noise_that_they_assume() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/verdicts.md");
    let page = std::fs::read_to_string(page).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    let [gpu, small_gpu, cpu, small_cpu] = NOISE.map(|noise| (noise * 1000.0).round() / 10.0);
    let said = format!(
        "{gpu}% on a GPU, {small_gpu}% there below n = 1024, {cpu}% on a CPU, {small_cpu}% there below n = 1024"
    );
    assert!(page.contains(&said), "docs/verdicts.md should say: {said}");
}
