//! What the environment of a process sets, lacks or limits: variables, tools, memory and disks.

use crate::common::place::Place;
use crate::common::{assert_refused, repro, stderr, stdout};
use std::process::{Command, Output};

/// What the doctor says where these variables are set and its user's folder is this place.
fn doctor(place: &Place, set: &[(&str, &str)]) -> String {
    let mut command = place.command("doctor");
    stdout(&command.env("HOME", place.path("")).envs(set.iter().copied()).output().unwrap())
}

#[test]
fn a_variable_that_is_empty_is_not_set() {
    let place = Place::new();
    let named = place.path("named").display().to_string();
    let usual = place.path(".cache/repro").display().to_string();
    for (set, cache) in [
        (&[("REPRO_CACHE", ""), ("XDG_CACHE_HOME", "")][..], &usual),
        (&[("REPRO_CACHE", ""), ("XDG_CACHE_HOME", ""), ("TMPDIR", "")], &usual),
        (&[("REPRO_CACHE", &named)], &named),
    ] {
        let text = doctor(&place, set);
        let line = text.lines().find(|line| line.contains("kernel cache")).unwrap();
        assert!(line.contains(cache), "{line}");
    }
    let empty = ["REPRO_NVRTC", "REPRO_CXX", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "PYTHONPATH"];
    let mut unset = place.command("doctor");
    empty.iter().for_each(|name| _ = unset.env_remove(name));
    let unset = stdout(&unset.env("HOME", place.path("")).output().unwrap());
    assert_eq!(doctor(&place, &empty.map(|name| (name, ""))), unset);
}

/// `repro CALL`, whose files may not grow beyond so many KiB: a full disk looks the same where the signal is ignored.
fn limited(place: &Place, kibibytes: u32, trap: &str, call: &str) -> Output {
    let mut bash = Command::new("bash");
    let script = format!("ulimit -f {kibibytes}; {trap} exec \"$0\" {call}");
    bash.arg("-c").arg(script).arg(repro().get_program()).current_dir(place.path("")).output().unwrap()
}

#[test]
fn a_file_that_reaches_its_limit_is_one_line_and_not_the_end_of_the_program() {
    let place = Place::new();
    let edges = (0..400).map(|vertex| format!("a {} {} 1\n", vertex % 400 + 1, (vertex + 1) % 400 + 1));
    place.write("ring.gr", &format!("p sp 400 400\n{}", edges.collect::<String>()));
    for (limit, call, name) in [
        (1, "run table1 --device cpu --only cpu-naive --sizes 16 --samples 3 --out run", ""),
        (8, "solve ring.gr --out out.npy", "out.npy"),
        (8, "solve ring.gr --out out.csv", "out.csv"),
    ] {
        if !name.is_empty() {
            place.write(name, "before");
        }
        let output = limited(&place, limit, "", call);
        let error = stderr(&output);
        assert!(output.status.code().is_some_and(|code| code > 0), "{call}: {:?} {error}", output.status);
        assert!(error.contains("ile too large"), "{call}: {error}");
        assert!(name.is_empty() || place.read(name) == "before", "{call}");
        assert!(!place.path(&format!("{name}.new")).exists());
    }
}

#[test]
fn a_full_disk_ends_the_run_with_the_way_to_go_on_and_loses_nothing() {
    let place = Place::new();
    let call = "run table1 --device cpu --sizes 32,40 --samples 20 --no-report --out run";
    let output = limited(&place, 8, "trap '' XFSZ;", call);
    assert_refused(&output, &["samples.csv", "--resume"]);
    let kept = place.read("run/samples.csv");
    let whole: Vec<&str> = kept.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    let whole = &whole[..1 + (whole.len() - 1) / 4 * 4];
    assert!(whole.len() > 4);
    place.succeed("run --resume run --no-report");
    let after = place.read("run/samples.csv");
    assert!(after.starts_with(&whole.concat()), "finished samples are still there");
    assert_eq!(after.lines().count(), 1 + 4 * 20 * 4 + 8);
    // A report is not resumed: there must be room.
    let told = stderr(&limited(&place, 8, "trap '' XFSZ;", "report run --out page"));
    assert!(told.contains("make room") && !told.contains("--resume"), "{told}");
}

#[test]
fn a_graph_too_large_for_memory_is_a_failed_cell_and_not_a_crash() {
    let place = Place::new();
    let sizes = ["64", "1000000", "18446744073709551615"];
    let cells = format!("--device cpu --only cpu-naive --sizes {}", sizes.join(","));
    place.end_with(1, &format!("run table1 {cells} --no-report --out run"));
    assert_eq!(place.column("run/summary.csv", "status"), ["ok", "failed", "failed"]);
    for (message, n) in place.column("run/summary.csv", "message").iter().zip(sizes).skip(1) {
        assert!(message.contains(&format!("n = {n}")) && message.contains("smaller n"), "{message}");
    }
}

/// What the doctor says where a variable names a library: without a GPU and without a C++ compiler, it is its finding.
#[test]
fn a_missing_or_broken_library_is_the_doctors_finding_and_not_its_failure() {
    let place = Place::new();
    place.write("libnvrtc.so.13", "not a library");
    place.write("libnccl.so.2", "not a library");
    let nvrtc = ("! NVRTC          missing: see 2 below", " 2. NVRTC, to time kernels on a GPU: ");
    let nccl = ("! NCCL           missing: see ", " NCCL, to solve on several GPUs together: ");
    for (variable, (mark, start), path, expected) in [
        ("REPRO_NVRTC", nvrtc, "/no/such/folder", "there is no libnvrtc.so"),
        ("REPRO_NVRTC", nvrtc, "libnvrtc.so.13", "not a usable NVRTC"),
        ("REPRO_NCCL", nccl, "/no/such/folder", "there is no libnccl.so.2"),
        ("REPRO_NCCL", nccl, "", "is not a usable NCCL"),
        ("REPRO_NCCL", nccl, "libnccl.so.2", "is not a usable NCCL"),
    ] {
        let path = place.path(path).display().to_string();
        let output = place.command("doctor").env(variable, &path).output().unwrap();
        let text = stdout(&output);
        assert!(output.status.code() == Some(3) && text.contains(mark), "{text}");
        let (_, line) = text.split_once(start).unwrap();
        let line = line.lines().next().unwrap();
        assert!([&*path, expected, variable].iter().all(|part| line.contains(part)), "{line}");
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn a_home_that_cannot_be_written_to_costs_no_emulated_cell() {
        let place = Place::new();
        let call = "run table1 --device emulated --only harish-narayanan --sizes 16 --no-report --out run";
        let mut command = place.emulating(call);
        // Nobody can make a folder there, not even the administrator.
        command.env("HOME", "/proc/nowhere").env("TMPDIR", place.path(""));
        command.env_remove("REPRO_CACHE").env_remove("XDG_CACHE_HOME");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let mut files = place.files("").into_keys();
        assert!(files.any(|path| path.extension().is_some_and(|end| end == "so")), "none is kept");
    }
}
