//! Counts sectors of global memory and bank conflicts of two kernels that transpose a matrix, and prints a table.
//!
//! `cargo run -p repro-emulator --example count`

use repro_emulator::{ArgumentValue, Emulator, Instruments, Launch, Options, PackedArguments, Source};
use std::error::Error;
use std::io::{Write, stdout};

/// `plain` stores down a column of the result. `tiled` stores rows, by way of a tile in shared memory.
const KERNELS: &str = r#"
extern "C" __global__ void plain(const float* in, float* out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void tiled(const float* in, float* out, int n)
{
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * 32, top = blockIdx.y * 32;
    tile[y][x] = in[(top + y) * n + left + x];
    __syncthreads();
    out[(left + y) * n + top + x] = tile[x][y];
}
"#;

/// Rows and columns of the matrix.
const N: u32 = 256;

pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let emulator = Emulator::open(Options::new(Instruments::COUNT))?;
    let kernels = emulator.load(&Source::new("transpose.cu", KERNELS), &["plain", "tiled"])?;
    let bytes = (N * N) as usize * size_of::<f32>();
    let (input, output, stream) = (emulator.allocate(bytes)?, emulator.allocate(bytes)?, emulator.stream());
    stream.upload(&vec![0; bytes], &input, 0);
    let arguments = PackedArguments::new(&[
        ArgumentValue::Memory(&input),
        ArgumentValue::Memory(&output),
        ArgumentValue::Int(N as i32),
    ]);
    let launch = Launch::new((N / 32, N / 32, 1), (32, 32, 1));
    for kernel in &kernels {
        // SAFETY: both kernels stay within the N x N floats of either buffer.
        unsafe { stream.launch(kernel, launch, &arguments)? };
    }

    writeln!(out, "kernel  sectors loaded  sectors stored  steps of a shared load")?;
    for launch in emulator.take_counts() {
        let (name, counts) = (&launch.kernel, launch.counts);
        let (loaded, stored) = (counts.global_load.sectors, counts.global_store.sectors);
        let steps = counts.shared_load.banks_32.mean().map_or("none".to_string(), |mean| mean.to_string());
        writeln!(out, "{name:6}  {loaded:14}  {stored:14}  {steps:>22}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut stdout())
}
