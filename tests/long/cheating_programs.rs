//! Programs that cheat, each in its own way: `tests/cheats/programs.toml` lists them. No clock shows less than
//! the work took, and none leaves a process, a file or a mark behind.
//!
//! Each of their solves takes `WORK` seconds at least, so a smaller time is a lie.

use crate::cheats::tables;
use crate::common::{column, missing_tool, part, repro, stderr, stdout};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// As in `slow_solver.py`. A sleep ends no earlier than it should.
const WORK: f64 = 1.0;
/// Characters of a message in a record, at most.
const MESSAGE: usize = 2_000;
/// Bytes of a file beside the adapters that nothing else has read.
const BALLAST: usize = 16 << 20;

/// A table of `programs.toml`, whose head says what each key and each word means.
#[derive(Deserialize)]
struct Exploit {
    name: String,
    expected: Expected,
    says: Option<String>,
    scope: Option<String>,
    #[serde(default)]
    one_graph: bool,
    #[serde(default)]
    compiled: bool,
    #[serde(default)]
    once: bool,
    /// Whatever else its adapter has.
    #[serde(flatten)]
    program: toml::Table,
}

#[derive(Deserialize, Debug, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Expected {
    Failed,
    Timed,
    Said,
}

/// A folder with an adapter, as somebody would have brought it.
struct Trial {
    folder: tempfile::TempDir,
}

impl Trial {
    fn of(exploit: &Exploit) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats/programs");
        for name in ["slow_solver.py", &format!("{}.py", exploit.name)] {
            std::fs::copy(source.join(name), folder.path().join(name)).unwrap();
        }
        let mut program = exploit.program.clone();
        let script = format!("{{adapters}}/{}.py", exploit.name);
        let files = if exploit.once { &["{graph}", "{out}"][..] } else { &[] };
        let command: Vec<&str> = ["python3", &script].into_iter().chain(files.iter().copied()).collect();
        program.insert("command".into(), command.into());
        program.insert("protocol".into(), (!exploit.once).into());
        let name = &exploit.name;
        let program = toml::Table::from_iter([("program".to_string(), program.into())]);
        let adapter = format!(
            "name = \"{name}\"\nsummary = \"cheats\"\nfrom = \"tests\"\nelements = [\"f32\"]\n{}",
            toml::to_string(&program).unwrap()
        );
        let adapter = adapter.replace("{folder}", folder.path().to_str().unwrap());
        std::fs::write(folder.path().join(format!("{}.toml", exploit.name)), adapter).unwrap();
        std::fs::write(folder.path().join("canary"), "as it was").unwrap();
        std::fs::write(folder.path().join("graph.gr"), graph()).unwrap();
        let trial = Self { folder };
        trial.write_ballast();
        if exploit.compiled {
            let [library, text] = [(trial.folder.path(), "so"), (&*source, "c")]
                .map(|(folder, end)| folder.join(format!("{}.{end}", exploit.name)));
            let mut compiler = Command::new("cc");
            let ended = compiler.args(["-shared", "-fPIC", "-o"]).arg(library).arg(text).status();
            let ended = ended.unwrap_or_else(|error| missing_tool(format_args!("cc: {error}")));
            assert!(ended.success(), "{}.c does not compile", exploit.name);
        }
        trial
    }

    /// Not in the page cache, as far as a system has one.
    fn write_ballast(&self) {
        let path = self.folder.path().join("ballast");
        std::fs::write(&path, vec![1; BALLAST]).unwrap();
        let file = std::fs::File::open(path).unwrap();
        file.sync_all().unwrap();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    }

    /// Runs it and says what is wrong with what it did, and with what was recorded of it.
    fn problems(&self, exploit: &Exploit) -> Vec<String> {
        let records = tempfile::tempdir().unwrap();
        let out = records.path().join("run");
        let before = self.marks();
        let output = self.run(exploit, &out);
        let told = format!("{:?}\n{}\n{}", output.status, stdout(&output), stderr(&output));
        let (changed, left) = (changes(&before, &self.marks()), self.processes());
        let samples = out.join("samples.csv");
        let of = |name| if samples.exists() { column(&samples, name) } else { Vec::new() };
        let (messages, rows) = (of("message"), of("scope").into_iter().zip(of("seconds")));
        let times: Vec<_> =
            rows.filter_map(|(scope, seconds)| Some((scope, seconds.parse::<f64>().ok()?))).collect();
        let longest = messages.iter().map(|message| message.chars().count()).max();
        let (expected, says) = (exploit.expected, &exploit.says);
        let is_said = match says {
            Some(said) => messages.iter().any(|message| message.contains(said)),
            None => expected != Expected::Failed,
        };
        let is_expected = is_said && times.is_empty() == (expected == Expected::Failed);
        let problems = [
            (!changed.is_empty(), format!("it has changed what lies beside it: {changed:?}")),
            (!left.is_empty(), format!("processes of it are left: {left:?}")),
            (told.chars().any(turns_text), "its text turns around a terminal's, or commands it".to_string()),
            (longest > Some(MESSAGE), format!("a message has {longest:?} characters, and not {MESSAGE}")),
            (!is_expected, format!("{expected:?}, {says:?} was expected, and not {messages:?}: {told}")),
        ];
        let problems = problems.into_iter().filter(|(is, _)| *is).map(|(_, problem)| problem);
        let problems = problems.chain(lie(exploit, &times, &out));
        problems.map(|problem| format!("{}: {problem}", exploit.name)).collect()
    }

    fn run(&self, exploit: &Exploit, out: &Path) -> Output {
        let mut command = repro();
        command.args(["run", "table1", "--device", "cpu", "--samples", "3", "--no-report", "--quiet"]);
        command.arg("--with").arg(self.folder.path().join(format!("{}.toml", exploit.name)));
        command.args(["--only", &exploit.name]).arg("--out").arg(out);
        match exploit.one_graph {
            true => command.arg("--graph").arg(self.folder.path().join("graph.gr")),
            false => command.args(["--sizes", "16"]),
        };
        command.output().unwrap()
    }

    /// Of each file in the folder: what it holds, and everything about it that a program could change.
    fn marks(&self) -> BTreeMap<PathBuf, String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (path.clone(), mark(&path))).collect()
    }

    /// Command lines of processes that name the folder.
    fn processes(&self) -> Vec<String> {
        let folder = self.folder.path().to_str().unwrap();
        let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines
            .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
            .filter(|line| line.contains(folder))
            .collect()
    }
}

/// What is wrong with its times, if anything.
fn lie(exploit: &Exploit, times: &[(String, f64)], out: &Path) -> Option<String> {
    let of_scope = |scope: &str| exploit.scope.as_deref().is_none_or(|deceived| deceived == scope);
    match exploit.expected {
        Expected::Failed => None,
        Expected::Timed => {
            let is_short = times.iter().any(|(scope, seconds)| of_scope(scope) && *seconds < WORK);
            is_short.then(|| format!("it worked for {WORK} s at least, and has these times: {times:?}"))
        }
        Expected::Said => {
            let scope = exploit.scope.as_deref().unwrap();
            let ranked = repro().args(["rank", "--scope", scope]).arg(out).output().unwrap();
            let is_said =
                !ranked.status.success() || stdout(&ranked).contains("trusts each program's adapter");
            (!is_said).then(|| format!("ranked by {scope} without a word that this is the adapter's word"))
        }
    }
}

/// What a file holds, and the time of the last change of anything about it: its mode, owner, names, times, attributes and flags.
fn mark(path: &Path) -> String {
    let data = std::fs::symlink_metadata(path).unwrap();
    let content = if path.ends_with("ballast") { Vec::new() } else { std::fs::read(path).unwrap() };
    format!("{} {} {content:?}", data.ctime(), data.ctime_nsec())
}

fn changes(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) -> BTreeSet<PathBuf> {
    let names = before.keys().chain(after.keys());
    names.filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

/// Whether a terminal takes it for a command, or turns the text around it.
fn turns_text(letter: char) -> bool {
    letter.is_control() && letter != '\n'
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A graph of sixteen vertices in the format of DIMACS.
fn graph() -> String {
    let pairs = (1..=16).flat_map(|from| (1..=16).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let edges = pairs.map(|(from, to)| format!("a {from} {to} {}\n", 1 + from * from * to * 7 % 997));
    format!("p sp 16 240\n{}", edges.collect::<String>())
}

#[test]
#[ignore = "long"]
fn no_program_has_less_time_than_its_work_took_or_leaves_a_mark() {
    let part = part();
    let exploits = tables::<Exploit>("programs.toml", "program").into_iter().enumerate();
    let of_part: Vec<Exploit> =
        exploits.filter(|(at, _)| part.has(*at)).map(|(_, exploit)| exploit).collect();
    let problems: Vec<String> =
        of_part.par_iter().flat_map(|exploit| Trial::of(exploit).problems(exploit)).collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
