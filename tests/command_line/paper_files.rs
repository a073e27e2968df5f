//! `repro new-paper`.

use crate::common::{repro, stderr, stdout};
use repro::published::PublishedPaper;
use std::path::Path;
use std::process::Output;

fn new_paper(folder: &Path, arguments: &[&str]) -> Output {
    repro().current_dir(folder).arg("new-paper").args(arguments).output().unwrap()
}

#[test]
fn a_new_paper_lies_where_a_build_takes_it_from_and_is_valid_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let output = new_paper(folder.path(), &["someone-2012"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let written = folder.path().join("experiments/published/someone-2012");
    let paper = PublishedPaper::open(&written).unwrap();
    assert_eq!(paper.id, "someone-2012");
    assert!(paper.beside && paper.claims.len() > 5);
    for file in ["paper.toml", "claims.toml"] {
        let text = std::fs::read_to_string(written.join(file)).unwrap();
        assert!(!text.contains("my-paper"), "{text}");
    }
    assert_eq!(std::fs::read_dir(&written).unwrap().count(), 2);
}

#[test]
fn the_next_commands_are_printed_with_the_folder_as_a_shell_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = new_paper(folder.path(), &["own", "--out", "a folder"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    PublishedPaper::open(&folder.path().join("a folder/own")).unwrap();
    let text = stdout(&output);
    let commands: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("repro ")).collect();
    let called: Vec<&str> = commands.iter().filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(called, ["claims", "list", "claims"], "{text}");
    let of_claims = commands.iter().filter(|line| line.starts_with("repro claims"));
    assert!(of_claims.clone().all(|line| line.contains("--paper 'a folder/own'")), "{text}");
    assert!(text.contains("docs/adding-a-paper.md"), "{text}");
}
