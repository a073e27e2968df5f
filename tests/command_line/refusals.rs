//! A command that refuses changes nothing: neither names nor bytes nor links, in the whole folder where it was called. Each
//! refusal is a line of a table; one that is new needs nothing else.

#![cfg(unix)]

mod cases;

use crate::common::place::{Place, small_experiment};
use crate::common::stored::{copy, tear, unfinish};
use crate::common::{assert_refused, repro, stderr};
use cases::{DAMAGED, OF_THE_CALL, OF_THE_FOLDER, READERS, STOPPED};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// `mine.toml`, a finished `run` of it with its lock and the committed counts of `counted`, a `report` of the run, a
/// `history` and the usual one, `counts.csv`, a kernel, a `file`, and an `empty` and a `full` folder.
static TEMPLATE: LazyLock<Place> = LazyLock::new(|| {
    let place = Place::new();
    let mine = small_experiment(3, &[("cpu-naive", &[8, 12])]);
    for (name, text) in [
        ("mine.toml", &*mine),
        ("other.toml", &mine),
        ("typo.toml", &mine.replace("budget_s", "budget")),
        ("many.toml", &mine.replace("[8, 12]", "[{ from = 1, to = 9223372036854775807, step = 1 }]")),
        ("file", "mine"),
        ("full/index.html", "mine"),
        ("nothing.gr", ""),
        ("cut.gr", "p sp 3 2\na 1 2 5\n"),
        ("word.gr", "p sp 3 1\na 1 two 5\n"),
        ("far.gr", "p sp 3 1\na 1 4 5\n"),
        ("huge.gr", "p sp 900000000 0\n"),
        ("negative.gr", "p sp 2 2\na 1 2 1\na 2 1 -2\n"),
        ("nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n"),
    ] {
        place.write(name, text);
    }
    std::fs::write(place.path("zip.gr"), b"\x1f\x8b\x08\x00").unwrap();
    for name in ["empty", "results"] {
        std::fs::create_dir(place.path(name)).unwrap();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(root.join("results/counts/baseline.csv"), place.path("counts.csv")).unwrap();
    copy("emulated/structure", &place.path("counted"));
    place.link("run", "link");
    for call in [
        "run mine.toml --device cpu --out run",
        "history run --out history",
        "history run",
        "report run --out report",
        "new-kernel own",
    ] {
        let output = command(&place, call).output().unwrap();
        assert!(output.status.success(), "{call}: {}", stderr(&output));
    }
    place
});

/// `repro CALL` in this folder, without a GPU, a C++ compiler and NVRTC, and without more rights than anybody has.
fn command(place: &Place, call: &str) -> Command {
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
    place.with(command, call)
}

/// A copy of the template, of which something was changed.
struct Changed {
    place: Place,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Changed {
    fn by(change: impl FnOnce(&Place)) -> Self {
        let place = Place::of(&TEMPLATE);
        change(&place);
        Self { before: place.files(""), place }
    }

    fn refuses(&self, call: &str, says: &[&str]) {
        println!("repro {call}");
        let output = command(&self.place, call).output().unwrap();
        assert_refused(&output, says);
        let text = stderr(&output);
        assert!(!text.trim_end_matches('\n').replace('\n', " ").contains(char::is_control), "{text:?}");
        let after = self.place.files("");
        let names = self.before.keys().chain(after.keys());
        let changed: Vec<_> = names.filter(|name| self.before.get(*name) != after.get(*name)).collect();
        assert!(changed.is_empty(), "repro {call} changed {changed:?}");
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        // What may not be written cannot be removed.
        for name in ["empty", "run", "report"] {
            self.place.set_mode(name, 0o755);
        }
    }
}

#[test]
fn a_call_that_cannot_be_right_leaves_everything_as_it_was() {
    let place = Changed::by(|_| ());
    OF_THE_CALL.iter().copied().flatten().for_each(|(call, says)| place.refuses(call, says));
}

#[test]
fn a_call_that_what_lies_there_forbids_leaves_everything_as_it_was() {
    for (change, calls) in OF_THE_FOLDER {
        let place = Changed::by(change);
        calls.iter().for_each(|(call, says)| place.refuses(call, says));
    }
}

#[test]
fn a_damaged_run_is_refused_by_every_command_that_reads_it() {
    for (change, says) in DAMAGED {
        let place = Changed::by(change);
        READERS.iter().for_each(|call| place.refuses(call, &[says]));
    }
}

/// Whole or torn by a kill, which is repaired only where the run goes on.
#[test]
fn a_stopped_run_that_cannot_be_resumed_stays_as_it_was() {
    for (change, says) in STOPPED {
        for is_torn in [false, true] {
            let place = Changed::by(|place| {
                place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(9).collect());
                unfinish(&place.path("run"));
                change(place);
                if is_torn {
                    tear(&place.path("run/samples.csv"));
                }
            });
            place.refuses("run mine.toml --resume run", says);
        }
    }
}

#[test]
fn a_folder_that_another_process_writes_to_is_left_to_it() {
    let place = Changed::by(|place| place.write("run/.lock", ""));
    let lock = std::fs::File::open(place.place.path("run/.lock")).unwrap();
    lock.lock().unwrap();
    for call in ["run mine.toml --device cpu --out run", "run mine.toml --resume run"] {
        place.refuses(call, &["another repro is writing to run"]);
    }
}
