//! Arguments, and what the commands that only tell something say: `list`, help, completions, `claims`. Mistakes in them are rows in `refusals`.

use crate::common::place::Place;
use crate::common::stored::{copy, reference};
use crate::common::{repro, run, stderr, stdout};
use repro::published::PublishedPaper;
use serde_json::Value;
use std::path::Path;

#[test]
fn an_implementation_from_a_file_is_an_option_of_the_commands_that_look_at_one() {
    let looking = ["run", "verify", "inspect", "counts", "track", "list", "new-kernel"];
    let mut arguments = repro::cli::command();
    arguments.build();
    for command in arguments.get_subcommands_mut() {
        let shown = command.render_long_help().to_string().contains("--with <FILE>");
        assert!(command.is_hide_set() || shown == looking.contains(&command.get_name()), "{command}");
    }
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/register_tiles.toml");
    for arguments in [["--with", table, "list"], ["list", "--with", table]] {
        assert!(stdout(&run(&arguments)).contains("register-tiles"), "{arguments:?}");
    }
}

#[test]
fn list_says_of_a_name_what_its_parameters_mean_or_which_sizes_it_has() {
    let text = stdout(&run(&["list", "two-phase", "cpu-column"]));
    assert!(text.contains("parameter tile: side of a tile") && text.contains("default 32"), "{text}");
    assert!(text.contains("gaioso-2013") && text.contains("cpu-naive"), "{text}");
    assert!(!text.contains("katz-kider"), "{text}");
    let all = stdout(&run(&["list"]));
    assert!(all.contains("element-loop)") && !all.contains("parameter "), "{all}");
    assert!(!all.contains("in a clone"), "{all}");
    // Outside of a clone it says what needs one, and complains of nothing.
    let all = stdout(&Place::new().call("list"));
    let peers = all.lines().find(|line| line.starts_with("  peers ")).unwrap();
    assert!(peers.ends_with("1,024 to 16,384 vertices (in a clone of the repository)"), "{peers}");
    assert!(!all.contains("cannot be used"), "{all}");
}

#[test]
fn solve_and_path_are_commands_of_repro_too_and_write_nothing_into_a_run() {
    let place = Place::new();
    place.write("roads.txt", "0 1 4\n1 2 3\n");
    place.write("measured/manifest.json", "{}");
    let solve = "solve roads.txt --paths predecessor --out";
    let told = ["--out measured holds a run", "choose another folder"];
    place.refuse(&format!("{solve} measured/d.npy"), &told);
    place.succeed(&format!("{solve} d.npy"));
    let path = stdout(&place.call("path d.npy 0 2"));
    assert!(path.ends_with("2 arcs, distance 7\n"), "{path}");
    assert!(stdout(&run(&["path", "--help"])).contains("  repro path all.npy 3 9"));
}

#[test]
fn help_names_every_exit_code_and_completions_exist_for_every_common_shell() {
    let run_parts = ["Exit codes:", "  0 ", "  1 ", "  2 ", "  130 ", "Examples:", "begin others again"];
    for (call, parts) in [
        (&["--help"][..], &["  0 ", "  1 ", "  2 ", "  130 "][..]),
        (&["run", "--help"], &run_parts),
        (&["compare", "--help"], &["(GONE)", "do not change the exit"]),
    ] {
        let help = stdout(&run(call));
        assert!(parts.iter().all(|part| help.contains(part)), "{help}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&run(&["completions", shell]));
        assert!(text.contains("repro") && text.contains("verify"), "{shell}");
        assert!(!text.contains("worker"), "the worker is not for people");
    }
}

#[test]
fn the_example_of_a_paper_is_valid_and_compares_what_there_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/my-paper");
    let paper = PublishedPaper::open(&folder).unwrap();
    let tests = paper.claims.iter().flat_map(|claim| &claim.tests);
    assert!(paper.beside && !paper.tables.is_empty() && tests.clone().count() > 4);
    for of in tests.flat_map(|test| test.contenders()) {
        let found = repro::implementation::find(&of.implementation).unwrap_or_else(|| panic!("{of}"));
        found.check(&of.parameters).unwrap();
    }
}

/// What `repro claims WORDS` prints in a folder.
fn said(here: &Path, words: &str) -> String {
    let output = repro().current_dir(here).arg("claims").args(words.split_whitespace()).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{words}");
    stdout(&output)
}

fn values(here: &Path, words: &str) -> Vec<Value> {
    serde_json::from_str(&said(here, &format!("--json {words}"))).unwrap()
}

#[test]
fn claims_have_the_builds_verdicts_in_a_clone_and_outside_of_it() {
    let place = Place::new();
    let outside = place.path("");
    // What lies about is not judged unasked.
    copy("h200/limits", &place.path("results/runs/limits"));
    let own = said(&outside, "");
    assert_eq!(own, said(Path::new(env!("CARGO_MANIFEST_DIR")), ""));
    let source = own.lines().next().unwrap();
    assert!(source.starts_with("Verdicts of the runs stored with this build, "), "{source}");
    assert!(source.contains(" runs on NVIDIA H200 and NVIDIA H100 80GB HBM3; "), "{source}");
    assert_eq!(values(&outside, "staged-over-kk")[0]["results"][0]["verdict"], "DIFFERS");
}

#[test]
fn each_claim_has_a_verdict_and_one_that_is_not_measured_its_command() {
    let place = Place::new();
    // It decides none.
    let nothing = format!("--runs {}", reference("h200-x2/scaling").display());
    for (words, at_least) in [("", 0), (&*nothing, 100)] {
        let text = said(&place.path(""), words);
        assert!(words.is_empty() || text.starts_with("Verdicts of the runs given, "), "{text}");
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

mod long {
    use super::*;

    /// A row of the build that these runs do not give is found here, whatever it was changed in.
    #[test]
    #[ignore = "long"]
    fn the_builds_verdicts_are_those_of_the_committed_runs() {
        let place = Place::new();
        let here = place.path("");
        let built = values(&here, "");
        assert!(built.len() > 100);
        let judged = values(&here, &format!("--runs {}", reference("").display()));
        assert!(built == judged, "the report of the stored runs is renewed, and not yet this build");
    }
}
