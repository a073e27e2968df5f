//! Moves, conversions, comparisons and selections.

use super::names::{ANY, Type};
use super::operation::{EmitResult, InstructionError, Operation, wrong_operands};
use super::parse::Argument;

/// Modes of rounding by the hardware's numbers: to nearest, down, up, to zero; the last four are the same to whole numbers.
pub const ROUNDINGS: [&str; 8] = ["rn", "rm", "rp", "rz", "rni", "rmi", "rpi", "rzi"];

pub fn take_mode(op: &mut Operation, roundings: &[&'static str]) -> usize {
    roundings.iter().position(|rounding| op.take(rounding)).unwrap_or(0)
}

const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
    "num", "nan",
];

/// mov, also of a group: the first of it has the lowest bits.
pub fn copy(mut op: Operation) -> EmitResult {
    let of = op.take_type()?;
    op.finish(2, 2)?;
    let group = op.arguments.iter().position(|argument| matches!(argument, Argument::Group(_)));
    let (Some(at), [Argument::Group(parts), _] | [_, Argument::Group(parts)]) = (group, op.arguments) else {
        return Ok(format!("{}{}", op.write(0)?, op.typed(1, of)?));
    };
    let each = (of.bits as usize).checked_div(parts.len()).unwrap_or(0);
    if each < 8 {
        return wrong_operands(format!(
            "a group of {} registers does not make {} bits",
            parts.len(),
            of.bits
        ));
    }
    let mask = u64::MAX >> (64 - each);
    if at == 0 {
        let parts = op.write_list(0, parts.len(), |part| {
            format!("(emulated_whole >> {}) & {mask:#x}ull", part * each)
        })?;
        // The source may be one of the parts.
        return Ok(format!("{{ const emulated_u64 emulated_whole = {}; {parts}}}", op.read(1)?));
    }
    let parts = op.read_list(1, parts.len(), ANY)?;
    let shifted = |(part, text)| format!("((emulated_u64){text} & {mask:#x}ull) << {}", part * each);
    let shifted: Vec<String> = parts.iter().enumerate().map(shifted).collect();
    Ok(format!("{}{}", op.write(0)?, shifted.join(" | ")))
}

/// cvt.
pub fn convert(mut op: Operation) -> EmitResult {
    if op.take("pack") {
        return pack(op);
    }
    op.take("rna");
    let mode = take_mode(&mut op, &ROUNDINGS);
    let (flush, saturate, relu) = (op.take("ftz"), op.take("sat"), op.take("relu"));
    op.take("satfinite");
    let flushed = |text: String, of: Type| match of.name {
        "f32" if flush => format!("emulated_ptx::flush({text})"),
        _ => text,
    };
    let from = op.take_type()?;
    let converted = |op: &Operation, to: Type, at: usize| -> EmitResult {
        let value = flushed(op.typed(at, from)?, from);
        Ok(if saturate && !to.is_float() && !from.is_float() {
            format!("emulated_ptx::clamp<{to}, {from}>({value})")
        } else {
            format!("emulated_ptx::convert<{to}, {from}, {mode}, {relu}>({value})")
        })
    };
    if op.modifiers == ["tf32"] && from.name == "f32" {
        op.need(8, 0)?;
        op.modifiers.clear();
        return op.call("to_tf32", 1, from);
    }
    let to = op.take_type()?;
    if to.is_pair() && from.name == "f32" {
        op.need(8, 0)?;
        op.finish(3, 3)?;
        let half = Type { name: to.name.trim_end_matches("x2"), bits: 16 };
        return Ok(format!(
            "{}{} << 16 | {}",
            op.write(0)?,
            converted(&op, half, 1)?,
            converted(&op, half, 2)?
        ));
    }
    if [to, from].iter().any(|of| of.is_pair() || of.bits == 1) {
        return Err(InstructionError::Unknown);
    }
    op.finish(2, 2)?;
    let mut text = converted(&op, to, 1)?;
    if saturate && to.is_float() {
        text = format!("emulated_ptx::saturate<{to}>({text})");
    }
    Ok(format!("{}{}", op.write(0)?, flushed(text, to)))
}

/// cvt.pack: two numbers, saturated to the type, below the low bits of a third operand.
fn pack(mut op: Operation) -> EmitResult {
    op.need(7, 2)?;
    op.take("sat");
    op.take("b32");
    let to = op.require(&["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"])?;
    if !op.take("s32") {
        return Err(InstructionError::Unknown);
    }
    let (sign, bits) = to.split_at(1);
    op.call(&format!("pack<{bits}, {}>", sign == "s"), if bits == "16" { 2 } else { 3 }, ANY)
}

/// setp and set.
pub fn compare(mut op: Operation) -> EmitResult {
    let flush = op.take("ftz");
    let of = op.take_type()?;
    let result = if op.name == "set" { op.modifiers.pop() } else { None };
    let logic = op.take_one(&["and", "or", "xor"]);
    let comparison = op.require(&COMPARISONS)?;
    if of.is_pair() || of.bits == 1 {
        return Err(InstructionError::Unknown);
    }
    let count = 3 + usize::from(logic.is_some());
    op.finish(count, count)?;
    let value = |at| -> EmitResult {
        let value = op.typed(at, of)?;
        Ok(if flush { format!("emulated_ptx::flush({value})") } else { value })
    };
    let holds = format!("emulated_ptx::compare_{comparison}<{of}>({}, {})", value(1)?, value(2)?);
    let combined = |holds: &str| -> EmitResult {
        Ok(match logic {
            Some(logic) => format!("({holds} {logic} {})", op.predicate(3)?),
            None => holds.to_string(),
        })
    };
    match (op.name, result) {
        // Documented to give 1.0, and an H200 gives the bits of a 1.
        (_, Some("f32")) => wrong_operands("a result of type f32 is not emulated: use setp and selp"),
        (_, Some("u32" | "s32" | "b32")) => {
            Ok(format!("{}{} ? 0xffffffffu : 0u", op.write(0)?, combined(&holds)?))
        }
        ("set", _) => Err(InstructionError::Unknown),
        _ => match op.write_pair()? {
            (yes, None) => Ok(format!("{yes}{}", combined(&holds)?)),
            (yes, Some(no)) => Ok(format!(
                "{{ const bool emulated_holds = {holds}; const bool emulated_yes = {}, emulated_no = {}; {yes}emulated_yes; {no}emulated_no; }}",
                combined("emulated_holds")?,
                combined("!emulated_holds")?,
            )),
        },
    }
}

/// selp and slct.
pub fn select(mut op: Operation) -> EmitResult {
    op.take("ftz");
    let by = if op.name == "slct" { Some(op.take_type()?) } else { None };
    let of = op.take_type()?;
    op.finish(4, 4)?;
    let condition = match by {
        None => op.predicate(3)?,
        Some(by @ Type { name: "s32" | "f32", .. }) => {
            format!("emulated_ptx::compare_ge<{by}>({}, 0)", op.typed(3, by)?)
        }
        _ => return Err(InstructionError::Unknown),
    };
    Ok(format!(
        "{}{condition} ? (emulated_u64){} : (emulated_u64){}",
        op.write(0)?,
        op.typed(1, of)?,
        op.typed(2, of)?
    ))
}
