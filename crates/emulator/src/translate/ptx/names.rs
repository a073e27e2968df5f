//! PTX's types and special registers in C++.

/// The C++ type in `cuda/ptx.hpp` that a PTX type is computed in, and its bits.
pub fn of_type(name: &str) -> Option<(&'static str, u32)> {
    Some(match name {
        "u8" | "b8" => ("u8", 8),
        "s8" => ("s8", 8),
        "u16" | "b16" => ("u16", 16),
        "s16" => ("s16", 16),
        "u32" | "b32" => ("u32", 32),
        "s32" => ("s32", 32),
        "u64" | "b64" => ("u64", 64),
        "s64" => ("s64", 64),
        "f16" => ("f16", 16),
        "bf16" => ("bf16", 16),
        "f16x2" => ("f16x2", 32),
        "bf16x2" => ("bf16x2", 32),
        "f32" => ("f32", 32),
        "f64" => ("f64", 64),
        "pred" => ("pred", 1),
        _ => return None,
    })
}

pub fn is_float(name: &str) -> bool {
    matches!(name, "f16" | "bf16" | "f16x2" | "bf16x2" | "f32" | "f64")
}

/// What a special register holds, as a C++ expression and its bits.
pub fn special(name: &str) -> Option<(String, u32)> {
    let (family, part) = name.split_once('.').unwrap_or((name, ""));
    let indexed = match family {
        "tid" => "thread",
        "ctaid" => "block",
        "ntid" => "block_extent",
        "nctaid" => "grid_extent",
        "cluster_ctaid" => "cluster_block",
        "cluster_nctaid" => "cluster_extent",
        _ => "",
    };
    if !indexed.is_empty() && matches!(part, "x" | "y" | "z") {
        return Some((format!("emulated_indexes.{indexed}.{part}"), 32));
    }
    if matches!(family, "clusterid" | "nclusterid") && matches!(part, "x" | "y" | "z") {
        return Some((format!("emulated_ptx::{family}_{part}()"), 32));
    }
    Some(match name {
        "laneid"
        | "warpid"
        | "nwarpid"
        | "lanemask_eq"
        | "lanemask_le"
        | "lanemask_lt"
        | "lanemask_ge"
        | "lanemask_gt"
        | "smid"
        | "nsmid"
        | "gridid"
        | "cluster_ctarank"
        | "cluster_nctarank"
        | "is_explicit_cluster"
        | "clock"
        | "clock_hi"
        | "globaltimer_lo"
        | "globaltimer_hi"
        | "dynamic_smem_size"
        | "total_smem_size" => (format!("emulated_ptx::{name}()"), 32),
        "clock64" | "globaltimer" => (format!("emulated_ptx::{name}()"), 64),
        _ => return None,
    })
}
