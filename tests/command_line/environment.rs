//! What the environment of a process sets, lacks or limits: variables, tools, memory and disks.

use crate::common::place::Place;
use crate::common::{assert_refused, column, files, repro, repro_with_compiler, signal, stderr, stdout};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let place = Place::new();
    let cache = |set: &[(&str, &str)]| {
        let text = stdout(
            &place.command("doctor").env("HOME", place.path("")).envs(set.iter().copied()).output().unwrap(),
        );
        text.lines().find(|line| line.contains("kernel cache")).unwrap_or_default().to_string()
    };
    let usual = place.path(".cache/repro").display().to_string();
    for set in [
        &[("REPRO_CACHE", ""), ("XDG_CACHE_HOME", "")][..],
        &[("REPRO_CACHE", ""), ("XDG_CACHE_HOME", ""), ("TMPDIR", "")],
    ] {
        assert!(cache(set).contains(&usual), "{}", cache(set));
    }
    let named = place.path("named").display().to_string();
    assert!(cache(&[("REPRO_CACHE", &named)]).contains(&named));
    let empty = ["REPRO_NVRTC", "REPRO_CXX", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "PYTHONPATH"];
    let text = |command: &mut Command| stdout(&command.env("HOME", place.path("")).output().unwrap());
    let mut unset = place.command("doctor");
    for name in empty {
        unset.env_remove(name);
    }
    assert_eq!(text(place.command("doctor").envs(empty.map(|name| (name, "")))), text(&mut unset));
}

#[test]
fn a_home_that_cannot_be_written_to_costs_no_emulated_cell() {
    let place = Place::new();
    let call = "run table1 --device emulated --only harish-narayanan --sizes 16 --no-report --out run";
    let mut command = place.with(repro_with_compiler(), call);
    // Nobody can make a folder there, not even the administrator.
    command.env("HOME", "/proc/nowhere").env("TMPDIR", place.path(""));
    command.env_remove("REPRO_CACHE").env_remove("XDG_CACHE_HOME");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let kept = place.files("").into_keys().filter(|path| path.extension().is_some_and(|end| end == "so"));
    assert!(kept.count() > 0, "kernels are kept among the temporary files");
}

/// `repro CALL`, whose files may not grow beyond so many KiB: a full disk looks the same where the signal is ignored.
#[cfg(target_os = "linux")]
fn limited(place: &Place, kibibytes: u32, trap: &str, call: &str) -> Output {
    let mut bash = Command::new("bash");
    let script = format!("ulimit -f {kibibytes}; {trap} exec \"$0\" {call}");
    bash.arg("-c").arg(script).arg(repro().get_program()).current_dir(place.path("")).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_reaches_its_limit_is_one_line_and_not_the_end_of_the_program() {
    let place = Place::new();
    let run =
        limited(&place, 1, "", "run table1 --device cpu --only cpu-naive --sizes 16 --samples 3 --out run");
    assert_eq!(run.status.code(), Some(2), "{:?} {}", run.status, stderr(&run));
    assert!(stderr(&run).contains("cannot write") && stderr(&run).contains("too large"), "{}", stderr(&run));
    let edges = (0..400).map(|vertex| format!("a {} {} 1\n", vertex % 400 + 1, (vertex + 1) % 400 + 1));
    place.write("ring.gr", &format!("p sp 400 400\n{}", edges.collect::<String>()));
    for name in ["out.npy", "out.csv"] {
        place.write(name, "before");
        let solved = limited(&place, 8, "", &format!("solve ring.gr --out {name}"));
        let error = stderr(&solved);
        assert!(solved.status.code().is_some_and(|code| code > 0), "{name}: {:?} {error}", solved.status);
        assert!(error.contains("ile too large"), "{name}: {error}");
        assert_eq!(place.read(name), "before");
        assert!(!place.path(&format!("{name}.new")).exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_the_way_to_go_on_and_loses_nothing() {
    let place = Place::new();
    let call = "run table1 --device cpu --sizes 32,40,48,56 --samples 20 --no-report --out run";
    let output = limited(&place, 8, "trap '' XFSZ;", call);
    assert_refused(&output, &["samples.csv", "--resume"]);
    let kept = place.read("run/samples.csv");
    let whole: Vec<&str> = kept.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    let whole = &whole[..1 + (whole.len() - 1) / 4 * 4];
    assert!(whole.len() > 4);
    place.succeed("run --resume run --no-report");
    let after = place.read("run/samples.csv");
    assert!(after.starts_with(&whole.concat()), "finished samples are still there");
    assert_eq!(after.lines().count(), 1 + 8 * 20 * 4 + 16);
    // A report is not resumed: there must be room.
    let output = limited(&place, 8, "trap '' XFSZ;", "report run --out page");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("make room") && !told.contains("--resume"), "{told}");
}

#[test]
fn a_graph_too_large_for_memory_is_a_failed_cell_and_not_a_crash() {
    for n in ["1000000", "18446744073709551615"] {
        let place = Place::new();
        let call = "run table1 --device cpu --only cpu-naive --no-report --out run --sizes 64,";
        let output = place.call(&format!("{call}{n}"));
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let summary = place.path("run/summary.csv");
        assert_eq!(column(&summary, "status"), ["ok", "failed"]);
        let message = &column(&summary, "message")[1];
        assert!(message.contains(&format!("n = {n}")) && message.contains("smaller n"), "{message}");
    }
}

/// What the doctor says where a variable names a library: without a GPU and without a C++ compiler, it is its finding.
#[test]
fn a_missing_or_broken_library_is_the_doctors_finding_and_not_its_failure() {
    let place = Place::new();
    place.write("libnvrtc.so.13", "not a library");
    place.write("libnccl.so.2", "not a library");
    let path = |name: &str| place.path(name).display().to_string();
    let nvrtc =
        ("REPRO_NVRTC", "! NVRTC          missing: see 2 below", " 2. NVRTC, to time kernels on a GPU: ");
    let nccl = ("REPRO_NCCL", "! NCCL           missing: see ", " NCCL, to solve on several GPUs together: ");
    for ((variable, mark, start), path, expected) in [
        (nvrtc, "/no/such/folder".to_string(), "there is no libnvrtc.so"),
        (nvrtc, path("libnvrtc.so.13"), "not a usable NVRTC"),
        (nccl, "/no/such/folder".to_string(), "there is no libnccl.so.2"),
        (nccl, path(""), "is not a usable NCCL"),
        (nccl, path("libnccl.so.2"), "is not a usable NCCL"),
    ] {
        let output = place.command("doctor").env(variable, &path).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let text = stdout(&output);
        assert!(text.contains(mark), "{text}");
        let (_, line) = text.split_once(start).unwrap();
        let line = line.lines().next().unwrap();
        assert!(line.contains(&path) && line.contains(expected) && line.contains(variable), "{line}");
    }
    // Where it is not named, it is found or not needed.
    let text = stdout(&place.command("doctor").env_remove("REPRO_NCCL").output().unwrap());
    assert!(text.contains("  NCCL           "), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn nvlink_multicast_is_off_where_the_user_does_not_turn_it_on() {
    let place = Place::new();
    // Answers 2.28.0 or 2.28.1, whatever NCCL would find in the environment.
    let stand_in = include_str!("../../crates/solvers/src/distributed/nccl/stand_in.cc")
        .replace("*version = answer_version", "*version = 22800 + atoi(getenv(\"NCCL_NVLS_ENABLE\"))")
        .replace("#include <cstring>", "#include <cstring>\n#include <cstdlib>");
    place.write("nccl.cc", &stand_in);
    let compiler = repro::device::emulated::toolchain().unwrap();
    let compile = "-shared -fPIC -std=c++17 nccl.cc -o libnccl.so.2";
    assert!(place.with(Command::new(compiler.program()), compile).status().unwrap().success());
    for (multicast, version) in [(None, "2.28.0: "), (Some("1"), "2.28.1: ")] {
        let mut command = place.command("doctor");
        command.env("REPRO_NCCL", place.path("")).env_remove("NCCL_NVLS_ENABLE");
        command.envs(multicast.map(|value| ("NCCL_NVLS_ENABLE", value)));
        let text = stdout(&command.output().unwrap());
        assert!(text.contains(version), "{text}");
    }
}

#[test]
fn what_a_killed_process_left_is_removed_by_the_next_one() {
    let place = Place::new();
    place.succeed("new-kernel own");
    let last = "    *own = tile[y][x];";
    place.replace(
        "own.cu",
        last,
        &format!("    while (*(volatile distance *)own != 12345) {{\n    }}\n{last}"),
    );
    let start = || {
        let call = "run table1 --device emulated --with own.toml --only own --sizes 16 --no-report";
        let mut command = place.with(repro_with_compiler(), call);
        command.env("TMPDIR", place.path(""));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let scratch = || -> Vec<PathBuf> {
        let is_one = |path: &PathBuf| {
            path.is_dir()
                && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("scratch.kernel"))
        };
        files(&place.path("")).into_keys().filter(is_one).collect()
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
