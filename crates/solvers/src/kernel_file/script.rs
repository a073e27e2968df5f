//! Expressions and the script of a kernel file, evaluated in a language that reaches nothing outside: Rhai, with limits on everything that
//! may grow.

use super::table::{FileError, SourceText};
use crate::kernels::{Address, LaunchArgument, Memory};
use repro_base::text::foreign_text;
use rhai::packages::{Package, StandardPackage};
use rhai::{
    AST, Array, Dynamic, Engine, EvalAltResult, FLOAT, INT, Map, Module, NativeCallContext, Position, Scope,
    Shared,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use toml::Spanned;

/// Steps of the interpreter that a script may take: under a second. A launch a vertex at n = 262,144 takes half of them.
const MOST_STEPS: u64 = 5_000_000;
/// The most time of a script, since some steps do much at once: they sort, compare or copy lists.
const MOST_TIME: Duration = Duration::from_secs(5);
/// Launches that one solve may have.
const MOST_LAUNCHES: usize = 1 << 19;
/// Bytes that the launches of one solve may take together: [`MOST_LAUNCHES`] with a dozen arguments each.
const MOST_LAUNCH_BYTES: usize = 256 << 20;
/// Limits of each value, so that no step takes long: characters of a text, entries of a list, variables that a function knows.
const MOST_CHARACTERS: usize = 1024;
const MOST_ENTRIES: usize = 1024;
const MOST_VARIABLES: usize = 256;
const MOST_NESTING: usize = 64;
/// Bytes of an expression in a message, so that a remedy after it is seen.
const LONGEST_SHOWN: usize = 200;

/// A launch as the script asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedLaunch {
    pub kernel: String,
    pub grid: Vec<i64>,
    /// Whole numbers are [`LaunchArgument::Long`], others [`LaunchArgument::Double`]: the script does not know the parameters' types.
    pub arguments: Vec<LaunchArgument>,
    pub work: Option<LaunchWork>,
    /// The line of the script, from 1.
    pub line: usize,
}

/// What all blocks of a launch do, where the script says it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaunchWork {
    pub tasks: i64,
    /// Bytes of global memory that threads load and store; 0 where that is not said.
    pub loaded: i64,
    pub stored: i64,
}

impl ScriptedLaunch {
    /// What it takes in memory.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.kernel.len() + size_of_val(&*self.grid) + size_of_val(&*self.arguments)
    }
}

/// What went wrong in an expression or a script.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptError {
    /// The line of the script, from 1; 0 where it is not known.
    pub line: usize,
    pub message: String,
}

/// Names and whole numbers that expressions know.
pub type Names = [(String, i64)];

/// A script whose text is known to compile.
pub struct Script(String);

thread_local! {
    /// The language's own functions, registered once a thread, since there are too many to do so for each expression.
    static FUNCTIONS: Shared<Module> = StandardPackage::new().as_shared_module();
}

/// An interpreter with neither files nor clocks nor output.
fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(FUNCTIONS.with(Clone::clone));
    for name in ["eval", "import", "export", "print", "debug", "Fn"] {
        engine.disable_symbol(name);
    }
    let refused = || -> Result<(), Box<EvalAltResult>> { Err("a script cannot wait".into()) };
    engine.register_fn("sleep", move |_: INT| refused());
    engine.register_fn("sleep", move |_: FLOAT| refused());
    engine.set_max_operations(MOST_STEPS);
    let begun = Instant::now();
    engine.on_progress(move |_| (begun.elapsed() > MOST_TIME).then_some(Dynamic::UNIT));
    engine.set_max_string_size(MOST_CHARACTERS);
    engine.set_max_array_size(MOST_ENTRIES);
    engine.set_max_map_size(MOST_ENTRIES);
    engine.set_max_variables(MOST_VARIABLES);
    engine.set_max_expr_depths(MOST_NESTING, MOST_NESTING);
    engine.set_max_call_levels(MOST_NESTING);
    engine
}

fn scope_of<'a>(names: &Names) -> Scope<'a> {
    let mut scope = Scope::new();
    for (name, value) in names {
        scope.push_constant(name, *value as INT);
    }
    scope
}

impl ScriptError {
    /// The mistake with its line in the file, of which `script` is a part.
    pub fn placed(&self, of: SourceText, script: &Spanned<String>) -> FileError {
        let line = of.first_line_of(&script.span()) + self.line.max(1) - 1;
        of.error_in_line(line, format!("script: {}", self.message))
    }

    /// The mistake; where a name is not known, with the names that are known at `place`.
    fn of_names<'a>(error: &EvalAltResult, place: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut problem = Self::of(error);
        if matches!(innermost(error), EvalAltResult::ErrorVariableNotFound(..)) {
            let known: Vec<&str> = known.into_iter().collect();
            problem.message = foreign_text(&problem.message, LONGEST_SHOWN);
            problem.message += &format!(" (known {place}: {})", known.join(", "));
        }
        problem
    }

    fn of(error: &EvalAltResult) -> Self {
        let inner = innermost(error);
        Self { line: inner.position().line().unwrap_or_default(), message: message_of(inner) }
    }
}

/// The error inside of all function calls: a mistake in a function is shown where the function has it.
fn innermost(error: &EvalAltResult) -> &EvalAltResult {
    let mut inner = error;
    while let EvalAltResult::ErrorInFunctionCall(_, _, deeper, _) = inner {
        inner = deeper;
    }
    inner
}

/// What went wrong without its place, which the caller adds.
fn message_of(error: &EvalAltResult) -> String {
    match error {
        EvalAltResult::ErrorRuntime(value, _) => value.to_string(),
        EvalAltResult::ErrorTooManyOperations(_) => {
            format!("it did not end within {MOST_STEPS} steps: do less")
        }
        EvalAltResult::ErrorTerminated(..) => {
            format!("it did not end within {} s: do less in one step", MOST_TIME.as_secs())
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => format!(
            "{what} is too large: keep lists below {MOST_ENTRIES} entries and texts below {MOST_CHARACTERS} characters"
        ),
        EvalAltResult::ErrorParsing(kind, _) => kind.to_string(),
        EvalAltResult::ErrorFunctionNotFound(called, _) if called.starts_with("launch (") => {
            format!(
                "launch takes a kernel's name, a list of blocks and a list of arguments, and not {called}"
            )
        }
        other => {
            let mut message = other.to_string();
            message.truncate(message.rfind(" (line ").unwrap_or(message.len()));
            message
        }
    }
}

/// The whole number that an expression gives.
///
/// # Errors
/// What is wrong with it.
pub fn number(expression: &str, names: &Names) -> Result<i64, ScriptError> {
    typed(evaluate(expression, names)?.as_int(), expression, "a whole number")
}

/// The whole number that an expression gives, or nothing, as an `if` without `else` does.
///
/// # Errors
/// What is wrong with it.
pub fn optional_number(expression: &str, names: &Names) -> Result<Option<i64>, ScriptError> {
    let value = evaluate(expression, names)?;
    if value.is_unit() { Ok(None) } else { typed(value.as_int().map(Some), expression, "a whole number") }
}

/// The value, or an error where it is not of the expected type.
fn typed<T>(value: Result<T, &str>, expression: &str, expected: &str) -> Result<T, ScriptError> {
    value.map_err(|kind| {
        let given = foreign_text(expression, LONGEST_SHOWN);
        let message = format!("'{given}' gives a value of type {kind}: expected {expected}");
        ScriptError { line: 0, message }
    })
}

/// `text` with the number of each expression in curly brackets in its place.
///
/// # Errors
/// What is wrong with one of them.
pub fn filled_in(text: &str, names: &Names) -> Result<String, ScriptError> {
    let mut parts = text.split('{');
    let mut all = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (expression, rest) = part.split_once('}').unwrap_or((part, ""));
        all += &format!("{}{rest}", number(expression, names)?);
    }
    Ok(all)
}

/// Whether a condition holds.
///
/// # Errors
/// What is wrong with it.
pub fn condition(expression: &str, names: &Names) -> Result<bool, ScriptError> {
    typed(evaluate(expression, names)?.as_bool(), expression, "true or false")
}

fn evaluate(expression: &str, names: &Names) -> Result<Dynamic, ScriptError> {
    let placed = |error: &EvalAltResult| {
        let ScriptError { line, message } =
            ScriptError::of_names(error, "here", names.iter().map(|(name, _)| &**name));
        ScriptError { line, message: format!("'{}': {message}", foreign_text(expression, LONGEST_SHOWN)) }
    };
    if expression.len() > MOST_CHARACTERS {
        let message = format!("an expression of {} bytes: {MOST_CHARACTERS} are the most", expression.len());
        return Err(ScriptError { line: 0, message });
    }
    let value = engine().eval_expression_with_scope(&mut scope_of(names), expression);
    value.map_err(|error| placed(&error))
}

impl Script {
    /// A script of this program. Tests have compiled it, so that the start of a process takes no time for that.
    pub fn trusted(text: &str) -> Self {
        Self(text.to_string())
    }

    /// # Errors
    /// When it does not compile.
    pub fn read(text: &str) -> Result<Self, ScriptError> {
        compiled(&engine(), text)?;
        Ok(Self(text.to_string()))
    }

    /// The launches that it asks for, in order. `resident_blocks` has the kernels' blocks a multiprocessor by name.
    ///
    /// # Errors
    /// What is wrong with it, or what it throws.
    pub fn launches(
        &self,
        names: &Names,
        resident_blocks: &[(&str, u32)],
    ) -> Result<Vec<ScriptedLaunch>, ScriptError> {
        let all = Rc::new(RefCell::new((Vec::new(), 0)));
        let mut engine = engine();
        engine.register_type_with_name::<Address>("address");
        engine.register_fn("+", moved);
        engine.register_fn("-", |address: Address, bytes: INT| moved(address, bytes.wrapping_neg()));
        let (known, also) = (all.clone(), all.clone());
        engine.register_fn(
            "launch",
            move |context: NativeCallContext, kernel: &str, grid: Array, arguments: Array| {
                add(&known, script_launches(context.call_position(), kernel, &grid, &arguments, None)?)
            },
        );
        engine.register_fn(
            "launch",
            move |context: NativeCallContext, kernel: &str, grid: Array, arguments: Array, work: Map| {
                add(&also, script_launches(context.call_position(), kernel, &grid, &arguments, Some(&work))?)
            },
        );
        let mut scope = scope_of(names);
        scope.push_constant("matrix", Address { memory: Memory::Matrix, offset: 0 });
        scope.push_constant("scratch", Address { memory: Memory::Scratch, offset: 0 });
        let resident: Map = resident_blocks
            .iter()
            .map(|(name, blocks)| ((*name).into(), Dynamic::from(INT::from(*blocks))))
            .collect();
        scope.push_constant("resident_blocks", resident);
        let script = compiled(&engine, &self.0)?;
        let known = || names.iter().map(|(name, _)| &**name).chain(["matrix", "scratch", "resident_blocks"]);
        engine
            .run_ast_with_scope(&mut scope, &script)
            .map_err(|error| ScriptError::of_names(&error, "outside of functions", known()))?;
        drop(engine);
        Ok(all.take().0)
    }
}

fn compiled(engine: &Engine, text: &str) -> Result<AST, ScriptError> {
    engine.compile(text).map_err(|error| ScriptError::of(&error.into()))
}

fn moved(address: Address, bytes: INT) -> Result<Address, Box<EvalAltResult>> {
    let offset = (address.offset as INT).checked_add(bytes).filter(|offset| *offset >= 0);
    let offset = offset.ok_or("an address before its memory or beyond all")?;
    Ok(Address { offset: offset as usize, ..address })
}

/// Adds a launch after those that are known, and its bytes to theirs.
fn add(
    known: &RefCell<(Vec<ScriptedLaunch>, usize)>,
    asked: ScriptedLaunch,
) -> Result<(), Box<EvalAltResult>> {
    let (known, bytes) = &mut *known.borrow_mut();
    if known.len() >= MOST_LAUNCHES {
        return Err(format!("more than {MOST_LAUNCHES} launches in one solve").into());
    }
    *bytes += asked.bytes();
    if *bytes > MOST_LAUNCH_BYTES {
        let most = MOST_LAUNCH_BYTES >> 20;
        let message = format!(
            "the launches of one solve take more than {most} MiB: ask for fewer, with fewer arguments"
        );
        return Err(message.into());
    }
    known.push(asked);
    Ok(())
}

fn script_launches(
    place: Position,
    kernel: &str,
    grid: &[Dynamic],
    arguments: &[Dynamic],
    work_of: Option<&Map>,
) -> Result<ScriptedLaunch, Box<EvalAltResult>> {
    let extent = |value: &Dynamic| {
        value.as_int().map_err(|kind| {
            format!("the grid of {kernel} has a value of type {kind}: expected whole numbers")
        })
    };
    let argument = |(at, value): (usize, &Dynamic)| {
        let fraction = || value.as_float().ok().map(LaunchArgument::Double);
        let whole = || value.as_int().ok().map(LaunchArgument::Long);
        let address = || value.clone().try_cast::<Address>().map(LaunchArgument::Address);
        fraction().or_else(whole).or_else(address).ok_or_else(|| {
            let kind = value.type_name();
            format!("argument {} of {kernel} is of type {kind}: expected a number, matrix or scratch", at + 1)
        })
    };
    let number = |of: &Map, name: &str| {
        let count = of.get(name).map_or(Ok(0), Dynamic::as_int).ok().filter(|count| *count >= 0);
        count.ok_or_else(|| format!("{name}: expected a whole number from 0 on"))
    };
    let work = |of: &Map| -> Result<LaunchWork, String> {
        let [tasks, loaded, stored] = ["tasks", "loaded", "stored"].map(|name| number(of, name));
        Ok(LaunchWork { tasks: tasks?, loaded: loaded?, stored: stored? })
    };
    Ok(ScriptedLaunch {
        work: work_of.map(work).transpose()?,
        kernel: kernel.to_string(),
        grid: grid.iter().map(extent).collect::<Result<_, _>>()?,
        arguments: arguments.iter().enumerate().map(argument).collect::<Result<_, _>>()?,
        line: place.line().unwrap_or_default(),
    })
}
