//! PTX instructions on numbers at the edges of their types, against what an H200 computed. Each line of `values.txt` is an
//! instruction: the digest of its 256 results there, the constraint of its result, those of its operands, its text.
//! `X` is an operand from 0 to 31, `Y` one from -3 to 3.

use super::of;
use crate::translate::translate;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const ROWS: &str = "rlhfd";
const TYPES: [&str; 5] = ["unsigned", "unsigned long long", "unsigned short", "float", "double"];

fn kernel(instructions: &[Vec<&str>]) -> String {
    let mut text = "#define N 31\ntypedef unsigned long long u64;\n".to_string();
    for (row, name) in ROWS.chars().zip(TYPES) {
        let bits = ["unsigned", "u64", "unsigned short", "unsigned", "u64"][ROWS.find(row).unwrap()];
        writeln!(
            text,
            "__device__ {name} as_{row}(u64 x) {{ return __builtin_bit_cast({name}, ({bits})x); }}"
        )
        .unwrap();
        writeln!(text, "__device__ u64 bits({name} x) {{ return __builtin_bit_cast({bits}, x); }}").unwrap();
    }
    for (at, instruction) in instructions.iter().enumerate() {
        let [_, result, operands, ptx] = instruction[..] else { panic!("four columns") };
        let mut inputs = Vec::new();
        for (place, letter) in operands.trim_matches('-').chars().enumerate() {
            inputs.push(match ROWS.find(letter) {
                Some(row) => format!(
                    "\"{letter}\"(as_{letter}(numbers[{row} * N + (t * {} + t / {} + {}) % N]))",
                    [1, 7, 13, 29][place],
                    [1, 9, 5, 3][place],
                    place * 3
                ),
                None if letter == 'X' => "\"r\"(t % 32)".to_string(),
                None => "\"r\"((t % 7) - 3)".to_string(),
            });
        }
        let kind = TYPES[ROWS.find(result).unwrap()];
        writeln!(
            text,
            "__device__ __attribute__((noinline)) void i{at}(u64 *out, int t, const u64 *numbers) {{ {kind} x; asm volatile(\"{ptx}\" : \"={result}\"(x) : {}); out[{at} * 256 + t] = bits(x); }}",
            inputs.join(", ")
        )
        .unwrap();
    }
    text += "extern \"C\" __global__ void values(const u64 *numbers, u64 *out) {\n";
    for at in 0..instructions.len() {
        writeln!(text, "i{at}(out, threadIdx.x, numbers);").unwrap();
    }
    text + "}\n"
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn instructions_compute_what_a_gpu_computes() {
    let lines = include_str!("values.txt").lines();
    let instructions: Vec<Vec<&str>> = lines.map(|line| line.splitn(4, ' ').collect()).collect();
    let folder = std::env::temp_dir().join(format!("ptx-values-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let headers = manifest.join("cuda");
    let gcc = |arguments: &[&str]| {
        run(Command::new("g++")
            .args(["-std=c++20", "-w", "-O1", "-I"])
            .arg(&headers)
            .args(arguments)
            .current_dir(&folder))
    };
    let source = format!("#include \"cuda.hpp\"\n#include \"ptx.hpp\"\n{}", kernel(&instructions));
    std::fs::write(folder.join("values.cpp"), source).unwrap();
    let preprocessed = gcc(&["-E", "-D__CUDA_ARCH__=900", "values.cpp"]);
    let translated = translate(&preprocessed, of(9, 0)).unwrap_or_else(|refusal| panic!("{refusal}"));
    std::fs::write(folder.join("values.ii"), translated.text).unwrap();
    gcc(&["-fpreprocessed", "-ffp-contract=off", "-c", "values.ii"]);
    let harness = manifest.join("src/translate/tests/values.cpp");
    gcc(&[harness.to_str().unwrap(), "values.o", "-o", "values"]);
    let digests = run(Command::new(folder.join("values")).arg(instructions.len().to_string()));
    let wrong: Vec<&str> = digests
        .lines()
        .zip(&instructions)
        .filter(|(digest, instruction)| *digest != instruction[0])
        .map(|(_, instruction)| instruction[3])
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
