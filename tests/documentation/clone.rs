//! A folder that looks like a fresh clone, in which documented commands may write what they like.

use super::blocks::{Block, SMALL};
use std::path::Path;
use std::process::{Command, Output, Stdio};

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

pub struct Clone(tempfile::TempDir);

impl Clone {
    pub fn of(root: &Path) -> Self {
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
    pub fn run(&self, block: &Block) -> Output {
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
