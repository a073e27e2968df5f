//! `shortest-paths` as a user calls it: files in, files out, exit codes.

#[path = "../../../tests/common/calls.rs"]
mod calls;
mod edge_lists;
mod ends;
mod formats;
mod json;
mod refusals;
mod shown;

pub use calls::{assert_refused, stderr, stdout};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Four towns: two roads between Bonn and Ulm, one from Ulm to itself, and none to Lahn.
pub const ROADS: &str =
    "# from to km\nBonn Ulm 4\nUlm Kiel 3\nBonn Kiel 9\nKiel Bonn 2\nUlm Ulm 1\nBonn Ulm 6\nLahn Ulm 5\n";

/// The distances of [`ROADS`] in the order Bonn, Ulm, Kiel, Lahn.
pub const KILOMETRES: [[f64; 4]; 4] = [
    [0.0, 4.0, 7.0, f64::INFINITY],
    [5.0, 0.0, 3.0, f64::INFINITY],
    [2.0, 6.0, 0.0, f64::INFINITY],
    [10.0, 5.0, 8.0, 0.0],
];

fn succeeded(call: &str, output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{call}: {}", stderr(output));
    stdout(output)
}

pub struct Place(TempDir);

impl Place {
    /// With these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(TempDir::new().unwrap());
        files.iter().for_each(|(name, text)| std::fs::write(place.path(name), text).unwrap());
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The program in this folder, without a GPU and without a C++ compiler wherever the tests run, with words parted by blanks.
    pub fn command(&self, call: &str) -> Command {
        self.called(calls::alone(Path::new(env!("CARGO_BIN_EXE_shortest-paths"))), call)
    }

    fn called(&self, mut command: Command, call: &str) -> Command {
        command.args(call.split_whitespace()).current_dir(self.folder());
        command
    }

    pub fn run(&self, call: &str) -> Output {
        self.command(call).output().unwrap()
    }

    /// Runs a call that must succeed.
    pub fn succeed(&self, call: &str) -> String {
        succeeded(call, &self.run(call))
    }

    /// Runs a call that must succeed and may use the emulated device.
    pub fn succeed_emulated(&self, call: &str) -> String {
        let command = calls::with_compiler(Path::new(env!("CARGO_BIN_EXE_shortest-paths")));
        succeeded(call, &self.called(command, call).output().unwrap())
    }

    /// All files with their bytes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.folder()).unwrap().map(|entry| entry.unwrap().path());
        let read = |path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap_or_default())
        };
        entries.map(read).collect()
    }

    pub fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }

    /// The numbers of a `.npy` file of this type.
    pub fn numbers<T: bytemuck::Pod>(&self, name: &str) -> Vec<T> {
        let bytes = std::fs::read(self.path(name)).unwrap();
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        bytes[header..].chunks(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }
}
