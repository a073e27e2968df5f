//! Moves, conversions, comparisons and selections.

use super::arithmetic::typed;
use super::parse::Argument;
use super::{Emitted, Op, Refused, names, wrong_operands};

pub fn emit(op: Op) -> Emitted {
    match op.name {
        "mov" => moved(op),
        "cvt" => converted(op),
        "setp" | "set" => compared(op),
        _ => selected(op),
    }
}

fn moved(mut op: Op) -> Emitted {
    let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
    op.nothing_left()?;
    op.count(2, 2)?;
    let Some((_, width)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    match (&op.arguments[0], &op.arguments[1]) {
        // The first of a group has the lowest bits.
        (_, Argument::Group(parts)) => {
            let each = width as usize / parts.len().max(1);
            let mut text = op.write(0)?;
            for (at, part) in parts.iter().enumerate() {
                let Argument::Value(part) = part else { return wrong_operands("a group is of registers") };
                let mask = u64::MAX >> (64 - each);
                text += &format!(
                    "{}((emulated_u64){} & {mask:#x}ull) << {}",
                    if at > 0 { " | " } else { "" },
                    part.text,
                    at * each
                );
            }
            Ok(text)
        }
        (Argument::Group(parts), _) => {
            let each = width as usize / parts.len().max(1);
            let from = op.read(1)?;
            // The source may be one of the parts.
            let mut text = format!("{{ const emulated_u64 emulated_whole = {from}; ");
            for (at, part) in parts.iter().enumerate() {
                match part {
                    Argument::Value(part) if part.register => {
                        let mask = u64::MAX >> (64 - each);
                        text +=
                            &format!("{} = (emulated_whole >> {}) & {mask:#x}ull; ", part.text, at * each);
                    }
                    Argument::Sink => {}
                    _ => return wrong_operands("a group is of registers"),
                }
            }
            Ok(text + "}")
        }
        _ if kind == "pred" => Ok(format!("{}{}", op.write(0)?, op.predicate(1)?)),
        _ => Ok(format!("{}{}", op.write(0)?, typed(&op, 1, kind)?)),
    }
}

fn converted(mut op: Op) -> Emitted {
    if op.take("pack") {
        return packed(op);
    }
    let rounding = op.take_one(&["rni", "rzi", "rmi", "rpi", "rna", "rn", "rz", "rm", "rp"]);
    let (flush, saturate, relu) = (op.take("ftz"), op.take("sat"), op.take("relu"));
    op.take("satfinite");
    let [to, from] = op.modifiers[..] else { return Err(Refused::Unknown) };
    if to == "tf32" && from == "f32" {
        op.need("8.0")?;
        op.count(2, 2)?;
        return Ok(format!("{}emulated_ptx::to_tf32({})", op.write(0)?, typed(&op, 1, from)?));
    }
    if matches!(to, "f16x2" | "bf16x2") && from == "f32" {
        op.need("8.0")?;
        op.count(3, 3)?;
        let half = to.trim_end_matches("x2");
        let mode = mode_of(rounding);
        let one = |at| -> Emitted {
            Ok(format!(
                "emulated_ptx::convert<emulated_ptx::{half}, emulated_ptx::f32, {mode}, {relu}>({})",
                typed(&op, at, from)?
            ))
        };
        return Ok(format!("{}{} << 16 | {}", op.write(0)?, one(1)?, one(2)?));
    }
    let (Some((of, _)), Some((source, _))) = (names::of_type(to), names::of_type(from)) else {
        return Err(Refused::Unknown);
    };
    if of.ends_with("x2") || source.ends_with("x2") || of == "pred" || source == "pred" {
        return Err(Refused::Unknown);
    }
    op.count(2, 2)?;
    let value = typed(&op, 1, from)?;
    let value = if flush && from == "f32" { format!("emulated_ptx::flush({value})") } else { value };
    let mut text = if saturate && !names::is_float(to) && !names::is_float(from) {
        format!("emulated_ptx::clamp<emulated_ptx::{of}, emulated_ptx::{source}>({value})")
    } else {
        format!(
            "emulated_ptx::convert<emulated_ptx::{of}, emulated_ptx::{source}, {}, {relu}>({value})",
            mode_of(rounding)
        )
    };
    if saturate && names::is_float(to) {
        text = format!("emulated_ptx::saturate<emulated_ptx::{of}>({text})");
    }
    if flush && to == "f32" {
        text = format!("emulated_ptx::flush({text})");
    }
    Ok(format!("{}{text}", op.write(0)?))
}

/// cvt.pack: two numbers, limited to the type, beside the low bits of a third operand.
fn packed(mut op: Op) -> Emitted {
    op.need("7.2")?;
    op.take("sat");
    op.take("b32");
    let [to, "s32"] = op.modifiers[..] else { return Err(Refused::Unknown) };
    let bits = match to {
        "u16" | "s16" => 16,
        "u8" | "s8" => 8,
        "u4" | "s4" => 4,
        "u2" | "s2" => 2,
        _ => return Err(Refused::Unknown),
    };
    let count = if bits == 16 { 3 } else { 4 };
    op.count(count, count)?;
    let signed = to.starts_with('s');
    Ok(format!(
        "{}emulated_ptx::pack<{bits}, {signed}>({}, {}, {})",
        op.write(0)?,
        op.read(1)?,
        op.read(2)?,
        if count == 4 { op.read(3)? } else { "0" }
    ))
}

/// As the hardware numbers them: to nearest, down, up, to zero; with 4 more to whole numbers.
fn mode_of(rounding: Option<&str>) -> u32 {
    match rounding {
        Some("rm") => 1,
        Some("rp") => 2,
        Some("rz") => 3,
        Some("rni") => 4,
        Some("rmi") => 5,
        Some("rpi") => 6,
        Some("rzi") => 7,
        _ => 0,
    }
}

fn compared(mut op: Op) -> Emitted {
    let flush = op.take("ftz");
    let is_set = op.name == "set";
    let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
    let result = if is_set { op.modifiers.pop() } else { None };
    let Some((of, _)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    if of.ends_with("x2") {
        return Err(Refused::Unknown);
    }
    let Some((&comparison, logic)) = op.modifiers.split_first() else { return Err(Refused::Unknown) };
    let comparison = match comparison {
        "lo" => "lt",
        "ls" => "le",
        "hi" => "gt",
        "hs" => "ge",
        "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "equ" | "neu" | "ltu" | "leu" | "gtu" | "geu" | "num"
        | "nan" => comparison,
        _ => return Err(Refused::Unknown),
    };
    let count = 3 + logic.len();
    op.count(count, count)?;
    let value = |at| -> Emitted {
        let value = typed(&op, at, kind)?;
        Ok(if flush { format!("emulated_ptx::flush({value})") } else { value })
    };
    let holds =
        format!("emulated_ptx::compare_{comparison}<emulated_ptx::{of}>({}, {})", value(1)?, value(2)?);
    let combined = |holds: String| -> Emitted {
        Ok(match logic {
            [] => holds,
            ["and"] => format!("({holds} & {})", op.predicate(3)?),
            ["or"] => format!("({holds} | {})", op.predicate(3)?),
            ["xor"] => format!("({holds} ^ {})", op.predicate(3)?),
            _ => return Err(Refused::Unknown),
        })
    };
    if is_set {
        let one = match result {
            // Documented to give 1.0, and an H200 gives the bits of a 1.
            Some("f32") => return wrong_operands("a result of type f32 is not emulated: use setp and selp"),
            Some("u32" | "s32" | "b32") => "0xffffffffu",
            _ => return Err(Refused::Unknown),
        };
        return Ok(format!("{}{} ? {one} : 0u", op.write(0)?, combined(holds)?));
    }
    if let Argument::Pair(first, second) = &op.arguments[0] {
        let register = |argument: &Argument| match argument {
            Argument::Value(value) if value.register => Ok(format!("{} = ", value.text)),
            Argument::Sink => Ok(String::new()),
            _ => wrong_operands("it writes a predicate, or two"),
        };
        return Ok(format!(
            "{{ const bool emulated_holds = {holds}; const bool emulated_yes = {}, emulated_no = {}; {}emulated_yes; {}emulated_no; }}",
            combined("emulated_holds".into())?,
            combined("!emulated_holds".into())?,
            register(first)?,
            register(second)?
        ));
    }
    Ok(format!("{}{}", op.write(0)?, combined(holds)?))
}

fn selected(mut op: Op) -> Emitted {
    op.take("ftz");
    op.count(4, 4)?;
    if op.name == "selp" {
        let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
        op.nothing_left()?;
        return Ok(format!(
            "{}{} ? (emulated_u64){} : (emulated_u64){}",
            op.write(0)?,
            op.predicate(3)?,
            typed(&op, 1, kind)?,
            typed(&op, 2, kind)?
        ));
    }
    let [kind, by] = op.modifiers[..] else { return Err(Refused::Unknown) };
    if !matches!(by, "s32" | "f32") {
        return Err(Refused::Unknown);
    }
    Ok(format!(
        "{}emulated_ptx::compare_ge<emulated_ptx::{by}>({}, 0) ? (emulated_u64){} : (emulated_u64){}",
        op.write(0)?,
        typed(&op, 3, by)?,
        typed(&op, 1, kind)?,
        typed(&op, 2, kind)?
    ))
}
