//! Asynchronous copies, fences, and mbarriers: barriers in shared memory that count arrivals and bytes.

use super::memory::{barrier_pointer, generic, order_of, pointer, scope_of};
use super::names::{ANY, Type};
use super::operation::{EmitResult, InstructionError, Operation, wrong_operands};
use super::parse::Argument;

/// fence and membar.
pub fn fence(mut op: Operation) -> EmitResult {
    let of_proxy = op.take("proxy");
    let proxy = op.modifiers.first().copied().unwrap_or("");
    if proxy.starts_with("proxy") || of_proxy && proxy == "async" {
        op.need(9, 0)?;
        return Ok("emulated_proxy_fence()".into());
    }
    if of_proxy {
        // Tensor maps and aliases: as strong as any fence.
        return Ok("emulated_fence(EMULATED_ACQ_REL, EMULATED_OF_SYSTEM)".into());
    }
    let order = op.take_one(&["sc", "acq_rel", "acquire", "release"]).unwrap_or("sc");
    let scope = op.require(&["cta", "cluster", "gpu", "gl", "sys"])?;
    if scope == "cluster" {
        op.need(9, 0)?;
    }
    if op.name == "fence" {
        op.need(7, 0)?;
    }
    op.finish(0, 0)?;
    Ok(format!("emulated_fence({}, {})", order_of(order), scope_of(scope)))
}

/// cp.
pub fn copy(mut op: Operation) -> EmitResult {
    op.require(&["async"])?;
    if op.take("bulk") {
        op.need(9, 0)?;
        return copy_bulk(op);
    }
    op.need(8, 0)?;
    if op.take("wait_group") {
        op.finish(1, 1)?;
        return Ok(format!("emulated_copy_wait((emulated_u32){})", op.read(0)?));
    }
    if op.take("mbarrier") {
        let counted = if op.take("noinc") { 1 } else { 0 };
        let space = op.take_one(&["shared", "shared::cta"]).unwrap_or("");
        op.take("arrive");
        op.take("b64");
        op.finish(1, 1)?;
        return Ok(format!("emulated_copy_arrive({}, {counted})", barrier_pointer(space, &op, 0)?));
    }
    copy_a_few(op)
}

/// cp.async of 4, 8 or 16 bytes a thread.
fn copy_a_few(mut op: Operation) -> EmitResult {
    let (allowed, words): (&[u32], _) = match op.require(&["cg", "ca"])? {
        "cg" => (&[16], "16"),
        _ => (&[4, 8, 16], "4, 8 or 16"),
    };
    let hints = usize::from(op.take("L2::cache_hint"));
    op.modifiers.retain(|modifier| !modifier.starts_with("L2::"));
    op.require(&["shared", "shared::cta"])?;
    op.require(&["global"])?;
    op.finish(3 + hints, 4 + hints)?;
    let bytes = op.read(2)?;
    let written = bytes.trim_end_matches("ull").parse::<u32>();
    let constant = matches!(&op.arguments[2], Argument::Value(value) if !value.register);
    if !constant || written.is_ok_and(|bytes| !allowed.contains(&bytes)) {
        return wrong_operands(format!("it copies {words} bytes, a constant"));
    }
    let size = format!("(emulated_u32){bytes}");
    let source = match op.arguments.get(3).filter(|_| op.arguments.len() == 4 + hints) {
        Some(Argument::Value(value)) if value.bits == 1 => format!("{} ? 0u : {size}", value.text),
        Some(Argument::Negated(value)) => format!("{} ? {size} : 0u", value.text),
        Some(Argument::Value(value)) => format!("(emulated_u32){}", value.text),
        Some(_) => return wrong_operands("operand 4 is the number of bytes to read, or a predicate"),
        None => size.clone(),
    };
    let (to, from) = (pointer("shared", &op, 0)?, pointer("global", &op, 1)?);
    Ok(format!("emulated_copy_async({to}, {from}, {size}, {source})"))
}

const REDUCTIONS: [&str; 8] = ["add", "min", "max", "and", "or", "xor", "inc", "dec"];

/// The reduction and the type of its elements, by the emulator's names.
fn take_reduction(op: &mut Operation, tensor: bool) -> Result<(String, String), InstructionError> {
    if !op.take("reduce") {
        return Ok(("EMULATED_NO_REDUCTION".into(), "EMULATED_B8".into()));
    }
    op.take("noftz");
    let reduction = op.require(&REDUCTIONS)?;
    let bits = if matches!(reduction, "and" | "or" | "xor") { "_BITS" } else { "" };
    let reduction = format!("EMULATED_{}{bits}", reduction.to_uppercase());
    if tensor {
        return Ok((reduction, "EMULATED_B8".into()));
    }
    let element = op.require(&["u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "b32", "b64"])?;
    let element = Type::of(element).map_or(String::new(), |of| of.computed().to_uppercase());
    Ok((reduction, format!("EMULATED_{element}")))
}

/// What the modifiers of cp.async.bulk and cp.reduce.async.bulk say, and the operands that they ask for.
struct BulkCopy {
    /// The emulator's name of the direction.
    direction: &'static str,
    /// The state space of the target; empty for a prefetch into the cache.
    to: &'static str,
    from: &'static str,
    /// How many dimensions the tensor has; 0 for bytes in a row.
    dimensions: u8,
    /// The C++ of the barrier, the mask of blocks and the reduction.
    ends: String,
    element: String,
}

impl BulkCopy {
    fn take(op: &mut Operation) -> Result<Self, InstructionError> {
        let hinted = op.take("L2::cache_hint");
        let multicast = op.take("multicast::cluster");
        let prefetch = op.take("prefetch");
        let grouped = op.take("bulk_group");
        let counted = op.take("mbarrier::complete_tx::bytes");
        let tensor = op.take("tensor");
        let (reduction, element) = take_reduction(op, tensor)?;
        let reduces = reduction != "EMULATED_NO_REDUCTION";
        let mut dimensions = 0;
        if tensor {
            dimensions = op.require(&["1d", "2d", "3d", "4d", "5d"])?.as_bytes()[0] - b'0';
            op.take("tile");
        }
        let (direction, to, from) = match op.modifiers.drain(..).collect::<Vec<_>>()[..] {
            ["shared::cluster" | "shared::cta", "global"] if counted && !reduces => {
                ("TO_SHARED", "shared", "global")
            }
            ["global", "shared::cta"] if grouped => ("TO_GLOBAL", "global", "shared"),
            ["shared::cluster", "shared::cta"] if counted && !tensor => ("TO_CLUSTER", "shared", "shared"),
            ["L2", "global"] if prefetch => ("PREFETCH", "", "global"),
            _ => return Err(InstructionError::Unknown),
        };
        // The operands are the two places, and how many bytes, unless a tensor map says it; then a barrier, a mask and a hint.
        let barrier_at = usize::from(!to.is_empty()) + 1 + usize::from(!tensor);
        let has_barrier = to == "shared";
        let mask_at = barrier_at + usize::from(has_barrier);
        let count = mask_at + usize::from(multicast) + usize::from(hinted);
        op.finish(count, count)?;
        let barrier = if has_barrier { barrier_pointer("shared", op, barrier_at)? } else { "nullptr".into() };
        let mask = if multicast { op.read(mask_at)? } else { "0".into() };
        let ends = format!("{barrier}, (emulated_u32){mask}, {reduction}");
        Ok(Self { direction, to, from, dimensions, ends, element })
    }
}

fn copy_bulk(mut op: Operation) -> EmitResult {
    if op.take("wait_group") {
        let read = i32::from(op.take("read"));
        op.finish(1, 1)?;
        return Ok(format!("emulated_bulk_wait((emulated_u32){}, {read})", op.read(0)?));
    }
    let bulk = BulkCopy::take(&mut op)?;
    if bulk.dimensions > 0 {
        return copy_tensor(&op, bulk);
    }
    let BulkCopy { direction, to, from, ends, element, .. } = bulk;
    let (to, from_at) = match to {
        "" => ("nullptr".into(), 0),
        _ => (pointer(to, &op, 0)?, 1),
    };
    let from = pointer(from, &op, from_at)?;
    let size = op.read(from_at + 1)?;
    Ok(format!(
        "emulated_bulk(EMULATED_BULK_{direction}, {to}, {from}, (emulated_u32){size}, {ends}, {element})"
    ))
}

fn copy_tensor(op: &Operation, bulk: BulkCopy) -> EmitResult {
    let BulkCopy { direction, dimensions, ends, .. } = bulk;
    let map_at = usize::from(direction == "TO_SHARED");
    let Some(Argument::Address { sum, bits, coordinates: Some(coordinates) }) = op.arguments.get(map_at)
    else {
        return wrong_operands(format!(
            "operand {} must be a tensor map and coordinates: [map, {{x, y}}]",
            map_at + 1
        ));
    };
    if coordinates.len() != usize::from(dimensions) {
        return wrong_operands(format!(
            "it has {} coordinates for {dimensions} dimensions",
            coordinates.len()
        ));
    }
    let places = op.read_all(coordinates, map_at, ANY)?.join(", (int)");
    let map = generic(sum, *bits, map_at)?;
    let shared = match direction {
        "PREFETCH" => "nullptr".to_string(),
        _ => pointer("shared", op, 1 - map_at)?,
    };
    Ok(format!(
        "{{ const int emulated_place[] = {{(int){places}}}; emulated_tensor(EMULATED_BULK_{direction}, {map}, {dimensions}, emulated_place, {shared}, {ends}); }}"
    ))
}

/// Operations on an mbarrier: PTX's name, the emulator's name, and the least number of operands.
const ACTIONS: [(&str, &str, usize); 8] = [
    ("init", "INIT", 2),
    ("inval", "INVALIDATE", 1),
    ("arrive", "ARRIVE", 1),
    ("arrive_drop", "ARRIVE_DROP", 1),
    ("test_wait", "TEST", 3),
    ("try_wait", "TRY", 3),
    ("complete_tx", "COMPLETE", 2),
    ("expect_tx", "EXPECT", 2),
];

pub fn emit(mut op: Operation) -> EmitResult {
    op.need(8, 0)?;
    if op.take("pending_count") {
        op.take("b64");
        op.finish(2, 2)?;
        return Ok(format!("{}emulated_mbarrier_pending({})", op.write(0)?, op.read(1)?));
    }
    let action = ACTIONS.iter().find(|action| op.take(action.0));
    let &(name, kind, operands) = action.ok_or(InstructionError::Unknown)?;
    let expects = op.take("expect_tx");
    let parity = if op.take("parity") { "_PARITY" } else { "" };
    op.take("noComplete");
    let relaxed = op.take("relaxed");
    op.take_one(&["release", "acquire"]);
    let of_cluster = op.take_one(&["cta", "cluster"]) == Some("cluster");
    let space = op.take_one(&["shared", "shared::cta", "shared::cluster"]).unwrap_or("");
    let newer = matches!(name, "try_wait" | "complete_tx" | "expect_tx");
    if newer || of_cluster || space == "shared::cluster" || expects || relaxed {
        op.need(9, 0)?;
    }
    op.take("b64");
    let call = |kind: &str, at: usize, first: &str, second: &str| -> EmitResult {
        let barrier = barrier_pointer(space, &op, at)?;
        Ok(format!("emulated_mbarrier(EMULATED_MBARRIER_{kind}, {barrier}, {first}, {second})"))
    };
    match name {
        "arrive" | "arrive_drop" => {
            // PTX omits the state for another block's mbarrier: the address comes first.
            let has_state = !matches!(op.arguments.first(), Some(Argument::Address { .. }));
            let (at, state) = if has_state { (1, op.write(0)?) } else { (0, String::new()) };
            op.finish(at + 1, at + 2)?;
            let more = if op.arguments.len() > at + 1 { op.read(at + 1)? } else { "1".into() };
            Ok(match (name, expects) {
                (_, false) => format!("{state}{}", call(kind, at, &more, "0")?),
                ("arrive", _) => format!("{state}{}", call("ARRIVE_EXPECT", at, "1", &more)?),
                _ => format!("{}; {state}{}", call("EXPECT", at, &more, "0")?, call(kind, at, "1", "0")?),
            })
        }
        "test_wait" | "try_wait" => {
            op.finish(3, 4)?;
            let done = call(&format!("{kind}{parity}"), 1, &op.read(2)?, "0")?;
            Ok(format!("{}({done} != 0)", op.write(0)?))
        }
        _ => {
            op.finish(operands, operands)?;
            let amount = if operands > 1 { op.read(1)? } else { "0".into() };
            call(kind, 0, &amount, "0")
        }
    }
}
