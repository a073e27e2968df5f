//! What the environment of a process sets or lacks.

use crate::common::cheats::cheats;
use crate::common::{files, repro, repro_with_compiler, signal, stderr, stdout};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let place = tempfile::tempdir().unwrap();
    let cache = |set: &[(&str, &str)]| {
        let mut command = repro();
        command.arg("doctor").env("HOME", place.path()).envs(set.iter().copied());
        let text = stdout(&command.output().unwrap());
        text.lines().find(|line| line.contains("kernel cache")).unwrap_or_default().to_string()
    };
    let usual = place.path().join(".cache/repro").display().to_string();
    for set in [
        &[("REPRO_CACHE", ""), ("XDG_CACHE_HOME", "")][..],
        &[("REPRO_CACHE", ""), ("XDG_CACHE_HOME", ""), ("TMPDIR", "")],
    ] {
        assert!(cache(set).contains(&usual), "{}", cache(set));
    }
    let named = place.path().join("named");
    assert!(cache(&[("REPRO_CACHE", named.to_str().unwrap())]).contains(named.to_str().unwrap()));
    let empty = ["REPRO_NVRTC", "REPRO_CXX", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "PYTHONPATH"];
    let text =
        |command: &mut Command| stdout(&command.arg("doctor").env("HOME", place.path()).output().unwrap());
    let mut unset = repro();
    for name in empty {
        unset.env_remove(name);
    }
    assert_eq!(text(repro().envs(empty.map(|name| (name, "")))), text(&mut unset));
}

#[test]
fn a_home_that_cannot_be_written_to_costs_no_emulated_cell() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("run");
    let mut command = repro_with_compiler();
    command.args(["run", "table1", "--device", "emulated", "--only", "harish-narayanan", "--sizes", "16"]);
    command.args(["--samples", "3", "--out", out.to_str().unwrap()]);
    // Nobody can make a folder there, not even the administrator.
    command.env("HOME", "/proc/nowhere").env("TMPDIR", place.path());
    command.env_remove("REPRO_CACHE").env_remove("XDG_CACHE_HOME");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let kept = files(place.path()).into_keys().filter(|path| path.extension().is_some_and(|end| end == "so"));
    assert!(kept.count() > 0, "kernels are kept among the temporary files");
}

#[test]
fn a_file_that_reaches_its_limit_is_one_line_and_not_the_end_of_the_program() {
    let place = tempfile::tempdir().unwrap();
    let limited = |kibibytes: u32, arguments: &str| {
        let program = repro().get_program().to_str().unwrap().to_string();
        let text = format!("ulimit -f {kibibytes}; exec {program} {arguments}");
        Command::new("bash").arg("-c").arg(text).current_dir(place.path()).output().unwrap()
    };
    let run = limited(1, "run table1 --device cpu --only cpu-naive --sizes 16 --samples 3 --out run");
    assert_eq!(run.status.code(), Some(2), "{:?} {}", run.status, stderr(&run));
    assert!(stderr(&run).contains("cannot write") && stderr(&run).contains("too large"), "{}", stderr(&run));
    let edges = (0..400).map(|vertex| format!("a {} {} 1\n", vertex % 400 + 1, (vertex + 1) % 400 + 1));
    std::fs::write(place.path().join("ring.gr"), format!("p sp 400 400\n{}", edges.collect::<String>()))
        .unwrap();
    for name in ["out.npy", "out.csv", "out.npz", "out.mtx", "out.parquet"] {
        std::fs::write(place.path().join(name), "before").unwrap();
        let solved = limited(8, &format!("solve ring.gr --out {name}"));
        let error = stderr(&solved);
        assert!(solved.status.code().is_some_and(|code| code > 0), "{name}: {:?} {error}", solved.status);
        assert!(error.contains("File too large"), "{name}: {error}");
        assert_eq!(std::fs::read(place.path().join(name)).unwrap(), b"before");
        assert!(!place.path().join(format!("{name}.new")).exists());
    }
}

#[test]
fn what_a_killed_process_left_is_removed_by_the_next_one() {
    let place = tempfile::tempdir().unwrap();
    let beside = tempfile::tempdir().unwrap();
    let endless = cheats().into_iter().find(|cheat| cheat.name == "endless-kernel");
    let kernel = endless.unwrap().write_to(beside.path());
    let start = || {
        let mut command = repro_with_compiler();
        command.args(["run", "table1", "--device", "emulated", "--with", kernel.to_str().unwrap()]);
        command.args(["--only", "endless-kernel", "--sizes", "16", "--samples", "3", "--no-report"]);
        command.env("TMPDIR", place.path()).current_dir(place.path());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let scratch = || -> Vec<PathBuf> {
        let is_one = |path: &PathBuf| {
            path.is_dir()
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("scratch.kernel"))
        };
        files(place.path()).into_keys().filter(is_one).collect()
    };
    let wait_for_one = |except: &[PathBuf]| {
        let began = Instant::now();
        loop {
            if let Some(found) = scratch().into_iter().find(|path| !except.contains(path)) {
                return found;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "no process was started");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let mut first = start();
    let left = wait_for_one(&[]);
    assert!(signal(first.id(), Signal::KILL));
    first.wait().unwrap();
    // Its worker and what that confines go with it.
    let began = Instant::now();
    let mut second = start();
    wait_for_one(std::slice::from_ref(&left));
    while left.exists() && began.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!left.exists(), "{} stays", left.display());
    assert!(signal(second.id(), Signal::INT));
    second.wait().unwrap();
    assert_eq!(scratch(), Vec::<PathBuf>::new(), "an orderly end leaves nothing");
}
