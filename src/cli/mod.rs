//! Arguments, one file a subcommand, exit codes, and nothing else.

mod cells;
mod claims;
mod compare;
mod completions;
mod counts;
mod doctor;
mod history;
mod inspect;
mod list;
mod new_kernel;
mod parameter;
mod rank;
mod report;
mod run;
mod runs;
mod session;
mod smoke;
mod track;
mod verify;

use crate::external;
use crate::lists::nearest;
use crate::measure::{IN_TEAM, Rendezvous, RunError, WORKER, serve};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use repro_base::terminal::{Error, Exit, end_interrupted, exit_code, is_mistake, one_line, output};
use repro_solve::{path, solve};
use repro_user::check_kernel as check;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What every command but the doctor ends with.
const EXIT_CODES: &str = "Exit codes:
  0    done: nothing is wrong, and nothing became slower
  1    done, but a result is wrong, a cell failed or became slower, a step in a
       history lasts, a count rose, a kernel has a mistake, or a run is lost
  2    not done: wrong arguments, input, device or records, or nothing could run
  3    inconclusive: some cells are NOISY, and none became slower
  130  interrupted: `repro run --resume` continues a run; begin others again";

const ENVIRONMENT: &str = "Environment:
  COLUMNS         how wide text is where the output is no terminal
  REPRO_NVRTC     the NVRTC library to use, or its folder
  REPRO_NCCL      the NCCL library to use, or its folder
  REPRO_NVDISASM  the disassembler to use
  REPRO_CXX       the C++ compiler for the emulated device
  REPRO_CACHE     the folder where compiled kernels are cached";

type RunCommand = dyn Fn(&ArgMatches) -> Result<Exit, Error>;

/// A command of the program.
struct Command {
    /// Its name, its help, and what it takes.
    arguments: clap::Command,
    run: Box<RunCommand>,
}

fn subcommand<A: clap::Args + 'static>(name: &'static str, run: fn(&A) -> Result<Exit, Error>) -> Command {
    let arguments = A::augment_args(clap::Command::new(name));
    Command { arguments, run: Box::new(move |given| run(&A::from_arg_matches(given)?)) }
}

impl Command {
    /// One that looks at implementations, also at those of files.
    fn with(self) -> Self {
        Self { arguments: self.arguments.arg(with()), ..self }
    }
}

/// In the order of the help.
fn commands() -> [Command; 17] {
    [
        subcommand("solve", solved),
        subcommand("path", path::run),
        subcommand("run", run::run).with(),
        subcommand("verify", verify::run).with(),
        subcommand("inspect", inspect::run).with(),
        subcommand("new-kernel", new_kernel::run).with(),
        subcommand("check", check::run),
        subcommand("counts", counts::run).with(),
        subcommand("report", report::run),
        subcommand("claims", claims::run),
        subcommand("rank", rank::run),
        subcommand("compare", compare::run),
        subcommand("history", history::run),
        subcommand("track", track::run).with(),
        subcommand("list", list::run).with(),
        subcommand("doctor", doctor::run),
        subcommand("completions", completions::run),
    ]
}

/// All that the program takes.
pub fn command() -> clap::Command {
    clap::Command::new("repro")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Reproduces, on the hardware at hand, what four papers claim about Floyd-Warshall with CUDA")
        .after_help(format!("{EXIT_CODES}\n`repro doctor`, `solve` and `path` have some of their own in their --help.\n\n{ENVIRONMENT}"))
        .arg(with())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands().map(|command| command.arguments))
}

const WITH: &str = "with";

/// Files of implementations.
fn with() -> Arg {
    let help = "A file that describes an implementation of yours (docs/your-own-kernel.md), as `repro new-kernel` \
        writes one; may be given several times";
    let files = Arg::new(WITH).long(WITH).value_name("FILE").help(help);
    files.action(ArgAction::Append).value_parser(value_parser!(PathBuf))
}

/// Parses the command line, runs the command, and turns its end into an exit code. The caller has asked [`serve_if_asked`](crate::external::serve_if_asked)
/// first, since every confined process is this program started again.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == WORKER) {
        let is_in_team = words.next().is_some_and(|word| word == IN_TEAM);
        let meeting = words.next().zip(words.next()).filter(|_| is_in_team).map(|(folder, device)| {
            Rendezvous { folder: folder.into(), device: device.to_string_lossy().into_owned() }
        });
        return exit_code(serve(meeting).map(|()| Exit::Success).map_err(Error::from));
    }
    match command().try_get_matches() {
        Ok(given) => exit_code(run_command(&given).or_else(ended_early)),
        Err(error) if is_mistake(&error) => exit_code(Err(mistake(&error).into())),
        Err(help) => help.exit(),
    }
}

fn run_command(given: &ArgMatches) -> Result<Exit, Error> {
    let (name, own) = given.subcommand().ok_or("no command is given: see --help")?;
    register(given, own)?;
    let command = commands().into_iter().find(|command| command.arguments.get_name() == name);
    (command.ok_or("there is no such command: see --help")?.run)(own)
}

/// An interrupt is no mistake, and neither is another of several processes that is lost.
fn ended_early(error: Error) -> Result<Exit, Error> {
    match error.downcast_ref() {
        Some(RunError::Interrupted) => Ok(end_interrupted()),
        Some(RunError::MemberLost(problem)) => {
            output::complain(&format!("error: {problem}"));
            Ok(Exit::Failed)
        }
        _ => Err(error),
    }
}

/// `repro solve` is the command of the library of shortest paths; what it writes lies in no run.
fn solved(arguments: &solve::SolveArgs) -> Result<Exit, Error> {
    for (option, file) in arguments.written() {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        runs::outside_of_runs(option, folder.unwrap_or(Path::new(".")))?;
    }
    solve::run(arguments)
}

/// Makes implementations of files known, wherever on the command line they were given.
fn register(given: &ArgMatches, own: &ArgMatches) -> Result<(), Error> {
    let (files, own) = (given.get_many::<PathBuf>(WITH), own.try_get_many::<PathBuf>(WITH));
    if files.is_some() && own.is_err() {
        return Err("--with: this command looks at no implementation: leave it out".into());
    }
    for path in [files, own.ok().flatten()].into_iter().flatten().flatten() {
        external::register(&external::read(path)?)?;
    }
    Ok(())
}

/// What the parser complains of, in one line. Of a slip in the name of a command it finds others nearer than what is meant: it does not know
/// that two letters change places easily.
fn mistake(error: &clap::Error) -> String {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return one_line(&error.to_string()).trim_start_matches("error: ").to_string();
    };
    let command = command();
    let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let tip = nearest(given, &known).map(|meant| format!("; tip: a similar subcommand exists: '{meant}'"));
    format!("unrecognized subcommand '{given}'{}; see --help", tip.unwrap_or_default())
}
