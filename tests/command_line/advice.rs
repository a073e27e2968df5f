//! Every command that is printed works in the state in which it is printed, or says that it needs a GPU, which this machine has not.

use crate::common::place::Place;
use crate::common::stored::unfinish;
use crate::common::{repro, repro_with_compiler, stderr, stdout};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

/// Where a printed command ends, besides at the end of its line.
const ENDS: [&str; 6] = ["`", "; ", ", or ", " goes on", ", on a GPU", " measures"];
const SMALL: &str = "run table1 --device cpu --sizes 32 --samples 3 --only cpu-naive --no-report --out";

/// A command that is printed.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Advised {
    command: String,
    /// Whether its line says that it needs one.
    on_gpu: bool,
    /// Whether it is to bring all that a claim lacks.
    for_claim: bool,
}

/// The commands in a text that a shell would take. `repro run` alone is a name.
fn commands(text: &str) -> BTreeSet<Advised> {
    let of_line = |line: &str| -> Vec<Advised> {
        let advised = |at: usize| {
            let (before, rest) = line.split_at(at);
            let end = ENDS.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
            let command = rest[..end].trim_end_matches(['.', ')']).to_string();
            let is_own = before.chars().next_back().is_none_or(|one| " `".contains(one))
                && rest.as_bytes().get(6).is_some_and(u8::is_ascii_lowercase);
            let is_name = command == "repro run" || command.ends_with(" ID") || before.ends_with("for ");
            let for_claim = line.to_lowercase().contains("measured");
            (is_own && !is_name).then(|| Advised { command, on_gpu: line.contains("GPU"), for_claim })
        };
        line.match_indices("repro ").filter_map(|(at, _)| advised(at)).collect()
    };
    text.lines().flat_map(of_line).collect()
}

fn shell(here: &Path, command: &str) -> Output {
    let program = repro_with_compiler();
    let bin = Path::new(program.get_program()).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(here).env("PATH", path).env("CUDA_VISIBLE_DEVICES", "");
    shell.output().unwrap()
}

/// Tries what a text advises. What takes minutes is tried in the small, or as far as its arguments are read.
fn works(here: &Path, text: &str) {
    for Advised { command, on_gpu, for_claim } in commands(text) {
        let is_new_run = command.starts_with("repro run ") && !command.contains("--resume");
        if is_new_run && (on_gpu || command.contains("--device emulated")) {
            let read = stderr(&shell(here, &format!("{command} --only no-such-one")));
            assert!(read.contains("no-such-one"), "{command}: {read}");
            continue;
        }
        let small = if is_new_run { " --sizes 32 --samples 3 --no-report --out advised" } else { "" };
        let alone = if for_claim { "REPRO_CXX=none " } else { "" };
        let output = shell(here, &format!("rm -rf advised; {alone}{command}{small}"));
        let (code, said) = (output.status.code(), both(&output));
        // Of a comparison and of the doctor these are answers.
        let is_done = code == Some(0) || (!is_new_run && matches!(code, Some(1 | 3)));
        assert!(is_done, "{command}: {code:?}: {said}");
        assert!(!for_claim || !said.contains("no CUDA driver"), "{command} needs a GPU: {said}");
    }
}

fn both(output: &Output) -> String {
    format!("{}{}", stdout(output), stderr(output))
}

fn said(here: &Path, mut command: Command, words: &str) -> String {
    let output = command.args(words.split(' ')).current_dir(here).output().unwrap();
    let said = both(&output);
    works(here, &said);
    said
}

#[test]
fn a_printed_command_works_where_it_is_printed() {
    let place = Place::new();
    let here = &place.path("");
    assert!(said(here, repro(), &format!("{SMALL} first")).contains("next: repro report first\n"));
    // Who starts it by its path may have no `repro` to call.
    let mut by_path = Command::new(repro().get_program());
    let words = format!("{SMALL} other").replace(" 32 ", " 33 ");
    let output = by_path.args(words.split(' ')).current_dir(here).output().unwrap();
    let next = format!("next: {} report other\n", by_path.get_program().display());
    assert!(stdout(&output).contains(&next), "{}", both(&output));
    said(here, repro(), "report nothing");
    said(here, repro(), "claims no-such");
    // Runs that have not finished, of each sort.
    let pair = "\"pair\": {\"id\": \"1\", \"side\": \"new\"},\n  \"finished\"";
    for (name, finished) in [("stopped", "\"finished\""), ("half", pair)] {
        place.copy("first", name);
        unfinish(&place.path(name));
        place.replace(&format!("{name}/manifest.json"), "\"finished\"", finished);
        let error = stderr(&place.end_with(2, &format!("history {name}")));
        let resumes = error.contains("repro run --resume stopped goes on with it");
        assert_eq!((resumes, error.contains("--resume")), (name == "stopped", name == "stopped"), "{error}");
    }
    works(here, "`repro run --resume stopped`");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn what_is_printed_of_runs_on_this_machine_works_where_it_is_printed() {
        let place = Place::new();
        let here = &place.path("");
        said(here, repro(), &format!("{SMALL} results/runs/one"));
        // A run at small sizes only for a trial is judged by nobody.
        said(here, repro(), "run table1 --smoke --device cpu --quiet --out trial");
        said(here, repro(), "run --resume trial/table1");
        said(here, repro(), "report trial");
        said(here, repro(), "run table1 --device cuda --sizes 32");
        let one = "results/runs/one";
        for words in ["claims", "claims opt-over-kk", "claims cpu-cache", "doctor"]
            .map(String::from)
            .into_iter()
            .chain([format!("rank {one} --n 7"), format!("report {one}")])
        {
            let said = said(here, repro(), &words);
            assert!(!said.contains("scripts/fetch "), "there is none here: {said}");
        }
        works(here, &place.read("results/report/claims.md"));
        let small = "run table1 --sizes 32 --only staged-load --no-report --out";
        for words in
            [format!("{small} asked --device emulated"), format!("{small} chosen --all"), "doctor".into()]
        {
            let said = said(here, repro_with_compiler(), &words);
            assert!(
                !said.contains("--device emulated"),
                "it was just done, or nothing of it times kernels: {said}"
            );
        }
    }
}
