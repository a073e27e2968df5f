//! A command that refuses changes nothing: neither names nor bytes nor links, in the whole folder where it was called. Each
//! refusal is a line of a table; one that is new needs nothing else.

mod cases;

use crate::common::place::{Place, small_experiment};
use crate::common::stored::{copy, tear, unfinish};
use crate::common::{assert_refused, repro, stderr};
use cases::{DAMAGED, OF_A_PAIR, OF_THE_CALL, READ_ONLY, READERS, STOPPED};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// `mine.toml`, a finished `run` of it with its lock and the committed counts of `counted`, a `report` of the run, a
/// `history` and the usual one, `counts.csv`, a kernel, a `file`, and an `empty` and a `full` folder; and each but for one thing.
static TEMPLATE: LazyLock<Place> = LazyLock::new(|| {
    let place = Place::new();
    let mine = small_experiment(3, &[("cpu-naive", &[8, 12])]);
    for (name, text) in [
        ("mine.toml", &*mine),
        ("other.toml", &mine),
        ("typo.toml", &mine.replace("budget_s", "budget")),
        ("many.toml", &mine.replace("[8, 12]", "[{ from = 1, to = 9223372036854775807, step = 1 }]")),
        ("file", "mine"),
        ("hollow/machine.csv", ""),
        ("full/index.html", "mine"),
        ("full/summary.csv", "mine"),
        ("half/table.md", "mine"),
        ("half.cu", "mine"),
        ("broken/files.json", "{"),
        ("later/files.json", "{\"schema_version\": 9, \"files\": []}"),
        ("in-the-way/files.json", "{\"schema_version\": 1, \"files\": []}"),
        ("in-the-way/tables", "mine"),
        ("report/files.json", "{\"schema_version\": 1, \"files\": [\"index.html\"]}"),
        ("report/index.html", "theirs"),
        ("nothing.gr", ""),
        ("cut.gr", "p sp 3 2\na 1 2 5\n"),
        ("word.gr", "p sp 3 1\na 1 two 5\n"),
        ("far.gr", "p sp 3 1\na 1 4 5\n"),
        ("huge.gr", "p sp 900000000 0\n"),
        ("negative.gr", "p sp 2 2\na 1 2 1\na 2 1 -2\n"),
        ("far-sum.gr", "p sp 3 2\na 1 2 2e38\na 2 3 2e38\n"),
        // 16,777,216 + 1 is 16,777,216 in f32: a cycle of 0.25 rounds to -0.75.
        ("rounds.gr", "p sp 4 4\na 1 2 16777216\na 2 3 1\na 3 4 -16777216\na 4 1 -0.75\n"),
        ("nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n"),
    ] {
        place.write(name, text);
    }
    std::fs::write(place.path("zip.gr"), b"\x1f\x8b\x08\x00").unwrap();
    let header = b"\x93NUMPY\x01\x00\x3c\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";
    std::fs::write(place.path("torn.npy"), [&header[..], &[0; 15]].concat()).unwrap();
    for name in ["empty", "results"] {
        std::fs::create_dir(place.path(name)).unwrap();
    }
    let counts = include_str!("../../results/counts/baseline.csv");
    place.write("counts.csv", &counts.split_inclusive('\n').take(200).collect::<String>());
    copy("emulated/structure", &place.path("counted"));
    place.link("run", "link");
    for call in [
        "run mine.toml --device cpu --no-report --out run",
        "history run --out history",
        "history run",
        "new-kernel own",
    ] {
        let output = command(&place, call).output().unwrap();
        assert!(output.status.success(), "{call}: {}", stderr(&output));
    }
    let files = place.files("history");
    let history = files.keys().find(|name| name.extension().is_some_and(|end| end == "csv")).unwrap();
    for (from, name, (file, old, new)) in [
        ("own.toml", "alone.toml", ("", "\"own.cu\"", "\"none.cu\"")),
        ("own.toml", "outside.toml", ("", "\"own.cu\"", "\"../own.cu\"")),
        ("own.toml", "sauce.toml", ("", "\nsource = ", "\nsauce = ")),
        ("own.toml", "padded.toml", ("", "{ padded = \"tile\" }", "{ padded = \"n\" }")),
        ("own.toml", "grid.toml", ("", "[1], [matrix", "[0], [matrix")),
        ("own.toml", "ours.toml", ("", "name = \"own\"", "name = \"staged-load\"")),
        ("own.toml", "twin.toml", ("", "values = [16, 32]", "values = [8, 32]")),
        ("own.toml", "i32.toml", ("", "[\"f32\", \"i32\", \"u16\"]", "[\"i32\"]")),
        ("counts.csv", "many.csv", ("", "barriers,80", "barriers,many")),
        ("history", "of-another-row", (history.to_str().unwrap(), "cpu-naive", "a,b")),
        ("history", "of-another-header", (history.to_str().unwrap(), "time,", "moment,")),
        ("run", "old/new", ("manifest.json", "\"seed\": 1", "\"seed\": 2")),
        ("run", "garbled", ("samples.csv", ",kernel,", ",colonel,")),
        ("run", "of-a-pair", OF_A_PAIR),
        ("run", "of-abacus", ("manifest.json", "\"cpu\": \"", "\"cpu\": \"Abacus ")),
        ("run", "of-noon", ("manifest.json", "\"started\": \"", "\"started\": \"noon ")),
        ("run", "of-seed-2", ("manifest.json", "\"seed\": 1", "\"seed\": 2")),
    ] {
        match file {
            "" => place.write(name, &place.read(from)),
            _ => place.copy(from, name),
        }
        damage(&place, name, (file, old, new));
    }
    // Nor have these a lock.
    place.remove("of-another-row/.lock");
    place.remove("of-another-header/.lock");
    place
});

/// Changes a file below `folder`, or this one itself.
fn damage(place: &Place, folder: &str, (file, old, new): (&str, &str, &str)) {
    let name = [folder, file].join("/");
    match (old, new) {
        ("", "") => place.remove(&name),
        ("", new) => place.write(&name, new),
        (old, new) => place.edit(name.trim_end_matches('/'), |text| {
            assert!(text.contains(old), "{name} has no {old}");
            text.replace(old, new)
        }),
    }
}

/// `repro CALL` in this folder, without a GPU, a C++ compiler and NVRTC, and without more rights than anybody has.
fn command(place: &Place, call: &str) -> Command {
    let repro = repro();
    let mut command = Command::new(repro.get_program());
    // Root may write everywhere, unless it gives up what lets it.
    if rustix::process::geteuid().is_root() {
        command = Command::new("setpriv");
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

    fn refuses(&self, call: &str, says: &str) {
        println!("repro {call}");
        let output = command(&self.place, call).output().unwrap();
        assert_refused(&output, &says.split(" | ").collect::<Vec<_>>());
        let text = stderr(&output);
        assert!(!text.trim_end_matches('\n').replace('\n', " ").contains(char::is_control), "{text:?}");
        self.place.assert_as_before(&self.before, call);
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
fn a_call_that_cannot_be_right_or_that_what_lies_there_forbids_leaves_everything_as_it_was() {
    let place = Changed::by(|_| ());
    OF_THE_CALL.iter().copied().flatten().for_each(|(call, says)| place.refuses(call, says));
}

#[test]
fn a_folder_that_cannot_be_written_to_stays_as_it_was() {
    let place = Changed::by(|place| ["empty", "report"].iter().for_each(|name| place.set_mode(name, 0o555)));
    READ_ONLY.iter().for_each(|(call, says)| place.refuses(call, says));
}

#[test]
fn a_damaged_run_is_refused_by_every_command_that_reads_it() {
    for (of_run, says) in DAMAGED {
        let place = Changed::by(|place| damage(place, "run", *of_run));
        READERS.iter().for_each(|call| place.refuses(call, says));
    }
}

/// Whole or torn by a kill, which is repaired only where the run goes on.
#[test]
fn a_stopped_run_that_cannot_be_resumed_stays_as_it_was() {
    let stopped = |change: &dyn Fn(&Place), is_torn: bool| {
        Changed::by(|place| {
            place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(9).collect());
            unfinish(&place.path("run"));
            change(place);
            if is_torn {
                tear(&place.path("run/samples.csv"));
            }
        })
    };
    for is_torn in [false, true] {
        for (of_run, says) in STOPPED {
            let place = stopped(&|place| damage(place, "run", *of_run), is_torn);
            place.refuses("run mine.toml --resume run", says);
        }
    }
    let place = stopped(&|place| place.set_mode("run", 0o555), false);
    place.refuses("run mine.toml --resume run", "run | --out");
}

#[test]
fn a_folder_that_another_process_writes_to_is_left_to_it() {
    let place = Changed::by(|place| place.write("run/.lock", ""));
    let lock = std::fs::File::open(place.place.path("run/.lock")).unwrap();
    lock.lock().unwrap();
    for call in ["run mine.toml --device cpu --out run", "run mine.toml --resume run"] {
        place.refuses(call, "another repro is writing to run");
    }
}
