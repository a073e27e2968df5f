//! An instruction and its operands, as the translators of the families of instructions see them.

use super::names::{ANY, Type};
use super::parse::{Argument, Value};
use crate::translate::output::Target;

/// Why an instruction was not translated.
pub enum InstructionError {
    Unknown,
    /// The least capability, as `8.0` or `9.0a`.
    Needs(String),
    Operands(String),
}

pub type EmitResult = Result<String, InstructionError>;

pub fn wrong_operands<T>(words: impl Into<String>) -> Result<T, InstructionError> {
    Err(InstructionError::Operands(words.into()))
}

/// Instructions whose operands each have as many bits as the instruction's type.
const OF_ONE_WIDTH: [&str; 15] =
    ["add", "sub", "min", "max", "abs", "neg", "div", "rem", "and", "or", "xor", "not", "mov", "setp", "fma"];

pub struct Operation<'a> {
    pub name: &'a str,
    /// What follows the name, each with its leading dot taken away.
    pub modifiers: Vec<&'a str>,
    pub arguments: &'a [Argument],
    pub target: Target,
}

impl<'a> Operation<'a> {
    /// Takes a modifier out, so that those left over at the end are the unknown ones.
    pub fn take(&mut self, modifier: &str) -> bool {
        let before = self.modifiers.len();
        self.modifiers.retain(|one| *one != modifier);
        before != self.modifiers.len()
    }

    pub fn take_one(&mut self, choices: &[&'static str]) -> Option<&'static str> {
        choices.iter().find(|choice| self.take(choice)).copied()
    }

    pub fn require(&mut self, choices: &[&'static str]) -> Result<&'static str, InstructionError> {
        self.take_one(choices).ok_or(InstructionError::Unknown)
    }

    /// Takes the last modifier out, which is a type.
    pub fn take_type(&mut self) -> Result<Type<'a>, InstructionError> {
        self.modifiers.pop().and_then(Type::of).ok_or(InstructionError::Unknown)
    }

    /// Requires that no modifier is left, and `least` to `most` operands.
    pub fn finish(&self, least: usize, most: usize) -> Result<(), InstructionError> {
        let count = self.arguments.len();
        if !self.modifiers.is_empty() {
            Err(InstructionError::Unknown)
        } else if (least..=most).contains(&count) {
            Ok(())
        } else if least == most {
            wrong_operands(format!("it takes {least} operands and has {count}"))
        } else {
            wrong_operands(format!("it takes {least} to {most} operands and has {count}"))
        }
    }

    pub fn need(&self, major: u32, minor: u32) -> Result<(), InstructionError> {
        let enough = self.target.capability >= (major, minor);
        if enough { Ok(()) } else { Err(InstructionError::Needs(format!("{major}.{minor}"))) }
    }

    /// The bits of an operand that is read, in C++. A number with a point has the bits of it as the type `of`.
    pub fn typed(&self, at: usize, of: Type) -> EmitResult {
        match self.arguments.get(at) {
            _ if of.bits == 1 => self.predicate(at),
            Some(Argument::Value(value)) => self.bits_of(value, at, of),
            _ => wrong_operands(format!("operand {} must be a register or a number", at + 1)),
        }
    }

    fn bits_of(&self, value: &Value, at: usize, of: Type) -> EmitResult {
        let strict = value.register && value.bits > 1 && of.bits > 8 && OF_ONE_WIDTH.contains(&self.name);
        if strict && value.bits != of.bits {
            return wrong_operands(format!(
                "operand {} has {} bits where the instruction has {}",
                at + 1,
                value.bits,
                of.bits
            ));
        }
        match (value.real, value.bits, of.name) {
            (Some(real), 0 | 64, "f32") => Ok(format!("0x{:08x}u", (real as f32).to_bits())),
            (Some(real), 0 | 32, "f64") => Ok(format!("0x{:016x}ull", real.to_bits())),
            (Some(_), 0, _) => wrong_operands(format!("operand {} must be a whole number", at + 1)),
            _ => Ok(value.text.clone()),
        }
    }

    /// An operand that is read, of any width.
    pub fn read(&self, at: usize) -> EmitResult {
        self.typed(at, ANY)
    }

    /// The operands from `from` on, as a list.
    pub fn read_from(&self, from: usize, of: Type) -> EmitResult {
        let all: Result<Vec<_>, _> = (from..self.arguments.len()).map(|at| self.typed(at, of)).collect();
        Ok(all?.join(", "))
    }

    /// A predicate that is read, perhaps negated.
    pub fn predicate(&self, at: usize) -> EmitResult {
        match self.arguments.get(at) {
            Some(Argument::Value(value)) => Ok(format!("({} != 0)", value.text)),
            Some(Argument::Negated(value)) => Ok(format!("({} == 0)", value.text)),
            _ => wrong_operands(format!("operand {} must be a predicate", at + 1)),
        }
    }

    /// `register = ` for an operand that is written; nothing for `_`.
    pub fn write(&self, at: usize) -> EmitResult {
        match self.arguments.get(at).and_then(Argument::assign) {
            Some(written) => Ok(written),
            None => wrong_operands(format!("operand {} must be a register", at + 1)),
        }
    }

    /// As `write`, for the result and, in `d|p`, the predicate.
    pub fn write_pair(&self) -> Result<(String, Option<String>), InstructionError> {
        let Some(Argument::Pair(result, predicate)) = self.arguments.first() else {
            return Ok((self.write(0)?, None));
        };
        match (result.assign(), predicate.assign()) {
            (Some(result), Some(predicate)) => Ok((result, Some(predicate))),
            _ => wrong_operands("it writes a register, or one and a predicate: d|p"),
        }
    }

    /// The operand at `at` as `count` operands: a group, or one alone.
    pub fn list(&self, at: usize, count: usize) -> Result<&'a [Argument], InstructionError> {
        let list = match self.arguments.get(at) {
            Some(Argument::Group(all)) => all.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        if list.len() == count {
            return Ok(list);
        }
        wrong_operands(format!("operand {} must have {count} registers and has {}", at + 1, list.len()))
    }

    pub fn read_list(&self, at: usize, count: usize, of: Type) -> Result<Vec<String>, InstructionError> {
        self.read_all(self.list(at, count)?, at, of)
    }

    pub fn read_all(&self, all: &[Argument], at: usize, of: Type) -> Result<Vec<String>, InstructionError> {
        let read = |argument: &Argument| match argument {
            Argument::Value(value) => self.bits_of(value, at, of),
            _ => wrong_operands(format!("operand {} must be registers or numbers", at + 1)),
        };
        all.iter().map(read).collect()
    }

    /// Statements that give each of a list of registers what `value` says.
    pub fn write_list(&self, at: usize, count: usize, value: impl Fn(usize) -> String) -> EmitResult {
        let mut text = String::new();
        for (place, part) in self.list(at, count)?.iter().enumerate() {
            match part.assign() {
                Some(written) => text += &format!("{written}{}; ", value(place)),
                None => return wrong_operands(format!("operand {} must be registers", at + 1)),
            }
        }
        Ok(text)
    }

    /// Calls a function that returns `emulated_ptx::values`, and gives each of a list of registers its part.
    pub fn unpack(&self, at: usize, count: usize, call: &str) -> EmitResult {
        let parts = self.write_list(at, count, |part| format!("emulated_got.widened({part})"))?;
        Ok(format!("{{ const auto emulated_got = emulated_ptx::{call}; {parts}}}"))
    }

    /// Calls a function with all operands but the first, which takes the result; there must be `operands` of them.
    pub fn call(&self, function: &str, operands: usize, of: Type) -> EmitResult {
        self.finish(operands + 1, operands + 1)?;
        Ok(format!("{}emulated_ptx::{function}({})", self.write(0)?, self.read_from(1, of)?))
    }
}

#[derive(Debug)]
pub struct Operand {
    /// `r` 32 bits, `l` 64, `h` 16, `f` and `d` floating point, `n` a constant.
    pub letter: char,
    pub output: bool,
    pub input: bool,
    /// The operand's value or variable in C++.
    pub expression: String,
}

impl Operand {
    pub fn bits(&self) -> u32 {
        match self.letter {
            'h' => 16,
            'r' | 'f' => 32,
            _ => 64,
        }
    }
}
