//! What types and modules are called: a noun of the field that few others have.

use super::budget::code_lines;
use super::rooms::program_files;
use std::collections::BTreeMap;
use std::path::Path;

/// As many types may have a name.
const SHARED: usize = 2;
/// Participles that stay: kinds of algorithms, devices and runs, and nouns that end so.
const STAY: &[(&str, &str)] = &[
    ("HappensBefore", "the relation of that name"),
    ("Batched", "the implementation `batched`"),
    ("Blocked", "blocked algorithms, as the papers call them"),
    ("Distributed", "solves on several devices"),
    ("Emulated", "the emulated device, beside `cuda`"),
    ("Generalized", "the paper's generalized blocked algorithm"),
    ("Published", "what papers print, beside `results`"),
    ("Sharded", "solves of a matrix in shards, beside `whole_matrix`"),
];
/// Nouns that look like participles.
const NOUNS: &str = "Ceiling Counting Encoding Ending Finding Heading Listing Nothing Numbering Pinning Ranking \
    Rounding Sampling Timing Warning";
/// Words that name no thing.
const NO_NOUNS: &str = "About Above Across After Again All Alone Any Apart Around Before Below Beside Between Beyond \
    Both Each Else Ever Far Further Gone Half Held Here How Inside Kept Lost Made Nobody Other Others Outside Shown \
    There Together Told What Which Who Whole Written";

/// Whether the last word, which says what sort of thing the name is of, is a noun.
fn is_noun(name: &str) -> bool {
    let last = name.rfind(|c: char| c == '_' || c.is_ascii_uppercase()).unwrap_or(0);
    let word = name[last..].trim_start_matches('_');
    let word = word[..1].to_uppercase() + &word[1..];
    let is_in = |words: &str| words.split_whitespace().any(|one| one == word);
    let looks_so = word.ends_with("ed") || word.ends_with("ing") || is_in(NO_NOUNS);
    let stays = |(known, _): &(&str, &str)| *known == word || *known == name;
    !looks_so || is_in(NOUNS) || STAY.iter().any(stays)
}

#[test]
fn types_and_modules_are_called_by_nouns_of_their_own() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in ["src", "crates", "tools"].into_iter().flat_map(|folder| program_files(Path::new(folder))) {
        for line in code_lines(&std::fs::read_to_string(&path).unwrap()) {
            let begin = line.trim_start();
            let begin = begin
                .strip_prefix("pub")
                .and_then(|rest| rest.split_once(' '))
                .map_or(begin, |(_, rest)| rest);
            let Some((kind, rest)) = begin.split_once(' ') else { continue };
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            // A type of a trait is called as the trait says.
            let is_type =
                ["struct", "enum", "trait", "union"].contains(&kind) || line.trim() == line && kind == "type";
            if name.is_empty() || !(is_type || kind == "mod") || rest[name.len()..].starts_with(':') {
                continue;
            }
            if !is_noun(&name) {
                wrong.push(format!("{}: {kind} {name}", path.display()));
            }
            if is_type {
                types.entry(name).or_default().push(path.display().to_string());
            }
        }
    }
    let shared = types.into_iter().filter(|(_, all)| all.len() > SHARED);
    wrong.extend(shared.map(|(name, all)| format!("{name}: {all:?}")));
    assert!(wrong.is_empty(), "no noun, or the name of more than {SHARED} types:\n{}", wrong.join("\n"));
}
