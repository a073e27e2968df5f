//! Makes the machine code in `kernels/machine-code/`, gives its loops another order, proves that it computes the same, and notes what was
//! solved with it. The README says how.

mod encoding;
mod explain;
#[cfg(test)]
mod handwritten;
mod index;
mod kernel;
mod model;
mod pass;
mod proof;
mod reordered_code;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::process::ExitCode;

type ToolResult<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: reorder [make | solved RUN... | explain FILE.cubin]
  (nothing)            make the stored machine code again, and fail where it comes out otherwise
  make                 make it anew and store it; what was solved with code that comes out as before is kept
  solved RUN...        add the repeated solves of these runs to the index
  explain FILE.cubin   what the innermost loop of each kernel costs, by the model";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match &arguments[..] {
        [] => index::compare(),
        ["make"] => index::make(),
        ["solved", runs @ ..] if !runs.is_empty() => index::solved(runs),
        ["explain", file] => explain::explain(file),
        _ => Err(USAGE.into()),
    };
    if let Err(error) = done {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}
