//! Kernels whose first comment lines say how they are launched and what is expected, several in a file; `tests/features/README.md`
//! has the format.

#![allow(dead_code)]

use repro_emulator::{
    ArgumentValue, DeviceMemory, Emulator, EmulatorError, Finding, Instruments, Launch, Options,
    PackedArguments, Source, Swizzle, TensorMap,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Words of either buffer.
pub const WORDS: usize = 4096;

/// One of them.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// Where its text is: the file's name, as findings have it, and the number of the first line.
    pub file: String,
    first: u32,
    pub text: String,
    pub kernel: String,
    pub launch: Launch,
    pub repeat: usize,
    pub arguments: Vec<String>,
    pub architecture: String,
    pub needs: Option<String>,
    pub refused: Option<String>,
    pub finds: Vec<String>,
    pub lines: Vec<u32>,
    /// What a finding says, in parts that follow one another.
    pub says: Option<String>,
}

/// All kernels of the files in a folder next to this file, by name.
pub fn cases(folder: &str) -> Vec<Case> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(tests().join(folder)).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|end| end == "cu") {
            all.extend(cases_of(&file));
        }
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let wanted = std::env::var("CASES").unwrap_or_default();
    all.retain(|case| wanted.is_empty() || wanted.split(',').any(|name| case.name == name));
    all
}

/// Every sixth kernel, whichever others come or go: what there is time for where all of them take minutes.
pub fn is_of_part(case: &Case) -> bool {
    case.name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 6 == 0
}

/// The kernels of a file, each below its heading.
fn cases_of(file: &Path) -> Vec<Case> {
    let mut parts: Vec<(&str, u32, String)> = Vec::new();
    let (text, file) = (std::fs::read_to_string(file).unwrap(), file.file_name().unwrap().to_str().unwrap());
    for (line, number) in text.lines().zip(1..) {
        if let Some(name) = line.strip_prefix("// === ") {
            parts.push((name, number + 1, String::new()));
        } else {
            let (_, _, text) = parts.last_mut().unwrap_or_else(|| panic!("{file}: a heading comes first"));
            text.extend([line, "\n"]);
        }
    }
    parts.into_iter().map(|(name, first, text)| Case::read(name, file, first, text)).collect()
}

/// The folder of the emulator's tests: beside whichever crate uses this, or in the folder that a test runs in.
pub fn tests() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../emulator/tests");
    if built.is_dir() { built } else { PathBuf::from("crates/emulator/tests") }
}

/// One number for what an output holds (FNV-1a).
pub fn digest(words: &[u32]) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = words.iter().flat_map(|word| word.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, step);
    format!("{hash:016x}")
}

/// What the kernels of a folder left in their outputs on a GPU, by name, as `crates/device/src/features_on_gpu_tests.rs` writes it.
pub fn expected(folder: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(tests().join(folder).join("expected.txt")).unwrap_or_default();
    let line = |line: &str| line.split_once(' ').map(|(name, digest)| (name.to_string(), digest.to_string()));
    text.lines().filter_map(line).collect()
}

fn extent(text: &str) -> (u32, u32, u32) {
    let mut sides = text.split('x').map(|side| side.parse().unwrap());
    (sides.next().unwrap(), sides.next().unwrap_or(1), sides.next().unwrap_or(1))
}

impl Case {
    fn read(name: &str, file: &str, first: u32, text: String) -> Self {
        let head = || text.lines().map_while(|line| line.strip_prefix("// "));
        let value_of =
            |key: &str| head().find_map(|line| line.strip_prefix(&format!("{key}: "))).map(str::trim);
        let mut launch = Launch::rows_of(1, 1, 32);
        let mut repeat = 1;
        for part in value_of("launch").unwrap_or_default().split_whitespace() {
            let (key, value) = part.split_once('=').unwrap();
            match key {
                "grid" => launch.grid = extent(value),
                "block" => launch.block = extent(value),
                "dynamic" => launch.dynamic_shared_bytes = value.parse().unwrap(),
                "cluster" => launch.cluster = extent(value),
                "repeat" => repeat = value.parse().unwrap(),
                other => panic!("{name}: {other}"),
            }
        }
        Self {
            kernel: value_of("kernel").unwrap_or(name).to_string(),
            launch,
            repeat,
            arguments: value_of("arguments")
                .unwrap_or("in out")
                .split_whitespace()
                .map(String::from)
                .collect(),
            architecture: value_of("arch").unwrap_or("90").to_string(),
            needs: value_of("needs").map(String::from),
            refused: value_of("refused").map(String::from),
            finds: value_of("finds").unwrap_or_default().split_whitespace().map(String::from).collect(),
            lines: value_of("line")
                .unwrap_or_default()
                .split_whitespace()
                .map(|line| first - 1 + line.parse::<u32>().unwrap())
                .collect(),
            says: value_of("says").map(String::from),
            name: name.to_string(),
            file: file.to_string(),
            first,
            text,
        }
    }

    /// The arguments, for buffers at these places.
    fn packed(&self, input: &DeviceMemory, output: &DeviceMemory, fresh: &DeviceMemory) -> PackedArguments {
        let structs: Vec<Vec<u8>> =
            self.arguments.iter().map(|text| struct_bytes(text, input.address())).collect();
        let given: Vec<ArgumentValue> = self
            .arguments
            .iter()
            .zip(&structs)
            .map(|(text, bytes)| match text.split_once(':') {
                None if text == "in" => ArgumentValue::Memory(input),
                None if text == "fresh" => ArgumentValue::Memory(fresh),
                None => ArgumentValue::Memory(output),
                Some(("int", value)) => ArgumentValue::Int(value.parse().unwrap()),
                Some(("uint", value)) => ArgumentValue::Uint(value.parse().unwrap()),
                Some(("float", value)) => ArgumentValue::Float(value.parse().unwrap()),
                Some(("double", value)) => ArgumentValue::Double(value.parse().unwrap()),
                Some(("long", value)) => ArgumentValue::Bits(value.parse::<i64>().unwrap().cast_unsigned()),
                Some(("size", value)) => ArgumentValue::Bits(value.parse().unwrap()),
                Some(_) => ArgumentValue::Struct(bytes),
            })
            .collect();
        PackedArguments::new(&given)
    }
}

fn struct_bytes(text: &str, address: u64) -> Vec<u8> {
    if let Some(words) = text.strip_prefix("struct:") {
        return words.split(',').flat_map(|word| word.parse::<u32>().unwrap().to_le_bytes()).collect();
    }
    let Some(map) = text.strip_prefix("tensor:f32,") else { return Vec::new() };
    let sides: Vec<u32> = map.split(',').map(|side| side.parse().unwrap()).collect();
    let map = TensorMap {
        address,
        element_bytes: 4,
        sizes: vec![sides[0], sides[1]],
        strides: vec![u64::from(sides[0]) * 4],
        boxes: vec![sides[2], sides[3]],
        swizzle: Swizzle::None,
    };
    map.bytes().to_vec()
}

/// What every input buffer holds.
pub fn input() -> Vec<u32> {
    (0..WORDS as u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i >> 3)).collect()
}

/// What a launch came to.
pub struct Outcome {
    pub output: Vec<u32>,
    pub findings: Vec<Finding>,
}

pub fn emulator(instruments: Instruments, seed: u64) -> Emulator {
    let mut options = Options::new(instruments);
    options.seed = seed;
    options.cache = cache();
    Emulator::open(options).unwrap()
}

fn cache() -> PathBuf {
    // Tests of a library have none, and compile nothing for the emulator.
    option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from).join("kernels")
}

/// Launches a kernel of a compiled group.
pub fn run(
    emulator: &Emulator,
    kernel: &repro_emulator::KernelHandle,
    case: &Case,
) -> Result<Outcome, EmulatorError> {
    let (bytes, stream) = (WORDS * 4, emulator.stream());
    let [input_memory, output, fresh] = [(); 3].map(|()| emulator.allocate(bytes).unwrap());
    let words: Vec<u8> = input().iter().flat_map(|word| word.to_le_bytes()).collect();
    stream.upload(&words, &input_memory, 0);
    stream.upload(&vec![0; bytes], &output, 0);
    let arguments = case.packed(&input_memory, &output, &fresh);
    for _ in 0..case.repeat {
        // SAFETY: test kernels do what their text describes; the checker has to find what they do wrong.
        unsafe { stream.launch(kernel, case.launch, &arguments)? };
    }
    let findings = emulator.take_findings();
    let mut raw = vec![0; bytes];
    stream.download(&output, 0..bytes, &mut raw);
    let output = raw.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    Ok(Outcome { output, findings })
}

/// What is found of kernels with these bodies, each of which begins on line 3: they take a buffer of 1,024 zeros `p`, whose type and whose
/// number `n` of elements are given.
pub fn findings_of(
    emulator: &Emulator,
    launch: Launch,
    before: &str,
    (element, n): (&str, i32),
    bodies: &[&str],
) -> Vec<Vec<Finding>> {
    let names: Vec<String> = (0..bodies.len()).map(|at| format!("k{at}")).collect();
    let kernel = |(name, body)| {
        format!("extern \"C\" __global__ void {name}({element} *p, int n) {{\n#line 3\n{body}\n}}\n")
    };
    let kernels: String = names.iter().zip(bodies).map(kernel).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let kernels = emulator.load(&Source::new("k.cu", format!("{before}\n{kernels}")), &names).unwrap();
    let (memory, stream) = (emulator.allocate(4096).unwrap(), emulator.stream());
    let arguments = PackedArguments::new(&[ArgumentValue::Memory(&memory), ArgumentValue::Int(n)]);
    let found = |kernel| {
        stream.upload(&[0; 4096], &memory, 0);
        // SAFETY: what it does wrong is what is tested.
        unsafe { stream.launch(kernel, launch, &arguments).unwrap() };
        emulator.take_findings()
    };
    kernels.iter().map(found).collect()
}

/// The kernels of a group in one text, whose lines are those of their files.
pub fn text_of(group: &[&Case]) -> String {
    group.iter().map(|case| format!("#line {} \"{}\"\n{}\n", case.first, case.file, case.text)).collect()
}

pub fn source_of(group: &[&Case]) -> Source<'static> {
    let mut source = Source::new(format!("{} and others", group[0].file), text_of(group));
    source.architecture_specific = group[0].architecture.ends_with('a');
    source
}

/// Kernels that can be compiled together: for one architecture, so many at a time.
pub fn groups(cases: &[Case], most: usize) -> Vec<Vec<&Case>> {
    let mut all: Vec<Vec<&Case>> = Vec::new();
    for architecture in ["90", "90a"] {
        let chosen: Vec<&Case> =
            cases.iter().filter(|case| case.architecture == architecture && case.refused.is_none()).collect();
        all.extend(chosen.chunks(most).map(<[&Case]>::to_vec));
    }
    all
}
