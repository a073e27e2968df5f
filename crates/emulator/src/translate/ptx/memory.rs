//! Loads, stores, atomics, and instructions about addresses.

use super::names::{ANY, Type};
use super::operation::{EmitResult, InstructionError, Operation, wrong_operands};
use super::parse::Argument;

const SPACES: [&str; 8] =
    ["global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"];
const ORDERS: [&str; 7] = ["weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];
const CACHES: [&str; 8] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "ci"];
const CHANGES: [&str; 10] = ["add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"];

/// The C++ for an operand, an address of a state space, as a pointer.
pub fn pointer(space: &str, op: &Operation, at: usize) -> EmitResult {
    match op.arguments.get(at) {
        Some(Argument::Address { sum, coordinates: None, .. }) if space.starts_with("shared") => {
            Ok(format!("emulated_ptx::shared({sum})"))
        }
        Some(Argument::Address { sum, bits, coordinates: None }) => generic(sum, *bits, at),
        _ => wrong_operands(format!("operand {} must be an address in brackets", at + 1)),
    }
}

/// A pointer from an address, which must have 64 bits: only shared addresses have 32.
pub fn generic(address: &str, bits: u32, at: usize) -> EmitResult {
    if matches!(bits, 0 | 64) {
        return Ok(format!("((void *){address})"));
    }
    wrong_operands(format!(
        "operand {} is an address of {bits} bits, and generic and global ones have 64: pass the pointer as \"l\"",
        at + 1
    ))
}

pub fn barrier_pointer(space: &str, op: &Operation, at: usize) -> EmitResult {
    Ok(format!("(emulated_u64 *){}", pointer(space, op, at)?))
}

/// Hints about caches, which change nothing here but need an address, of any space.
pub fn hint(op: Operation) -> EmitResult {
    pointer("shared", &op, 0).map(|_| String::new())
}

/// What the modifiers of an access say.
struct Access<'a> {
    space: &'static str,
    /// The memory order: how it orders other accesses.
    order: &'static str,
    scope: &'static str,
    read_only: bool,
    count: usize,
    of: Type<'a>,
}

impl<'a> Access<'a> {
    fn take(op: &mut Operation<'a>) -> Result<Self, InstructionError> {
        let space = op.take_one(&SPACES).unwrap_or("");
        let order = op.take_one(&ORDERS).unwrap_or("weak");
        let scope = op.take_one(&["cta", "cluster", "gpu", "sys"]).unwrap_or("");
        if scope == "cluster" || space == "shared::cluster" {
            op.need(9, 0)?;
        }
        let read_only = op.take("nc") || op.name == "ldu";
        op.take_one(&CACHES);
        op.modifiers.retain(|modifier| !modifier.starts_with("L1::") && !modifier.starts_with("L2::"));
        let count = match op.take_one(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => return Err(InstructionError::Needs("10.0".into())),
            None => 1,
        };
        match op.take_type()? {
            Type { bits: 1, .. } => Err(InstructionError::Unknown),
            of => Ok(Self { space, order, scope, read_only, count, of }),
        }
    }

    fn order_and_scope(&self) -> String {
        format!("{}, {}", order_of(self.order), scope_of(self.scope))
    }
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

/// ld and ldu.
pub fn load(mut op: Operation) -> EmitResult {
    let access = Access::take(&mut op)?;
    // A cache policy may follow.
    op.finish(2, 3)?;
    let Access { count, of, .. } = access;
    let place = pointer(access.space, &op, 1)?;
    let call = match access.order {
        _ if access.read_only => format!("load_read_only<{of}, {count}>({place})"),
        "acquire" | "relaxed" => {
            format!("load_atomic<{of}, {count}>({place}, {})", access.order_and_scope())
        }
        "volatile" | "mmio" => format!("load_volatile<{of}, {count}>({place})"),
        "weak" => format!("load<{of}, {count}>({place})"),
        _ => return Err(InstructionError::Unknown),
    };
    op.unpack(0, count, &call)
}

/// st, and st.async, which writes to another block's shared memory and counts its bytes on an mbarrier there.
pub fn store(mut op: Operation) -> EmitResult {
    let is_async = op.take("async");
    if is_async {
        op.need(9, 0)?;
        op.require(&["mbarrier::complete_tx::bytes"])?;
    }
    let access = Access::take(&mut op)?;
    op.finish(if is_async { 3 } else { 2 }, 3)?;
    let place = pointer(if is_async { "shared" } else { access.space }, &op, 0)?;
    let values = op.read_list(1, access.count, access.of)?.join(", ");
    let values = format!("emulated_ptx::together<{}>({values})", access.of);
    match access.order {
        "weak" if is_async && access.scope.is_empty() && matches!(access.space, "" | "shared::cluster") => {
            Ok(format!(
                "emulated_ptx::store_async({place}, {values}, {})",
                barrier_pointer("shared", &op, 2)?
            ))
        }
        _ if is_async => Err(InstructionError::Unknown),
        "weak" => Ok(format!("emulated_ptx::store({place}, {values})")),
        "volatile" | "mmio" => Ok(format!("emulated_ptx::store_volatile({place}, {values})")),
        "release" | "relaxed" => {
            Ok(format!("emulated_ptx::store_atomic({place}, {values}, {})", access.order_and_scope()))
        }
        _ => Err(InstructionError::Unknown),
    }
}

/// atom and red: one change for each register of a list.
pub fn atomic(mut op: Operation) -> EmitResult {
    let change = op.require(&CHANGES)?;
    op.take("noftz");
    let access = Access::take(&mut op)?;
    let Access { count, of, .. } = access;
    if count > 1 {
        op.need(9, 0)?;
    }
    let first = usize::from(op.name == "atom");
    let values = if change == "cas" { 2 } else { 1 };
    op.finish(first + 1 + values, first + 2 + values)?;
    let place = pointer(access.space, &op, first)?;
    let more = if change == "cas" { format!(", {}", op.read(first + 2)?) } else { String::new() };
    let signed = if matches!(change, "min" | "max") { of.to_string() } else { of.unsigned() };
    let sources = op.read_list(first + 1, count, of)?;
    let function = format!("emulated_ptx::atomic_{change}<{signed}, {}>", access.order_and_scope());
    let call =
        |at: usize| format!("{function}((char *){place} + {at} * sizeof({of}), {}{more})", sources[at]);
    let changes = match op.name {
        "atom" => op.write_list(0, count, call)?,
        _ => (0..count).map(|at| call(at) + "; ").collect(),
    };
    Ok(format!("{{ {changes}}}"))
}

pub fn convert_address(mut op: Operation) -> EmitResult {
    let to = op.take("to");
    let space = op.require(&SPACES)?;
    op.take_one(&["u32", "u64"]);
    op.finish(2, 2)?;
    let value = op.read(1)?;
    let text = match (space.starts_with("shared"), to) {
        (true, true) => format!("emulated_to_shared((const void *)(emulated_u64){value})"),
        (true, false) => format!("(emulated_u64)emulated_ptx::shared({value})"),
        _ => value,
    };
    Ok(format!("{}{text}", op.write(0)?))
}

/// isspacep.
pub fn test_space(mut op: Operation) -> EmitResult {
    let space = op.require(&["shared", "shared::cta", "shared::cluster", "global", "local"])?;
    op.finish(2, 2)?;
    let space = space.split("::").next().unwrap_or("");
    Ok(format!("{}emulated_is_{space}((const void *)(emulated_u64){}) != 0", op.write(0)?, op.read(1)?))
}

/// mapa and getctarank.
pub fn place_in_cluster(mut op: Operation) -> EmitResult {
    op.need(9, 0)?;
    let space = op.take_one(&["shared::cluster"]).map_or("generic", |_| "shared");
    op.take_type()?;
    let (function, operands) = if op.name == "mapa" { ("map", 2) } else { ("rank_of", 1) };
    op.call(&format!("{function}_{space}"), operands, ANY)
}
