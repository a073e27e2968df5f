//! What types and modules are called: a noun of the field that few others have.

use super::budget::code_lines;
use super::rooms::program_files;
use std::collections::BTreeMap;
use std::path::Path;

/// As many types may have a name.
const SHARED: usize = 2;
/// Participles that stay: kinds of algorithms, devices and runs, and nouns that end so.
const STAY: &[(&str, &str)] = &[
    ("Batched", "the implementation `batched`"),
    ("Blocked", "blocked algorithms, as the papers call them"),
    ("batched", "the implementation `batched`"),
    ("blocked", "blocked algorithms, as the papers call them"),
    ("distributed", "solves on several devices"),
    ("emulated", "the emulated device, beside `cuda`"),
    ("generalized", "the paper's generalized blocked algorithm"),
    ("published", "what papers print, beside `results`"),
    ("sharded", "solves of a matrix in shards, beside `whole_matrix`"),
    ("shared", "shared memory"),
];
/// Nouns that look like participles.
const NOUNS: &[&str] = &[
    "Ceiling", "Encoding", "Finding", "Heading", "Numbering", "Pinning", "Ranking", "Rounding", "Sampling",
    "Seed", "Speed", "String", "Timing", "Tracking", "Warning", "encoding", "finding", "ranking", "sampling",
    "timing", "counting", "pinning", "rounding",
];
/// Words that name no thing.
const NO_NOUNS: &[&str] = &[
    "About", "Above", "Across", "After", "Again", "All", "Alone", "Any", "Apart", "Around", "Before", "Below",
    "Beside", "Between", "Beyond", "Both", "Each", "Else", "Ever", "Far", "Further", "Gone", "Half", "Held",
    "Here", "How", "Inside", "Kept", "Lost", "Made", "Nobody", "Other", "Others", "Outside", "Shown", "There",
    "Together", "Told", "What", "Which", "Who", "Whole", "Written",
];

/// The words of a name, in whichever way it is written.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, part) in name.char_indices() {
        match words.last_mut() {
            Some(word) if part != '_' && !part.is_ascii_uppercase() && !word.is_empty() => word.push(part),
            _ if part == '_' => words.push(String::new()),
            Some(word) if word.is_empty() && at > 0 => word.push(part),
            _ => words.push(part.to_string()),
        }
    }
    words
}

/// The last word, which says what sort of thing the name is of.
fn is_noun(name: &str) -> bool {
    let word = words(name).pop().unwrap_or_default();
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let is_participle = (word.ends_with("ed") || word.ends_with("ing")) && word.len() > 4;
    let stays = NOUNS.contains(&word.as_str()) || STAY.iter().any(|(known, _)| *known == word);
    stays || !(is_participle || NO_NOUNS.contains(&capital(&word).as_str()))
}

#[test]
fn types_and_modules_are_called_by_nouns_of_their_own() {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in ["src", "crates", "tools"].into_iter().flat_map(|folder| program_files(Path::new(folder))) {
        for line in code_lines(&std::fs::read_to_string(&path).unwrap()) {
            let line = line.trim_start();
            let line = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
            let Some((kind, rest)) = line.split_once(' ') else { continue };
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
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
    wrong.extend(types.into_iter().filter(|(_, all)| all.len() > SHARED).map(|(name, all)| format!("{name}: {all:?}")));
    assert!(wrong.is_empty(), "no noun, or the name of more than {SHARED} types:\n{}", wrong.join("\n"));
}
