//! PTX to C++: each instruction becomes a call of a function in `cuda/ptx.hpp`, each register a variable of as many bits.

mod arithmetic;
mod asynchronous;
mod bits;
mod convert;
mod mbarrier;
mod memory;
mod names;
mod parse;
mod warp;

use super::Target;
use super::assembly::Operand;
use parse::{Argument, Instruction, Item, Parsed, Value};
use std::collections::HashMap;

#[derive(Debug)]
pub struct Wrong {
    /// Byte of the PTX text.
    pub at: usize,
    pub words: String,
}

#[derive(Default)]
pub struct Body {
    pub declarations: String,
    /// Each with the byte of the PTX text that it came from.
    pub statements: Vec<(usize, String)>,
}

/// Why an instruction was not translated.
pub enum Refused {
    Unknown,
    /// The least capability, as `8.0` or `9.0a`.
    Needs(&'static str),
    Operands(String),
}

pub type Emitted = Result<String, Refused>;

pub fn wrong_operands<T>(words: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Operands(words.into()))
}

/// An instruction as the translators of the single families see it.
pub struct Op<'a> {
    pub name: &'a str,
    /// What follows the name, each with its leading dot taken away.
    pub modifiers: Vec<&'a str>,
    pub arguments: &'a [Argument],
    pub target: Target,
}

impl<'a> Op<'a> {
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Takes a modifier out, so that those left over at the end are the unknown ones.
    pub fn take(&mut self, modifier: &str) -> bool {
        let before = self.modifiers.len();
        self.modifiers.retain(|one| *one != modifier);
        before != self.modifiers.len()
    }

    pub fn take_one(&mut self, choices: &[&'static str]) -> Option<&'static str> {
        choices.iter().find(|choice| self.take(choice)).copied()
    }

    pub fn nothing_left(&self) -> Result<(), Refused> {
        if self.modifiers.is_empty() { Ok(()) } else { Err(Refused::Unknown) }
    }

    pub fn count(&self, from: usize, to: usize) -> Result<(), Refused> {
        let count = self.arguments.len();
        if (from..=to).contains(&count) {
            Ok(())
        } else if from == to {
            wrong_operands(format!("it takes {from} operands and has {count}"))
        } else {
            wrong_operands(format!("it takes {from} to {to} operands and has {count}"))
        }
    }

    /// An operand that is read.
    pub fn value(&self, at: usize) -> Result<&'a Value, Refused> {
        match self.arguments.get(at) {
            Some(Argument::Value(value)) => Ok(value),
            _ => wrong_operands(format!("operand {} must be a register or a number", at + 1)),
        }
    }

    pub fn read(&self, at: usize) -> Result<&'a str, Refused> {
        Ok(&self.value(at)?.text)
    }

    /// A predicate that is read, perhaps negated.
    pub fn predicate(&self, at: usize) -> Result<String, Refused> {
        match self.arguments.get(at) {
            Some(Argument::Value(value)) => Ok(format!("({} != 0)", value.text)),
            Some(Argument::Negated(value)) => Ok(format!("({} == 0)", value.text)),
            _ => wrong_operands(format!("operand {} must be a predicate", at + 1)),
        }
    }

    /// `register = ` for an operand that is written; nothing for `_`.
    pub fn write(&self, at: usize) -> Result<String, Refused> {
        match self.arguments.get(at) {
            Some(Argument::Value(value)) if value.register => Ok(format!("{} = ", value.text)),
            Some(Argument::Sink) => Ok(String::new()),
            _ => wrong_operands(format!("operand {} must be a register", at + 1)),
        }
    }

    pub fn address(&self, at: usize) -> Result<String, Refused> {
        match self.arguments.get(at) {
            Some(Argument::Address { base, offset, coordinates: None }) => Ok(sum(base, offset)),
            _ => wrong_operands(format!("operand {} must be an address in brackets", at + 1)),
        }
    }

    pub fn need(&self, least: &'static str) -> Result<(), Refused> {
        let accelerated = least.ends_with('a');
        let number = least.trim_end_matches('a');
        let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
        let least_capability = (major.parse().unwrap_or(0), minor.parse().unwrap_or(0));
        let enough = self.target.capability >= least_capability
            && (!accelerated || self.target.accelerated && self.target.capability == least_capability);
        if enough { Ok(()) } else { Err(Refused::Needs(least)) }
    }
}

pub fn sum(base: &Value, offset: &str) -> String {
    if offset.is_empty() { base.text.clone() } else { format!("({}{offset})", base.text) }
}

pub fn translate(ptx: &str, operands: &[Operand], number: usize, target: Target) -> Result<Body, Wrong> {
    let Parsed { items, declarations, labels } = parse::parse(ptx, operands, number)?;
    let mut body = Body { declarations, statements: Vec::new() };
    let label = |name: &str, scopes: &[usize]| {
        scopes.iter().rev().find_map(|scope| labels.get(&(*scope, name.to_string()))).cloned()
    };
    let mut carries = false;
    for item in items {
        match item {
            Item::Label { at, name } => body.statements.push((at, format!("{name}: ;"))),
            Item::Instruction(instruction) => {
                let at = instruction.at;
                let statement = if instruction.opcode == "bra" || instruction.opcode == "bra.uni" {
                    branch(&instruction, &label)?
                } else {
                    carries |= instruction.opcode.contains("cc")
                        || instruction.opcode.starts_with("addc")
                        || instruction.opcode.starts_with("subc");
                    one(&instruction, target)?
                };
                let guarded = match &instruction.guard {
                    Some((value, true)) => format!("if ({value} == 0) {{ {statement}; }}"),
                    Some((value, false)) => format!("if ({value} != 0) {{ {statement}; }}"),
                    None => format!("{statement};"),
                };
                body.statements.push((at, guarded));
            }
        }
    }
    if carries {
        body.declarations += "emulated_u32 emulated_carry = 0; ";
    }
    Ok(body)
}

fn branch(
    instruction: &Instruction,
    label: &impl Fn(&str, &[usize]) -> Option<String>,
) -> Result<String, Wrong> {
    match instruction.arguments.as_slice() {
        [Argument::Name(name)] => match label(name, &instruction.scopes) {
            Some(label) => Ok(format!("goto {label}")),
            None => Err(Wrong {
                at: instruction.at,
                words: format!("PTX branches to {name}, which is no label here"),
            }),
        },
        _ => Err(Wrong { at: instruction.at, words: "PTX instruction bra takes one label".into() }),
    }
}

fn one(instruction: &Instruction, target: Target) -> Result<String, Wrong> {
    let opcode = instruction.opcode.as_str();
    let wrong = |words: String| Wrong { at: instruction.at, words };
    if let Some(name) = instruction.arguments.iter().find_map(unknown_name) {
        return Err(wrong(format!(
            "PTX instruction {opcode} names {name}, which is no register of this asm statement"
        )));
    }
    let mut parts = opcode.split('.');
    let name = parts.next().unwrap_or("");
    let op = Op { name, modifiers: parts.collect(), arguments: &instruction.arguments, target };
    match family(op) {
        Ok(statement) => Ok(statement),
        Err(Refused::Operands(words)) => Err(wrong(format!("PTX instruction {opcode}: {words}"))),
        Err(Refused::Needs(least)) => Err(wrong(format!(
            "PTX instruction {opcode} needs compute capability {least}, and {}.{}{} is compiled for: guard it with __CUDA_ARCH__",
            target.capability.0,
            target.capability.1,
            if target.accelerated { "a" } else { "" }
        ))),
        Err(Refused::Unknown) => Err(wrong(format!(
            "PTX instruction {opcode} is not emulated: write it in CUDA C++ for the emulator, under `#ifdef REPRO_EMULATED`, or use one of the instructions that the documentation lists"
        ))),
    }
}

fn unknown_name(argument: &Argument) -> Option<&str> {
    match argument {
        Argument::Name(name) => Some(name),
        Argument::Group(all) => all.iter().find_map(unknown_name),
        _ => None,
    }
}

fn family(op: Op) -> Emitted {
    match op.name {
        "ld" | "ldu" | "st" | "atom" | "red" | "prefetch" | "prefetchu" | "cvta" | "isspacep" | "mapa"
        | "getctarank" | "createpolicy" | "applypriority" | "discard" => memory::emit(op),
        "mbarrier" => mbarrier::emit(op),
        "cp" | "fence" | "membar" | "griddepcontrol" | "tensormap" => asynchronous::emit(op),
        "bar" | "barrier" | "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" | "nanosleep"
        | "trap" | "brkpt" | "exit" | "ret" | "setmaxnreg" | "pmevent" | "ldmatrix" | "stmatrix"
        | "movmatrix" | "mma" => warp::emit(op),
        "cvt" | "mov" | "setp" | "set" | "selp" | "slct" => convert::emit(op),
        "wgmma" => wrong_operands(
            "the matrix units of a warp group (wgmma) are not emulated: use mma.sync, or CUDA C++ under `#ifdef REPRO_EMULATED`",
        ),
        _ => arithmetic::emit(op),
    }
}

/// Registers and labels by name, for each scope.
pub(crate) type Named<T> = HashMap<(usize, String), T>;
