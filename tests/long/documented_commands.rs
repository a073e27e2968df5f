//! The commands of README, docs and ARTIFACT.md run and succeed, as do the batch scripts.

use crate::common::part;
use crate::documentation::blocks::{self, Block};
use crate::documentation::{clone, documents, root};
use std::sync::Mutex;

/// What failed of a document's blocks, which are run one after another in a clone of their own.
fn failures_of(file: &str) -> Vec<String> {
    let clone = clone::Clone::of(root());
    let blocks = blocks::blocks(root(), file);
    let run = |block: &Block| {
        let output = clone.run(block);
        let errors = String::from_utf8_lossy(&output.stderr);
        (!output.status.success()).then(|| format!("{block}: {}\n{errors}", block.text))
    };
    blocks.iter().filter(|block| block.is_run()).filter_map(run).collect()
}

#[test]
#[ignore = "long"]
fn every_documented_command_runs_and_succeeds() {
    // ARTIFACT.md takes longest and is taken first, so that neither worker waits for it in the end.
    let part = part();
    let of_part = documents().into_iter().enumerate().filter(|(at, _)| part.has(*at));
    let documents = Mutex::new(of_part.map(|(_, file)| file).rev().collect::<Vec<_>>());
    let next = || documents.lock().unwrap().pop();
    let work = || std::iter::from_fn(next).flat_map(|file| failures_of(&file)).collect::<Vec<_>>();
    let failures: Vec<String> = std::thread::scope(|scope| {
        // As many as the cores of the smallest machine that runs this: more would be too slow for the program's own limits.
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[ignore = "long"]
fn the_batch_scripts_run_an_experiment_and_pass_its_exit_code_on() {
    let text = include_str!("batch-scripts.sh").into();
    let block = Block { file: "scripts/slurm".into(), line: 1, marker: String::new(), text };
    let output = clone::Clone::of(root()).run(&block);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
