//! Checks a kernel with a missing barrier, then the corrected kernel, and prints what was found.
//!
//! `cargo run -p repro-emulator --example check`

use repro_emulator::{ArgumentValue, Emulator, Instruments, Launch, Options, PackedArguments, Source};
use std::error::Error;
use std::io::{Write, stdout};

/// One block reverses 64 integers by way of shared memory. `BARRIER` stands between the stores and the loads.
const KERNEL: &str = r#"extern "C" __global__ void reverse(int* data)
{
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = data[i];
    BARRIER
    data[i] = tile[63 - i];
}
"#;

/// Threads of the block, and integers that it reverses.
const THREADS: u32 = 64;

fn check(file: &str, text: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let emulator = Emulator::open(Options::new(Instruments::CHECK))?;
    let kernels = emulator.load(&Source::new(file, text), &["reverse"])?;
    let input: Vec<u8> = (0..THREADS).flat_map(|number| number.to_le_bytes()).collect();
    let (data, stream) = (emulator.allocate(input.len())?, emulator.stream());
    stream.upload(&input, &data, 0);
    let launch = Launch::new((1, 1, 1), (THREADS, 1, 1));
    // SAFETY: a checked kernel stops at the first access outside of its buffers.
    unsafe { stream.launch(&kernels[0], launch, &PackedArguments::new(&[ArgumentValue::Memory(&data)]))? };

    let findings = emulator.take_findings();
    writeln!(out, "{file}: {} findings", findings.len())?;
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    if findings.is_empty() {
        let mut output = vec![0; input.len()];
        stream.download(&data, 0..output.len(), &mut output);
        writeln!(out, "data[0] is {}", output[0])?;
    }
    Ok(())
}

pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    check("wrong.cu", &KERNEL.replace("BARRIER", ""), out)?;
    check("right.cu", &KERNEL.replace("BARRIER", "__syncthreads();"), out)
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}
