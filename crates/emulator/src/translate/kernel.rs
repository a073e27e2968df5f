//! `__global__` functions, and the values of their launch attributes.

use super::Kernel;
use super::declaration::Reader;

/// A kernel whose declaration is being read.
#[derive(Debug)]
pub struct Pending {
    pub kernel: Kernel,
    /// Where its declaration begins, in bytes.
    pub start: usize,
    /// `template __global__ ...`: of a template that is known already.
    pub instantiation: bool,
}

/// Reads the declaration that begins at `begin` and has `__global__` at `at`: its name, or why CUDA's compiler refuses it.
pub fn name(reader: &Reader, begin: usize, at: usize) -> Result<String, String> {
    let mut here = begin;
    // Template parameters may have any type.
    if reader.text(here) == "template" && reader.text(here + 1) == "<" {
        here = reader.after_angles(here + 1).unwrap_or(at);
    }
    let (mut last, mut is_void, mut deduced) = ("", false, false);
    loop {
        match reader.text(here) {
            "alignas" | "__attribute__" | "__attribute" | "__launch_bounds__" | "__cluster_dims__"
            | "__maxnreg__" | "__block_size__" | "decltype" | "requires"
                if reader.text(here + 1) == "(" =>
            {
                here = reader.after_group(here + 1);
                continue;
            }
            "[" => {
                here = reader.after_group(here);
                continue;
            }
            "<" => {
                here = reader.after_angles(here).unwrap_or(here + 1);
                continue;
            }
            "(" => break,
            "void" => is_void = true,
            "*" | "&" => is_void = false,
            "auto" => deduced = true,
            "" | ";" | "{" | "=" => {
                return Err("`__global__` is for functions: write `__device__` before a variable".into());
            }
            word if reader.is_word(here) => last = word,
            _ => {}
        }
        here += 1;
    }
    if deduced {
        Err("a `__global__` function must not have a deduced return type: write `void`".into())
    } else if !is_void {
        Err(format!("the `__global__` function {last} must return void: write results to memory"))
    } else {
        Ok(last.to_string())
    }
}

/// The arguments of an attribute: the text of each.
pub fn arguments(reader: &Reader, first: usize, end: usize) -> Vec<String> {
    let mut found = Vec::new();
    let (mut begin, mut at) = (first, first);
    while at < end {
        match reader.text(at) {
            "(" | "[" | "{" => {
                at = reader.after_group(at).min(end);
                continue;
            }
            "<" => {
                if let Some(after) = reader.after_angles(at).filter(|&after| after <= end) {
                    at = after;
                    continue;
                }
            }
            "," => {
                found.push(reader.joined(begin, at));
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if begin < end {
        found.push(reader.joined(begin, end));
    }
    found
}

/// A number that is written out.
pub fn number(text: &str) -> Option<u64> {
    let text = text.trim_matches(|c| c == '(' || c == ')' || c == ' ').replace('\'', "");
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The exported array from which the emulator reads an attribute.
pub fn exported(symbol: &str, values: &[String]) -> String {
    let mut three = vec!["0".to_string(); 3];
    for (slot, value) in three.iter_mut().zip(values) {
        *slot = format!("(unsigned)({value})");
    }
    format!(
        "extern \"C\" {{ extern __attribute__((visibility(\"default\"))) const unsigned {symbol}[3]; __attribute__((used, visibility(\"default\"))) const unsigned {symbol}[3] = {{{}}}; }} ",
        three.join(", ")
    )
}
