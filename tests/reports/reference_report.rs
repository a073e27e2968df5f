//! The committed report is what this program makes of the committed runs.

use crate::common::{repro, stderr};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The command that ARTIFACT.md names.
const COMMAND: &str = "repro report results/reference --out target/again";

/// What the command makes, in a folder where it writes nothing that is committed: once, since it takes seconds.
pub fn made() -> &'static Path {
    static MADE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference-report");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(root().join("results"), folder.join("results")).unwrap();
        let mut command = repro();
        command.current_dir(&folder).args(COMMAND.split(' ').skip(1));
        let (output, took) = crate::common::with_cpu_time(command);
        assert!(took < std::time::Duration::from_secs(30), "{took:?}; a release build takes 5 s");
        assert!(output.status.success(), "{}", stderr(&output));
        folder.join("target/again")
    });
    &MADE
}

/// All files below a folder, byte by byte, by their names.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => {
                found.extend(contents(&path).into_iter().map(|(file, all)| (format!("{name}/{file}"), all)))
            }
            false => assert!(found.insert(name, std::fs::read(&path).unwrap()).is_none()),
        }
    }
    found
}

/// What git keeps of the report, beside the sums of all its files.
pub const KEPT: [&str; 6] = [
    "claims.json",
    "claims.md",
    // By which `repro report` knows the folder for one of its own.
    "files.json",
    "figures/kappa-sweep-seconds.png",
    "figures/stated-speed-ups.png",
    "figures/table1-seconds.png",
];
const SUMS: &str = "SHA256SUMS";

/// As `sha256sum` writes it, by name.
fn sum((name, content): (&String, &Vec<u8>)) -> String {
    let digest: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest}  {name}\n")
}

#[test]
fn the_documented_command_makes_the_committed_report_byte_by_byte() {
    let document = std::fs::read_to_string(root().join("ARTIFACT.md")).unwrap();
    assert!(document.lines().any(|line| line == COMMAND), "ARTIFACT.md names the command");
    let (made, committed) = (contents(made()), root().join("report/reference"));
    let sums: String = made.iter().map(sum).collect();
    if std::env::var_os("WRITE_TABLE").is_some() {
        KEPT.iter().for_each(|name| std::fs::write(committed.join(name), &made[*name]).unwrap());
        std::fs::write(committed.join(SUMS), &sums).unwrap();
    }
    let known = std::fs::read_to_string(committed.join(SUMS)).unwrap_or_default();
    let (new, old): (BTreeSet<&str>, BTreeSet<&str>) = (sums.lines().collect(), known.lines().collect());
    let mut names: BTreeSet<&str> =
        new.symmetric_difference(&old).map(|line| line.split("  ").last().unwrap_or_default()).collect();
    names.extend(
        KEPT.iter().filter(|name| std::fs::read(committed.join(name)).ok().as_ref() != made.get(**name)),
    );
    let some: Vec<&&str> = names.iter().take(10).collect();
    assert!(
        names.is_empty() && known == sums,
        "{} files differ, as {some:?}; WRITE_TABLE=1 cargo test --test all the_documented_command_makes renews report/reference",
        names.len()
    );
}

/// The first pictures below a folder that Python's reader of XML refuses.
pub fn broken_pictures(folder: &Path) -> Vec<String> {
    let check = "
import sys, pathlib, xml.etree.ElementTree as tree
files = sorted(pathlib.Path(sys.argv[1]).rglob('*.svg'))
if not files: sys.exit('no pictures')
for file in files:
    try: tree.parse(file)
    except tree.ParseError as error: print(file, error)
";
    let output = Command::new("python3").args(["-c", check]).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().take(3).map(String::from).collect()
}

#[test]
fn every_picture_of_the_report_is_xml() {
    assert_eq!(broken_pictures(made()), [""; 0]);
}
