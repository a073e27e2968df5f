use clap::Parser;
use repro_terminal::{exit_code, is_mistake, one_line, output};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "check-kernel",
    version,
    override_usage = "check-kernel <FILE> --kernel <NAME> --grid <X> --block <X> [OPTIONS]"
)]
struct Command {
    #[command(flatten)]
    arguments: repro_check::CheckArgs,
}

fn main() -> ExitCode {
    // The process that the kernel runs in is this program, started again.
    if let Some(code) = repro_external::serve_if_asked() {
        return code;
    }
    match Command::try_parse() {
        Ok(Command { arguments }) => exit_code(repro_check::run(&arguments)),
        Err(error) if is_mistake(&error) => {
            output::complain(&one_line(&error.to_string()));
            ExitCode::from(2)
        }
        Err(help) => help.exit(),
    }
}
