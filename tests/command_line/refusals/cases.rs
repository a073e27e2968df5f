//! The table of refusals, a command at a time.

use super::Case;
use super::place::Place;

fn nothing(_: &Place) {}

fn cut_manifest(place: &Place) {
    place.edit("run/manifest.json", |text| text[..text.len() / 2].to_string());
}

fn later_schema(place: &Place) {
    place.replace("run/manifest.json", "\"schema_version\": 3", "\"schema_version\": 99");
}

fn other_build(place: &Place) {
    place.replace("run/manifest.json", "\"commit\": \"", "\"commit\": \"f00");
    stop(place);
}

fn other_host(place: &Place) {
    place.replace("run/manifest.json", "\"cpu\": \"", "\"cpu\": \"Abacus ");
    stop(place);
}

/// Makes the run one that was stopped after two samples.
fn stop(place: &Place) {
    place.edit("run/samples.csv", |text| lines(text, 9));
    place.edit("run/manifest.json", |text| {
        let (before, rest) = text.split_once("\"finished\": \"").unwrap();
        let (_, after) = rest.split_once('"').unwrap();
        format!("{before}\"finished\": null{after}")
    });
}

/// The first lines of a file.
fn lines(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

fn garbled_sample(place: &Place) {
    place.replace("run/samples.csv", ",kernel,", ",colonel,");
}

fn unverified_sample(place: &Place) {
    place.replace("run/samples.csv", ",ok,true,", ",ok,false,");
}

fn no_samples(place: &Place) {
    place.remove("run/samples.csv");
}

fn garbled_counts(place: &Place) {
    place.write("run/counts.csv", "implementation,n\nkatz-kider,many\n");
}

fn garbled_kernel_times(place: &Place) {
    place.write("run/kernels.csv", "implementation,n\nkatz-kider,many\n");
}

fn of_a_pair(place: &Place) {
    place.replace("run/manifest.json", "{", "{\"pair\": {\"id\": \"1\", \"side\": \"new\"},");
}

fn on_a_gpu(place: &Place) {
    place.replace("run/manifest.json", "\"device\": \"cpu\"", "\"device\": \"cuda\"");
    stop(place);
}

fn read_only_empty(place: &Place) {
    place.make_read_only("empty");
}

fn read_only_run(place: &Place) {
    place.make_read_only("run");
}

fn unfinished_read_only_run(place: &Place) {
    stop(place);
    read_only_run(place);
}

/// What a command is given that needs no file to be refused.
pub const RUN: &[Case] = &[
    ("run table9", nothing, &["'table9'", "table1"]),
    ("run ta\nble9", nothing, &["table1"]),
    ("run no/such.toml", nothing, &["cannot read no/such.toml"]),
    ("run typo.toml", nothing, &["typo.toml:", "budget", "unknown field"]),
    ("run mine.toml --only nobody", nothing, &["--only", "'nobody'"]),
    ("run mine.toml --sizes 8,0", nothing, &["--sizes", "n = 0"]),
    ("run mine.toml --sizes many", nothing, &["--sizes", "many"]),
    ("run mine.toml --samples 0", nothing, &["--samples", "at least 1"]),
    ("run mine.toml --budget -1", nothing, &["--budget", "0 or more seconds"]),
    ("run mine.toml --budget nan", nothing, &["--budget"]),
    ("run mine.toml --param kappa=x", nothing, &["--param", "'x'"]),
    ("run mine.toml --param kappa=2", nothing, &["kappa"]),
    ("run mine.toml --device gpu", nothing, &["--device", "'gpu'"]),
    ("run mine.toml --full --sizes 8", nothing, &["--full", "--sizes"]),
    ("run mine.toml --graph none.gr", nothing, &["none.gr", "cannot be read"]),
    ("run mine.toml --graph empty", nothing, &["is a directory"]),
    ("run mine.toml --graph cut.gr", nothing, &["cut.gr", "1 of 2"]),
    ("run mine.toml --graph negative.gr", nothing, &["negative.gr", "negative cycle"]),
    ("run mine.toml --graph nan.mtx", nothing, &["nan.mtx:3", "nan"]),
    ("run mine.toml --graph file", nothing, &["file", "no known format"]),
    ("run mine.toml --graph cut.gr --seed 1", nothing, &["--graph", "--seed"]),
    ("run mine.toml --resume run --out empty", nothing, &["--resume", "--out"]),
    ("run mine.toml --device cpu --out run", nothing, &["run holds another run", "--resume"]),
    ("run mine.toml --device cpu --out link", nothing, &["link holds another run"]),
    ("run mine.toml --device cpu --out file", nothing, &["cannot write file", "--out"]),
    ("run mine.toml --device cpu --out file/run", nothing, &["cannot write file/run", "--out"]),
    ("run mine.toml --device cpu --out empty", read_only_empty, &["empty", "--out"]),
    ("run mine.toml --device cpu --out empty/run", read_only_empty, &["empty/run", "--out"]),
    ("run mine.toml --device cuda --out new", nothing, &["--device cuda"]),
    ("run mine.toml --device cuda:7 --out new", nothing, &["--device cuda:7"]),
    ("run mine.toml --device emulated --out new", nothing, &["--device emulated", "REPRO_CXX"]),
    ("run mine.toml --device emulated:7.0 --out new", nothing, &["--device", "7.5, 8.0"]),
];

/// Where folders were made, or found empty, before it was known that there is no device.
pub const RUN_IN_FOLDERS: &[Case] = &[
    ("run mine.toml --device cuda", nothing, &["--device cuda"]),
    ("run mine.toml --device cuda --out new/deep/run", nothing, &["--device cuda"]),
    ("run mine.toml --device cuda --out empty", nothing, &["--device cuda"]),
    ("run mine.toml --device cpu --out counted", nothing, &["counted holds another run"]),
    ("track mine.toml --device cuda", nothing, &["--device cuda"]),
    ("track mine.toml --device cuda --out new/deep", nothing, &["--device cuda"]),
    ("track mine.toml --device cuda --out empty", nothing, &["--device cuda"]),
    ("track mine.toml --device cpu --against file", nothing, &["file cannot be paired"]),
    ("track mine.toml --device cpu --out empty", read_only_empty, &["empty", "--out"]),
];

pub const RESUME: &[Case] = &[
    ("run mine.toml --resume none", nothing, &["none holds no run", "--out"]),
    ("run mine.toml --resume empty", nothing, &["empty holds no run"]),
    ("run other.toml --resume run", nothing, &["run holds a run of mine, not of other"]),
    ("run mine.toml --resume run", cut_manifest, &["run/manifest.json: "]),
    ("run mine.toml --resume run", later_schema, &["schema version 99"]),
    ("run mine.toml --resume run", other_build, &["another build of repro"]),
    ("run mine.toml --resume run", other_host, &["another host"]),
    ("run mine.toml --resume run", garbled_sample, &["samples.csv: line 2 is not a sample"]),
    ("run mine.toml --resume run", unverified_sample, &["samples.csv: line 2", "not verified"]),
    ("run mine.toml --resume run", no_samples, &["samples.csv"]),
    ("run mine.toml --resume run", garbled_counts, &["counts.csv: "]),
    ("run mine.toml --resume run", garbled_kernel_times, &["kernels.csv: "]),
    ("run mine.toml --resume run", of_a_pair, &["pair 1", "start a new pair"]),
    ("run mine.toml --resume run", on_a_gpu, &["--device cuda"]),
    ("run mine.toml --resume run", unfinished_read_only_run, &["run", "--out"]),
];

/// Runs that a kill or an editor left as no run writes them.
pub const TORN: &[Case] = &[
    (
        "run mine.toml --resume run",
        |place| {
            other_build(place);
            place.edit("run/samples.csv", |text| text.trim_end().to_string());
        },
        &["another build of repro"],
    ),
    (
        "run mine.toml --resume run",
        |place| {
            on_a_gpu(place);
            place.edit("run/samples.csv", |text| text.trim_end().to_string());
        },
        &["--device cuda"],
    ),
    (
        "run mine.toml --resume run",
        |place| {
            other_host(place);
            place.edit("run/samples.csv", |text| text.trim_end().to_string());
        },
        &["another host"],
    ),
    (
        "run mine.toml --resume run",
        |place| {
            on_a_gpu(place);
            place.edit("run/samples.csv", |text| text.replace('\n', "\r\n"));
        },
        &[],
    ),
    (
        "run other.toml --resume run",
        |place| place.edit("run/samples.csv", |text| text.replace('\n', "\r")),
        &[],
    ),
];

pub const REPORT: &[Case] = &[
    ("report none", nothing, &["cannot look for runs in none"]),
    ("report file", nothing, &["cannot look for runs in file"]),
    ("report empty", nothing, &["empty", "holds a run"]),
    ("report run none --out new", nothing, &["none"]),
    ("report run --full", nothing, &["--full"]),
    ("report run --out new", cut_manifest, &["run/manifest.json: "]),
    ("report run --out new", later_schema, &["schema version 99"]),
    ("report run --out new", garbled_sample, &["samples.csv: line 2 is not a sample"]),
    ("report run --out new", unverified_sample, &["samples.csv: line 2"]),
    ("report run --out new", garbled_counts, &["counts.csv: "]),
    ("report run --out new", garbled_kernel_times, &["kernels.csv: "]),
    ("report run --out report", garbled_sample, &["samples.csv: line 2 is not a sample"]),
    ("report run --out file", nothing, &["file", "it is a file"]),
    ("report run --out file/below", nothing, &["file/below", "it is a file"]),
    ("report run --out full", nothing, &["full", "no report"]),
    ("report run --out run", nothing, &["run", "no report"]),
    ("report run --out link", nothing, &["link", "no report"]),
    ("report run --out empty", read_only_empty, &["empty", "--out"]),
    ("report run --out empty/new", read_only_empty, &["empty", "--out"]),
    ("report run --out report", |place| place.write("report/files.json", "{"), &["files.json: "]),
    (
        "report run --out report",
        |place| place.replace("report/files.json", "\"schema_version\": 1", "\"schema_version\": 9"),
        &["files.json: ", "version 9"],
    ),
    (
        "report run --out report",
        |place| {
            place.write("report/files.json", "{\"schema_version\": 1, \"files\": []}");
            std::fs::remove_dir_all(place.path("report/tables")).unwrap();
            place.write("report/tables", "mine");
        },
        &["report/tables", "--out"],
    ),
    ("report run --out report", |place| place.make_read_only("report"), &["report", "--out"]),
    ("report run --history none --out new", nothing, &["cannot read none"]),
    ("report run --history file --out new", nothing, &["cannot read file"]),
];

pub const COMPARE: &[Case] = &[
    ("compare run", nothing, &["<NEW>"]),
    ("compare run none", nothing, &["'none' is no folder"]),
    ("compare none run", nothing, &["'none' is no folder"]),
    ("compare run empty", nothing, &["empty", "holds a run"]),
    ("compare run file", nothing, &["file"]),
    ("compare run f00dfeed", nothing, &["no run of commit f00dfeed below results"]),
    ("compare run HEAD:results", nothing, &["HEAD:results"]),
    ("compare run counted", nothing, &["counted"]),
    ("compare run run --results none", nothing, &["--results none"]),
    ("compare run run --scope moment", nothing, &["--scope", "kernel"]),
    ("compare run run --scope device-free", nothing, &["--scope"]),
    ("compare run run --scope cuda-graph", nothing, &["cuda-graph"]),
    ("compare run run --threshold -3", nothing, &["--threshold -3"]),
    ("compare run run --threshold nan", nothing, &["--threshold NaN"]),
    ("compare run run --across moon", nothing, &["--across", "'moon'"]),
    ("compare run link", garbled_sample, &["samples.csv: line 2 is not a sample"]),
    ("compare run link", cut_manifest, &["manifest.json: "]),
    ("compare run link", garbled_counts, &["counts.csv: "]),
    ("compare run old", of_another_machine, &["Abacus", "--across device"]),
    (
        "compare run old",
        |place| {
            place.copy("run", "old");
            place.replace("old/manifest.json", "\"seed\": 1", "\"seed\": 2");
        },
        &["seed 2", "--across graph"],
    ),
];

/// `old` is a run of another machine.
fn of_another_machine(place: &Place) {
    place.copy("run", "old");
    place.replace("old/manifest.json", "\"cpu\": \"", "\"cpu\": \"Abacus ");
}

pub const HISTORY: &[Case] = &[
    ("history --out none", nothing, &["cannot read none"]),
    ("history --accept meant --only nobody", nothing, &["--only nobody", "they have cpu-naive"]),
    ("history run --accept meant", nothing, &["[RUN]", "--accept"]),
    ("history --accept meant --out none", nothing, &["cannot read none"]),
    ("history --only a --out new", nothing, &["--accept"]),
    ("history run --only a --out new", nothing, &["[RUN]", "--only"]),
    ("history none", nothing, &["cannot look for runs in none"]),
    ("history empty", nothing, &["empty", "holds a run"]),
    ("history file", nothing, &["file"]),
    ("history run --out new", cut_manifest, &["manifest.json: "]),
    ("history run --out new", garbled_sample, &["samples.csv: line 2 is not a sample"]),
    ("history run counted --out new", garbled_sample, &["samples.csv: line 2 is not a sample"]),
    ("history run --out file", nothing, &["file", "nothing was added"]),
    ("history run --out file/below", nothing, &["file/below", "nothing was added"]),
    ("history run --out empty", read_only_empty, &["empty", "nothing was added"]),
    ("history run --out history", garbled_row, &["line 2 is not a row of this file"]),
    ("history run --out history", other_header, &["line 1 is not the header"]),
    (
        "history old --out history",
        |place| {
            place.copy("run", "old");
            place.replace("old/manifest.json", "\"started\": \"", "\"started\": \"noon ");
        },
        &["a row for history", "check the run"],
    ),
    (
        "history run zoo --out history",
        // The first of the two could be added.
        |place| {
            place.copy("run", "zoo");
            place.replace("run/manifest.json", "\"started\": \"2", "\"started\": \"1");
            place.replace("zoo/manifest.json", "\"started\": \"", "\"started\": \"noon ");
        },
        &["a row for history", "check the run"],
    ),
];

/// Nor has the folder a lock.
fn garbled_row(place: &Place) {
    place.replace(&place.history("history"), "cpu-naive", "a,b");
    place.remove("history/.lock");
}

fn other_header(place: &Place) {
    place.replace(&place.history("history"), "time,", "moment,");
    place.remove("history/.lock");
}

pub const COUNTS: &[Case] = &[
    ("counts --check --update", nothing, &["--check", "--update"]),
    ("counts --only nobody", nothing, &["--only", "'nobody'"]),
    ("counts", nothing, &["nothing can be counted", "REPRO_CXX", "REPRO_NVRTC"]),
    ("counts --check", nothing, &["results/counts/baseline.csv", "--update"]),
    ("counts --update", nothing, &["nothing can be counted"]),
    ("counts --update --baseline new/counts.csv", nothing, &["nothing can be counted"]),
    ("counts --check --baseline counts.csv", nothing, &["nothing can be counted"]),
    ("counts --update --baseline counts.csv", nothing, &["nothing can be counted"]),
    ("counts --check --baseline none.csv", nothing, &["none.csv", "--update"]),
    ("counts --check --baseline empty", nothing, &["empty"]),
    ("counts --update --baseline empty", nothing, &["empty"]),
    ("counts --check --baseline file", nothing, &["file line 1", "--update"]),
    ("counts --update --baseline file", nothing, &["file line 1", "--update"]),
    ("counts --check --baseline counts.csv", garbled_baseline, &["counts.csv", "'many'"]),
    ("counts --update --baseline counts.csv", garbled_baseline, &["counts.csv", "'many'"]),
    ("counts --require-all", nothing, &["REPRO_CXX"]),
];

fn garbled_baseline(place: &Place) {
    place.replace("counts.csv", "launches,128", "launches,many");
}

pub const TRACK: &[Case] = &[
    ("track table9", nothing, &["'table9'"]),
    ("track mine.toml --threshold -3", nothing, &["--threshold -3"]),
    ("track mine.toml --device cpu --sizes 0 --out new", nothing, &["n = 0"]),
    ("track mine.toml --device cpu --results none --out new", nothing, &["--results none"]),
    ("track mine.toml --device cpu --against none --out new", nothing, &["'none' is no folder"]),
    ("track mine.toml --device cpu --against empty --out new", nothing, &["empty", "holds a run"]),
    ("track other.toml --device cpu --against run --out new", nothing, &["no run of other there"]),
    ("track mine.toml --device cpu --against run --sizes 99 --out new", nothing, &["none of the cells"]),
    (
        "track mine.toml --device cpu --against run --out new",
        of_a_pair,
        &["with another", "--across pairing"],
    ),
    ("track mine.toml --device cpu --against run --out new", garbled_sample, &["samples.csv: line 2"]),
    ("track mine.toml --device cpu --against file --out new", nothing, &["file cannot be paired"]),
    ("track mine.toml --device cpu --out file", nothing, &["file"]),
    (
        "track mine.toml --device cpu --out old",
        |place| {
            std::fs::create_dir(place.path("old")).unwrap();
            place.copy("run", "old/new");
        },
        &["old/new holds another run"],
    ),
    ("track mine.toml --device cuda --out new", nothing, &["--device cuda"]),
    (
        "track mine.toml --device cpu --against old --out new",
        of_another_machine,
        &["Abacus", "--across device"],
    ),
    ("track mine.toml --device cpu --against run --seed 2 --out new", nothing, &["seed", "--across graph"]),
];
