//! Asynchronous copies, the barriers that count their bytes, and fences.

use super::memory::{generic, order_of, pointer, scope_of};
use super::parse::Argument;
use super::{Emitted, Op, Refused, sum, wrong_operands};

pub fn emit(mut op: Op) -> Emitted {
    match op.name {
        "fence" | "membar" => fence(op),
        "griddepcontrol" => {
            op.need("9.0")?;
            match op.modifiers[..] {
                ["wait"] => Ok("emulated_dependency_wait()".into()),
                ["launch_dependents"] => Ok("emulated_dependents_launch()".into()),
                _ => Err(Refused::Unknown),
            }
        }
        "cp" => {
            if !op.take("async") {
                return Err(Refused::Unknown);
            }
            let reduces = op.take("reduce");
            if op.take("bulk") {
                op.need("9.0")?;
                bulk(op, reduces)
            } else {
                op.need("8.0")?;
                copy(op)
            }
        }
        _ => Err(Refused::Unknown),
    }
}

fn fence(mut op: Op) -> Emitted {
    let name = op.name;
    if op.take("proxy") {
        if op.modifiers.first() == Some(&"async") {
            op.need("9.0")?;
            return Ok("emulated_proxy_fence()".into());
        }
        // Tensor maps and aliases: as strong as any fence.
        return Ok("emulated_fence(EMULATED_ACQ_REL, EMULATED_OF_SYSTEM)".into());
    }
    if op.modifiers.first().is_some_and(|modifier| modifier.starts_with("proxy")) {
        op.need("9.0")?;
        return Ok("emulated_proxy_fence()".into());
    }
    if op.take("mbarrier_init") {
        op.need("9.0")?;
        return Ok("emulated_fence(EMULATED_RELEASE, EMULATED_OF_CLUSTER)".into());
    }
    let order = op.take_one(&["sc", "acq_rel", "acquire", "release"]).unwrap_or("sc");
    let scope = op.take_one(&["cta", "cluster", "gpu", "gl", "sys"]).ok_or(Refused::Unknown)?;
    if scope == "cluster" {
        op.need("9.0")?;
    }
    if name == "fence" {
        op.need("7.0")?;
    }
    op.nothing_left()?;
    op.count(0, 0)?;
    Ok(format!("emulated_fence({}, {})", order_of(order), scope_of(scope)))
}

/// cp.async: 4, 8 or 16 bytes a thread.
fn copy(mut op: Op) -> Emitted {
    if op.take("commit_group") {
        op.nothing_left()?;
        return Ok("emulated_copy_commit()".into());
    }
    if op.take("wait_all") {
        op.nothing_left()?;
        return Ok("emulated_copy_wait(~0u)".into());
    }
    if op.take("wait_group") {
        op.nothing_left()?;
        op.count(1, 1)?;
        return Ok(format!("emulated_copy_wait((emulated_u32){})", op.read(0)?));
    }
    if op.take("mbarrier") {
        let noinc = op.take("noinc");
        let space = op.take_one(&["shared", "shared::cta"]).unwrap_or("");
        op.take("arrive");
        op.take("b64");
        op.nothing_left()?;
        op.count(1, 1)?;
        let place = pointer(space, &op, 0)?;
        return Ok(format!("emulated_copy_arrive(emulated_ptx::barrier_at({place}), {})", i32::from(noinc)));
    }
    let whole_lines = op.take("cg");
    if !whole_lines && !op.take("ca") {
        return Err(Refused::Unknown);
    }
    let hinted = op.take("L2::cache_hint");
    op.modifiers.retain(|modifier| !modifier.starts_with("L2::"));
    if op.take_one(&["shared", "shared::cta"]).is_none() || !op.take("global") {
        return Err(Refused::Unknown);
    }
    op.nothing_left()?;
    let hints = usize::from(hinted);
    op.count(3 + hints, 4 + hints)?;
    let bytes = op.value(2)?;
    let written = bytes.text.trim_end_matches("ull").parse::<u32>();
    let allowed: &[u32] = if whole_lines { &[16] } else { &[4, 8, 16] };
    if bytes.register || written.is_ok_and(|bytes| !allowed.contains(&bytes)) {
        return wrong_operands(format!(
            "it copies {} bytes, a constant",
            if whole_lines { "16" } else { "4, 8 or 16" }
        ));
    }
    let size = format!("(emulated_u32){}", bytes.text);
    let source = match op.arguments.get(3).filter(|_| op.arguments.len() == 4 + hints) {
        Some(Argument::Value(value)) if value.bits == 1 => format!("{} ? 0u : {size}", value.text),
        Some(Argument::Negated(value)) => format!("{} ? {size} : 0u", value.text),
        Some(Argument::Value(value)) => format!("(emulated_u32){}", value.text),
        Some(_) => return wrong_operands("operand 4 is the number of bytes to read, or a predicate"),
        None => size.clone(),
    };
    Ok(format!(
        "emulated_copy_async({}, {}, {size}, {source})",
        pointer("shared", &op, 0)?,
        pointer("global", &op, 1)?
    ))
}

const REDUCTIONS: [(&str, &str); 8] = [
    ("add", "ADD"),
    ("min", "MIN"),
    ("max", "MAX"),
    ("and", "AND_BITS"),
    ("or", "OR_BITS"),
    ("xor", "XOR_BITS"),
    ("inc", "INC"),
    ("dec", "DEC"),
];

fn bulk(mut op: Op, reduces: bool) -> Emitted {
    if op.take("commit_group") {
        op.nothing_left()?;
        return Ok("emulated_bulk_commit()".into());
    }
    if op.take("wait_group") {
        let read = op.take("read");
        op.nothing_left()?;
        op.count(1, 1)?;
        return Ok(format!("emulated_bulk_wait((emulated_u32){}, {})", op.read(0)?, i32::from(read)));
    }
    let hinted = op.take("L2::cache_hint");
    let multicast = op.take("multicast::cluster");
    let prefetch = op.take("prefetch");
    let tensor = op.take("tensor");
    let grouped = op.take("bulk_group");
    let counted = op.take("mbarrier::complete_tx::bytes");
    let mut reduction = "EMULATED_NO_REDUCTION".to_string();
    let mut element = "EMULATED_B8";
    if reduces {
        op.take("noftz");
        let Some(found) = REDUCTIONS.iter().find(|(name, _)| op.has(name)) else {
            return Err(Refused::Unknown);
        };
        op.take(found.0);
        reduction = format!("EMULATED_{}", found.1);
        if !tensor {
            element =
                match op.take_one(&["u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "b32", "b64"]) {
                    Some("u32" | "b32") => "EMULATED_U32",
                    Some("s32") => "EMULATED_S32",
                    Some("u64" | "b64") => "EMULATED_U64",
                    Some("s64") => "EMULATED_S64",
                    Some("f16") => "EMULATED_F16",
                    Some("bf16") => "EMULATED_BF16",
                    Some("f32") => "EMULATED_F32",
                    Some("f64") => "EMULATED_F64",
                    _ => return Err(Refused::Unknown),
                };
        }
    }
    let dimensions = if tensor {
        let found = op.take_one(&["1d", "2d", "3d", "4d", "5d"]).ok_or(Refused::Unknown)?;
        op.take("tile");
        found.as_bytes()[0] - b'0'
    } else {
        0
    };
    let what = match op.modifiers[..] {
        ["shared::cluster" | "shared::cta", "global"] if counted && !reduces => "TO_SHARED",
        ["global", "shared::cta"] if grouped => "TO_GLOBAL",
        ["shared::cluster", "shared::cta"] if counted && !tensor => "TO_CLUSTER",
        ["L2", "global"] if prefetch => "PREFETCH",
        _ => return Err(Refused::Unknown),
    };
    let barrier_at = match (what, tensor) {
        ("TO_SHARED", true) => 2,
        ("TO_SHARED" | "TO_CLUSTER", false) => 3,
        _ => 0,
    };
    let base = match (what, tensor) {
        ("PREFETCH", true) => 1,
        ("PREFETCH", false) | ("TO_GLOBAL", true) => 2,
        ("TO_GLOBAL", false) => 3,
        _ => barrier_at + 1,
    };
    let count = base + usize::from(multicast) + usize::from(hinted);
    op.count(count, count)?;
    let barrier = match barrier_at {
        0 => "nullptr".to_string(),
        at => format!("emulated_ptx::barrier_at({})", pointer("shared", &op, at)?),
    };
    let mask = if multicast { format!("(emulated_u32){}", op.read(base)?) } else { "0".to_string() };
    if tensor {
        return tensor_copy(&op, what, dimensions, &barrier, &mask, &reduction);
    }
    let (to, from, size) = match what {
        "PREFETCH" => ("nullptr".to_string(), pointer("global", &op, 0)?, 1),
        "TO_GLOBAL" => (pointer("global", &op, 0)?, pointer("shared", &op, 1)?, 2),
        "TO_CLUSTER" => (pointer("shared", &op, 0)?, pointer("shared", &op, 1)?, 2),
        _ => (pointer("shared", &op, 0)?, pointer("global", &op, 1)?, 2),
    };
    Ok(format!(
        "emulated_bulk(EMULATED_BULK_{what}, {to}, {from}, (emulated_u32){}, {barrier}, {mask}, {reduction}, {element})",
        op.read(size)?
    ))
}

fn tensor_copy(op: &Op, what: &str, dimensions: u8, barrier: &str, mask: &str, reduction: &str) -> Emitted {
    let map_at = usize::from(what == "TO_SHARED");
    let Some(Argument::Address { base, offset, coordinates: Some(coordinates) }) = op.arguments.get(map_at)
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
    let mut places = Vec::new();
    for coordinate in coordinates {
        let Argument::Value(value) = coordinate else {
            return wrong_operands("coordinates are registers or numbers");
        };
        places.push(format!("(int){}", value.text));
    }
    let shared = match what {
        "TO_SHARED" => pointer("shared", op, 0)?,
        "TO_GLOBAL" => pointer("shared", op, 1)?,
        _ => "nullptr".to_string(),
    };
    Ok(format!(
        "{{ const int emulated_place[] = {{{}}}; emulated_tensor(EMULATED_BULK_{what}, {}, {dimensions}, emulated_place, {shared}, {barrier}, {mask}, {reduction}); }}",
        places.join(", "),
        generic(op, map_at, &sum(base, offset))?
    ))
}
