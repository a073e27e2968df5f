//! A folder that somebody else has made: no command writes outside of it, waits for it, or loads code from it.

use crate::common::stored::{edit_manifest, unfinish};
use crate::common::{
    assert_refused, files, missing_tool, repro, repro_with_compiler, run, run_table1, stderr, stdout,
};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

fn small_run(out: &Path) {
    let output =
        run_table1(out, &["--device", "cpu", "--only", "cpu-naive", "--sizes", "16", "--samples", "3"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

/// One of which the last moment is missing, so that there is something left to do.
fn unfinished_run(out: &Path) {
    small_run(out);
    unfinish(out);
}

const SHAPE: [&str; 8] = ["--kernel", "one", "--grid", "1", "--block", "1", "--args", "zeros:4"];

fn report(of: &Path, to: &Path) -> Output {
    run(&["report", of.to_str().unwrap(), "--out", to.to_str().unwrap()])
}

#[test]
fn a_run_with_a_link_in_it_is_not_continued_and_what_the_link_leads_to_stays() {
    let place = tempfile::tempdir().unwrap();
    let original = place.path().join("original");
    unfinished_run(&original);
    for name in ["manifest.json.new", "samples.csv", ".lock", "table.md.new", "report"] {
        let (received, theirs) = (place.path().join(name), place.path().join("theirs"));
        copy_folder(&original, &received);
        let (target, link) = (theirs.join("target"), received.join(name));
        std::fs::create_dir_all(&theirs).unwrap();
        std::fs::write(&target, "theirs").unwrap();
        let _ = std::fs::remove_file(&link);
        let _ = std::fs::remove_dir_all(&link);
        symlink(if name == "report" { &theirs } else { &target }, &link).unwrap();
        let output = run(&["run", "table1", "--resume", received.to_str().unwrap()]);
        assert_refused(&output, &[name, "is a link", "remove it"]);
        assert_eq!(files(&theirs).len(), 1, "{name}");
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs", "{name}");
    }
}

#[test]
fn a_report_is_not_written_through_links() {
    let place = tempfile::tempdir().unwrap();
    let (run_folder, out) = (place.path().join("run"), place.path().join("page"));
    unfinished_run(&run_folder);
    assert!(report(&run_folder, &out).status.success());
    let theirs = place.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    for name in ["index.html", "index.html.new", "figures"] {
        let link = out.join(name);
        let kept = place.path().join("kept");
        let _ = std::fs::rename(&link, &kept);
        symlink(if name == "figures" { theirs.clone() } else { theirs.join("new") }, &link).unwrap();
        assert_refused(&report(&run_folder, &out), &[name, "is a link", "remove it"]);
        assert_eq!(files(&theirs).len(), 0, "{name}");
        std::fs::remove_file(&link).unwrap();
        let _ = std::fs::rename(&kept, &link);
    }
    assert!(report(&run_folder, &out).status.success());
}

#[test]
fn nothing_that_a_link_leads_to_is_kept() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    std::fs::write(path("private"), "private words").unwrap();
    std::fs::create_dir(path("kernel")).unwrap();
    for name in ["honest.toml", "honest.cu", "blocked.cuh"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats").join(name);
        std::fs::copy(from, path("kernel").join(name)).unwrap();
    }
    let list = |file: &str| run(&["list", "--with", path(file).to_str().unwrap()]);
    assert!(list("kernel/honest.toml").status.success(), "{}", stderr(&list("kernel/honest.toml")));
    let text = std::fs::read_to_string(path("kernel/honest.cu")).unwrap();
    std::fs::write(path("kernel/honest.cu"), format!("#if 0\n#include \"inc.cuh\"\n#endif\n{text}")).unwrap();
    symlink(path("private"), path("kernel/inc.cuh")).unwrap();
    assert_refused(&list("kernel/honest.toml"), &["inc.cuh", "link that leads out of the folder"]);
    std::fs::rename(path("kernel/honest.cu"), path("moved.cu")).unwrap();
    symlink(path("moved.cu"), path("kernel/honest.cu")).unwrap();
    assert_refused(&list("kernel/honest.toml"), &["honest.cu", "link that leads out of the folder"]);
}

#[test]
fn a_repository_starts_no_program_that_its_configuration_names() {
    let place = tempfile::tempdir().unwrap();
    let (folder, mark) = (place.path(), place.path().join("started"));
    small_run(&folder.join("runs/one"));
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").current_dir(folder).args(identity).args(arguments).output();
        let output = output.unwrap_or_else(|error| missing_tool(format!("git: {error}")));
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output).trim().to_string()
    };
    git(&["init", "--quiet"]);
    git(&["add", "runs"]);
    git(&["commit", "--quiet", "-m", "runs"]);
    let compare = || {
        let mut command = repro();
        command.current_dir(folder).args(["compare", "HEAD:runs/one", "runs/one"]).output().unwrap()
    };
    assert!(stdout(&compare()).contains("BASE"), "{}", stderr(&compare()));
    let evil = folder.join("evil");
    std::fs::write(&evil, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display())).unwrap();
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    let object = git(&["rev-parse", "HEAD:runs/one/samples.csv"]);
    std::fs::remove_file(folder.join(".git/objects").join(&object[..2]).join(&object[2..])).unwrap();
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ssh://host/path"),
        ("remote.origin.promisor", "true"),
        ("core.sshCommand", evil.to_str().unwrap()),
        ("core.fsmonitor", evil.to_str().unwrap()),
        ("gpg.program", evil.to_str().unwrap()),
        ("log.showSignature", "true"),
    ] {
        git(&["config", key, value]);
    }
    assert_refused(&compare(), &["git cannot show runs/one/samples.csv"]);
    assert!(!mark.exists(), "a program was started");
}

#[test]
fn a_pipe_in_the_place_of_a_record_keeps_nobody_waiting() {
    let place = tempfile::tempdir().unwrap();
    let original = place.path().join("original");
    unfinished_run(&original);
    for name in ["manifest.json", "samples.csv", "counts.csv"] {
        let received = place.path().join(name);
        copy_folder(&original, &received);
        let pipe = received.join(name);
        let _ = std::fs::remove_file(&pipe);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let (folder, page) = (received.to_str().unwrap(), place.path().join("page"));
        let page = page.to_str().unwrap();
        for command in [
            &["report", folder, "--out", page][..],
            &["compare", folder, folder],
            &["rank", folder],
            &["run", "table1", "--resume", folder],
        ] {
            let ended = within(Duration::from_secs(20), command);
            assert!(ended.status.code().is_some_and(|code| code != 0), "{command:?}: {}", stderr(&ended));
            assert!(stderr(&ended).contains(name), "{command:?}: {}", stderr(&ended));
        }
    }
}

#[test]
fn kernels_are_not_loaded_from_a_folder_that_others_may_write_to() {
    let place = tempfile::tempdir().unwrap();
    let open = place.path().join("cache");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut runs = 0;
    let mut count = || {
        runs += 1;
        let mut command = repro_with_compiler();
        command.args([
            "run",
            "table1",
            "--device",
            "emulated",
            "--only",
            "harish-narayanan",
            "--sizes",
            "16",
        ]);
        command.args(["--no-report", "--out", place.path().join(format!("run{runs}")).to_str().unwrap()]);
        command
    };
    let output = count().env("REPRO_CACHE", &open).output().unwrap();
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("others may write to it") && text.contains("set REPRO_CACHE to a folder"),
        "{text}"
    );
    assert_eq!(files(&open).len(), 0);
    // Without a home it is a folder of the user's own among the temporary files, which somebody else may have made before.
    let theirs = place.path().join(format!("repro-{}", rustix::process::geteuid().as_raw()));
    std::fs::create_dir(&theirs).unwrap();
    std::fs::set_permissions(&theirs, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = count();
    command
        .env("TMPDIR", place.path())
        .env("HOME", "/proc/nowhere")
        .env("XDG_CACHE_HOME", "")
        .env("REPRO_CACHE", "");
    let output = command.output().unwrap();
    let text = stderr(&output);
    assert!(!output.status.success() && text.contains(theirs.to_str().unwrap()), "{text}");
    assert!(text.contains("others may write to it"), "{text}");
}

#[test]
fn a_terminal_finds_nothing_to_obey_in_what_is_shown_of_records_graphs_and_kernels() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("run");
    small_run(&out);
    // A title for the window, a colour in the one-character form, a delete, and a change of direction.
    let obeyed = "\u{1b}]0;owned\u{7}\u{9b}31m\u{7f}\u{202e}";
    edit_manifest(&out, |manifest| {
        let processor = &mut manifest["environment"]["host"]["cpu"];
        assert!(processor.is_string(), "{processor}");
        *processor = format!("a processor{obeyed}").into();
    });
    let graph = place.path().join("graph.txt");
    std::fs::write(&graph, "a b 1\nb c 2\n").unwrap();
    std::fs::write(place.path().join("owned.txt"), format!("a{obeyed} b 1\nb c{obeyed} 2\n")).unwrap();
    let kernel = place.path().join("one.cu");
    let text = format!(
        "static_assert(sizeof(int) == 1, \"wrong{obeyed}\");\nextern \"C\" __global__ void one(int *to) {{ *to = 1; }}"
    );
    std::fs::write(&kernel, text).unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_string();
    let mut shown = 0;
    let solve = run(&["solve", &path("graph.txt"), "--out", &path("d.npy"), "--paths", "predecessor"]);
    assert!(solve.status.success(), "{}", stderr(&solve));
    let unknown = format!("owned{obeyed}");
    for command in [
        &["report", &path("run"), "--out", &path("page")][..],
        &["rank", &path("run")],
        &["rank", &path("run"), "--json"],
        &["compare", &path("run"), &path("run")],
        &["compare", &path("run"), &path("run"), "--format", "json"],
        &["path", &path("d.npy"), "a", &unknown],
        &["solve", &path("owned.txt"), "--out", &path("none.npy")],
    ] {
        let output = run(command);
        let text = format!("{}{}", stdout(&output), stderr(&output));
        let found = text.chars().find(|one| obeyed.contains(*one) && !one.is_ascii_graphic());
        assert_eq!(found, None, "{command:?}: {text:?}");
        shown += usize::from(text.contains("owned"));
    }
    let checked = repro_with_compiler().args(["check", &path("one.cu")]).args(SHAPE).output().unwrap();
    let text = format!("{}{}", stdout(&checked), stderr(&checked));
    assert!(
        text.contains("wrong") && !text.contains(|one: char| one.is_control() && one != '\n'),
        "{text:?}"
    );
    assert!(shown >= 5, "{shown} of the commands show it");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for (path, content) in files(from) {
        let to = to.join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(if path.is_dir() { &to } else { to.parent().unwrap() }).unwrap();
        if path.is_file() {
            std::fs::write(to, content).unwrap();
        }
    }
}

/// What became of the program, which is ended when it takes longer.
fn within(limit: Duration, arguments: &[&str]) -> Output {
    let (mut command, started) = (repro(), std::time::Instant::now());
    command.args(arguments).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > limit {
            child.kill().unwrap();
            panic!("{arguments:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}
