//! The commands of README, docs and ARTIFACT.md run and succeed, as do the batch scripts.

use crate::common::part;
use crate::documentation::blocks::{self, Block, Marker};
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
    blocks.iter().filter(|block| block.marker.is_run()).filter_map(run).collect()
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

/// With stand-ins for the commands of Slurm and Apptainer, which run what they are given.
#[test]
#[ignore = "long"]
fn the_batch_scripts_run_an_experiment_and_pass_its_exit_code_on() {
    let commands = r#"
        srun() { while [[ $1 == --* ]]; do shift; done; "$@"; }
        apptainer() { while [ "$1" != repro ]; do shift; done; "$@"; }
        export -f srun apptainer repro
        export SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=8 SLURM_ARRAY_TASK_ID=4
        on_cpu="--device cpu --only cpu-naive --sizes 64 --samples 5"
        bash scripts/slurm/run.sbatch table1 $on_cpu
        # What was finished is continued by doing nothing; it is not refused.
        bash scripts/slurm/run.sbatch table1 --resume results/runs/table1-7
        bash scripts/slurm/run.sbatch table1 --resume=results/runs/table1-7
        bash scripts/slurm/all.sbatch $on_cpu
        bash scripts/slurm/apptainer.sbatch densities $on_cpu
        bash scripts/slurm/apptainer.sbatch densities --resume results/runs/densities-7
        DEVICE=emulated bash scripts/slurm/several-gpus.sbatch --sizes 64 --param devices=2
        ls results/runs/scaling-7/summary.csv results/runs/table1-7/summary.csv results/runs/densities-8/summary.csv results/runs/densities-7/summary.csv
        code=0
        bash scripts/slurm/track.sbatch no-such-file $on_cpu || code=$?
        [ $code -eq 2 ]
        for script in run apptainer track nightly; do
            code=0
            bash scripts/slurm/$script.sbatch 2>usage || code=$?
            [ $code -eq 2 ] && grep -q '^usage: sbatch scripts/slurm/' usage
        done
        # The first night compares nothing, and the second with the first.
        export ONLY=cpu-naive
        mkdir built
        cp "$(type -P repro)" built/repro
        night() { code=0; SLURM_JOB_ID=$1 REPRO=built/repro bash scripts/slurm/nightly.sbatch nights --device cpu --sizes 64 --samples 5 || code=$?; }
        night 7
        [ $code -eq 0 ]
        night 8
        [ $code -eq 0 ] || [ $code -eq 3 ]
        ls nights/last/repro nights/runs/*/new/summary.csv nights/runs/*/comparison.md
        [ "$(grep -c cpu-naive nights/history/*.csv)" -eq 2 ]
        interrupted() { [ "$1" != run ] || return 130; }
        export -f interrupted
        code=0
        last=$(REPRO=interrupted bash scripts/slurm/run.sbatch table1 | tail -n 1) || code=$?
        [ $code -eq 130 ]
        [ "$last" = "to continue: sbatch scripts/slurm/run.sbatch table1 --resume results/runs/table1-7" ]
        code=0
        bash scripts/slurm/run.sbatch no-such-experiment || code=$?
        [ $code -eq 2 ]
    "#;
    let block = Block { file: "scripts/slurm".into(), line: 1, marker: Marker::Run, text: commands.into() };
    let output = clone::Clone::of(root()).run(&block);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
