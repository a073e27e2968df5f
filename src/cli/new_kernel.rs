//! `repro new-kernel`: the files that a kernel of one's own starts from. They are those of `new_kernel/` under another name, and work.

use super::runs::{folder_for, outside_of_runs, quoted};
use crate::external::check_kernel_name;
use crate::implementation::{catalogue, find};
use repro_base::files::write_new;
use repro_base::terminal::{Error, Exit, output};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files by the ends of their names.
const FILES: [(&str, &str); 2] =
    [("toml", include_str!("new_kernel/my-kernel.toml")), ("cu", include_str!("new_kernel/my-kernel.cu"))];
/// What stands in them for the name.
const STAND_IN: &str = "my-kernel";

/// Write the files that a kernel of yours starts from, for `--with`, as `repro new-kernel own`; docs/your-own-kernel.md goes on from there
#[derive(clap::Args)]
pub struct NewKernelArgs {
    /// The name of the kernel and of its files: lower-case letters, digits and dashes
    name: String,
    /// The folder to write to, made where it is missing [default: the current folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(given: &NewKernelArgs) -> Result<Exit, Error> {
    let name = &given.name;
    check_kernel_name(name).map_err(|expected| format!("{name:?} is no name of a kernel: {expected}"))?;
    if find(name).is_some() {
        let remedy = "choose another name, `repro list` has those that are taken";
        return Err(format!("there is an implementation '{name}' already: {remedy}").into());
    }
    let folder = given.out.clone().unwrap_or_default();
    outside_of_runs("--out", &folder)?;
    let files = FILES.map(|(end, text)| (folder.join(format!("{name}.{end}")), text.replace(STAND_IN, name)));
    write_all(&folder, &files)?;
    let [table, kernels] = files.map(|(path, _)| quoted(&path));
    output::print(&next_commands(name, &table, &kernels))?;
    Ok(Exit::Success)
}

/// What was written, and what comes next: each command with its purpose below it.
fn next_commands(name: &str, table: &str, kernels: &str) -> String {
    // The last column of the table that kernels make.
    let (repro, known) = (crate::report::text::this_program(), catalogue());
    let column = known.iter().rfind(|one| one.needs_device() && one.source.contains("Table 1"));
    let other = column.map(|one| format!(",{}", one.name)).unwrap_or_default();
    format!(
        "{table} and {kernels} are written: a kernel that is right, to be made yours.

Next:
  {repro} verify --device emulated --with {table} --only {name} --sizes 1,17,33 --fail-fast
      checks results, memory accesses, races and barriers, without a GPU
  {repro} inspect {name} --with {table}
      counts what each launch does to memory, on the emulated device
  {repro} check {kernels} --kernel diagonal --grid 1 --block 32x32 --args matrix-floats:64 int:64 int:1
      checks one kernel alone, in several orders of its threads
  {repro} run table1 --with {table} --only {name} --device emulated --sizes 33
      runs an experiment on the emulated device: verified and counted, not timed
  {repro} run table1 --with {table} --only {name}{other} --sizes 1024,4096
      on a machine with a GPU: times it next to another kernel

docs/your-own-kernel.md explains the keys and the messages.
"
    )
}

/// Writes all files or none, with the folders that are missing. The files are in `folder`, which the user names with `--out`.
///
/// # Errors
/// When one of them is there already or cannot be written.
fn write_all(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), Error> {
    let _made = folder_for(Some(folder), "")?;
    for (at, (path, text)) in files.iter().enumerate() {
        let Err(error) = write_new(path, text.as_bytes()) else { continue };
        // What was there before is none of those in front of it.
        files[..at].iter().for_each(|(written, _)| drop(std::fs::remove_file(written)));
        let path = path.display();
        let there = format!("{path} is there already, and stays: choose another name or another --out");
        let cannot = format!("cannot write {path}: {error}: choose another folder with --out");
        return Err(if error.kind() == ErrorKind::AlreadyExists { there } else { cannot }.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_was_made_for_nothing_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        let files = ["own.toml", "no/such/own.cu"].map(|name| (below.join(name), String::new()));
        assert!(write_all(&below, &files).is_err());
        assert!(!folder.path().join("a").exists());
    }
}
