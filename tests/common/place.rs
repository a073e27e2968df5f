//! A folder of its own for a test, in which the program is called.

use super::stored::redigest;
use super::{assert_refused, files, repro, repro_with_compiler, stderr, stdout};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// An experiment of small graphs on the CPU: so many samples of each implementation with its sizes.
pub fn small_experiment(samples: usize, cells: &[(&str, &[usize])]) -> String {
    let head = format!(
        r#"
title = "Small cells"
[graph]
density = 0.5
max_weight = 9
seed = 1
[sampling]
min_samples = {samples}
max_samples = {samples}
precision = 0.5
budget_s = 30.0
[limits]
warm_up_s = 0.0
sample_s = 60
full_cell_s = 60
whole_reference_n = 512
reference_rows = 32
"#
    );
    let cell = |(name, sizes): &(&str, &[usize])| {
        format!("[[cells]]\nimplementation = {name:?}\nsizes = {sizes:?}\n")
    };
    head + cells.iter().map(cell).collect::<String>().as_str()
}

pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With everything that another one holds.
    pub fn of(template: &Self) -> Self {
        let place = Self::new();
        copy_folder(template.folder.path(), place.folder.path());
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        match name {
            "" => self.folder.path().to_path_buf(),
            name => self.folder.path().join(name),
        }
    }

    /// `repro CALL` in this folder: words parted by blanks.
    pub fn command(&self, call: &str) -> Command {
        self.with(repro(), call)
    }

    /// A program with the words of `call`, in this folder.
    pub fn with(&self, mut program: Command, call: &str) -> Command {
        program.current_dir(&self.folder).args(call.split(' '));
        program
    }

    /// `repro CALL` with the C++ compiler that the emulated device needs.
    pub fn emulating(&self, call: &str) -> Command {
        self.with(repro_with_compiler(), call)
    }

    pub fn call(&self, call: &str) -> Output {
        self.command(call).output().unwrap()
    }

    #[track_caller]
    pub fn succeed(&self, call: &str) -> Output {
        self.end_with(0, call)
    }

    /// `repro CALL` in this folder, which ends with this exit code.
    #[track_caller]
    pub fn end_with(&self, code: i32, call: &str) -> Output {
        let output = self.call(call);
        assert_eq!(output.status.code(), Some(code), "{call}: {}", stderr(&output));
        output
    }

    #[track_caller]
    pub fn emulate(&self, call: &str) -> Output {
        let output = self.emulating(call).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{call}: {}{}", stdout(&output), stderr(&output));
        output
    }

    /// Asserts that `call` is refused with all of `parts` and changes nothing here: neither names nor bytes nor links.
    #[track_caller]
    pub fn refuse(&self, call: &str, parts: &[&str]) {
        let before = self.files("");
        assert_refused(&self.call(call), parts);
        self.assert_as_before(&before, call);
    }

    #[track_caller]
    pub fn assert_as_before(&self, before: &BTreeMap<PathBuf, Vec<u8>>, call: &str) {
        let after = self.files("");
        let names = before.keys().chain(after.keys());
        let changed: Vec<_> = names.filter(|name| before.get(*name) != after.get(*name)).collect();
        assert!(changed.is_empty(), "repro {call} changed {changed:?}");
    }

    /// Everything in the folder `name`, by its path there.
    pub fn files(&self, name: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let folder = self.path(name);
        let relative = |path: PathBuf| path.strip_prefix(&folder).unwrap().to_path_buf();
        files(&folder).into_iter().map(|(path, bytes)| (relative(path), bytes)).collect()
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The column `title` of a CSV file.
    #[track_caller]
    pub fn column(&self, name: &str, title: &str) -> Vec<String> {
        super::column(&self.path(name), title)
    }

    /// Writes a file and the folders above it; a run that it belongs to gets its digests as it then is, so that a refusal is for what is
    /// in the file.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let folder = path.parent().unwrap();
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&path, text).unwrap();
        redigest(folder);
    }

    pub fn edit(&self, name: &str, change: impl FnOnce(&str) -> String) {
        self.write(name, &change(&self.read(name)));
    }

    /// Replaces the first `from` in a file by `to`.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        self.edit(name, |text| {
            assert!(text.contains(from), "{name} has no {from}");
            text.replacen(from, to, 1)
        });
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    pub fn copy(&self, from: &str, to: &str) {
        copy_folder(&self.path(from), &self.path(to));
    }

    pub fn set_mode(&self, name: &str, mode: u32) {
        set_mode(&self.path(name), mode);
    }

    /// Links the name `link` to `target`, which is taken as it is.
    pub fn link(&self, target: impl AsRef<Path>, link: &str) {
        std::os::unix::fs::symlink(target, self.path(link)).unwrap();
    }
}

/// Sets the mode of a file or a folder. A file to execute is copied by another process first: this one may have been forked while it wrote
/// the file, and what a process has open to write is not executed.
pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    if path.is_file() && mode & 0o111 != 0 {
        let copy = path.with_added_extension("copy");
        let copied = std::process::Command::new("cp").arg(path).arg(&copy).status().unwrap();
        assert!(copied.success());
        std::fs::rename(&copy, path).unwrap();
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A folder with a finished run of Table 1 in `run`: two cells of three samples, which are a header and 24 lines.
pub fn with_finished_run() -> Place {
    static TEMPLATE: LazyLock<Place> = LazyLock::new(|| {
        let place = Place::new();
        place.succeed(
            "run table1 --device cpu --only cpu-naive --sizes 8,12 --samples 3 --no-report --out run",
        );
        place
    });
    Place::of(&TEMPLATE)
}

/// A copy of a folder with all that is in it, links as links.
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for path in files(from).into_keys() {
        let to = to.join(path.strip_prefix(from).unwrap());
        match std::fs::symlink_metadata(&path).unwrap().file_type() {
            kind if kind.is_symlink() => {
                std::os::unix::fs::symlink(std::fs::read_link(&path).unwrap(), to).unwrap();
            }
            kind if kind.is_dir() => std::fs::create_dir_all(to).unwrap(),
            _ => _ = std::fs::copy(path, to).unwrap(),
        }
    }
}

/// Waits until something holds, two minutes at most.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(120), "not within two minutes: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How a process ends that must not wait for anything; one that does is killed.
pub fn ends_within(limit: Duration, child: &mut Child) -> std::process::ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > limit {
            child.kill().unwrap();
            panic!("{} does not end within {limit:?}", child.id());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What a command says that must not wait for anything.
pub fn within(limit: Duration, mut command: Command) -> Output {
    let mut child = command.spawn().unwrap();
    ends_within(limit, &mut child);
    child.wait_with_output().unwrap()
}
