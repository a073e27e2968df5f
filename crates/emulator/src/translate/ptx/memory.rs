//! Loads, stores, atomics, and instructions about addresses.

use super::parse::Argument;
use super::{Emitted, Op, Refused, names, wrong_operands};

const SPACES: [&str; 8] =
    ["global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"];
const CACHES: [&str; 8] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "ci"];

pub fn emit(op: Op) -> Emitted {
    match op.name {
        "ld" | "ldu" => load(op),
        "st" => store(op),
        "atom" | "red" => atomic(op),
        "prefetch" | "prefetchu" | "applypriority" | "discard" => {
            op.address(0)?;
            Ok(String::new())
        }
        "createpolicy" => {
            op.need("8.0")?;
            Ok(format!("{}0", op.write(0)?))
        }
        "cvta" => convert_address(op),
        "isspacep" => {
            let [space] = op.modifiers[..] else { return Err(Refused::Unknown) };
            op.count(2, 2)?;
            let space = space.split("::").next().unwrap_or("");
            if !matches!(space, "shared" | "global" | "local") {
                return Err(Refused::Unknown);
            }
            Ok(format!(
                "{}emulated_is_{space}((const void *)(emulated_u64){}) != 0",
                op.write(0)?,
                op.read(1)?
            ))
        }
        "mapa" => {
            op.need("9.0")?;
            op.count(3, 3)?;
            let shared = op.has("shared::cluster");
            let function = if shared { "map_shared" } else { "map_generic" };
            Ok(format!("{}emulated_ptx::{function}({}, {})", op.write(0)?, op.read(1)?, op.read(2)?))
        }
        _ => {
            op.need("9.0")?;
            op.count(2, 2)?;
            let shared = op.has("shared::cluster");
            let function = if shared { "rank_of_shared" } else { "rank_of_generic" };
            Ok(format!("{}emulated_ptx::{function}({})", op.write(0)?, op.read(1)?))
        }
    }
}

/// The C++ for an operand, an address of a state space, as a pointer.
pub fn pointer(space: &str, op: &Op, at: usize) -> Emitted {
    let address = op.address(at)?;
    if space.starts_with("shared") {
        return Ok(format!("emulated_ptx::shared({address})"));
    }
    generic(op, at, &address)
}

/// Only shared addresses have 32 bits.
pub fn generic(op: &Op, at: usize, address: &str) -> Emitted {
    match op.arguments.get(at) {
        Some(Argument::Address { base, .. }) if !matches!(base.bits, 0 | 64) => wrong_operands(format!(
            "operand {} is an address of {} bits, and generic and global ones have 64: pass the pointer as \"l\"",
            at + 1,
            base.bits
        )),
        _ => Ok(format!("emulated_ptx::generic({address})")),
    }
}

struct Access {
    space: &'static str,
    /// How it orders others: "weak", "volatile", "relaxed", "acquire", "release".
    order: &'static str,
    scope: &'static str,
    read_only: bool,
    count: usize,
}

fn access(op: &mut Op) -> Result<Access, Refused> {
    let space = op.take_one(&SPACES).unwrap_or("");
    let order = op
        .take_one(&["weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"])
        .unwrap_or("weak");
    let scope = op.take_one(&["cta", "cluster", "gpu", "sys"]).unwrap_or("");
    if scope == "cluster" || space == "shared::cluster" {
        op.need("9.0")?;
    }
    let read_only = op.take("nc") || op.name == "ldu";
    op.take_one(&CACHES);
    op.modifiers.retain(|modifier| !modifier.starts_with("L1::") && !modifier.starts_with("L2::"));
    let count = match op.take_one(&["v2", "v4", "v8"]) {
        Some("v2") => 2,
        Some("v4") => 4,
        Some(_) => return Err(Refused::Needs("10.0")),
        None => 1,
    };
    Ok(Access { space, order, scope, read_only, count })
}

/// PTX's scope as the emulator's.
pub fn scope_of(scope: &str) -> &'static str {
    match scope {
        "cta" => "EMULATED_OF_BLOCK",
        "cluster" => "EMULATED_OF_CLUSTER",
        "sys" => "EMULATED_OF_SYSTEM",
        _ => "EMULATED_OF_DEVICE",
    }
}

pub fn order_of(order: &str) -> &'static str {
    match order {
        "acquire" => "EMULATED_ACQUIRE",
        "release" => "EMULATED_RELEASE",
        "acq_rel" | "sc" => "EMULATED_ACQ_REL",
        _ => "EMULATED_RELAXED",
    }
}

fn parts<'a>(op: &Op<'a>, at: usize, count: usize) -> Result<Vec<&'a Argument>, Refused> {
    match (op.arguments.get(at), count) {
        (Some(Argument::Group(all)), _) if all.len() == count => Ok(all.iter().collect()),
        (Some(one @ (Argument::Value(_) | Argument::Sink)), 1) => Ok(vec![one]),
        _ => wrong_operands(format!("operand {} must have {count} registers", at + 1)),
    }
}

fn load(mut op: Op) -> Emitted {
    let Access { space, order, scope, read_only, count } = access(&mut op)?;
    let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
    op.nothing_left()?;
    // A cache policy may follow.
    op.count(2, 3)?;
    let Some((of, _)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    let place = pointer(space, &op, 1)?;
    let call = match (order, read_only) {
        ("acquire" | "relaxed", false) => {
            format!(
                "emulated_ptx::load_atomic<emulated_ptx::{of}, {count}>({place}, {}, {})",
                order_of(order),
                scope_of(scope)
            )
        }
        ("volatile" | "mmio", false) => {
            format!("emulated_ptx::load_volatile<emulated_ptx::{of}, {count}>({place})")
        }
        (_, true) => format!("emulated_ptx::load_read_only<emulated_ptx::{of}, {count}>({place})"),
        ("weak", _) => format!("emulated_ptx::load<emulated_ptx::{of}, {count}>({place})"),
        _ => return Err(Refused::Unknown),
    };
    let mut text =
        format!("{{ const emulated_ptx::values<emulated_ptx::{of}, {count}> emulated_got = {call}; ");
    for (at, part) in parts(&op, 0, count)?.into_iter().enumerate() {
        if let Argument::Value(part) = part {
            if !part.register {
                return wrong_operands("it loads into registers");
            }
            text += &format!("{} = emulated_got.widened({at}); ", part.text);
        }
    }
    Ok(text + "}")
}

fn store(mut op: Op) -> Emitted {
    if op.take("async") {
        return store_async(op);
    }
    let Access { space, order, scope, count, .. } = access(&mut op)?;
    let Some(kind) = op.modifiers.pop() else { return Err(Refused::Unknown) };
    op.nothing_left()?;
    op.count(2, 3)?;
    let Some((of, _)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    let place = pointer(space, &op, 0)?;
    let mut values = Vec::new();
    for part in parts(&op, 1, count)? {
        let Argument::Value(part) = part else { return wrong_operands("it stores registers") };
        let real = part.real.filter(|_| part.bits == 0);
        values.push(match (real, kind) {
            (Some(real), "f32") => format!("0x{:08x}u", (real as f32).to_bits()),
            (Some(real), "f64") => format!("0x{:016x}ull", real.to_bits()),
            _ => part.text.clone(),
        });
    }
    let values = format!("emulated_ptx::together<emulated_ptx::{of}>({})", values.join(", "));
    match order {
        "weak" => Ok(format!("emulated_ptx::store({place}, {values})")),
        "volatile" | "mmio" => Ok(format!("emulated_ptx::store_volatile({place}, {values})")),
        "release" | "relaxed" => Ok(format!(
            "emulated_ptx::store_atomic({place}, {values}, {}, {})",
            order_of(order),
            scope_of(scope)
        )),
        _ => Err(Refused::Unknown),
    }
}

/// st.async: to another block's shared memory, and its bytes to a barrier there.
fn store_async(mut op: Op) -> Emitted {
    op.need("9.0")?;
    op.take("weak");
    op.take("shared::cluster");
    if !op.take("mbarrier::complete_tx::bytes") {
        return Err(Refused::Unknown);
    }
    let count = match op.take_one(&["v2", "v4"]) {
        Some("v2") => 2,
        Some(_) => 4,
        None => 1,
    };
    let [kind] = op.modifiers[..] else { return Err(Refused::Unknown) };
    op.count(3, 3)?;
    let Some((of, _)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    let mut values = Vec::new();
    for part in parts(&op, 1, count)? {
        let Argument::Value(part) = part else { return wrong_operands("it stores registers") };
        values.push(part.text.clone());
    }
    Ok(format!(
        "emulated_ptx::store_async({}, emulated_ptx::together<emulated_ptx::{of}>({}), {})",
        pointer("shared", &op, 0)?,
        values.join(", "),
        pointer("shared", &op, 2)?
    ))
}

fn convert_address(mut op: Op) -> Emitted {
    let to = op.take("to");
    let space = op.take_one(&SPACES).ok_or(Refused::Unknown)?;
    op.take_one(&["u32", "u64"]);
    op.nothing_left()?;
    op.count(2, 2)?;
    let value = op.read(1)?;
    let text = match (space.starts_with("shared"), to) {
        (true, true) => format!("emulated_to_shared((const void *)(emulated_u64){value})"),
        (true, false) => format!("(emulated_u64)emulated_ptx::shared({value})"),
        _ => value.to_string(),
    };
    Ok(format!("{}{text}", op.write(0)?))
}

fn atomic(mut op: Op) -> Emitted {
    if op.take("async") {
        return Err(Refused::Unknown);
    }
    let gives = op.name == "atom";
    let Access { space, order, scope, count, .. } = access(&mut op)?;
    op.take("noftz");
    let Some(what) = op.take_one(&["add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"])
    else {
        return Err(Refused::Unknown);
    };
    let [kind] = op.modifiers[..] else { return Err(Refused::Unknown) };
    let Some((of, _)) = names::of_type(kind) else { return Err(Refused::Unknown) };
    if count > 1 {
        op.need("9.0")?;
    }
    let first = usize::from(gives);
    let values = if what == "cas" { 2 } else { 1 };
    op.count(first + 1 + values, first + 2 + values)?;
    let place = pointer(space, &op, first)?;
    let order = order_of(order);
    let scope = scope_of(scope);
    if count > 1 {
        let sources = parts(&op, first + 1, count)?;
        let targets = if gives { parts(&op, 0, count)? } else { Vec::new() };
        let mut text = "{ ".to_string();
        for (at, source) in sources.into_iter().enumerate() {
            let Argument::Value(source) = source else { return wrong_operands("it takes registers") };
            if let Some(Argument::Value(target)) = targets.get(at) {
                text += &format!("{} = ", target.text);
            }
            text += &format!(
                "emulated_ptx::atomic_{what}<emulated_ptx::{of}, {order}, {scope}>((char *){place} + {at} * sizeof(emulated_ptx::{of}), {}); ",
                source.text
            );
        }
        return Ok(text + "}");
    }
    let target = if gives { op.write(0)? } else { String::new() };
    let value = super::arithmetic::typed(&op, first + 1, kind)?;
    let more = if what == "cas" { format!(", {}", op.read(first + 2)?) } else { String::new() };
    let unsigned_only =
        matches!(what, "add" | "and" | "or" | "xor" | "exch" | "cas") && !names::is_float(kind);
    let of = if unsigned_only { of.replace('s', "u") } else { of.to_string() };
    Ok(format!(
        "{target}emulated_ptx::atomic_{what}<emulated_ptx::{of}, {order}, {scope}>({place}, {value}{more})"
    ))
}
