//! Integer, logic and floating-point instructions: each is one call of a function template that takes and gives bits.

use super::{Emitted, Op, Refused, bits, names, wrong_operands};

const ROUNDINGS: [&str; 8] = ["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"];

/// An operand's bits for an instruction of a type: a number with a point is of that type.
pub fn typed(op: &Op, at: usize, kind: &str) -> Result<String, Refused> {
    let value = op.value(at)?;
    let wanted = names::of_type(kind).map_or(0, |(_, bits)| bits);
    let strict = matches!(
        op.name,
        "add"
            | "sub"
            | "min"
            | "max"
            | "abs"
            | "neg"
            | "div"
            | "rem"
            | "and"
            | "or"
            | "xor"
            | "not"
            | "mov"
            | "setp"
            | "fma"
    );
    if strict && value.register && wanted > 8 && value.bits > 1 && value.bits != wanted {
        return wrong_operands(format!(
            "operand {} has {} bits where the instruction has {wanted}",
            at + 1,
            value.bits
        ));
    }
    Ok(match (value.real, value.bits, kind) {
        (Some(real), 0 | 64, "f32") => format!("0x{:08x}u", (real as f32).to_bits()),
        (Some(real), 0 | 32, "f64") => format!("0x{:016x}ull", real.to_bits()),
        (Some(_), 0, _) => return wrong_operands(format!("operand {} must be a whole number", at + 1)),
        _ => value.text.clone(),
    })
}

/// The arguments from `from` on, as a list.
pub fn operands(op: &Op, from: usize, kind: &str) -> Result<String, Refused> {
    let all: Result<Vec<String>, Refused> =
        (from..op.arguments.len()).map(|at| typed(op, at, kind)).collect();
    Ok(all?.join(", "))
}

pub fn emit(mut op: Op) -> Emitted {
    let name = op.name;
    if matches!(
        name,
        "lop3"
            | "shf"
            | "prmt"
            | "bfind"
            | "dp4a"
            | "dp2a"
            | "fns"
            | "testp"
            | "brev"
            | "popc"
            | "clz"
            | "bmsk"
    ) {
        return bits::emit(op);
    }
    if let "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" = name {
        return bits::video(op);
    }
    let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
    if kind == "f32x2" {
        return Err(Refused::Needs("10.0"));
    }
    let Some((mut of, width)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    let float = names::is_float(kind);
    let rounding = op.take_one(&ROUNDINGS);
    let (flush, saturate) = (op.take("ftz"), op.take("sat"));
    let part = op.take_one(&["lo", "hi", "wide"]);
    let carry_out = op.take("cc");
    if carry_out || matches!(name, "addc" | "subc" | "madc") {
        return carry(op, of, part, carry_out);
    }
    let arguments = match name {
        "abs" | "neg" | "not" | "cnot" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2"
        | "tanh" => 1,
        "mad" | "fma" | "sad" | "bfe" | "szext" => 3,
        "bfi" => 4,
        "mad24" => 3,
        _ => 2,
    };
    let arguments = if name == "szext" { 2 } else { arguments };
    if op.arguments.len() != arguments + 1 {
        let third = arguments == 2 && matches!(name, "min" | "max") && op.arguments.len() == 4;
        if third {
            return Err(Refused::Needs("10.0"));
        }
        return op.count(arguments + 1, arguments + 1).map(|()| String::new());
    }
    let mut function = match name {
        "szext" => format!("szext_{}", op.take_one(&["wrap", "clamp"]).ok_or(Refused::Unknown)?),
        "add" | "sub" | "min" | "max" | "abs" | "neg" | "div" => name.to_string(),
        "mul" | "mad" if !float => {
            let unsigned = if part == Some("lo") { of.replace('s', "u") } else { of.to_string() };
            match part {
                Some(part) => {
                    let text = format!("{name}_{part}<emulated_ptx::{unsigned}>");
                    if saturate {
                        return Err(Refused::Unknown);
                    }
                    op.nothing_left()?;
                    return Ok(format!("{}emulated_ptx::{text}({})", op.write(0)?, operands(&op, 1, kind)?));
                }
                None => return wrong_operands("it needs .lo, .hi or .wide"),
            }
        }
        "mul24" | "mad24" if !float => {
            let text = format!("{name}_{}<emulated_ptx::{of}>", part.unwrap_or("lo"));
            op.nothing_left()?;
            return Ok(format!("{}emulated_ptx::{text}({})", op.write(0)?, operands(&op, 1, kind)?));
        }
        "mul" => "mul".into(),
        "mad" | "fma" if float => "fma".into(),
        "rem" | "sad" | "bfe" | "shl" | "shr" if !float => name.to_string(),
        "and" | "or" | "xor" | "not" | "cnot" => format!("{name}_bits"),
        "bfi" => "bfi".into(),
        "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "copysign" if float => {
            name.to_string()
        }
        _ => return Err(Refused::Unknown),
    };
    if matches!(kind, "bf16" | "bf16x2") && matches!(name, "add" | "sub" | "mul") {
        op.need("9.0")?;
    }
    op.take("approx");
    op.take("full");
    if matches!(name, "min" | "max") {
        if op.take("NaN") {
            op.need("8.0")?;
            function += "_nan";
        }
        if op.take("xorsign") {
            op.take("abs");
            op.need("8.6")?;
            function += "_xorsign";
        }
    }
    let relu = op.take("relu");
    op.nothing_left()?;
    if of == "pred" {
        of = "u8";
        let value = |at| op.predicate(at);
        return Ok(match name {
            "not" => format!("{}!{}", op.write(0)?, value(1)?),
            "and" | "or" | "xor" => {
                let mark = match name {
                    "and" => "&",
                    "or" => "|",
                    _ => "^",
                };
                format!("{}{} {mark} {}", op.write(0)?, value(1)?, value(2)?)
            }
            _ => return wrong_operands(format!("it has no type {of}")),
        });
    }
    // Two's complement is the same for both, and only unsigned numbers may wrap in C++.
    let of = if !float && matches!(name, "add" | "sub" | "neg") && !saturate {
        of.replace('s', "u")
    } else {
        of.to_string()
    };
    if !float && saturate {
        function += "_sat";
    }
    let pairs = of.ends_with("x2");
    let single = of.trim_end_matches("x2");
    let count = arguments;
    let mut text = format!("emulated_ptx::{function}<emulated_ptx::{single}>");
    let mode = match rounding {
        Some("rz") => 3,
        Some("rm") => 1,
        Some("rp") => 2,
        _ => 0,
    };
    if float && mode != 0 {
        text = format!("emulated_ptx::rounded<{mode}, {text}>");
    }
    if float && flush && width == 32 && !pairs {
        text = format!("emulated_ptx::flushed<{text}>");
    }
    if float && saturate {
        text = format!("emulated_ptx::saturated<emulated_ptx::{single}, {text}>");
    }
    if relu && float {
        text = format!("emulated_ptx::not_negative<emulated_ptx::{single}, {text}>");
    } else if relu {
        return Err(Refused::Unknown);
    }
    if pairs {
        text = format!("emulated_ptx::pairs{count}<{text}>");
    }
    Ok(format!("{}{text}({})", op.write(0)?, operands(&op, 1, kind)?))
}

/// Additions and subtractions of numbers wider than a register.
fn carry(op: Op, of: &str, part: Option<&str>, carry_out: bool) -> Emitted {
    op.nothing_left()?;
    if !matches!(op.name, "add" | "addc" | "sub" | "subc" | "mad" | "madc") {
        return Err(Refused::Unknown);
    }
    let of = if part == Some("hi") { of.to_string() } else { of.replace('s', "u") };
    let carry_in = op.name.ends_with('c');
    let count = if op.name.starts_with("mad") { 3 } else { 2 };
    op.count(count + 1, count + 1)?;
    let function = match (op.name.trim_end_matches('c'), part) {
        ("add", None) => "add_carry".to_string(),
        ("sub", None) => "sub_carry".to_string(),
        ("mad", Some(part @ ("lo" | "hi"))) => format!("mad_{part}_carry"),
        _ => return Err(Refused::Unknown),
    };
    Ok(format!(
        "{}emulated_ptx::{function}<emulated_ptx::{of}, {carry_in}, {carry_out}>({}, emulated_carry)",
        op.write(0)?,
        operands(&op, 1, "")?
    ))
}
