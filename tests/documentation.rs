//! README, docs and ARTIFACT.md are kept true: their commands are run, or parsed by the program where they need a GPU, the network or
//! minutes; their links lead somewhere.

mod answers;
mod artifact;
pub mod blocks;
mod budget;
mod made;
mod numbers;
mod papers;
mod rooms;

use crate::reports::reference_report::KEPT;
use blocks::{Block, GPU};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README.md, ARTIFACT.md, CONTRIBUTING.md, every page in docs, and what a tool has.
pub fn documents() -> Vec<String> {
    let pages = std::fs::read_dir(root().join("docs")).unwrap();
    let pages = pages.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_string_lossy()));
    let mut documents: Vec<String> = pages.filter(|name| name.ends_with(".md")).collect();
    documents.extend(
        ["README.md", "ARTIFACT.md", "CONTRIBUTING.md", "adapters/README.md", "tools/reorder/README.md"]
            .map(String::from),
    );
    documents.sort();
    documents
}

fn text_of(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn all_blocks() -> Vec<Block> {
    documents().iter().flat_map(|file| blocks::blocks(root(), file)).collect()
}

#[test]
fn every_documented_call_of_the_program_has_arguments_that_it_takes() {
    let mut texts: Vec<(String, String)> =
        all_blocks().into_iter().map(|block| (block.to_string(), block.text)).collect();
    for entry in std::fs::read_dir(root().join("scripts/slurm")).unwrap() {
        let name = format!("scripts/slurm/{}", entry.unwrap().file_name().to_string_lossy());
        texts.push((name.clone(), text_of(&name)));
    }
    let mut parsed = 0;
    for (place, text) in &texts {
        let checked = Command::new("bash").args(["-n", "-c", text]).output().unwrap();
        assert!(checked.status.success(), "{place}: {}", String::from_utf8_lossy(&checked.stderr));
        for call in blocks::calls(text) {
            parsed += 1;
            if let Err(error) = repro::cli::command().try_get_matches_from(&call)
                && error.use_stderr()
            {
                panic!("{place}: {call:?}: {error}");
            }
        }
    }
    assert!(parsed > 30, "only {parsed} calls were found");
}

/// A machine with a GPU runs this list by hand before a release.
#[test]
fn the_script_for_a_gpu_machine_prints_every_command_that_is_marked_so() {
    let output = Command::new(root().join("scripts/gpu-commands")).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let marked: Vec<Block> = all_blocks().into_iter().filter(|block| block.marker == GPU).collect();
    let expected: String = marked.iter().map(|block| format!("# {}\n{}", block.file, block.text)).collect();
    assert!(!marked.is_empty());
    assert_eq!(printed, expected);
}

/// Each link of `file` that leads nowhere. Links to other sites are not followed.
fn broken_links(root: &Path, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(file)).unwrap();
    let folder = Path::new(file).parent().unwrap();
    let targets = text.split("](").skip(1).filter_map(|after| after.split(')').next());
    let is_here = |target: &&str| !target.starts_with("http");
    targets
        .filter(is_here)
        .filter(|target| is_made(target) || !exists(root, file, folder, target))
        .map(|target| format!("{file}: {target}"))
        .collect()
}

/// Whether it is of the committed report what is not in a clone, although somebody may have made it.
fn is_made(target: &str) -> bool {
    target.split_once("report/reference/").is_some_and(|(_, name)| !KEPT.contains(&name))
}

fn exists(root: &Path, file: &str, folder: &Path, target: &str) -> bool {
    let (path, heading) =
        target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
    let path = if path.is_empty() { root.join(file) } else { root.join(folder).join(path) };
    let has = |heading: &str| {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == heading)
    };
    path.exists() && heading.is_none_or(has)
}

/// The name that a page gives to a heading: lower case, without punctuation, with hyphens for blanks.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|one| one.is_alphanumeric() || " -_".contains(*one));
    kept.map(|one| if one == ' ' { '-' } else { one }).collect()
}

#[test]
fn every_link_leads_to_a_file_and_heading_that_exist() {
    let broken: Vec<String> = documents().iter().flat_map(|file| broken_links(root(), file)).collect();
    assert_eq!(broken, [""; 0]);
}

#[test]
fn the_readme_and_the_pages_in_docs_are_no_longer_than_a_stranger_finishes() {
    let words = |name: &String| text_of(name).split_whitespace().count();
    assert!(words(&"README.md".to_string()) <= 650);
    let pages = documents().into_iter().filter(|name| name.starts_with("docs/"));
    let all: usize = pages.map(|name| words(&name)).sum();
    assert!(all <= 12_000, "docs has {all} words");
}

#[test]
fn the_tables_of_artifact_are_those_of_the_made_report() {
    let text = text_of("ARTIFACT.md");
    let (words, tables) = text.split_once(artifact::MARK).expect("ARTIFACT.md has a mark before its tables");
    let made = artifact::tables(root());
    if std::env::var_os("WRITE_TABLE").is_some() {
        let all = format!("{words}{}{made}", artifact::MARK);
        std::fs::write(root().join("ARTIFACT.md"), all).unwrap();
        return;
    }
    assert!(made == tables, "ARTIFACT.md is not up to date: run this test with WRITE_TABLE=1");
    for run in artifact::claims().0.iter().filter_map(|claim| claim.run.as_ref()) {
        let parsed =
            repro::cli::command().try_get_matches_from(["repro", "run"].into_iter().chain(run.split(' ')));
        assert!(parsed.is_ok(), "repro run {run}: {:?}", parsed.err());
    }
}

/// `|`name`|what it shows|minutes on an H200|minutes on an H100|`
#[test]
fn the_minutes_of_experiments_in_the_readme_are_those_of_the_committed_runs() {
    let deciders = artifact::deciders(root());
    let parts = BTreeMap::from(artifact::PARTS);
    let took = |machines: &[&str], name: &str| {
        machines.iter().find_map(|machine| Some(artifact::decider(&deciders, machine, name)?.minutes))
    };
    let mut experiments = 0;
    for line in text_of("README.md").lines() {
        let Some((name, rest)) = line.strip_prefix("|`").and_then(|line| line.split_once('`')) else {
            continue;
        };
        experiments += 1;
        let minutes = [&["h200", "h200-x2"][..], &["h100"]].map(|machines| {
            let part = parts.get(name).and_then(|part| took(machines, part)).unwrap_or_default();
            took(machines, name).map_or(String::new(), |minutes| (minutes + part).to_string())
        });
        let expected = format!("|{}|", minutes.join("|"));
        assert!(rest.ends_with(&expected), "README.md: {name} should end with {expected}: {line}");
    }
    assert!(experiments >= 15, "{experiments}");
}

#[test]
fn tests_that_contributing_names_are_there() {
    let listed = Command::new(std::env::current_exe().unwrap()).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let text = text_of("CONTRIBUTING.md");
    let named: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("cargo test ")?.split_once(" -- "))
        .flat_map(|(_, names)| names.split(' '))
        .collect();
    assert!(named.len() > 1, "{named:?}");
    assert_eq!(named.iter().find(|name| !listed.contains(**name)), None);
}
