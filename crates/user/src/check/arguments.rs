//! What is to be checked, and how: the options of the command, and the files that a kernel file includes, read from the folders in which they may
//! lie and nowhere else.

use super::KernelArgument;
use crate::confine::NOT_HELD;
use clap::builder::{PathBufValueParser, TypedValueParser};
use repro_device::{HEADERS, Selection};
use repro_emulator::{Extent, Header, Instruments, Options, has_header, inclusions};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

const ABOUT: &str = "Check one kernel of any CUDA C++ file on the CPU, in several orders of its blocks and threads. It is sandboxed; all the same it could";

/// What is to be checked, and how. The first line of help says from what the kernel is not kept meanwhile.
#[derive(Clone, Debug, clap::Args, Serialize, Deserialize)]
#[command(about = format!("{ABOUT} {NOT_HELD}"), long_about = None)]
#[command(override_usage = "repro check <FILE> --kernel <NAME> --grid <X> --block <X> [OPTIONS]")]
pub struct CheckArgs {
    /// The CUDA C++ file, as a program has it: what its kernels do not need, such as main and headers of the host, is passed over
    // The process that launches the kernel gets the text, and a path may be no Unicode.
    #[serde(skip)]
    pub file: PathBuf,
    /// The kernel as a launch names it, for example reduce or space::reduce or 'reduce<float, 4>', or its mangled name. Without it the file's
    /// kernels are listed and none is checked, which is exit code 2
    #[arg(long, value_name = "NAME", requires_all = ["grid", "block"])]
    pub kernel: Option<String>,
    /// Blocks of the grid, for example 16 or 4x4 or 2x2x2
    #[arg(long, value_name = "X[xY[xZ]]", value_parser = sides, default_value = "1", hide_default_value = true)]
    pub(crate) grid: Extent,
    /// Threads of a block
    #[arg(long, value_name = "X[xY[xZ]]", value_parser = sides, default_value = "1", hide_default_value = true)]
    pub(crate) block: Extent,
    /// Bytes of shared memory for each block beyond what the kernel declares
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) dynamic: u32,
    /// Blocks of a cluster, compute capability 9.0 and newer
    #[arg(long, value_name = "X[xY[xZ]]", value_parser = sides, default_value = "1")]
    pub(crate) cluster: Extent,
    /// The kernel's arguments in their order. Buffers: random:BYTES[:SEED], and as N x N numbers with a diagonal of zeros matrix:N[:SEED] and
    /// symmetric:N[:SEED] (32-bit integers from 1 to 65536; random-floats, matrix-doubles and so on: others below 1000); zeros:BYTES, numbers:BYTES
    /// (0, 1, 2, ... as 32-bit integers), floats:BYTES and doubles:BYTES (the same numbers), value:BYTES:X (of 32 bits), raw:FILE and npy:FILE,
    /// unwritten:BYTES (to read it before it is written is a mistake). By value: int:N, uint:N, long:N, float:X, double:X, struct:N,N,... (of
    /// 32-bit words)
    #[arg(long = "args", value_name = "ARGUMENT", num_args = 1..)]
    pub arguments: Vec<KernelArgument>,
    /// Launch it in N orders of blocks and threads: order 0 is the usual one, 1 is backwards, the others are shuffled, each always in the
    /// same way
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    pub orders: u64,
    /// Launch it in this order only, for example in one that a finding names
    #[arg(long, value_name = "ORDER", conflicts_with = "orders")]
    pub order: Option<u64>,
    /// The device: emulated, or emulated:C.C for a compute capability
    #[arg(long = "device", value_name = "DEVICE", default_value = "emulated", value_parser = capability)]
    pub(super) capability: (u32, u32),
    /// Compile for the features that this architecture alone has, for example sm_90a
    #[arg(long)]
    pub specific: bool,
    /// More folders with files that it includes; its own is known
    #[arg(short = 'I', long, value_name = "FOLDER", num_args = 1.., value_parser = PathBufValueParser::new().try_map(|path| path.canonicalize()))]
    #[serde(skip)]
    pub include: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<String>,
    /// If no mistake is found, also count accesses, sectors, bank conflicts and barriers
    #[arg(long)]
    pub count: bool,
    /// Seconds that one launch may take until it is ended with a finding
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub time_limit: u64,
    /// Print everything as JSON in place of lines and tables
    #[arg(long)]
    pub json: bool,
    /// Print the findings in SARIF 2.1.0, which code hosts and editors show at their lines
    #[arg(long, conflicts_with_all = ["json", "annotations"])]
    pub sarif: bool,
    /// Print the findings as workflow commands of GitHub Actions, which annotate their lines
    #[arg(long, conflicts_with = "json")]
    pub annotations: bool,
}

/// The compute capability that `--device` asks for: the value is an emulated device.
fn capability(device: &str) -> Result<(u32, u32), String> {
    match device.parse() {
        Ok(Selection::Emulated(given)) => Ok(given.unwrap_or(Options::new(Instruments::NONE).capability)),
        Ok(_) => Err("a file is checked on emulated or emulated:C.C alone".into()),
        Err(unknown) => Err(unknown.to_string()),
    }
}

/// A macro as a compiler takes it after `-D`.
fn definition(text: &str) -> Result<String, String> {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !text.starts_with(starts) || text.contains(char::is_control) {
        return Err("expected NAME or NAME=VALUE, for example TILE=16".into());
    }
    Ok(text.to_string())
}

/// Which of two fillings, 0 or 1, random buffers have in this order: two orders have the one, the next two the other.
pub(crate) fn fill(order: u64) -> u64 {
    order >> 1 & 1
}

/// Blocks or threads in x, y and z.
fn sides(text: &str) -> Result<Extent, String> {
    let mut given = text.split('x');
    let mut side = || given.next().map_or(Some(1), |side| side.parse().ok().filter(|side| *side > 0));
    match ([side(), side(), side()], given.next()) {
        ([Some(x), Some(y), Some(z)], None) => Ok((x, y, z)),
        _ => {
            Err("expected one to three whole numbers from 1 on with x between them, for example 16x16".into())
        }
    }
}

/// The most bytes of all included files together.
const MOST_BYTES: u64 = 16 << 20;

/// The files that a kernel file includes, as they were read.
#[derive(Default)]
pub struct Includes {
    /// The name of the file that includes them.
    main: String,
    /// Where files may lie, as canonical paths.
    folders: Vec<PathBuf>,
    /// The path of each header.
    pub paths: Vec<PathBuf>,
    pub headers: Vec<Header>,
    /// Names in quotes of which there is no file.
    pub absent: Vec<String>,
    bytes: u64,
}

impl Includes {
    /// Nothing read yet, for a file with this name that includes from these folders and what lies below.
    pub fn new(main: &str, folders: Vec<PathBuf>) -> Self {
        Self { main: main.to_string(), folders, ..Self::default() }
    }

    /// `text`, of a file in `folder`, with new names for the files that it includes, which are read, too. Names that no file has stay.
    ///
    /// # Errors
    /// When a file cannot be read, or all are larger than 16 MiB.
    pub fn resolve(&mut self, text: &str, folder: &Path) -> io::Result<String> {
        let mut resolved = text.to_string();
        for (name, bytes) in inclusions(text).into_iter().rev() {
            match self.find(&name, folder)? {
                Some(header) => resolved.replace_range(bytes, &format!("\"{header}\"")),
                None if text[bytes].starts_with('"')
                    && !has_header(&name)
                    && !self.absent.contains(&name) =>
                {
                    self.absent.push(name);
                }
                None => {}
            }
        }
        Ok(resolved)
    }

    /// The new name of a header, if there is such a file: next to the one that includes it; else in one of the folders, also by its last
    /// name where its path has `..`; else a header of this program.
    fn find(&mut self, name: &str, folder: &Path) -> io::Result<Option<String>> {
        let is_of_cuda = has_header(name);
        let beside = [folder.join(name)];
        let last = Path::new(name).file_name().unwrap_or_default();
        let leads_out = name.split('/').any(|part| part == "..");
        let names = [Some(Path::new(name)), leads_out.then_some(Path::new(last))];
        let elsewhere =
            names.iter().flatten().flat_map(|name| self.folders.iter().map(move |at| at.join(name)));
        let mut places = beside.into_iter().chain(elsewhere.filter(|_| !is_of_cuda));
        let is_within = |path: &PathBuf| path.is_file() && self.folders.iter().any(|at| path.starts_with(at));
        let Some(path) = places.find_map(|place| place.canonicalize().ok().filter(is_within)) else {
            let own = HEADERS.iter().find(|(own, _)| *own == name && !is_of_cuda);
            return own.map(|(_, text)| self.add(Path::new(name), |_| Ok((*text).into()))).transpose();
        };
        let read = |most| repro_base::files::read_at_most(&path, most);
        self.add(&path, |most| Ok(String::from_utf8_lossy(&read(most)?).into_owned())).map(Some)
    }

    /// Adds a header, and reads it, unless it is known; returns its new name.
    fn add(&mut self, path: &Path, read: impl FnOnce(u64) -> io::Result<String>) -> io::Result<String> {
        if let Some(known) = self.paths.iter().position(|known| known == path) {
            return Ok(self.headers[known].name.clone());
        }
        let text = read(MOST_BYTES - self.bytes)?;
        self.bytes += text.len() as u64;
        let mut file = shown_name(path);
        if self.headers.iter().any(|header| header.file == file) || self.main == file {
            let above = path.parent().map_or_else(String::new, shown_name);
            file = format!("{above}/{file}");
        }
        let (number, name) = (self.headers.len(), format!("{}/{}", self.headers.len(), shown_name(path)));
        // Before it is read, so that a file that includes itself comes to an end.
        self.paths.push(path.to_path_buf());
        self.headers.push(Header { name: name.clone(), file, text: String::new() });
        self.headers[number].text = self.resolve(&text, path.parent().unwrap_or(path))?;
        Ok(name)
    }
}

/// A file's name as it may stand in a line of C++.
pub fn shown_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.replace(|c: char| c.is_control() || c == '"' || c == '\\', "_")
}
