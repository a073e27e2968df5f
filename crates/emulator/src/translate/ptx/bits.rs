//! Instructions that look at bits, bytes and halves, and the scalar video instructions.

use super::arithmetic::operands;
use super::parse::Argument;
use super::{Emitted, Op, Refused, names, wrong_operands};

pub fn emit(mut op: Op) -> Emitted {
    let name = op.name;
    // The one instruction whose mode follows its type.
    let permutation = op.take_one(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
    if matches!(name, "dp4a" | "dp2a") {
        let half = if name == "dp2a" { op.take_one(&["lo", "hi"]) } else { None };
        let Some(first) = op.modifiers.pop() else { return Err(Refused::Unknown) };
        op.nothing_left()?;
        op.count(4, 4)?;
        let name = half.map_or(name.to_string(), |half| format!("{name}_{half}"));
        return Ok(format!(
            "{}emulated_ptx::{name}<emulated_ptx::{first}, emulated_ptx::{kind}>({})",
            op.write(0)?,
            operands(&op, 1, kind)?
        ));
    }
    let Some((of, _)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    let (function, count) = match name {
        "lop3" => match op.take_one(&["or", "and"]) {
            Some(logic) => return lop3_and_predicate(&op, logic),
            None => ("lop3".to_string(), 4),
        },
        "shf" => {
            let side = op.take_one(&["l", "r"]).ok_or(Refused::Unknown)?;
            let mode = op.take_one(&["wrap", "clamp"]).ok_or(Refused::Unknown)?;
            (format!("shf_{side}_{mode}"), 3)
        }
        "prmt" => match permutation {
            Some(mode) => (format!("prmt_{mode}"), 3),
            None => ("prmt".to_string(), 3),
        },
        "bfind" => (if op.take("shiftamt") { "bfind_shift" } else { "bfind" }.to_string(), 1),
        "bmsk" => (format!("bmsk_{}", op.take_one(&["clamp", "wrap"]).ok_or(Refused::Unknown)?), 2),
        "fns" => ("fns".to_string(), 3),
        "testp" => {
            let what = op
                .take_one(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"])
                .ok_or(Refused::Unknown)?;
            (format!("testp_{what}"), 1)
        }
        _ => (name.to_string(), 1),
    };
    op.nothing_left()?;
    op.count(count + 1, count + 1)?;
    Ok(format!("{}emulated_ptx::{function}<emulated_ptx::{of}>({})", op.write(0)?, operands(&op, 1, kind)?))
}

/// lop3.or and lop3.and: also whether the result is not zero, together with a predicate.
fn lop3_and_predicate(op: &Op, logic: &str) -> Emitted {
    op.count(6, 6)?;
    let Some(Argument::Pair(result, holds)) = op.arguments.first() else {
        return wrong_operands("it writes a register and a predicate: d|p");
    };
    let name = |argument: &Argument| match argument {
        Argument::Value(value) if value.register => Ok(format!("{} = ", value.text)),
        Argument::Sink => Ok(String::new()),
        _ => wrong_operands("it writes a register and a predicate: d|p"),
    };
    Ok(format!(
        "{{ const emulated_u32 emulated_bits = emulated_ptx::lop3<emulated_ptx::u32>({}, {}, {}, {}); {}(emulated_bits != 0) {} {}; {}emulated_bits; }}",
        op.read(1)?,
        op.read(2)?,
        op.read(3)?,
        op.read(4)?,
        name(holds)?,
        if logic == "or" { "|" } else { "&" },
        op.predicate(5)?,
        name(result)?
    ))
}

/// Scalar video instructions, without selectors of bytes.
pub fn video(mut op: Op) -> Emitted {
    let saturate = op.take("sat");
    let [result, first, second] = op.modifiers[..] else { return Err(Refused::Unknown) };
    if op.arguments.len() != 3 || [result, first, second].iter().any(|kind| !matches!(*kind, "u32" | "s32")) {
        return Err(Refused::Unknown);
    }
    Ok(format!(
        "{}emulated_ptx::video<emulated_ptx::{result}, emulated_ptx::{first}, emulated_ptx::{second}, {saturate}>('{}', {})",
        op.write(0)?,
        if op.name == "vmin" {
            'n'
        } else if op.name == "vmax" {
            'x'
        } else if op.name == "vabsdiff" {
            'd'
        } else {
            op.name.as_bytes()[1] as char
        },
        operands(&op, 1, result)?
    ))
}
