use std::process::ExitCode;

fn main() -> ExitCode {
    repro::cli::main()
}
