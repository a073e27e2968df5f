//! `repro new-paper`: the files that a paper starts from. They are those of `new_paper/` under another name, and valid.

use super::folders::outside_of_runs;
use super::next::quoted;
use super::starts::{next, write_all};
use crate::published::{CLAIMS_FILE, PAPER_FILE, published_papers};
use repro_terminal::{Error, Exit, output};
use std::path::{Path, PathBuf};

const FILES: [(&str, &str); 2] = [
    (PAPER_FILE, include_str!("new_paper/paper.toml")),
    (CLAIMS_FILE, include_str!("new_paper/claims.toml")),
];
/// What stands in them for the name.
const STAND_IN: &str = "my-paper";
/// The folder that a build of the program takes papers from.
const PUBLISHED: &str = "experiments/published";

#[derive(clap::Args)]
#[command(after_help = "Example:
  repro new-paper someone-2012
      writes experiments/published/someone-2012/paper.toml and claims.toml, and names the next commands

docs/adding-a-paper.md leads from these files to verdicts.")]
pub struct Arguments {
    /// The name of the paper and of its folder: lower-case letters, digits and dashes
    name: String,
    /// The folder to make the paper's folder in [default: experiments/published of the current folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let name = &arguments.name;
    if !is_name(name) {
        return Err(format!(
            "{name:?} is no name of a paper: expected lower-case letters, digits and dashes, a letter first, \
             {LONGEST} characters at most, for example someone-2012"
        )
        .into());
    }
    if published_papers()?.iter().any(|paper| paper.id == *name) {
        return Err(format!("there is a paper '{name}' already: choose another name").into());
    }
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(PUBLISHED));
    outside_of_runs("--out", &out)?;
    let folder = out.join(name);
    outside_of_runs("--out", &folder)?;
    let files = FILES.map(|(file, text)| (folder.join(file), text.replace(STAND_IN, name)));
    write_all(&folder, &files)?;
    output::print(&next_commands(&folder, &files.map(|(path, _)| path)))?;
    Ok(Exit::Success)
}

const LONGEST: usize = 64;

/// Whether a folder, an anchor and a file of a report can have this name.
fn is_name(name: &str) -> bool {
    let is_part = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    name.len() <= LONGEST
        && name.starts_with(|one: char| one.is_ascii_lowercase())
        && name.chars().all(is_part)
}

fn next_commands(folder: &Path, files: &[PathBuf; 2]) -> String {
    let [paper, claims] = files.each_ref().map(|path| quoted(path));
    let commands = [
        (
            format!("repro claims --paper {}", quoted(folder)),
            "prints every claim, what it needs, and the command that measures it; says what is wrong with the files",
        ),
        (
            "repro list".to_string(),
            "names the implementations, with their parameters, that a claim can speak of",
        ),
        (
            format!("repro claims --paper {} --runs results/reference", quoted(folder)),
            "judges the claims by the stored runs of a clone",
        ),
    ];
    format!(
        "{paper} and {claims} are written: an invented paper that is valid, to be replaced by yours.\n\n{}\n\
         docs/adding-a-paper.md explains every field.\n",
        next(&commands)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::{Claim, PublishedPaper, Relation, Test};

    /// The paper of the files, as they are written under this name.
    fn start(name: &str) -> PublishedPaper {
        let [paper, claims] = FILES.map(|(_, text)| text.replace(STAND_IN, name));
        PublishedPaper::parse(name, &paper, &claims).unwrap()
    }

    #[test]
    fn the_files_are_a_paper_under_any_name_and_show_one_claim_of_each_sort() {
        let paper = start("own-2012");
        assert_eq!(paper.id, "own-2012");
        assert!(!paper.tables.is_empty() && !paper.answer.is_empty());
        let any = |of: &dyn Fn(&Claim) -> bool| paper.claims.iter().any(of);
        let has_test = |claim: &Claim, of: &dyn Fn(&Test) -> bool| claim.tests.iter().any(of);
        assert!(any(&|one| one.low.is_some() && one.high.is_some()), "a range");
        assert!(any(
            &|one| has_test(one, &|test| test.at_least == Some(1.0) && test.relation == Relation::Ratio)
        ));
        assert!(any(&|one| has_test(one, &|test| test.is_counted())), "a counted one");
        assert!(any(&|one| one.untested.is_some()) && any(&|one| one.incomparable.is_some()));
        assert!(any(&|one| one.reading.is_some() && has_test(one, &|test| test.ours)), "bounds of ours");
        assert!(any(&|one| has_test(one, &|test| test.own_gpu) && !one.tested_by.is_empty()));
    }

    #[test]
    fn the_files_speak_of_implementations_that_exist_with_parameters_that_they_take() {
        let paper = start("own");
        for of in paper.claims.iter().flat_map(|claim| &claim.tests).flat_map(|test| test.contenders()) {
            let found = crate::implementation::find(&of.implementation).unwrap_or_else(|| panic!("{of}"));
            of.parameters.check(&found.name, &found.parameters).unwrap();
        }
    }

    #[test]
    fn the_name_stands_wherever_the_files_have_theirs() {
        for (file, text) in FILES {
            let renamed = text.replace(STAND_IN, "own");
            assert!(renamed.contains("own") && !renamed.contains(STAND_IN), "{file}");
        }
    }

    #[test]
    fn a_name_is_one_of_a_folder() {
        for name in ["own", "someone-2012", "a1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "Own", "2012-own", "-own", "a/b", "..", "a b", "é", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
