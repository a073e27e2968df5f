//! The table of refusals.

use crate::common::place::Place;

/// What is called, in words parted by blanks, and what the message says.
type Call = (&'static str, &'static [&'static str]);
type Change = fn(&Place);

/// Refused wherever they are called, a command at a time.
pub const OF_THE_CALL: [&[Call]; 9] =
    [ARGUMENTS, RUN, RESUME, REPORT, COMPARE, HISTORY, COUNTS, TRACK, KERNELS];

const DEVICES: &str = "'gpu': expected auto, cpu, cuda, cuda:N, cuda:all, emulated or emulated:C.C";
const SIZES: &[&str] = &["'abc'", "--sizes", "expected numbers of vertices", "1024,2048"];
const SLIP: &str = "'stagedload': did you mean staged-load?";
const ONE_LINE: &str = "expected a name of one line without control characters";

const ARGUMENTS: &[Call] = &[
    ("run", &["<EXPERIMENT>"]),
    ("runn", &["'runn'", "'run'"]),
    ("rnu table1", &["'rnu'; tip: a similar subcommand exists: 'run'; see --help"]),
    ("benchmark", &["error: unrecognized subcommand 'benchmark'; see --help"]),
    ("run table1 --sample 3", &["'--sample'", "tip: ", "'--samples'", "see --help"]),
    ("run tabel1", &["'tabel1': did you mean table1?", "repro list"]),
    ("run table1 --only stagedload", &["--only", SLIP]),
    ("verify --only stagedload", &["--only", SLIP]),
    ("verify --sizes 64,abc", SIZES),
    ("verify --sizes 0", &["--sizes", "n = 0"]),
    ("verify --orders 2", &["--orders", "--device emulated"]),
    ("inspect stagedload", &[SLIP]),
    ("inspect staged", &["unknown implementation 'staged'", "staged-load"]),
    ("inspect cpu-naive", &["no kernels to inspect", "katz-kider"]),
    ("inspect staged-load --n 0", &["n = 0"]),
    ("inspect staged-load --banks 8", &["--banks", "16, 32"]),
    ("inspect staged-load", &["REPRO_CXX names no-compiler-for-this-test", "correct it or unset it"]),
    ("list two-phases", &["nothing is called 'two-phases'", "did you mean two-phase?"]),
    ("doctor --with own.toml", &["'--with'"]),
    ("--with own.toml doctor", &["--with: this command looks at no implementation"]),
    ("run table1 --out a\nb", &["\"a\\nb\"", ONE_LINE]),
    ("track table1 --out a\u{1b}[2J", &["\"a\\u{1b}[2J\"", ONE_LINE]),
];

const RUN: &[Call] = &[
    ("run table9", &["'table9'", "table1"]),
    ("run ta\nble9", &["table1"]),
    ("run no/such.toml", &["cannot read no/such.toml"]),
    ("run typo.toml", &["typo.toml:11: budget: unknown field", "`budget_s`"]),
    ("run many.toml", &["many.toml:", ": sizes: ", "9223372036854775807", "more than 10000", "larger steps"]),
    ("run peers", &["peers runs implementations from files next to it", "run it in a clone"]),
    ("run mine.toml --only nobody", &["--only", "'nobody'"]),
    ("run mine.toml --sizes 8,0", &["--sizes", "n = 0"]),
    ("run mine.toml --sizes 64,abc", SIZES),
    ("run mine.toml --sizes -1", &["'-1'"]),
    ("run mine.toml --device cpu --sizes 9999999", &["n = 9999999 needs", "smaller n with --sizes"]),
    ("run mine.toml --device cpu --sizes 18446744073709551615", &["n = 18446744073709551615 needs"]),
    ("run mine.toml --samples 0", &["--samples", "at least 1"]),
    ("run mine.toml --budget -1", &["--budget", "-1", "0 or more seconds"]),
    ("run mine.toml --budget nan", &["--budget"]),
    ("run mine.toml --param kappa=x", &["--param", "'x'"]),
    ("run mine.toml --param kappa=2", &["kappa"]),
    ("run mine.toml --param kappa", &["--param", "expected NAME=VALUE"]),
    ("run mine.toml --param kappa=1,,2", &["--param", "is no whole number"]),
    ("run mine.toml --device gpu", &["--device", DEVICES]),
    ("run mine.toml --full --sizes 8", &["--full", "--sizes"]),
    ("run mine.toml --graph none.gr", &["none.gr", "cannot be read"]),
    ("run mine.toml --graph empty", &["is a directory"]),
    ("run mine.toml --graph nothing.gr", &["nothing.gr", "is empty"]),
    ("run mine.toml --graph cut.gr", &["cut.gr", "1 of 2"]),
    ("run mine.toml --graph word.gr", &["word.gr:2", "two"]),
    ("run mine.toml --graph far.gr", &["far.gr:2", "vertex 4"]),
    ("run mine.toml --graph huge.gr", &["huge.gr", "900000000"]),
    ("run mine.toml --graph zip.gr", &["zip.gr", "gunzip"]),
    ("run mine.toml --graph negative.gr", &["negative.gr", "negative cycle"]),
    ("run mine.toml --graph nan.mtx", &["nan.mtx:3", "nan"]),
    ("run mine.toml --graph file", &["file", "no known format"]),
    ("run mine.toml --graph cut.gr --seed 1", &["--graph", "--seed"]),
    ("run mine.toml --resume run --out empty", &["--resume", "--out"]),
    ("run mine.toml --device cpu --out run", &["run holds another run", "--resume", "--out"]),
    ("run mine.toml --device cpu --out link", &["link holds another run"]),
    ("run mine.toml --device cpu --out counted", &["counted holds another run"]),
    ("run mine.toml --device cpu --out file", &["cannot make file", "--out"]),
    ("run mine.toml --device cpu --out file/run", &["cannot make file/run", "--out"]),
    // Where folders were made, or found, before it was known that there is no device.
    ("run mine.toml --device cuda", &["--device cuda"]),
    ("run mine.toml --device cuda --out new", &["--device cuda", "--device cpu"]),
    ("run mine.toml --device cuda --out new/deep/run", &["--device cuda"]),
    ("run mine.toml --device cuda --out empty", &["--device cuda"]),
    ("run mine.toml --device cuda --out full", &["--device cuda"]),
    ("run mine.toml --device cuda:7 --out new", &["--device cuda:7"]),
    ("run mine.toml --device emulated --out new", &["--device emulated", "REPRO_CXX"]),
    ("run mine.toml --device emulated:7.0 --out new", &["--device", "7.5, 8.0"]),
    (
        "run table1 --device emulated --no-counts",
        &["--no-counts: the emulated device only counts", "--device"],
    ),
    ("run table1 --only staged-load --sizes 1024", NOT_RUN),
    ("run table1 --only staged-load --sizes 1024 --out new --json", NOT_RUN),
];

/// Of a run none of whose cells could run.
const NOT_RUN: &[&str] =
    &["nothing was measured: ", "no CUDA driver", "--sizes, --only or --device", "`repro doctor`"];

const RESUME: &[Call] = &[
    ("run mine.toml --resume none", &["none holds no run", "--out"]),
    ("run mine.toml --resume empty", &["empty holds no run"]),
    ("run other.toml --resume run", &["run holds a run of mine, not of other"]),
];

const REPORT: &[Call] = &[
    ("report none", &["cannot look for runs in none"]),
    ("report file", &["cannot look for runs in file"]),
    ("report empty", &["empty", "holds a run"]),
    ("report run none --out new", &["none"]),
    ("report run --full", &["--full"]),
    ("report run --out file", &["file", "it is a file"]),
    ("report run --out file/below", &["file/below", "it is a file"]),
    ("report run --out full", &["full", "no report"]),
    ("report run --out run", &["run", "no report"]),
    ("report run --out link", &["link", "no report"]),
    ("report run --history none --out new", &["cannot read none"]),
    ("report run --history file --out new", &["cannot read file"]),
];

const COMPARE: &[Call] = &[
    ("compare run", &["<NEW>"]),
    ("compare run none", &["cannot look for runs in none"]),
    ("compare none run", &["cannot look for runs in none"]),
    ("compare run empty", &["empty", "holds a run"]),
    ("compare run file", &["cannot look for runs in file"]),
    ("compare run counted", &["counted"]),
    ("compare run run --floors mine.toml", &["mine.toml", "calibrate anew"]),
    ("compare run run --scope moment", &["--scope", "kernel"]),
    ("compare run run --scope device-free", &["--scope"]),
    ("compare run run --scope cuda-graph", &["cuda-graph"]),
    ("compare run run --threshold -3", &["--threshold -3"]),
    ("compare run run --threshold nan", &["--threshold NaN"]),
    ("compare run run --across moon", &["--across", "'moon'"]),
];

const HISTORY: &[Call] = &[
    ("history --out none", &["cannot read none"]),
    ("history --accept meant --only nobody", &["--only nobody", "they have cpu-naive"]),
    ("history run --accept meant", &["[RUN]", "--accept"]),
    ("history --accept meant --out none", &["cannot read none"]),
    ("history --only a --out new", &["--accept"]),
    ("history run --only a --out new", &["[RUN]", "--only"]),
    ("history none", &["cannot look for runs in none"]),
    ("history empty", &["empty", "holds a run"]),
    ("history file", &["file"]),
    ("history run --out run", &["--out"]),
    ("history run --out file", &["file", "nothing was added"]),
    ("history run --out file/below", &["file/below", "nothing was added"]),
];

const COUNTS: &[Call] = &[
    ("counts --check --update", &["--check", "--update"]),
    ("counts --only nobody", &["--only", "'nobody'"]),
    ("counts", &["nothing can be counted", "REPRO_CXX", "REPRO_NVRTC"]),
    ("counts --check", &["results/counts/baseline.csv", "--update"]),
    ("counts --update", &["nothing can be counted"]),
    ("counts --update --baseline new/counts.csv", &["nothing can be counted"]),
    ("counts --check --baseline counts.csv", &["nothing can be counted", "REPRO_CXX", "REPRO_NVRTC"]),
    ("counts --update --baseline counts.csv", &["nothing can be counted"]),
    ("counts --check --baseline none.csv", &["none.csv", "repro counts --update"]),
    ("counts --check --baseline empty", &["empty"]),
    ("counts --update --baseline empty", &["empty"]),
    ("counts --check --baseline file", &["file line 1", "--update"]),
    ("counts --update --baseline file", &["file line 1", "--update"]),
    ("counts --require-all", &["REPRO_CXX"]),
];

const TRACK: &[Call] = &[
    ("track table9", &["'table9'"]),
    ("track mine.toml --threshold -3", &["--threshold -3"]),
    ("track mine.toml --device cpu --sizes 0 --out new", &["n = 0"]),
    ("track mine.toml --device cpu --floors mine.toml --out new", &["mine.toml", "calibrate anew"]),
    ("track mine.toml --device cpu --calibrate --against run", &["--calibrate", "--against"]),
    ("track mine.toml --device cpu --against none --out new", &["no such file or folder"]),
    ("track mine.toml --device cpu --against empty --out new", &["empty", "holds a run"]),
    ("track other.toml --device cpu --against run --out new", &["no run of other there"]),
    ("track mine.toml --device cpu --against run --sizes 99 --out new", &["none of the cells"]),
    ("track mine.toml --device cpu --against file", &["file cannot be paired"]),
    ("track mine.toml --device cpu --against file --out new", &["file cannot be paired"]),
    ("track mine.toml --device cpu --against run --seed 2 --out new", &["seed", "--across graph"]),
    ("track mine.toml --device cpu --out file", &["file"]),
    ("track mine.toml --device cpu --out run", &["--out run holds a run"]),
    ("track mine.toml --device cpu --history run --out run", &["--history"]),
    ("track mine.toml --device cuda", &["--device cuda"]),
    ("track mine.toml --device cuda --out new", &["--device cuda"]),
    ("track mine.toml --device cuda --out new/deep", &["--device cuda"]),
    ("track mine.toml --device cuda --out empty", &["--device cuda"]),
];

/// `own.toml` and `own.cu` are there as `repro new-kernel` writes them.
const KERNELS: &[Call] = &[
    ("new-kernel", &["<NAME>"]),
    ("new-kernel Own", &["\"Own\"", "lower-case"]),
    ("new-kernel a/b", &["\"a/b\"", "lower-case"]),
    ("new-kernel ..", &["\"..\"", "lower-case"]),
    ("new-kernel layout", &["\"layout\"", "another name"]),
    ("new-kernel staged-load", &["'staged-load'", "choose another name", "repro list"]),
    ("new-kernel own", &["own.toml is there already"]),
    ("new-kernel own --out run", &["--out run holds a run"]),
    ("new-kernel own --out run/below", &["run/below is in the run "]),
    ("new-kernel own --out file", &["cannot make file", "--out"]),
    ("new-kernel own --out file/deeper", &["cannot make file/deeper", "--out"]),
    ("new-kernel own --out new --with own.toml", &["'own'", "choose another name"]),
    ("list --with none.toml", &["cannot read none.toml"]),
    ("list --with empty", &["cannot read empty: is a directory"]),
    ("list --with file", &["file:1: "]),
    ("run scaling --with own.toml --device cpu", &["--with: own", "sharded", "scaling"]),
    ("counts --update --with own.toml", &["--with: own", "results/counts/baseline.csv", "--baseline"]),
    ("counts --check --with own.toml --only own", &["--with: own", "--baseline"]),
    ("inspect own --with own.toml --param tile=24", &["own has no parameter tile = 24: it takes 16, 32"]),
    ("inspect own --with own.toml", &["REPRO_CXX"]),
];

/// Refused for what was changed before.
pub const OF_THE_FOLDER: &[(Change, &[Call])] = &[
    (
        |place| place.set_mode("empty", 0o555),
        &[
            ("run mine.toml --device cpu --out empty", &["empty", "--out"]),
            ("run mine.toml --device cpu --out empty/run", &["empty/run", "--out"]),
            ("track mine.toml --device cpu --out empty", &["empty", "--out"]),
            ("report run --out empty", &["empty", "--out"]),
            ("report run --out empty/new", &["empty", "--out"]),
            ("history run --out empty", &["empty", "nothing was added"]),
            ("new-kernel own --out empty", &["cannot write empty/own.toml", "--out"]),
            ("new-kernel own --out empty/deeper", &["cannot make empty/deeper", "--out"]),
        ],
    ),
    (|place| place.set_mode("report", 0o555), &[("report run --out report", &["report", "--out"])]),
    (garbled_sample, &[("history run counted --out new", &["samples.csv: line 2 is not a sample"])]),
    (|place| place.write("report/files.json", "{"), &[("report run --out report", &["files.json: "])]),
    (
        |place| place.replace("report/files.json", "\"schema_version\": 1", "\"schema_version\": 9"),
        &[("report run --out report", &["files.json: ", "version 9"])],
    ),
    (
        |place| {
            place.write("report/files.json", "{\"schema_version\": 1, \"files\": []}");
            std::fs::remove_dir_all(place.path("report/tables")).unwrap();
            place.write("report/tables", "mine");
        },
        &[("report run --out report", &["report/tables", "--out"])],
    ),
    (
        // `old` is a run of another machine.
        |place| {
            place.copy("run", "old");
            place.replace("old/manifest.json", "\"cpu\": \"", "\"cpu\": \"Abacus ");
        },
        &[
            ("compare run old", &["Abacus", "--across device"]),
            ("track mine.toml --device cpu --against old --out new", &["Abacus", "--across device"]),
        ],
    ),
    (
        |place| {
            place.copy("run", "old");
            place.replace("old/manifest.json", "\"seed\": 1", "\"seed\": 2");
        },
        &[("compare run old", &["seed 2", "--across graph"])],
    ),
    (
        |place| place.copy("run", "old/new"),
        &[("track mine.toml --device cpu --out old", &["old/new holds another run"])],
    ),
    (
        of_a_pair,
        &[
            ("run mine.toml --resume run", &["pair 1", "start a new pair"]),
            ("track mine.toml --device cpu --against run --out new", &["with another", "--across pairing"]),
        ],
    ),
    // Nor has the folder a lock.
    (
        |place| {
            place.replace(&history(place), "cpu-naive", "a,b");
            place.remove("history/.lock");
        },
        &[("history run --out history", &["line 2 is not a row of this file"])],
    ),
    (
        |place| {
            place.replace(&history(place), "time,", "moment,");
            place.remove("history/.lock");
        },
        &[("history run --out history", &["line 1 is not the header"])],
    ),
    // The first of the two could be added.
    (
        |place| {
            place.copy("run", "zoo");
            place.replace("run/manifest.json", "\"started\": \"2", "\"started\": \"1");
            place.replace("zoo/manifest.json", "\"started\": \"", "\"started\": \"noon ");
        },
        &[
            ("history zoo --out history", &["a row for history", "check the run"]),
            ("history run zoo --out history", &["a row for history", "check the run"]),
        ],
    ),
    (
        |place| place.replace("counts.csv", "launches,128", "launches,many"),
        &[
            ("counts --check --baseline counts.csv", &["counts.csv line ", "'many'", "--update"]),
            ("counts --update --baseline counts.csv", &["counts.csv line ", "'many'"]),
        ],
    ),
    (
        |place| place.remove("own.toml"),
        &[("new-kernel own", &["own.cu is there already", "another name", "--out"])],
    ),
    (
        |place| place.remove("own.cu"),
        &[("list --with own.toml", &["own.toml:8: source: cannot read ", "own.cu"])],
    ),
    (
        |place| place.replace("own.toml", "\"own.cu\"", "\"../own.cu\""),
        &[("list --with own.toml", &["own.toml:8: source: '../own.cu' leads out of the folder"])],
    ),
    (
        |place| {
            kernel(place, "sauce.toml", "\nsource = ", "\nsauce = ");
            kernel(place, "padded.toml", "{ padded = \"tile\" }", "{ padded = \"n\" }");
            kernel(place, "no-blocks.toml", "[1], [matrix", "[0], [matrix");
        },
        &[
            ("verify --with sauce.toml", &["sauce.toml:8: unknown field `sauce`, expected one of"]),
            (
                "inspect own --with padded.toml",
                &["padded.toml:14: layout.padded: 'n': Variable not found: n", "tile"],
            ),
            (
                "run mine.toml --with no-blocks.toml --device cpu --out new",
                &["no-blocks.toml:41: script: the grid of diagonal is 0: expected 1 to"],
            ),
        ],
    ),
    (
        |place| place.replace("own.toml", "name = \"own\"", "name = \"staged-load\""),
        &[("counts --with own.toml", &["own.toml:4: name = \"staged-load\"", "repro's own has"])],
    ),
    (
        |place| kernel(place, "other-own.toml", "values = [16, 32]", "values = [8, 32]"),
        &[(
            "list --with own.toml --with other-own.toml",
            &["other-own.toml:4: name = \"own\": own.toml has this name already"],
        )],
    ),
];

/// Every command that reads a run, whose folder is `run` or a link to it.
pub const READERS: [&str; 8] = [
    "run mine.toml --resume run",
    "report run --out new",
    "report run --out report",
    "compare run link",
    "history run --out new",
    "track mine.toml --device cpu --against run --out new",
    "claims --runs run",
    "rank run",
];

/// What may have become of a run, and what of it is named.
pub const DAMAGED: &[(Change, &str)] = &[
    (|place| place.edit("run/manifest.json", |text| text[..text.len() / 2].to_string()), "manifest.json: "),
    (
        |place| place.replace("run/manifest.json", "\"schema_version\": 3", "\"schema_version\": 99"),
        "schema version 99",
    ),
    (garbled_sample, "samples.csv: line 2 is not a sample"),
    (
        |place| place.replace("run/samples.csv", ",ok,true,", ",ok,false,"),
        "samples.csv: line 2 is not a sample: it has a time and is not verified",
    ),
    (|place| place.edit("run/samples.csv", |text| text.replace('\n', "\r\n")), "plain newlines"),
    (|place| place.remove("run/samples.csv"), "samples.csv was removed"),
    (|place| place.write("run/counts.csv", "implementation,n\nkatz-kider,many\n"), "counts.csv: "),
    (|place| place.write("run/kernels.csv", "implementation,n\nkatz-kider,many\n"), "kernels.csv: "),
];

/// What keeps a run that was stopped from being resumed.
pub const STOPPED: &[(Change, &[&str])] = &[
    (
        |place| place.replace("run/manifest.json", "\"commit\": \"", "\"commit\": \"f00"),
        &["another build of repro"],
    ),
    (|place| place.replace("run/manifest.json", "\"cpu\": \"", "\"cpu\": \"Abacus "), &["another host"]),
    (
        |place| place.replace("run/manifest.json", "\"name\": \"mine\"", "\"name\": \"timers\""),
        &["run holds a run of timers"],
    ),
    (of_a_pair, &["is the new run of pair 1", "start a new pair"]),
    (
        |place| place.replace("run/manifest.json", "\"device\": \"cpu\"", "\"device\": \"cuda\""),
        &["--device cuda"],
    ),
    (|place| place.write("run/counts.csv", "a\nb\n"), &["counts.csv"]),
    (|place| place.replace("run/samples.csv", ",exact,", ",tolerance,"), &["'tolerance' is no verification"]),
    (|place| place.edit("run/samples.csv", |text| text.replace('\n', "\r")), &["carriage returns"]),
    (|place| place.set_mode("run", 0o555), &["run", "--out"]),
];

fn garbled_sample(place: &Place) {
    place.replace("run/samples.csv", ",kernel,", ",colonel,");
}

fn of_a_pair(place: &Place) {
    place.replace("run/manifest.json", "{", "{\"pair\": {\"id\": \"1\", \"side\": \"new\"},");
}

/// The one history in the folder `history`.
fn history(place: &Place) -> String {
    let files = place.files("history");
    let csv = files.keys().find(|name| name.extension().is_some_and(|end| end == "csv")).unwrap();
    format!("history/{}", csv.display())
}

/// `own.toml` under another name with the first `from` in it as `to`.
fn kernel(place: &Place, name: &str, from: &str, to: &str) {
    place.write(name, &place.read("own.toml"));
    place.replace(name, from, to);
}
