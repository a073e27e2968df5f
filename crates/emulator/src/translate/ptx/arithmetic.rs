//! Integer, logic, bit and floating-point instructions: each is one call of a function template that takes and gives bits.

use super::convert::{ROUNDINGS, take_mode};
use super::names::{ANY, Type};
use super::operation::{EmitResult, InstructionError, Operation, wrong_operands};
use Domain::{Float, FloatBits, Integer, Integers, Logic};

/// The types of an instruction.
#[derive(Clone, Copy, PartialEq)]
enum Domain {
    /// Whole numbers.
    Integer,
    /// Whole numbers and predicates.
    Logic,
    /// This many types of whole numbers.
    Integers(usize),
    /// Floating point, with roundings, .ftz and .sat.
    Float,
    /// Floating point, by its bits.
    FloatBits,
}

/// Name, types, number of operands that are read, and of each further modifier the choices: "" where it may be missing.
type OpcodeRow = (&'static str, Domain, usize, &'static [&'static [&'static str]]);

const PARTS: &[&str] = &["lo", "hi", "wide"];
const HALVES: &[&str] = &["lo", "hi"];
const BEYOND: &[&str] = &["wrap", "clamp"];
const SATURATION: &[&str] = &["", "sat"];
const PERMUTATIONS: &[&str] = &["", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];
const PROPERTIES: &[&str] = &["finite", "infinite", "number", "notanumber", "normal", "subnormal"];

const INSTRUCTIONS: [OpcodeRow; 59] = [
    ("abs", Integer, 1, &[]),
    ("abs", Float, 1, &[]),
    ("add", Integer, 2, &[SATURATION]),
    ("add", Float, 2, &[]),
    ("and", Logic, 2, &[]),
    ("bfe", Integer, 3, &[]),
    ("bfi", Integer, 4, &[]),
    ("bfind", Integer, 1, &[&["", "shiftamt"]]),
    ("bmsk", Integer, 2, &[BEYOND]),
    ("brev", Integer, 1, &[]),
    ("clz", Integer, 1, &[]),
    ("cnot", Logic, 1, &[]),
    ("copysign", FloatBits, 2, &[]),
    ("cos", Float, 1, &[]),
    ("div", Integer, 2, &[]),
    ("div", Float, 2, &[]),
    ("dp2a", Integers(2), 3, &[HALVES]),
    ("dp4a", Integers(2), 3, &[]),
    ("ex2", Float, 1, &[]),
    ("fma", Float, 3, &[&["", "relu"]]),
    ("fns", Integer, 3, &[]),
    ("lg2", Float, 1, &[]),
    ("lop3", Integer, 4, &[]),
    ("mad", Integer, 3, &[PARTS]),
    ("mad", Float, 3, &[]),
    ("mad24", Integer, 3, &[HALVES]),
    ("max", Integer, 2, &[]),
    ("max", Float, 2, &[&["", "NaN"], &["", "xorsign"]]),
    ("min", Integer, 2, &[]),
    ("min", Float, 2, &[&["", "NaN"], &["", "xorsign"]]),
    ("mul", Integer, 2, &[PARTS]),
    ("mul", Float, 2, &[]),
    ("mul24", Integer, 2, &[HALVES]),
    ("neg", Integer, 1, &[]),
    ("neg", Float, 1, &[]),
    ("not", Logic, 1, &[]),
    ("or", Logic, 2, &[]),
    ("popc", Integer, 1, &[]),
    ("prmt", Integer, 3, &[PERMUTATIONS]),
    ("rcp", Float, 1, &[]),
    ("rem", Integer, 2, &[]),
    ("rsqrt", Float, 1, &[]),
    ("sad", Integer, 3, &[]),
    ("shf", Integer, 3, &[&["l", "r"], BEYOND]),
    ("shl", Integer, 2, &[]),
    ("shr", Integer, 2, &[]),
    ("sin", Float, 1, &[]),
    ("sqrt", Float, 1, &[]),
    ("sub", Integer, 2, &[SATURATION]),
    ("sub", Float, 2, &[]),
    ("szext", Integer, 2, &[BEYOND]),
    ("tanh", Float, 1, &[]),
    ("testp", FloatBits, 1, &[PROPERTIES]),
    ("vabsdiff", Integers(3), 2, &[SATURATION]),
    ("vadd", Integers(3), 2, &[SATURATION]),
    ("vmax", Integers(3), 2, &[SATURATION]),
    ("vmin", Integers(3), 2, &[SATURATION]),
    ("vsub", Integers(3), 2, &[SATURATION]),
    ("xor", Logic, 2, &[]),
];

pub fn emit(mut op: Operation) -> EmitResult {
    let carries = op.take("cc");
    if carries || matches!(op.name, "addc" | "subc" | "madc") {
        return carry(op, carries);
    }
    let logic = if op.name == "lop3" { op.take_one(&["or", "and"]) } else { None };
    if let Some(logic) = logic {
        return lop3_and_predicate(op, logic);
    }
    let last = op.modifiers.last().copied().unwrap_or("");
    let float = Type::of(last).is_some_and(|of| of.is_float());
    let fits = |row: &&OpcodeRow| row.0 == op.name && matches!(row.1, Float | FloatBits) == float;
    let &(name, domain, operands, choices) =
        INSTRUCTIONS.iter().find(fits).ok_or(InstructionError::Unknown)?;
    let of_three = matches!(name, "min" | "max") && op.arguments.len() == 4;
    if last == "f32x2" || of_three {
        return Err(InstructionError::Needs("10.0".into()));
    }
    let mut function = name.to_string();
    for choices in choices {
        match op.take_one(choices) {
            Some(choice) => function += &format!("_{}", choice.to_lowercase()),
            None if choices.contains(&"") => {}
            None => return wrong_operands(format!("it needs one of .{}", choices.join(", ."))),
        }
    }
    let of = op.take_type()?;
    if of.bits == 1 && domain != Logic || of.is_pair() && domain == FloatBits {
        return wrong_operands(format!("it has no type {}", of.name));
    }
    let call = match (domain, function.as_str()) {
        (Float, _) => function_in_modes(&mut op, &function, of, operands)?,
        (Integers(count), _) => function_of_types(&mut op, &function, of, count)?,
        // These names are operators in C++.
        (_, "and" | "or" | "xor" | "not") => format!("{function}_bits<{of}>"),
        (_, "add" | "sub" | "neg") => format!("{function}<{}>", of.unsigned()),
        _ => format!("{function}<{of}>"),
    };
    op.call(&call, operands, of)
}

/// The function, wrapped in others that round, flush and saturate what it takes and returns.
fn function_in_modes(op: &mut Operation, function: &str, of: Type, operands: usize) -> EmitResult {
    if of.name.starts_with("bf16") && matches!(op.name, "add" | "sub" | "mul") {
        op.need(9, 0)?;
    }
    if function.contains("nan") {
        op.need(8, 0)?;
    }
    if function.ends_with("xorsign") {
        op.take("abs");
        op.need(8, 6)?;
    }
    op.take_one(&["approx", "full"]);
    let mode = take_mode(op, &ROUNDINGS[..4]);
    let (flush, saturate) = (op.take("ftz"), op.take("sat"));
    let single = of.to_string().replace("x2", "");
    let function = if function == "mad" { "fma" } else { function };
    let mut text = format!("emulated_ptx::{function}<{single}>");
    if mode != 0 {
        text = format!("emulated_ptx::rounded<{mode}, {text}>");
    }
    if flush && of.name == "f32" {
        text = format!("emulated_ptx::flushed<{text}>");
    }
    if saturate {
        text = format!("emulated_ptx::saturated<{single}, {text}>");
    }
    Ok(if of.is_pair() { format!("pairs{operands}<{text}>") } else { text.replacen("emulated_ptx::", "", 1) })
}

/// The function with `count` types of 32 bits, of which the last is known.
fn function_of_types(op: &mut Operation, function: &str, last: Type, count: usize) -> EmitResult {
    let mut types = vec![last];
    while types.len() < count {
        types.insert(0, op.take_type()?);
    }
    if types.iter().any(|of| !matches!(of.name, "u32" | "s32")) {
        return Err(InstructionError::Unknown);
    }
    let types: Vec<String> = types.iter().map(Type::to_string).collect();
    Ok(format!("{function}<{}>", types.join(", ")))
}

/// Additions and subtractions of numbers wider than a register.
fn carry(mut op: Operation, carries_on: bool) -> EmitResult {
    let of = op.take_type()?;
    if of.is_float() || of.bits == 1 {
        return Err(InstructionError::Unknown);
    }
    let (function, of, operands) = match (op.name.trim_end_matches('c'), op.take_one(HALVES)) {
        ("add", None) => ("add", of.unsigned(), 2),
        ("sub", None) => ("sub", of.unsigned(), 2),
        ("mad", Some("lo")) => ("mad_lo", of.unsigned(), 3),
        ("mad", Some(_)) => ("mad_hi", of.to_string(), 3),
        _ => return Err(InstructionError::Unknown),
    };
    op.finish(operands + 1, operands + 1)?;
    Ok(format!(
        "{}emulated_ptx::{function}_carry<{of}, {}, {carries_on}>({}, emulated_carry)",
        op.write(0)?,
        op.name.ends_with('c'),
        op.read_from(1, ANY)?
    ))
}

/// lop3.or and lop3.and also write a predicate: whether the result is not zero, combined by or/and with another predicate.
fn lop3_and_predicate(mut op: Operation, logic: &str) -> EmitResult {
    op.take_type()?;
    op.finish(6, 6)?;
    let (result, Some(holds)) = op.write_pair()? else {
        return wrong_operands("it writes a register and a predicate: d|p");
    };
    Ok(format!(
        "{{ const emulated_u32 emulated_bits = emulated_ptx::lop3<emulated_ptx::u32>({}, {}, {}, {}); {holds}(emulated_bits != 0) {logic} {}; {result}emulated_bits; }}",
        op.read(1)?,
        op.read(2)?,
        op.read(3)?,
        op.read(4)?,
        op.predicate(5)?,
    ))
}
