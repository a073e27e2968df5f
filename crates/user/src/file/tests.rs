use super::*;
use crate::register;
use repro_graph::{ElementType, WeightRange};
use repro_solvers::{Parameters, Problem, Target};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

const KERNEL: &str = "name = \"own\"
summary = \"one launch a k\"
from = \"the tests\"
source = \"own.cu\"
elements = [\"f32\", \"i32\"]
layout = { padded = \"tile\" }
scratch_bytes = \"n * element_bytes\"
requires = \"n < 1000\"

[parameters.tile]
meaning = \"side of a tile\"
values = [16, 32]
default = 32

[kernels.relax]
threads = [\"tile\", 4]
shared_bytes = \"tile * tile * element_bytes\"
tasks_a_block = \"tile * tile\"

[solve]
script = \"\"\"
for k in range(0, n) {
    launch(\"relax\", [side / tile, side / tile], [matrix, scratch + 4, side, k]);
}
\"\"\"
";

fn given(text: &str) -> ImplementationFile {
    ImplementationFile {
        file: "own.toml".to_string(),
        folder: "/".into(),
        name: "own".to_string(),
        text: text.to_string(),
        sources: vec![("own.cu".to_string(), "extern \"C\" __global__ void relax() {}".to_string())],
        cubin: None,
    }
}

#[test]
fn a_file_becomes_an_implementation() {
    let own = implementation(&given(KERNEL)).unwrap();
    let tile = |tile| Parameters::from([("tile", tile)]);
    assert_eq!((&*own.name, own.parameters[0].name, own.parameters[0].default), ("own", "tile", 32));
    let set = own.kernels(Target { element: ElementType::I32, ..Target::default() }, &tile(16)).unwrap();
    let used = &set.uses[0];
    assert_eq!((used.name, used.threads, used.dynamic_shared_bytes), ("relax", 64, 1024));
    assert_eq!(used.tasks_a_block, Some(256));
    assert_eq!(set.layout.side(100), 112);
    let weights =
        WeightRange { largest: 1.0, negative: false, complete: false, grain: 1.0, symmetric: false };
    let problem = Problem::one(100, ElementType::F32, weights);
    assert_eq!(own.solver.cost(&problem, &tile(16)).bytes, 4 * (100 * 100 + 112 * 112) + 400);
    assert_eq!(
        set.source.defines,
        [("DISTANCE_I32", "1"), ("TILE", "16")].map(|(a, b)| (a.into(), b.into()))
    );
    assert!(own.fits(999, &tile(32)).is_ok());
    assert!(own.fits(1000, &tile(32)).unwrap_err().contains("requires n < 1000"));
    assert!(own.check(&tile(24)).unwrap_err().contains("it takes 16, 32"));
    assert_eq!(own.verified_with, [tile(16)]);
}

/// `tests/cheats/refused.toml`: places of `honest.toml` that are changed, and how the message begins behind the name of the file.
#[derive(Deserialize)]
struct Refused {
    cheat: Vec<Change>,
    mistake: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    from: String,
    to: String,
    message: String,
    /// Its script takes all the steps that it may.
    #[serde(default)]
    slow: bool,
}

fn assert_refused(is_tried: impl Fn(&Change) -> bool) {
    let cheats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cheats");
    let refused: Refused =
        toml::from_str(&std::fs::read_to_string(cheats.join("refused.toml")).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["honest.toml", "honest.cu", "rounds.cuh", "blocked.cuh"] {
        std::fs::copy(cheats.join(name), folder.path().join(name)).unwrap();
    }
    std::os::unix::fs::symlink(cheats.join("host.cuh"), folder.path().join("link.cu")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path().join("fifo.cu")).status().unwrap().success());
    let honest = std::fs::read_to_string(folder.path().join("honest.toml")).unwrap();
    let own = folder.path().join("own.toml");
    for change in refused.cheat.into_iter().chain(refused.mistake).filter(is_tried) {
        let Change { from, to, message, .. } = change;
        assert!(honest.contains(&from), "{from}");
        std::fs::write(&own, honest.replacen(&from, &to, 1)).unwrap();
        let problem = super::read(&own).and_then(|given| register(&given)).expect_err(&to).to_string();
        let shown = problem.strip_prefix(own.to_str().unwrap()).expect(&problem);
        let shown = shown.replace(folder.path().to_str().unwrap(), ".");
        assert!(shown.starts_with(&message), "{shown:?} begins otherwise than {message:?}");
        assert_eq!(problem.lines().count(), 1, "{problem}");
    }
}

/// Tests, and a program that loads experiments side by side, read the same file in several threads.
#[test]
fn one_file_is_registered_by_many_threads_at_once() {
    for round in 0..4 {
        let name = format!("own-{round}");
        let file =
            ImplementationFile { text: KERNEL.replace("\"own\"", &format!("{name:?}")), name, ..given("") };
        std::thread::scope(|scope| {
            let threads = [(); 8].map(|()| scope.spawn(|| register(&file)));
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), Ok(())));
        });
    }
}

#[test]
fn a_mistake_is_named_with_file_line_key_and_what_was_expected() {
    assert_refused(|change| !change.slow);
}

mod long {
    #[test]
    #[ignore = "long"]
    fn a_script_ends_after_its_steps() {
        super::assert_refused(|change| change.slow);
    }
}

#[test]
fn a_file_of_too_many_bytes_is_refused() {
    let padded = format!("{KERNEL}# {}\n", "x".repeat(1 << 16));
    let refused = implementation(&given(&padded)).err().unwrap().to_string();
    assert!(refused.ends_with("bytes: 65536 are the most"), "{refused}");
}

#[test]
fn a_file_is_read_with_what_lies_beside_it_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("own.toml", KERNEL);
    write("own.cu", "#include \"own.cuh\"\n#include \"repro.cuh\"\nKERNEL void relax() {}\n");
    write("own.cuh", "  # include  \"more.cuh\"\n#define OWN 1\n");
    write("more.cuh", "int more;\n");
    write("other.cuh", "int other;\n");
    let read = super::read(&path).unwrap();
    let names: Vec<&str> = read.sources.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["own.cu", "own.cuh", "more.cuh"]);
    let (before, known) = (read.hash(), implementation(&read).unwrap());
    let source = known.kernels(Target::default(), &Parameters::default()).unwrap().source;
    assert!(source.expanded().contains("#define OWN 1\n"), "{}", source.expanded());
    write("own.cuh", "#define OWN 2\n");
    assert_ne!(super::read(&path).unwrap().hash(), before);
    // A source that is changed while it is used is compiled as its hash says.
    assert_eq!(read.hash(), before);
    let known = implementation(&read).unwrap();
    let source = known.kernels(Target::default(), &Parameters::default()).unwrap().source;
    assert!(source.expanded().contains("#define OWN 1\n"), "{}", source.expanded());
}

#[test]
fn what_was_read_passes_through_records_as_it_is() {
    let file = ImplementationFile { cubin: Some(vec![0, 127, 255]), ..given(KERNEL) };
    let written = serde_json::to_string(&file).unwrap();
    assert!(written.contains("\"cubin\":\"007fff\""), "{written}");
    assert_eq!(serde_json::from_str::<ImplementationFile>(&written).unwrap(), file);
    let written = serde_json::to_string(&given(KERNEL)).unwrap();
    assert_eq!(serde_json::from_str::<ImplementationFile>(&written).unwrap(), given(KERNEL));
}
