//! The command `check-kernel`, and `repro check`: one kernel of any CUDA C++ file, checked by the emulated device.

use repro_device::Selection;
use repro_emulator::{BANKS_16, BANKS_32, Counts, Figure, Launch};
use repro_external::check::{CheckedKernel, Given, KernelCheck, check};
use repro_terminal::{Error, Exit, Progress, output};
use repro_types::lists::count_of;
use repro_types::number::decimals;
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What is to be checked, and how.
#[derive(clap::Args)]
pub struct Arguments {
    /// The CUDA C++ file; what it includes is also looked for in its folder
    file: PathBuf,
    /// The kernel, by its name in the file, or by its mangled name where it is a template or in a namespace
    #[arg(long, value_name = "NAME")]
    kernel: String,
    /// Blocks of the grid, for example 16 or 4x4 or 2x2x2
    #[arg(long, value_name = "X[xY[xZ]]")]
    grid: Sides,
    /// Threads of a block
    #[arg(long, value_name = "X[xY[xZ]]")]
    block: Sides,
    /// Bytes of shared memory for each block beyond what the kernel declares
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    dynamic: u32,
    /// Blocks of a cluster, compute capability 9.0 and newer
    #[arg(long, value_name = "X[xY[xZ]]", default_value = "1")]
    cluster: Sides,
    /// The kernel's arguments in their order. Buffers: random:BYTES[:SEED], and as N x N numbers with a diagonal of zeros matrix:N[:SEED] and
    /// symmetric:N[:SEED] (32-bit integers from 1 to 65536; random-floats, matrix-doubles and so on: others below 1000); zeros:BYTES, numbers:BYTES
    /// (0, 1, 2, ... as 32-bit integers), floats:BYTES and doubles:BYTES (the same numbers), value:BYTES:X (of 32 bits), raw:FILE and npy:FILE,
    /// unwritten:BYTES (to read it before it is written is a mistake). By value: int:N, uint:N, long:N, float:X, double:X, struct:N,N,... (of
    /// 32-bit words)
    #[arg(long = "args", value_name = "ARGUMENT", num_args = 1..)]
    arguments: Vec<Given>,
    /// Launch it in N orders of blocks and threads: order 0 is the usual one, 1 is backwards, the others are shuffled, each always in the
    /// same way
    #[arg(long, value_name = "N", default_value_t = 4)]
    orders: u64,
    /// Launch it in this order only, for example in one that a finding names
    #[arg(long, value_name = "ORDER", conflicts_with = "orders")]
    order: Option<u64>,
    /// The device: emulated, or emulated:C.C for a compute capability
    #[arg(long, value_name = "DEVICE", default_value = "emulated")]
    device: Selection,
    /// Compile for the features that this architecture alone has, for example sm_90a
    #[arg(long)]
    specific: bool,
    /// More folders with files that it includes
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    include: Vec<PathBuf>,
    /// If no mistake is found, also count accesses, sectors, bank conflicts and barriers
    #[arg(long)]
    count: bool,
    /// Seconds that one launch may take until it is ended with a finding
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time_limit: u64,
    /// Print everything as JSON in place of lines and tables
    #[arg(long)]
    json: bool,
}

/// Blocks or threads in x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sides((u32, u32, u32));

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides: Option<Vec<u32>> =
            text.split('x').map(|side| side.parse().ok().filter(|side| *side > 0)).collect();
        match sides.as_deref() {
            Some([x]) => Ok(Self((*x, 1, 1))),
            Some([x, y]) => Ok(Self((*x, *y, 1))),
            Some([x, y, z]) => Ok(Self((*x, *y, *z))),
            _ => Err("expected one to three whole numbers from 1 on with x between them, for example 16x16"
                .to_string()),
        }
    }
}

/// Checks the kernel and prints what was found.
///
/// # Errors
/// When the file cannot be read or compiled, lacks the kernel, or the kernel cannot be launched so.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    if !arguments.device.is_emulated() {
        let device = arguments.device;
        return Err(format!("--device {device}: a file is checked on emulated or emulated:C.C alone").into());
    }
    if arguments.orders == 0 {
        return Err("--orders 0: no order checks nothing, expected at least 1".into());
    }
    let plan = KernelCheck {
        file: arguments.file.clone(),
        kernel: arguments.kernel.clone(),
        launch: Launch {
            dynamic_shared_bytes: arguments.dynamic,
            cluster: arguments.cluster.0,
            ..Launch::of(arguments.grid.0, arguments.block.0)
        },
        arguments: arguments.arguments.clone(),
        orders: arguments.order.map_or_else(|| (0..arguments.orders).collect(), |order| vec![order]),
        capability: arguments.device.capability(),
        architecture_specific: arguments.specific,
        folders: arguments.include.clone(),
        count: arguments.count,
        time_limit: Duration::from_secs(arguments.time_limit),
    };
    let mut progress = Progress::new(false, "launches");
    let checked = check(&plan, |doing, done, of| progress.progress(doing, done, of, None));
    progress.finish();
    let checked = checked?;
    let buffers = || plan.arguments.iter().filter(|given| given.buffer_bytes() > 0);
    if buffers().any(Given::is_plain) && !buffers().any(Given::is_varied) {
        output::complain(
            "all buffers hold one number or rising numbers, with which a kernel may not do what depends on its data: random:BYTES shows more",
        );
    }
    let elements: Vec<String> = plan.arguments.iter().filter_map(Given::element).collect();
    if !elements.is_empty() {
        output::complain(&format!(
            "value: was taken for {}; a float has a point, as in 1.0",
            elements.join(", ")
        ));
    }
    if !checked.unseen.is_empty() {
        let unseen = checked.unseen.join(", ").replace(char::is_control, " ");
        output::complain(&format!(
            "these functions are called and not inlined, so that structs which pass to or from them by value are not seen: {unseen}"
        ));
    }
    if let Some(why) = &checked.bounds_unseen {
        let why = why.replace(char::is_control, " ");
        output::complain(&format!(
            "accesses beyond local arrays and tables of constants were not looked for to the end: {why}"
        ));
    }
    if !checked.unconfined.is_empty() {
        let what = checked.unconfined.join("; ");
        output::complain(&format!("this system does not confine the kernel wholly: it could {what}"));
    }
    if arguments.json {
        output::print(&output::json(&checked)?)?;
    } else {
        output::print(&checked.printed)?;
        output::show(&in_lines(&checked))?;
    }
    if arguments.count && checked.counts.is_none() {
        output::complain("not counted: what a kernel with findings does would be counted with its mistakes");
    }
    Ok(if checked.findings.is_empty() { Exit::Success } else { Exit::Failed })
}

/// A line a finding, a summary, and what was counted.
fn in_lines(checked: &CheckedKernel) -> String {
    let mut text = String::new();
    for found in &checked.findings {
        let finding = found.finding.to_string().replace(char::is_control, " ");
        let (first, rest) = found.orders.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
        let also = if rest.is_empty() { String::new() } else { format!("; also in {}", orders(rest)) };
        let _ = writeln!(text, "order {first}: {finding}{also}");
    }
    let mut count = count_of(checked.orders.len(), "order");
    if !checked.seeds.is_empty() {
        let seeds: Vec<String> = checked.seeds.iter().map(ToString::to_string).collect();
        let _ = write!(count, " on random data of seed {}", seeds.join(", "));
        if !checked.refilled.is_empty() {
            let _ = write!(count, " (other data in {})", orders(&checked.refilled));
        }
    }
    let _ = match &checked.findings[..] {
        [] => writeln!(text, "{count}, no findings"),
        [only] => writeln!(text, "{count}, 1 finding; --order {} repeats it", only.orders[0]),
        [first, rest @ ..] => {
            let findings = 1 + rest.len();
            writeln!(text, "{count}, {findings} findings; --order {} repeats the first", first.orders[0])
        }
    };
    if let Some(counts) = &checked.counts {
        text += &counts_in_lines(counts);
    }
    text
}

/// "order 1" or "orders 1, 2".
fn orders(numbers: &[u64]) -> String {
    let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let noun = if all.len() == 1 { "order" } else { "orders" };
    format!("{noun} {}", all.join(", "))
}

/// Two parts, of global and of shared memory; the second where shared memory was used.
fn counts_in_lines(counts: &Counts) -> String {
    let global = counts.global_figures().iter().copied().chain(counts.rare_figures()).collect();
    let mut text = part("Global memory, one launch", counts, global);
    let of_memory = counts.shared_figures();
    if !of_memory.is_empty() {
        let shared = [of_memory, &BANKS_16, &BANKS_32].concat();
        text += &part("Shared memory, one launch; ways: worst and mean steps of an access", counts, shared);
    }
    text
}

fn part(title: &str, counts: &Counts, figures: Vec<Figure>) -> String {
    let mut text = format!("\n{title}\n");
    let widest = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, read) in figures {
        let _ = writeln!(text, "  {name:widest$}  {:>16}", read(counts).text(decimals));
    }
    text
}
