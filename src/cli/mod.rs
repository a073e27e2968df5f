//! Arguments, one file a subcommand, exit codes, and nothing else.

mod cells;
mod claim_summary;
mod claims;
mod compare;
mod completions;
mod counts;
mod doctor;
mod history;
mod inspect;
mod list;
mod new_kernel;
mod next;
mod parameter;
mod rank;
mod report;
mod run;
mod smoke;
mod track;
mod verify;

use crate::lists::nearest;
use crate::measure::{IN_TEAM, Meeting, WORKER};
use cells::With;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use repro_base::terminal::{Error, Exit, exit_code, is_mistake, one_line, output};
use repro_solve::{path, solve};
use repro_user::check_kernel as check;
use std::path::Path;
use std::process::ExitCode;

/// Reproduces, on the hardware at hand, what four papers claim about Floyd-Warshall with CUDA.
#[derive(Parser)]
#[command(name = "repro", version, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(flatten)]
    with: With,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes:
  0    done: all that could run was measured, and every result was right
  1    done, but something is wrong: a result, a cell that failed or became
       slower, a count that rose, a kernel with a mistake, an unreadable run
  2    not done: wrong arguments, input, device or records
  3    inconclusive: the samples cannot show whether something became slower
  130  interrupted; a run can be continued with --resume, but for a smoke run,
       which is started again
`repro run`, `repro compare`, `repro track` and `repro doctor` say in their own --help what
their codes mean.

Environment:
  COLUMNS         how wide text is where the output is no terminal
  REPRO_NVRTC     the NVRTC library to use, or its folder
  REPRO_NCCL      the NCCL library to use, or its folder
  REPRO_NVDISASM  the disassembler to use
  REPRO_CXX       the C++ compiler for the emulated device
  REPRO_CACHE     the folder where compiled kernels are cached";

#[derive(Subcommand)]
enum Command {
    /// Find all shortest paths of a graph of yours, for example `repro solve roads.gr --out distances.npy --sources 1,5`
    Solve(solve::SolveArgs),
    /// Print a path between two vertices from a result of `repro solve`
    Path(path::PathArgs),
    /// Measure an experiment, for example `repro run table1`
    Run(run::Arguments),
    /// Check the results of implementations over many sizes and kinds of graphs, without timing them
    Verify(verify::Arguments),
    /// Show what an implementation's kernels do to memory, checked and counted on the emulated device
    Inspect(inspect::Arguments),
    /// Write the files that a kernel of yours starts from, for `--with`; docs/your-own-kernel.md goes on from there
    NewKernel(new_kernel::Arguments),
    #[command(override_usage = "repro check <FILE> --kernel <NAME> --grid <X> --block <X> [OPTIONS]")]
    Check(check::CheckArgs),
    /// Count instructions, bytes and registers of every kernel, which need no clock, and compare them with the committed baseline
    Counts(counts::Arguments),
    /// Make a web page of stored runs: a verdict for every claim, figures, tables
    Report(report::Arguments),
    /// Print what the papers claim, what each claim needs, its verdict by stored runs, and the command that would decide it
    Claims(claims::Arguments),
    /// Rank implementations by stored runs: one table, from the fastest on
    Rank(rank::Arguments),
    /// Compare a run with an earlier one: which cells became slower or faster
    Compare(compare::Arguments),
    /// Add stored runs to the history of their machine, which reports draw as curves over time
    History(history::Arguments),
    /// Measure an experiment, compare it with a baseline, measure again what looks slower or faster, and keep the history
    Track(track::Arguments),
    /// List experiments and implementations
    List(list::Arguments),
    /// Show what was found on this machine, what is missing, and what to do about it
    Doctor(doctor::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

/// Parses the command line, runs the command, and turns its end into an exit code. The caller has asked [`serve_if_asked`](crate::external::serve_if_asked)
/// first, since every confined process is this program started again.
pub fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == WORKER) {
        let meeting = match std::env::args_os().skip(2).collect::<Vec<_>>() {
            team if team.len() == 3 && team[0] == IN_TEAM => {
                Some(Meeting { folder: (&team[1]).into(), device: team[2].to_string_lossy().into_owned() })
            }
            _ => None,
        };
        return exit_code(crate::measure::serve(meeting).map(|()| Exit::Success).map_err(Error::from));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if is_mistake(&error) => {
            output::complain(&mistake(&error));
            return ExitCode::from(2);
        }
        Err(help) => help.exit(),
    };
    if let Err(error) = register(&arguments) {
        return exit_code(Err(error));
    }
    let ended = match &arguments.command {
        Command::Solve(arguments) => solved(arguments),
        Command::Path(arguments) => path::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Inspect(arguments) => inspect::run(arguments),
        Command::NewKernel(arguments) => new_kernel::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Counts(arguments) => counts::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Claims(arguments) => claims::run(arguments),
        Command::Rank(arguments) => rank::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::History(arguments) => history::run(arguments),
        Command::Track(arguments) => track::run(arguments),
        Command::List(arguments) => list::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::Completions(arguments) => completions::run(arguments),
    };
    exit_code(ended)
}

/// `repro solve` is the command of the library of shortest paths; what it writes lies in no run.
fn solved(arguments: &solve::SolveArgs) -> Result<Exit, Error> {
    for (option, file) in arguments.written() {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        run::outside_of_runs(option, folder.unwrap_or(Path::new(".")))?;
    }
    solve::run(arguments)
}

impl Command {
    /// Files of implementations that were given to a command that looks at implementations. None of any other.
    fn with(&self) -> Option<&With> {
        match self {
            Self::Run(arguments) => Some(&arguments.with),
            Self::Verify(arguments) => Some(&arguments.with),
            Self::Inspect(arguments) => Some(&arguments.with),
            Self::NewKernel(arguments) => Some(&arguments.with),
            Self::Counts(arguments) => Some(&arguments.with),
            Self::Track(arguments) => Some(&arguments.with),
            Self::List(arguments) => Some(&arguments.with),
            _ => None,
        }
    }
}

/// Makes implementations of files known, wherever on the command line they were given.
fn register(arguments: &Arguments) -> Result<(), Error> {
    match arguments.command.with() {
        None if !arguments.with.is_empty() => {
            Err("--with: this command looks at no implementation: leave it out".into())
        }
        None => Ok(()),
        Some(own) => {
            arguments.with.register()?;
            own.register()
        }
    }
}

/// What the parser complains of, in one line. Of a slip in the name of a command it finds others nearer than what is meant: it does not know
/// that two letters change places easily.
fn mistake(error: &clap::Error) -> String {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(given)) if error.kind() == ErrorKind::InvalidSubcommand => {
            let command = Arguments::command();
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            let tip = nearest(given, &known)
                .map_or_else(String::new, |meant| format!("; tip: a similar subcommand exists: '{meant}'"));
            format!("error: unrecognized subcommand '{given}'{tip}; see --help")
        }
        _ => one_line(&error.to_string()),
    }
}
