//! What the threads of a block or warp do together, and what ends or delays a thread.

use super::memory::pointer;
use super::names::ANY;
use super::operation::{EmitResult, InstructionError, Operation, wrong_operands};

/// bar and barrier.
pub fn barrier(mut op: Operation) -> EmitResult {
    if op.take("cluster") {
        return cluster_barrier(op);
    }
    if op.take("warp") {
        op.take("sync");
        op.finish(1, 1)?;
        return Ok(format!("emulated_exchange(EMULATED_SYNC, (emulated_u32){}, 0)", op.read(0)?));
    }
    op.take("cta");
    op.take("aligned");
    let read = |op: &Operation, at| -> EmitResult { Ok(format!("(emulated_u32){}", op.read(at)?)) };
    if op.take("red") {
        let function = match op.modifiers.drain(..).collect::<Vec<_>>()[..] {
            ["popc", "u32"] => "COUNT",
            ["and", "pred"] => "AND",
            ["or", "pred"] => "OR",
            _ => return Err(InstructionError::Unknown),
        };
        op.finish(3, 4)?;
        let last = op.arguments.len() - 1;
        let threads = if last == 3 { read(&op, 2)? } else { "0".into() };
        return Ok(format!(
            "{}emulated_barrier({}, {threads}, EMULATED_BARRIER_{function}, {})",
            op.write(0)?,
            read(&op, 1)?,
            op.predicate(last)?
        ));
    }
    let (kind, least) = match op.require(&["sync", "arrive"])? {
        "sync" => ("SYNC", 1),
        _ => ("ARRIVE", 2),
    };
    op.finish(least, 2)?;
    let threads = if op.arguments.len() == 2 { read(&op, 1)? } else { "0".into() };
    Ok(format!("emulated_barrier({}, {threads}, EMULATED_BARRIER_{kind}, 0)", read(&op, 0)?))
}

fn cluster_barrier(mut op: Operation) -> EmitResult {
    op.need(9, 0)?;
    op.take("aligned");
    let order = op.take_one(&["acquire", "release", "relaxed"]);
    let what = op.require(&["arrive", "wait"])?;
    op.finish(0, 0)?;
    let order = match (order, what) {
        (Some("relaxed"), _) => "EMULATED_RELAXED",
        (_, "arrive") => "EMULATED_RELEASE",
        _ => "EMULATED_ACQUIRE",
    };
    Ok(format!("emulated_cluster_{what}({order})"))
}

/// Calls a function that returns a predicate too, through its last parameter.
fn call_with_predicate(op: &Operation, function: &str, operands: usize) -> EmitResult {
    op.finish(operands + 1, operands + 1)?;
    let (result, predicate) = op.write_pair()?;
    let predicate = predicate.unwrap_or_default();
    Ok(format!(
        "{{ bool emulated_holds; {result}emulated_ptx::{function}({}, emulated_holds); {predicate}emulated_holds; }}",
        op.read_from(1, ANY)?
    ))
}

/// shfl.
pub fn shuffle(mut op: Operation) -> EmitResult {
    op.take("sync");
    op.take("b32");
    let mode = op.require(&["up", "down", "bfly", "idx"])?;
    if op.modifiers.is_empty() && op.arguments.len() == 4 {
        return wrong_operands("it takes the mask of lanes as its last operand");
    }
    call_with_predicate(&op, &format!("shuffle_{mode}"), 4)
}

pub fn vote(mut op: Operation) -> EmitResult {
    op.take("sync");
    let what = op.require(&["all", "any", "uni", "ballot"])?;
    op.take_one(&["pred", "b32"]);
    op.finish(3, 3)?;
    Ok(format!("{}emulated_ptx::vote_{what}({}, {})", op.write(0)?, op.predicate(1)?, op.read(2)?))
}

/// match.
pub fn compare(mut op: Operation) -> EmitResult {
    op.take("sync");
    let what = op.require(&["any", "all"])?;
    op.take_one(&["b32", "b64"]);
    match what {
        "any" => op.call("match_any", 2, ANY),
        _ => call_with_predicate(&op, "match_all", 2),
    }
}

pub fn elect(mut op: Operation) -> EmitResult {
    op.need(9, 0)?;
    op.take("sync");
    match op.write_pair()? {
        (_, None) => wrong_operands("it writes a lane and a predicate: d|p"),
        _ => call_with_predicate(&op, "elect", 1),
    }
}

/// redux.
pub fn reduce(mut op: Operation) -> EmitResult {
    op.need(8, 0)?;
    op.take("sync");
    let what = op.require(&["add", "min", "max", "and", "or", "xor"])?;
    let of = op.take_type()?;
    match of.name {
        "f32" => Err(InstructionError::Needs("10.0a".into())),
        "s32" | "u32" | "b32" => op.call(&format!("reduce_{what}<{of}>"), 2, of),
        _ => Err(InstructionError::Unknown),
    }
}

/// setmaxnreg.
pub fn limit_registers(op: Operation) -> EmitResult {
    if op.target.capability != (9, 0) || !op.target.accelerated {
        return Err(InstructionError::Needs("9.0a".into()));
    }
    // Checks a count that is written in the PTX; one that comes as an operand is known later.
    let count = op.read(0)?.strip_suffix("ull").map(|digits| digits.parse().unwrap_or(0));
    match count {
        Some(count) if !(24..=256).contains(&count) || count % 8 != 0 => {
            wrong_operands("the number of registers is a multiple of 8 from 24 to 256")
        }
        _ => Ok(String::new()),
    }
}

/// ldmatrix, stmatrix and movmatrix.
pub fn move_matrices(mut op: Operation) -> EmitResult {
    if op.name == "stmatrix" {
        op.need(9, 0)?
    } else {
        op.need(7, 5)?
    }
    op.take("sync");
    op.take("aligned");
    op.require(&["m8n8"])?;
    let transposed = op.take("trans");
    let space = op.take_one(&["shared", "shared::cta"]).unwrap_or("");
    let count = match op.take_one(&["x1", "x2", "x4"]) {
        Some("x2") => 2,
        Some("x4") => 4,
        _ => 1,
    };
    op.require(&["b16"])?;
    op.finish(2, 2)?;
    match op.name {
        "movmatrix" => op.call("transpose_matrix", 1, ANY),
        "ldmatrix" => {
            let place = pointer(space, &op, 1)?;
            op.unpack(0, count, &format!("load_matrices<{count}, {transposed}>({place})"))
        }
        _ => Ok(format!(
            "emulated_ptx::store_matrices<{count}, {transposed}>({}, emulated_ptx::together<emulated_ptx::u32>({}))",
            pointer(space, &op, 0)?,
            op.read_list(1, count, ANY)?.join(", ")
        )),
    }
}

/// mma.sync of 16 x 8 results, with factors of halves (m16n8k8, m16n8k16), tf32 (m16n8k4, m16n8k8) or bytes (m16n8k16, m16n8k32).
pub fn multiply(mut op: Operation) -> EmitResult {
    let limited = op.take("satfinite");
    let modifiers = std::mem::take(&mut op.modifiers);
    let ["sync", "aligned", shape, "row", "col", result, first, second, third] = modifiers[..] else {
        return Err(InstructionError::Unknown);
    };
    // Factors in a register, and how many of them a row has.
    let (packed, depth) = match (shape, first, second, result) {
        ("m16n8k16", "f16", "f16", "f16" | "f32") | ("m16n8k16", "bf16", "bf16", "f32") => (2, 16),
        ("m16n8k8", "f16", "f16", "f16" | "f32") | ("m16n8k8", "bf16", "bf16", "f32") => (2, 8),
        ("m16n8k8", "tf32", "tf32", "f32") => (1, 8),
        ("m16n8k4", "tf32", "tf32", "f32") => (1, 4),
        ("m16n8k32", "s8" | "u8", "s8" | "u8", "s32") => (4, 32),
        ("m16n8k16", "s8" | "u8", "s8" | "u8", "s32") => (4, 16),
        _ => return Err(InstructionError::Unknown),
    };
    if result != third || limited && packed != 4 {
        return Err(InstructionError::Unknown);
    }
    if first == "f16" && depth == 8 {
        op.need(7, 5)?
    } else {
        op.need(8, 0)?
    }
    op.finish(4, 4)?;
    let results = if result == "f16" { 2 } else { 4 };
    let (of_a, of_b) = (depth / 2 / packed, depth / 4 / packed);
    let mut text = format!("{{ emulated_ptx::Lanes emulated_rows[{of_a}], emulated_columns[{of_b}]; ");
    for (at, count, lanes) in [(1, of_a, "rows"), (2, of_b, "columns")] {
        for (part, register) in op.read_list(at, count, ANY)?.iter().enumerate() {
            text += &format!("emulated_ptx::bring({register}, emulated_{lanes}[{part}]); ");
        }
    }
    let call = format!(
        "multiply<emulated_ptx::{first}, emulated_ptx::{second}, emulated_ptx::{result}, {depth}, {limited}>(emulated_rows, emulated_columns, {{{{{}}}}})",
        op.read_list(3, results, ANY)?.join(", ")
    );
    Ok(text + &op.unpack(0, results, &call)? + " }")
}
