//! What the threads of a block or warp do together, and what ends or delays a thread.

use super::memory::pointer;
use super::parse::{Argument, Value};
use super::{Emitted, Op, Refused, wrong_operands};

pub fn emit(op: Op) -> Emitted {
    match op.name {
        "bar" | "barrier" => barrier(op),
        "shfl" => shuffle(op),
        "vote" => vote(op),
        "match" => matched(op),
        "redux" => reduced(op),
        "activemask" => Ok(format!("{}emulated_ptx::active_mask()", op.write(0)?)),
        "elect" => {
            op.need("9.0")?;
            op.count(2, 2)?;
            let (first, second) = pair(&op, 0)?;
            let second = second.ok_or(Refused::Operands("it writes a lane and a predicate: d|p".into()))?;
            Ok(format!("{{ {first}emulated_ptx::elect({}, {second}); }}", op.read(1)?))
        }
        "nanosleep" | "pmevent" | "brkpt" => Ok("emulated_pause()".into()),
        "trap" => Ok("emulated_misuse(EMULATED_TRAP, 0, \"trap\")".into()),
        "exit" => wrong_operands("leave the kernel with `return`"),
        "ret" => Err(Refused::Unknown),
        "setmaxnreg" => {
            op.need("9.0a")?;
            let number = op.read(0)?;
            // One that is written out; the preprocessor's constants are known later.
            let count = number.strip_suffix("ull").map(str::parse::<u32>);
            if count
                .is_some_and(|count| !count.is_ok_and(|count| (24..=256).contains(&count) && count % 8 == 0))
            {
                return wrong_operands("the number of registers is a multiple of 8 from 24 to 256");
            }
            Ok(String::new())
        }
        "ldmatrix" | "stmatrix" | "movmatrix" => matrix(op),
        _ => multiply(op),
    }
}

/// A result with an optional predicate after it, as `register = ` and as the predicate's name.
fn pair(op: &Op, at: usize) -> Result<(String, Option<String>), Refused> {
    let write = |argument: &Argument| match argument {
        Argument::Value(Value { text, register: true, .. }) => Ok(format!("{text} = ")),
        Argument::Sink => Ok(String::new()),
        _ => wrong_operands("it writes a register, or one and a predicate: d|p"),
    };
    match op.arguments.get(at) {
        Some(Argument::Pair(first, second)) => {
            let second = write(second)?;
            Ok((
                write(first)?,
                Some(second.trim_end_matches(" = ").to_string()).filter(|name| !name.is_empty()),
            ))
        }
        Some(one) => Ok((write(one)?, None)),
        None => wrong_operands("it has no result"),
    }
}

fn barrier(mut op: Op) -> Emitted {
    if op.take("cluster") {
        op.need("9.0")?;
        op.take("aligned");
        let order = op.take_one(&["acquire", "release", "relaxed"]);
        let what = op.take_one(&["arrive", "wait"]).ok_or(Refused::Unknown)?;
        op.nothing_left()?;
        op.count(0, 0)?;
        let order = match (order, what) {
            (Some("relaxed"), _) => "EMULATED_RELAXED",
            (_, "arrive") => "EMULATED_RELEASE",
            _ => "EMULATED_ACQUIRE",
        };
        return Ok(format!("emulated_cluster_{what}({order})"));
    }
    if op.take("warp") {
        op.take("sync");
        op.nothing_left()?;
        op.count(1, 1)?;
        return Ok(format!("emulated_exchange(EMULATED_SYNC, (emulated_u32){}, 0)", op.read(0)?));
    }
    op.take("cta");
    op.take("aligned");
    let what = op.take_one(&["sync", "arrive", "red"]).ok_or(Refused::Unknown)?;
    let read = |at| -> Emitted { Ok(format!("(emulated_u32){}", op.read(at)?)) };
    if what == "red" {
        let function = match op.modifiers[..] {
            ["popc", "u32"] => "COUNT",
            ["and", "pred"] => "AND",
            ["or", "pred"] => "OR",
            _ => return Err(Refused::Unknown),
        };
        op.count(3, 4)?;
        let last = op.arguments.len() - 1;
        let threads = if last == 3 { read(2)? } else { "0".into() };
        return Ok(format!(
            "{}emulated_barrier({}, {threads}, EMULATED_BARRIER_{function}, {})",
            op.write(0)?,
            read(1)?,
            op.predicate(last)?
        ));
    }
    op.nothing_left()?;
    op.count(if what == "arrive" { 2 } else { 1 }, 2)?;
    let threads = if op.arguments.len() == 2 { read(1)? } else { "0".into() };
    let kind = if what == "sync" { "SYNC" } else { "ARRIVE" };
    Ok(format!("emulated_barrier({}, {threads}, EMULATED_BARRIER_{kind}, 0)", read(0)?))
}

fn shuffle(mut op: Op) -> Emitted {
    op.take("sync");
    op.take("b32");
    let mode = op.take_one(&["up", "down", "bfly", "idx"]).ok_or(Refused::Unknown)?;
    op.nothing_left()?;
    if op.arguments.len() == 4 {
        return wrong_operands("it takes the mask of lanes as its last operand");
    }
    op.count(5, 5)?;
    let (result, inside) = pair(&op, 0)?;
    let inside = inside.map_or(String::new(), |name| format!("{name} = emulated_inside; "));
    Ok(format!(
        "{{ bool emulated_inside; {result}emulated_ptx::shuffle_{mode}({}, {}, {}, {}, emulated_inside); {inside}}}",
        op.read(1)?,
        op.read(2)?,
        op.read(3)?,
        op.read(4)?
    ))
}

fn vote(mut op: Op) -> Emitted {
    op.take("sync");
    let what = op.take_one(&["all", "any", "uni", "ballot"]).ok_or(Refused::Unknown)?;
    op.take_one(&["pred", "b32"]);
    op.nothing_left()?;
    op.count(3, 3)?;
    Ok(format!("{}emulated_ptx::vote_{what}({}, {})", op.write(0)?, op.predicate(1)?, op.read(2)?))
}

fn matched(mut op: Op) -> Emitted {
    op.take("sync");
    let what = op.take_one(&["any", "all"]).ok_or(Refused::Unknown)?;
    op.take_one(&["b32", "b64"]);
    op.nothing_left()?;
    op.count(3, 3)?;
    if what == "any" {
        return Ok(format!("{}emulated_ptx::match_any({}, {})", op.write(0)?, op.read(1)?, op.read(2)?));
    }
    let (result, same) = pair(&op, 0)?;
    let same = same.map_or(String::new(), |name| format!("{name} = emulated_same; "));
    Ok(format!(
        "{{ bool emulated_same; {result}emulated_ptx::match_all({}, {}, emulated_same); {same}}}",
        op.read(1)?,
        op.read(2)?
    ))
}

fn reduced(mut op: Op) -> Emitted {
    op.need("8.0")?;
    op.take("sync");
    let what = op.take_one(&["add", "min", "max", "and", "or", "xor"]).ok_or(Refused::Unknown)?;
    let [kind] = op.modifiers[..] else { return Err(Refused::Unknown) };
    if kind == "f32" {
        return Err(Refused::Needs("10.0a"));
    }
    let of = match kind {
        "s32" => "s32",
        "u32" | "b32" => "u32",
        _ => return Err(Refused::Unknown),
    };
    op.count(3, 3)?;
    Ok(format!(
        "{}emulated_ptx::reduce_{what}<emulated_ptx::{of}>({}, {})",
        op.write(0)?,
        op.read(1)?,
        op.read(2)?
    ))
}

fn registers(op: &Op, at: usize) -> Result<Vec<String>, Refused> {
    let one = |argument: &Argument| match argument {
        Argument::Value(value) => Ok(value.text.clone()),
        _ => wrong_operands(format!("operand {} must be registers", at + 1)),
    };
    match op.arguments.get(at) {
        Some(Argument::Group(all)) => all.iter().map(one).collect(),
        Some(argument) => Ok(vec![one(argument)?]),
        None => wrong_operands(format!("operand {} must be registers", at + 1)),
    }
}

fn matrix(mut op: Op) -> Emitted {
    op.need(if op.name == "stmatrix" { "9.0" } else { "7.5" })?;
    let name = op.name;
    op.take("sync");
    op.take("aligned");
    let shape = op.take("m8n8");
    let transposed = op.take("trans");
    let space = op.take_one(&["shared", "shared::cta"]).unwrap_or("");
    let count = match op.take_one(&["x1", "x2", "x4"]) {
        Some("x2") => 2,
        Some("x4") => 4,
        _ => 1,
    };
    if !op.take("b16") || !shape {
        return Err(Refused::Unknown);
    }
    op.nothing_left()?;
    op.count(2, 2)?;
    if name == "movmatrix" {
        return Ok(format!("{}emulated_ptx::transpose_matrix({})", op.write(0)?, op.read(1)?));
    }
    let (list, place) = if name == "ldmatrix" { (0, 1) } else { (1, 0) };
    let list = registers(&op, list)?;
    if list.len() != count {
        return wrong_operands(format!("it has {} registers for {count} matrices", list.len()));
    }
    let place = pointer(space, &op, place)?;
    if name == "ldmatrix" {
        let mut text = format!(
            "{{ const emulated_ptx::values<emulated_ptx::u32, {count}> emulated_got = emulated_ptx::load_matrices<{count}, {transposed}>({place}); "
        );
        for (at, register) in list.iter().enumerate() {
            text += &format!("{register} = emulated_got.at[{at}]; ");
        }
        return Ok(text + "}");
    }
    Ok(format!(
        "emulated_ptx::store_matrices<{count}, {transposed}>({place}, emulated_ptx::together<emulated_ptx::u32>({}))",
        list.join(", ")
    ))
}

/// mma.sync of 16 x 8 results, with factors of halves (m16n8k8, m16n8k16), tf32 (m16n8k4, m16n8k8) or bytes (m16n8k16, m16n8k32).
fn multiply(mut op: Op) -> Emitted {
    let limited = op.take("satfinite");
    let ["sync", "aligned", shape, "row", "col", ref types @ ..] = op.modifiers[..] else {
        return Err(Refused::Unknown);
    };
    let [result, first, second, third] = types else { return Err(Refused::Unknown) };
    // Factors in a register, and how many of them a row has.
    let (packed, depth) = match (shape, *first, *second) {
        ("m16n8k16", "f16", "f16") | ("m16n8k16", "bf16", "bf16") => (2, 16),
        ("m16n8k8", "f16", "f16") | ("m16n8k8", "bf16", "bf16") => (2, 8),
        ("m16n8k8", "tf32", "tf32") => (1, 8),
        ("m16n8k4", "tf32", "tf32") => (1, 4),
        ("m16n8k32", "s8" | "u8", "s8" | "u8") => (4, 32),
        ("m16n8k16", "s8" | "u8", "s8" | "u8") => (4, 16),
        _ => return Err(Refused::Unknown),
    };
    let fits = match *result {
        "f32" => packed < 4,
        "f16" => *first == "f16",
        "s32" => packed == 4,
        _ => false,
    };
    if !fits || result != third || limited && packed != 4 {
        return Err(Refused::Unknown);
    }
    op.need(if *first == "f16" && depth == 8 { "7.5" } else { "8.0" })?;
    op.count(4, 4)?;
    let lists = [registers(&op, 0)?, registers(&op, 1)?, registers(&op, 2)?, registers(&op, 3)?];
    let [d, a, b, c] = &lists;
    let results = if *result == "f16" { 2 } else { 4 };
    let (of_a, of_b) = (depth / 2 / packed, depth / 4 / packed);
    if d.len() != results || c.len() != results || a.len() != of_a || b.len() != of_b {
        return wrong_operands(format!("it takes {results}, {of_a}, {of_b} and {results} registers"));
    }
    let mut text = format!("{{ emulated_ptx::Lanes emulated_rows[{of_a}], emulated_columns[{of_b}]; ");
    for (lanes, factors) in [("rows", a), ("columns", b)] {
        for (at, register) in factors.iter().enumerate() {
            text += &format!("emulated_ptx::bring({register}, emulated_{lanes}[{at}]); ");
        }
    }
    text += &format!(
        "const emulated_ptx::values<emulated_ptx::u32, 4> emulated_got = emulated_ptx::multiply<emulated_ptx::{first}, emulated_ptx::{second}, emulated_ptx::{result}, {depth}, {limited}>(emulated_rows, emulated_columns, {{{{{}}}}}); ",
        c.join(", ")
    );
    for (at, register) in d.iter().enumerate() {
        text += &format!("{register} = emulated_got.at[{at}]; ");
    }
    Ok(text + "}")
}
