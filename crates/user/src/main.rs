use clap::{Args, Command, FromArgMatches};
use repro_base::terminal::{exit_code, is_mistake, one_line, output};
use repro_user::check_kernel::CheckArgs;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The process that the kernel runs in is this program, started again.
    if let Some(code) = repro_user::serve_if_asked() {
        return code;
    }
    let command = CheckArgs::augment_args(Command::new("check-kernel").version(env!("CARGO_PKG_VERSION")))
        .override_usage("check-kernel <FILE> [--kernel <NAME> --grid <X> --block <X>] [OPTIONS]");
    let given = command.try_get_matches();
    match given.and_then(|given| CheckArgs::from_arg_matches(&given)) {
        Ok(arguments) => exit_code(repro_user::check_kernel::run(&arguments)),
        Err(error) if is_mistake(&error) => {
            output::complain(&one_line(&error.to_string()));
            ExitCode::from(2)
        }
        Err(help) => help.exit(),
    }
}
