//! PTX's types and special registers in C++.

use std::fmt::{Display, Formatter, Result};

/// A type of PTX. Displayed, it is the C++ type that is computed in, of `cuda/ptx_types.hpp`.
#[derive(Clone, Copy)]
pub struct Type<'a> {
    pub name: &'a str,
    pub bits: u32,
}

/// The type for operands that may have any width.
pub const ANY: Type = Type { name: "b8", bits: 8 };

impl<'a> Type<'a> {
    pub fn of(name: &'a str) -> Option<Self> {
        let bits = match name {
            "pred" => 1,
            "u8" | "s8" | "b8" => 8,
            "u16" | "s16" | "b16" | "f16" | "bf16" => 16,
            "u32" | "s32" | "b32" | "f32" | "f16x2" | "bf16x2" => 32,
            "u64" | "s64" | "b64" | "f64" => 64,
            _ => return None,
        };
        Some(Self { name, bits })
    }

    pub fn is_float(&self) -> bool {
        self.name.contains('f')
    }

    /// Bits without a type are computed as unsigned numbers.
    pub fn computed(&self) -> String {
        if self.is_float() { self.name.to_string() } else { self.name.replace('b', "u") }
    }

    pub fn is_pair(&self) -> bool {
        self.name.ends_with("x2")
    }

    /// The unsigned type of this width: in two's complement the bits are the same, and in C++ only unsigned numbers may wrap.
    pub fn unsigned(&self) -> String {
        self.to_string().replace("::s", "::u")
    }
}

impl Display for Type<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "emulated_ptx::{}", self.computed())
    }
}

/// Each function without parameters is a special register.
const SPECIAL_REGISTERS: &str = include_str!("../../../cuda/ptx_special.hpp");

/// What a special register holds, as a C++ expression and its bits.
pub fn special(name: &str) -> Option<(String, u32)> {
    let (family, part) = name.split_once('.').unwrap_or((name, ""));
    let indexed = match family {
        "tid" => "emulated_indexes.thread.",
        "ctaid" => "emulated_indexes.block.",
        "ntid" => "emulated_indexes.block_extent.",
        "nctaid" => "emulated_indexes.grid_extent.",
        "cluster_ctaid" => "emulated_indexes.cluster_block.",
        "cluster_nctaid" => "emulated_indexes.cluster_extent.",
        "clusterid" => "emulated_ptx::clusterid_",
        "nclusterid" => "emulated_ptx::nclusterid_",
        _ => "",
    };
    if !indexed.is_empty() && matches!(part, "x" | "y" | "z") {
        let call = if indexed.ends_with('_') { "()" } else { "" };
        return Some((format!("{indexed}{part}{call}"), 32));
    }
    let has = |bits: &u32| SPECIAL_REGISTERS.contains(&format!(" u{bits} {name}() {{"));
    Some((format!("emulated_ptx::{name}()"), [32, 64].into_iter().find(has)?))
}
