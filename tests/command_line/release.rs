//! What a release consists of: one version everywhere, and a check of the binary that finds what would not run elsewhere.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn citation_changelog_and_program_have_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    let citation = text("CITATION.cff");
    assert!(citation.lines().any(|line| line == format!("version: {version}")), "{citation}");
    for key in ["cff-version: 1.2.0", "message: ", "title: ", "authors:", "type: software"] {
        assert!(citation.lines().any(|line| line.starts_with(key)), "no {key}");
    }
    let licences: Vec<&str> = env!("CARGO_PKG_LICENSE").split(" OR ").collect();
    assert!(licences.iter().all(|licence| citation.contains(&format!("  - {licence}\n"))));
    let changelog = text("CHANGELOG.md");
    let heading = changelog.lines().find_map(|line| line.strip_prefix("## ")).unwrap();
    assert!(heading == "Unreleased" || heading.starts_with(version), "{heading}");
    assert!(changelog.contains(&format!("\n## {version}")));
}

/// `scripts/release --check` of a binary of which readelf says this of versions and libraries.
fn check(versions: &str, libraries: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let needed: Vec<String> =
        libraries.iter().map(|library| format!(" 0x01 (NEEDED)  Shared library: [{library}]")).collect();
    let script = format!(
        "#!/bin/sh\ncase \"$2\" in\n--version-info) echo '{versions}' ;;\n*) echo '{}' ;;\nesac\n",
        needed.join("\n")
    );
    let readelf = folder.path().join("readelf");
    std::fs::write(&readelf, script).unwrap();
    std::fs::set_permissions(&readelf, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(root().join("scripts/release"));
    command.args(["--check", "a-binary"]).env("PATH", path).output().unwrap()
}

#[test]
fn a_binary_for_a_newer_glibc_or_with_other_libraries_is_no_release() {
    let usual = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];
    let said = |output: &Output| {
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
    };
    let right = check("Name: GLIBC_2.28  Flags: none\nName: GLIBC_2.9  Flags: none", &usual);
    assert!(right.status.success(), "{}", said(&right));
    assert_eq!(said(&right), "a-binary needs GLIBC_2.28 at most\n");
    let newer = check("Name: GLIBC_2.9  Flags: none\nName: GLIBC_2.34  Flags: none", &usual);
    assert!(!newer.status.success() && said(&newer).contains("needs GLIBC_2.34, which is newer than 2.28"));
    let other = check("Name: GLIBC_2.17  Flags: none", &["libc.so.6", "libstdc++.so.6"]);
    assert!(!other.status.success() && said(&other).contains("libstdc++.so.6"), "{}", said(&other));
    let none = check("No version information found in this file.", &usual);
    assert!(!none.status.success() && said(&none).contains("no version of glibc"), "{}", said(&none));
}
