//! The fenced `sh` blocks of a document, and the calls of `repro` in them.

use std::fmt;
use std::path::Path;

/// The words that may stand behind `sh`, and what each says of its block. A test runs those without a word as they are, and the small
/// ones with options that make them small: see the prelude in `clone.rs`.
const MARKERS: [(&str, &str); 7] = [
    ("", "is run"),
    (SMALL, "is run in small"),
    (GPU, "needs a GPU"),
    ("cluster", "needs Slurm or Apptainer"),
    ("network", "needs the network"),
    ("slow", "takes minutes"),
    ("toolkit", "needs a part of the CUDA toolkit that tests do without"),
];
pub const SMALL: &str = "small";
pub const GPU: &str = "gpu";

/// A block of commands.
#[derive(Debug)]
pub struct Block {
    pub file: String,
    /// Of its first command, from 1 on.
    pub line: usize,
    pub marker: String,
    pub text: String,
}

impl Block {
    pub fn is_run(&self) -> bool {
        ["", SMALL].contains(&&*self.marker)
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// All `sh` blocks of a document. Panics where a marker is unknown.
pub fn blocks(root: &Path, file: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut blocks: Vec<Block> = Vec::new();
    // Of an open fence: whether it is one of commands.
    let mut open: Option<bool> = None;
    for (index, line) in text.lines().enumerate() {
        match (open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let (language, marker) = info.split_once(' ').unwrap_or((info, ""));
                open = Some(language == "sh");
                if language == "sh" {
                    let marker = marker.trim().to_string();
                    let is_known = MARKERS.iter().any(|(known, _)| *known == marker);
                    assert!(is_known, "{file}:{}: '{marker}' is none of {MARKERS:?}", index + 1);
                    blocks.push(Block { file: file.into(), line: index + 2, marker, text: String::new() });
                }
            }
            (Some(_), Some(_)) => open = None,
            (Some(true), None) => {
                let block = blocks.last_mut().unwrap();
                block.text += line;
                block.text.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

/// The arguments of every call of the program in shell text, each from `repro` on. `"$repro"` and its like count as the program.
pub fn calls(text: &str) -> Vec<Vec<String>> {
    let text = without_here_documents(text).replace("\\\n", " ");
    let text = text.replace("cargo run --release -- ", "repro ");
    let mut calls = Vec::new();
    for line in text.lines() {
        for command in commands(line) {
            let is_program = |word: &String| {
                word == "repro" || word.ends_with("/repro") || word == "$repro" || word == "${REPRO:-repro}"
            };
            let Some(start) = command.iter().position(is_program) else { continue };
            // Elsewhere it is an argument, as of `command -v repro`, or a path.
            let is_started = command[..start].iter().all(|word| {
                word.contains('=')
                    || word.starts_with('-')
                    || ["srun", "apptainer", "exec"].contains(&&**word)
                    || word.starts_with('$')
                    || word.contains(".sif")
                    || word == "/work"
            });
            if is_started {
                let mut call = vec!["repro".to_string()];
                call.extend(command[start + 1..].iter().filter(|word| *word != "$@").cloned());
                calls.push(call);
            }
        }
    }
    calls
}

/// The lines of files that commands write are no commands.
fn without_here_documents(text: &str) -> String {
    let mut kept = String::new();
    let mut end: Option<String> = None;
    for line in text.lines() {
        if let Some(word) = &end {
            if line == word {
                end = None;
            }
            continue;
        }
        end = line.split_once("<<").map(|(_, word)| word.trim_matches(['\'', '"', ' ']).to_string());
        kept += line;
        kept.push('\n');
    }
    kept
}

/// The words of each command of a line, quotes removed; pipes, lists and comments end a command, redirections are left out.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut is_word, mut quote) = (String::new(), false, None);
    let mut characters = line.chars().peekable();
    let mut skips_next = false;
    loop {
        let next = characters.next();
        match (next, quote) {
            (Some(character), Some(end)) => {
                if character == end {
                    quote = None;
                } else {
                    word.push(character);
                }
            }
            (Some(character @ ('"' | '\'')), None) => {
                quote = Some(character);
                is_word = true;
            }
            (Some(character), None) if !" \t|&;#<>".contains(character) || (character == '#' && is_word) => {
                word.push(character);
                is_word = true;
            }
            (separator, _) => {
                if is_word {
                    let of_redirection =
                        separator.is_some_and(|one| "<>".contains(one)) && word.parse::<u8>().is_ok();
                    if !skips_next && !of_redirection {
                        commands.last_mut().unwrap().push(std::mem::take(&mut word));
                    }
                    word.clear();
                    (is_word, skips_next) = (false, false);
                }
                match separator {
                    None | Some('#') => return commands,
                    Some('|' | ';') => commands.push(Vec::new()),
                    Some('&') if !skips_next => commands.push(Vec::new()),
                    Some('<' | '>') => skips_next = true,
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn calls_are_found_wherever_a_shell_would_start_the_program() {
    let text = "# repro no\nA=1 repro run x --out 'a b' # later\nprintf 1 | \"$repro\" list > file 2>&1 && repro doctor || true\n\
        cat > repro.toml <<'EOF'\nrepro not this\nEOF\nsrun --ntasks=1 \"${REPRO:-repro}\" run \\\n  y \"$@\"\nls repro\n";
    let expected: [&[&str]; 4] = [
        &["repro", "run", "x", "--out", "a b"],
        &["repro", "list"],
        &["repro", "doctor"],
        &["repro", "run", "y"],
    ];
    assert_eq!(calls(text), expected);
}
