//! The readers.

use repro::device::Selection;
use repro::graph::ElementType;
use repro::graph::read::{ReadOptions, ZeroPolicy, file_blocks, read, read_from};
use repro::implementation::Parameters;
use repro::measure::this_build;
use repro::measure::{Reply, Request};
use repro::plan::{Experiment, ExperimentFile, Overrides, resolve};
use repro::published::PublishedPaper;
use repro::regression::{counts::Baseline, history};
use repro::store::cells;
use repro::store::groups;
use repro::store::{CountRow, KernelTime, Manifest, SampleFile, read_cell_rows, read_json, read_rows};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A reader of any bytes, which says what is wrong with them.
pub struct Target {
    pub name: &'static str,
    pub read: fn(&[u8], &Scratch) -> Result<(), String>,
}

/// All readers. Each has a file of its name in `fuzz/corpus`.
pub const TARGETS: &[Target] = &[
    Target { name: "dimacs", read: |input, _| graph("x.gr", input) },
    Target { name: "matrix-market", read: |input, _| graph("x.mtx", input) },
    Target { name: "edge-list", read: |input, _| graph("x.csv", input) },
    Target { name: "gzip", read: gzip },
    Target { name: "npy", read: npy },
    Target { name: "npz", read: npz },
    Target { name: "experiment", read: experiment },
    Target { name: "published", read: published },
    Target {
        name: "samples",
        read: |input, scratch| {
            let file = scratch.file("samples.csv", input);
            outcome(SampleFile::read(&file, false)).or_else(|_| outcome(SampleFile::read(&file, true)))
        },
    },
    Target { name: "manifest", read: manifest },
    Target {
        name: "counts",
        read: |input, scratch| outcome(read_rows::<CountRow>(&scratch.file("counts.csv", input))),
    },
    Target {
        name: "kernels",
        read: |input, scratch| outcome(read_cell_rows::<KernelTime>(&scratch.file("kernels.csv", input))),
    },
    Target {
        name: "history",
        read: |input, scratch| outcome(history::read(&scratch.file("history.csv", input))),
    },
    Target {
        name: "baseline",
        read: |input, scratch| outcome(Baseline::read(&scratch.file("baseline.csv", input))),
    },
    Target { name: "request", read: |input, _| outcome(serde_json::from_slice::<Request>(input)) },
    Target { name: "reply", read: |input, _| outcome(serde_json::from_slice::<Reply>(input)) },
    Target {
        name: "parameters",
        read: |input, _| outcome(String::from_utf8_lossy(input).parse::<Parameters>()),
    },
    Target { name: "param-option", read: param_option },
];

/// A folder for readers that want a file, in memory where that is possible.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { folder: folder.expect("a temporary folder can be made") }
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).expect("a temporary file can be written");
        path
    }
}

fn outcome<T, E: Display>(read: Result<T, E>) -> Result<(), String> {
    read.map(|_| ()).map_err(|error| error.to_string())
}

/// Vertices up to which the matrix is made too: its size is what the file asks for, and no fault of the reader.
const MOST_VERTICES: usize = 1_000;

fn graph(name: &str, input: &[u8]) -> Result<(), String> {
    let other = ReadOptions { undirected: true, zeros: ZeroPolicy::Absent, ..ReadOptions::default() };
    drop(read_from::<u16>(Path::new(name), input, &other));
    match read_from::<f32>(Path::new(name), input, &ReadOptions::default()) {
        Ok(loaded) if loaded.n() <= MOST_VERTICES => outcome(loaded.graph.into_matrix()),
        read => outcome(read),
    }
}

/// As a stream, as a file at once, and as one that is read by block.
fn npy(input: &[u8], scratch: &Scratch) -> Result<(), String> {
    let file = scratch.file("x.npy", input);
    let blocks = outcome(file_blocks(&file, ElementType::F32));
    let stream = outcome(read_from::<f64>(&file, input, &ReadOptions::default()));
    let whole = outcome(read::<f64>(&file, &ReadOptions::default()));
    drop(read::<i32>(&file, &ReadOptions::default()));
    whole.and(stream).and(blocks)
}

/// An archive as it is; of anything else each array becomes a member, so that what is in the archive is mutated and not its checksums.
fn npz(input: &[u8], _: &Scratch) -> Result<(), String> {
    if input.starts_with(b"PK") {
        return graph("x.npz", input);
    }
    const MAGIC: &[u8] = b"\x93NUMPY";
    let mut starts: Vec<usize> =
        (0..input.len()).filter(|&at| at == 0 || input[at..].starts_with(MAGIC)).collect();
    starts.push(input.len());
    let names = ["format", "shape", "indptr", "indices", "data"];
    let names = if starts.len() <= names.len() { &["arr_0"][..] } else { &names };
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, part) in names.iter().zip(starts.windows(2)) {
        let plain = zip::write::SimpleFileOptions::default();
        let begun = archive.start_file(format!("{name}.npy"), plain);
        begun.expect("memory can be written");
        archive.write_all(&input[part[0]..part[1]]).expect("memory can be written");
    }
    graph("x.npz", &archive.finish().expect("memory can be written").into_inner())
}

/// As it is, and packed where it is not.
fn gzip(input: &[u8], _: &Scratch) -> Result<(), String> {
    if input.starts_with(&[0x1f, 0x8b]) {
        return graph("x", input);
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(input).expect("memory can be written");
    graph("x", &packed.finish().expect("memory can be written"))
}

/// Up to the plan of its cells, with and without options.
fn experiment(input: &[u8], _: &Scratch) -> Result<(), String> {
    let parsed = ExperimentFile::parse("x", "x.toml", &String::from_utf8_lossy(input));
    let file = parsed.map_err(|error| error.to_string())?;
    let full = Overrides { full: true, ..Overrides::default() };
    let sized = Overrides { sizes: Some(vec![1, 64]), seed: Some(1), ..Overrides::default() };
    for (overrides, device) in
        [(Overrides::default(), Selection::Auto), (full, Selection::Emulated(None)), (sized, Selection::Cpu)]
    {
        let experiment = resolve(&file, &overrides, device).map_err(|error| error.to_string())?;
        drop(cells(&planned(experiment)));
    }
    Ok(())
}

fn planned(experiment: Experiment) -> Manifest {
    Manifest::new(this_build(), experiment, Vec::new(), String::new())
}

fn published(input: &[u8], _: &Scratch) -> Result<(), String> {
    let text = String::from_utf8_lossy(input);
    const PAPER: &str = "id = \"x\"\ntitle = \"T\"\nauthors = \"A\"\nreference = \"R\"\ngpu = \"G\"\n";
    // Either file of a folder.
    let read = PublishedPaper::parse("x", PAPER, &text);
    outcome(PublishedPaper::parse("x", &text, "").or(read))
}

/// With the plan of its cells, which `--resume` and `report` make of it.
fn manifest(input: &[u8], scratch: &Scratch) -> Result<(), String> {
    let read = read_json::<Manifest>(&scratch.file("manifest.json", input));
    outcome(read.map(|manifest| groups(&manifest)))
}

fn param_option(input: &[u8], _: &Scratch) -> Result<(), String> {
    let value = String::from_utf8_lossy(input);
    outcome(repro::cli::command().try_get_matches_from(["repro", "run", "x", "--param", &value]))
}
