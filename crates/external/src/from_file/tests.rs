use super::*;
use repro_device::DeviceInfo;
use repro_solvers::Target;

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

fn given(text: &str) -> GivenFile {
    GivenFile {
        file: "own.toml".to_string(),
        folder: "/".into(),
        name: "own".to_string(),
        text: text.to_string(),
        sources: vec![("own.cu".to_string(), "extern \"C\" __global__ void relax() {}".to_string())],
        cubin: None,
    }
}

fn refused(from: &str, to: &str) -> String {
    assert!(KERNEL.contains(from), "{from}");
    let text = KERNEL.replacen(from, to, 1);
    implementation(&given(&text)).err().expect(to).to_string()
}

#[test]
fn a_file_becomes_an_implementation() {
    let own = implementation(&given(KERNEL)).unwrap();
    let schedule = own.schedule().unwrap();
    let tile = |tile| Parameters::from([("tile", tile)]);
    assert_eq!((&*own.name, own.parameters[0].name, own.parameters[0].default), ("own", "tile", 32));
    let used = schedule.kernels(Target::default(), &tile(16));
    assert_eq!((used[0].name, used[0].threads, used[0].dynamic_shared_bytes), ("relax", 64, 1024));
    assert_eq!(used[0].tasks_a_block, Some(256));
    assert_eq!(schedule.layout(&tile(16)).side(100), 112);
    assert_eq!(schedule.scratch_bytes(100, Target::default(), &tile(16)), 400);
    let source = schedule.source(Target { element: ElementType::I32, ..Target::default() }, &tile(16));
    assert_eq!(source.defines, [("DISTANCE_I32", "1"), ("TILE", "16")].map(|(a, b)| (a.into(), b.into())));
    assert!(own.fits(999, &tile(32)).is_ok());
    assert!(own.fits(1000, &tile(32)).unwrap_err().contains("requires n < 1000"));
    assert!(own.check(&tile(24)).unwrap_err().contains("it takes 16, 32"));
    assert_eq!(schedule.also_checked(), [tile(16)]);
}

#[test]
fn a_mistake_is_named_with_file_line_key_and_what_was_expected() {
    for (from, to, expected) in [
        ("name = \"own\"", "name = \"Own\"", "own.toml:1: name = \"Own\": expected lower-case letters"),
        ("name = \"own\"", "name = \"layout\"", "own.toml:1: name = \"layout\": expected another name"),
        (
            "summary = \"one launch a k\"",
            "summary = \"\\u001b[2J\"",
            "own.toml:2: summary: expected one line",
        ),
        ("summary = \"one launch a k\"", "summary = \"a\\u202eb\"", "own.toml:2: summary: expected one line"),
        ("\"i32\"]", "\"f16\"]", "own.toml:5: elements: \"f16\" is none: expected f32, i32 or u16"),
        ("{ padded = \"tile\" }", "{ padded = 0 }", "own.toml:6: layout.padded is 0: expected 1 to 4096"),
        ("{ padded = \"tile\" }", "\"diagonal\"", "own.toml:6: expected \"row-major\", { padded ="),
        (
            "{ padded = \"tile\" }",
            "\"tiled\"",
            "own.toml:6: expected \"row-major\", { padded = MULTIPLE } or",
        ),
        ("{ padded = \"tile\" }", "{ padded = 2, tiled = 4 }", "own.toml:6: expected \"row-major\""),
        (
            "\"n * element_bytes\"",
            "\"m\"",
            "own.toml:7: scratch_bytes: 'm': Variable not found: m (known here: tile, n, side",
        ),
        (
            "\"n < 1000\"",
            "\"n\"",
            "own.toml:8: requires: 'n' gives a value of type i64: expected true or false",
        ),
        ("[parameters.tile]", "[parameters.side]", "own.toml:10: parameters.side: expected lower-case"),
        ("[parameters.tile]", "[parameters.absent]", "own.toml:10: parameters.absent: expected another name"),
        ("values = [16, 32]", "values = []", "own.toml:12: parameters.tile.values has 0 numbers"),
        ("default = 32", "default = 31", "own.toml:13: parameters.tile.default = 31 is none of its values"),
        (
            "[kernels.relax]",
            "[kernels.\"re lax\"]",
            "own.toml:15: kernels.re lax: expected the name of a function",
        ),
        (
            "threads = [\"tile\", 4]",
            "threads = 2048",
            "own.toml:16: kernels.relax.threads is 2048: expected 1 to 1024",
        ),
        (
            "threads = [\"tile\", 4]",
            "threads = [64, 64]",
            "own.toml:16: kernels.relax.threads is 4096 in all",
        ),
        ("tasks_a_block", "task_a_block", "own.toml:18: unknown field `task_a_block`, expected one of"),
        ("range(0, n)", "range(0, n", "own.toml:22: script: Expecting ',' to separate"),
        (
            "\"relax\", [side",
            "\"lax\", [side",
            "own.toml:23: script: there is no [kernels.lax]: expected relax",
        ),
        (
            "[side / tile, side / tile]",
            "[0]",
            "own.toml:23: script: a grid of 0 blocks for relax: expected 1 to",
        ),
        ("source = \"own.cu\"\n", "", "own.toml: neither source nor cubin: name a CUDA C++ file"),
        ("[solve]", "[solved]", "own.toml:20: unknown field `solved`"),
    ] {
        let problem = refused(from, to);
        assert!(problem.starts_with(expected), "{problem}");
        assert_eq!(problem.lines().count(), 1, "{problem}");
    }
}

#[test]
fn a_file_is_read_with_what_lies_beside_it_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("own.toml", KERNEL);
    assert!(super::read(&path).unwrap_err().to_string().contains("own.toml:4: source: cannot read"));
    write("own.cu", "#include \"own.cuh\"\n#include \"repro.cuh\"\nKERNEL void relax() {}\n");
    write("own.cuh", "#define OWN 1\n");
    let read = super::read(&path).unwrap();
    assert_eq!(read.sources.len(), 2);
    let (before, known) = (read.hash(), implementation(&read).unwrap());
    let source = known.schedule().unwrap().source(Target::default(), &Parameters::default());
    assert!(source.expanded().contains("#define OWN 1\n"), "{}", source.expanded());
    write("own.cuh", "#define OWN 2\n");
    assert_ne!(super::read(&path).unwrap().hash(), before);
    write("own.toml", &KERNEL.replace("own.cu", "../own.cu"));
    assert!(super::read(&path).unwrap_err().to_string().contains("own.toml:4: '../own.cu' leads out"));
}

#[test]
fn what_was_read_passes_through_records_as_it_is() {
    let file = GivenFile { cubin: Some(vec![0, 127, 255]), ..given(KERNEL) };
    let written = serde_json::to_string(&file).unwrap();
    assert!(written.contains("\"cubin\":\"007fff\""), "{written}");
    assert_eq!(serde_json::from_str::<GivenFile>(&written).unwrap(), file);
    let written = serde_json::to_string(&given(KERNEL)).unwrap();
    assert_eq!(serde_json::from_str::<GivenFile>(&written).unwrap(), given(KERNEL));
}

#[test]
fn shared_memory_that_no_block_of_the_device_has_names_its_line_and_the_most() {
    let text = KERNEL.replacen("tile * tile * element_bytes", "tile * tile * element_bytes * 64", 1);
    let own = implementation(&given(&text)).unwrap();
    let device = |shared_bytes_per_block| DeviceInfo {
        ordinal: 0,
        name: "GPU".to_string(),
        uuid: String::new(),
        compute_capability: (9, 0),
        multiprocessors: 132,
        memory_bytes: 0,
        l2_bytes: 0,
        shared_bytes_per_multiprocessor: 1 << 20,
        shared_bytes_per_block,
        registers_per_multiprocessor: 65_536,
        threads_per_multiprocessor: 2_048,
        clock_mhz: 1_980,
        driver_cuda: String::new(),
        emulated: false,
    };
    let fits =
        |most| own.schedule().unwrap().fits_on(&device(most), Target::default(), &Parameters::default());
    assert_eq!(fits(262_144), Ok(()));
    assert_eq!(
        fits(232_448).unwrap_err(),
        "own.toml:17: kernels.relax.shared_bytes is 262144: expected 0 to 232448 on GPU; try a smaller tile or fewer buffers"
    );
}
