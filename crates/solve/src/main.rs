use clap::{Parser, Subcommand};
use repro_base::terminal::{exit_code, is_mistake, one_line, output};
use repro_solve::{path, solve};
use std::process::ExitCode;

/// Finds all shortest paths of a graph: exact distances and the paths themselves, on all cores or a CUDA GPU.
#[derive(Parser)]
#[command(name = "shortest-paths", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find all shortest paths of a graph, for example `shortest-paths solve roads.gr --out distances.npy --sources 1,5`
    Solve(solve::SolveArgs),
    /// Print a path between two vertices from a result of `solve`
    Path(path::PathArgs),
}

fn main() -> ExitCode {
    repro_base::files::report_size_limit();
    match CommandLine::try_parse() {
        Ok(CommandLine { command: Command::Solve(arguments) }) => exit_code(solve::run(&arguments)),
        Ok(CommandLine { command: Command::Path(arguments) }) => exit_code(path::run(&arguments)),
        Err(error) if is_mistake(&error) => {
            output::complain(&one_line(&error.to_string()));
            ExitCode::from(2)
        }
        Err(help) => help.exit(),
    }
}
