//! A folder with everything that commands read and write, made once and copied for each call.

use crate::common::stored::redigest;
use crate::common::{repro, stderr};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

const EXPERIMENT: &str = r#"
title = "Two small cells"
[graph]
density = 0.5
max_weight = 9
seed = 1
[sampling]
min_samples = 3
max_samples = 3
precision = 0.5
budget_s = 30.0
[limits]
warm_up_s = 0.0
sample_s = 60
full_cell_s = 60
whole_reference_n = 512
reference_rows = 32
[[cells]]
implementation = "cpu-naive"
sizes = [8, 12]
"#;

/// `mine.toml`, a finished `run` of it with its lock and the committed counts of `counted`, a `report` of the run, a
/// `history` and the usual one, `counts.csv`, a `file`, and an `empty` and a `full` folder.
static TEMPLATE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["empty", "full", "results"] {
        std::fs::create_dir(path(name)).unwrap();
    }
    for (name, text) in [
        ("mine.toml", EXPERIMENT),
        ("other.toml", EXPERIMENT),
        ("typo.toml", &EXPERIMENT.replace("budget_s", "budget")),
        ("file", "mine"),
        ("full/index.html", "mine"),
        ("cut.gr", "p sp 3 2\na 1 2 5\n"),
        ("negative.gr", "p sp 2 2\na 1 2 1\na 2 1 -2\n"),
        ("nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n"),
    ] {
        std::fs::write(path(name), text).unwrap();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(root.join("results/counts/baseline.csv"), path("counts.csv")).unwrap();
    copy(&root.join("results/reference/emulated/structure"), &path("counted"));
    std::os::unix::fs::symlink("run", path("link")).unwrap();
    for call in [
        "run mine.toml --device cpu --out run",
        "history run --out history",
        "history run",
        "report run --out report",
    ] {
        let output = command(folder.path(), call).output().unwrap();
        assert!(output.status.success(), "{call}: {}", stderr(&output));
    }
    folder
});

fn command(folder: &Path, call: &str) -> Command {
    let repro = repro();
    // Root may write everywhere, unless it gives up what lets it.
    let mut command = match rustix::process::geteuid().is_root() {
        true => Command::new("setpriv"),
        false => Command::new(repro.get_program()),
    };
    if rustix::process::geteuid().is_root() {
        command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(repro.get_program());
    }
    command.envs(repro.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("REPRO_NVRTC", "no-nvrtc-for-this-test");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(folder).args(call.split(' '));
    command
}

pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(TEMPLATE.path(), folder.path());
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `repro CALL` in this folder, without a GPU, a C++ compiler and NVRTC, and without more rights than anybody has.
    pub fn command(&self, call: &str) -> Command {
        command(self.folder.path(), call)
    }

    /// Writes a file; a run that it belongs to gets its digests as it then is, so that the refusal is for what is in the file.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        if let Some(folder) = path.parent().filter(|folder| folder.join("manifest.json").exists()) {
            redigest(folder);
        }
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    pub fn copy_file(&self, from: &str, to: &str) {
        std::fs::copy(self.path(from), self.path(to)).unwrap();
    }

    pub fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Replaces the first `from` in a file by `to`.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        self.edit(name, |text| {
            assert!(text.contains(from), "{name} has no {from}");
            text.replacen(from, to, 1)
        });
    }

    pub fn edit(&self, name: &str, change: impl FnOnce(&str) -> String) {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        self.write(name, &change(&text));
    }

    /// The one history in a folder.
    pub fn history(&self, folder: &str) -> String {
        let files = std::fs::read_dir(self.path(folder)).unwrap().flatten();
        let names = files.map(|file| file.file_name().into_string().unwrap());
        let csv: Vec<String> = names.filter(|name| name.ends_with(".csv")).collect();
        assert_eq!(csv.len(), 1);
        format!("{folder}/{}", csv[0])
    }

    pub fn make_read_only(&self, name: &str) {
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o555)).unwrap();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What may not be written cannot be removed.
        for name in digest(&self.path("")).into_iter().filter(|(_, is)| *is == Entry::Folder) {
            let _ = std::fs::set_permissions(self.path(&name.0), std::fs::Permissions::from_mode(0o755));
        }
    }
}

fn copy(from: &Path, to: &Path) {
    for (name, entry) in digest(from) {
        let to = to.join(name);
        match entry {
            Entry::Folder => std::fs::create_dir_all(to).unwrap(),
            Entry::File(bytes) => std::fs::write(to, bytes).unwrap(),
            Entry::Link(target) => std::os::unix::fs::symlink(target, to).unwrap(),
        }
    }
}

#[derive(PartialEq)]
pub enum Entry {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
}

/// Everything in `folder`, which is named "" itself: folders before what is in them.
pub fn digest(folder: &Path) -> BTreeMap<String, Entry> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![(String::new(), folder.to_path_buf())]);
    while let Some((name, path)) = folders.pop() {
        for entry in std::fs::read_dir(&path).unwrap().map(Result::unwrap) {
            let name = format!("{name}{}", entry.file_name().to_str().unwrap());
            let (kind, path) = (entry.file_type().unwrap(), entry.path());
            if kind.is_symlink() {
                found.insert(name, Entry::Link(std::fs::read_link(path).unwrap()));
            } else if kind.is_dir() {
                folders.push((format!("{name}/"), path));
            } else {
                found.insert(name, Entry::File(std::fs::read(path).unwrap()));
            }
        }
        found.insert(name, Entry::Folder);
    }
    found
}
