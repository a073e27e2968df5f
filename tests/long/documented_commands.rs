//! The commands of README, docs and ARTIFACT.md run and succeed, as do the batch scripts.

use crate::common::part;
use crate::documentation::blocks::{self, Block, SMALL};
use crate::documentation::{documents, root};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

/// What commands write to, copied; all else is linked.
const WRITTEN: [&str; 2] = ["results/history", "results/counts"];
/// What a clone does not have, or what commands must not find.
const LEFT_OUT: [&str; 2] = ["target", "results"];

/// `cargo` would build anew what the tests have built already. In a block that is marked `small`, `repro` gets options that are not in
/// the text: small sizes and few samples, one implementation, or one stored run.
const PRELUDE: &str = r#"
cargo() {
    case "$*" in
        "run --release -- "*) shift 3; repro "$@" ;;
        "run --example own_implementation -- "*) shift 4; own_implementation "$@" ;;
        *) echo "a test cannot run: cargo $*" >&2; return 1 ;;
    esac
}
repro() {
    if [ "$SMALL" = yes ]; then
        case "$1 $*" in
            *--resume*) ;;
            run*) set -- "$@" --device cpu --sizes 64 --samples 5 ;;
            verify*) set -- "$@" --only staged-load --sizes 33 ;;
            inspect*) set -- "$@" --n 64 ;;
            counts*) set -- "$@" --only staged-load ;;
            report*) set -- "$@" results/reference/h200/ablation ;;
            *) ;;
        esac
    fi
    # On a busy machine the CPU's ceilings are measured too low, and right times are refused for it. That is not what is tested here.
    local code=0
    command repro "$@" || code=$?
    [ "$1" = run ] && [ $code -eq 1 ] && return 0
    return $code
}
"#;

/// A folder that looks like a fresh clone, in which documented commands may write what they like.
struct Clone(tempfile::TempDir);

impl Clone {
    fn of(root: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let link = |name: &str| {
            std::os::unix::fs::symlink(root.join(name), folder.path().join(name)).unwrap();
        };
        for entry in std::fs::read_dir(root).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if !LEFT_OUT.contains(&name.as_str()) {
                link(&name);
            }
        }
        std::fs::create_dir_all(folder.path().join("results")).unwrap();
        for name in WRITTEN {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            for entry in std::fs::read_dir(root.join(name)).unwrap() {
                let path = entry.unwrap().path();
                std::fs::copy(&path, folder.path().join(name).join(path.file_name().unwrap())).unwrap();
            }
        }
        link("results/reference");
        std::fs::create_dir(folder.path().join("target")).unwrap();
        link("target/tools");
        Self(folder)
    }

    /// Runs a block's commands as a shell that stops at the first that fails.
    fn run(&self, block: &Block) -> Output {
        let program = assert_cmd::cargo::cargo_bin!("repro");
        let built = program.parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let small = if block.marker == SMALL { "yes" } else { "no" };
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", &format!("{PRELUDE}{}", block.text)])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{}:{path}", built.display(), built.join("examples").display()))
            .env("SMALL", small)
            .env("CUDA_VISIBLE_DEVICES", "")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

/// What failed of a document's blocks, which are run one after another in a clone of their own.
fn failures_of(file: &str) -> Vec<String> {
    let clone = Clone::of(root());
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
    let output = Clone::of(root()).run(&block);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
