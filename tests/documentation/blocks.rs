//! The fenced `sh` blocks of a document, and the calls of `repro` in them.

use std::fmt;
use std::path::Path;

/// The words that may stand behind `sh`, and what each says of its block. A test runs those without a word as they are, and the small
/// ones with options that make them small: see the prelude in `tests/long/documented_commands.rs`.
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
                word.ends_with("/repro") || ["repro", "$repro", "${REPRO:-repro}"].contains(&&**word)
            };
            let Some(start) = command.iter().position(is_program) else { continue };
            // Elsewhere it is an argument, as of `command -v repro`, or a path.
            let is_started = command[..start].iter().all(|word| {
                let starts_others = ["srun", "apptainer", "exec", "/work"].contains(&&**word);
                starts_others || word.starts_with(['-', '$']) || word.contains('=') || word.contains(".sif")
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
    let (mut kept, mut end) = (String::new(), None);
    for line in text.lines() {
        if end.is_none() {
            kept += &format!("{line}\n");
            end = line.split_once("<<").map(|(_, word)| word.trim_matches(['\'', '"', ' ']));
        } else if end == Some(line) {
            end = None;
        }
    }
    kept
}

/// The words of each command of a line, quotes removed; pipes, lists and comments end a command, redirections are left out.
fn commands(line: &str) -> Vec<Vec<String>> {
    // What is in quotes parts nothing: it is kept among characters that no text has.
    const APART: u32 = 0xf0000;
    let mut quote = None;
    let mut unquoted = |c: char| match quote {
        Some(end) if c == end => {
            quote = None;
            None
        }
        Some(_) => char::from_u32(c as u32 + APART),
        None if "\"'".contains(c) => {
            quote = Some(c);
            None
        }
        None => Some(c),
    };
    let text = format!(" {}", line.chars().filter_map(&mut unquoted).collect::<String>());
    let text = text.split(" #").next().unwrap_or_default();
    let text = text.replace(">&", ">").replace("2>", ">").replace(">>", ">").replace(['<', '>'], " > ");
    let words = |command: &str| {
        let (mut words, mut parts) = (Vec::new(), command.split_whitespace());
        while let Some(part) = parts.next() {
            match part {
                ">" => _ = parts.next(),
                _ => words.push(part.chars().filter_map(|c| char::from_u32(c as u32 % APART)).collect()),
            }
        }
        words
    };
    text.split(['|', ';', '&']).map(words).collect()
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
