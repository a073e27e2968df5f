//! `__global__` functions, and the values of their launch attributes.

use super::declaration::Reader;
use serde::{Deserialize, Serialize};

/// How a kernel is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The kernel's name with its namespaces.
    pub name: String,
    /// The parameters of a template; else empty.
    pub template_parameters: String,
    /// The parameters of the function, as they are declared.
    pub parameters: String,
    /// Whether it is `extern "C"`, so that its symbol has no namespace.
    pub extern_c: bool,
    /// The file that defines it, and the line there.
    pub file: String,
    /// The line of its name, from 1.
    pub line: u32,
}

impl Signature {
    /// Reads the declaration from the token `first` on, with its name at `name` and the parenthesis before its parameters at `open`.
    pub(super) fn read(
        reader: &Reader,
        first: usize,
        name: usize,
        open: usize,
        namespace: &str,
        is_of_c: bool,
    ) -> Self {
        let inside = |open: usize, end: usize| reader.joined(open + 1, end - 1);
        let is_template = reader.text(first) == "template";
        let angles = reader.after_angles(first + 1).filter(|_| is_template);
        let is_marked = |at: usize| reader.text(at) == "extern" && reader.text(at + 1) == "\"C\"";
        let (file, line) = reader.lexed.place(reader.lexed.tokens[name].start);
        Self {
            name: format!("{namespace}{}", reader.text(name)),
            extern_c: is_of_c || (first..name).any(is_marked),
            template_parameters: angles.map_or_else(String::new, |end| inside(first + 1, end)),
            parameters: inside(open, reader.after_group(open)),
            file,
            line,
        }
    }
}

/// A kernel whose declaration is being read.
#[derive(Debug)]
pub struct PendingKernel {
    pub name: String,
    /// Where its declaration begins, in bytes.
    pub start: usize,
    /// The launch bounds of a template may depend on its parameters.
    pub is_template: bool,
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
