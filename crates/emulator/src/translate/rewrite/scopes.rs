//! What blocks are: what opened them, and what that implies for the code in them.

use super::Problem;
use super::Rewriting;

/// What a `{` opened.
#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    Linkage,
    Namespace(String),
    Class,
    /// A function's body or a block in one. The code of some may come from several units, or several times from one: templates,
    /// inline functions and members. A variable of theirs cannot be put in a section.
    Block {
        repeated: bool,
    },
    /// An enumeration's or initializer's list.
    List,
}

impl Rewriting<'_> {
    /// What the `{` at `at` opens, by what stands before it.
    pub(super) fn opened(&self, at: usize) -> Scope {
        let text = |at| self.reader.text(at);
        let inside_code = matches!(self.scopes.last(), Some(Scope::Block { .. } | Scope::List));
        let mut here = self.begin;
        let (mut class, mut repeated) = (false, matches!(self.scopes.last(), Some(Scope::Class)));
        if let Some(Scope::Block { repeated: around }) = self.scopes.last() {
            repeated |= around;
        }
        while here < at {
            match text(here) {
                "namespace" if !inside_code => {
                    return Scope::Namespace(self.reader.joined(here + 1, at).replace(' ', ""));
                }
                "extern" if here + 2 == at && text(here + 1).starts_with('"') => return Scope::Linkage,
                "class" | "struct" | "union" => class = true,
                "template" | "inline" => repeated = true,
                "enum" => return Scope::List,
                "=" | "return" if !class => {
                    return if inside_code { Scope::Block { repeated } } else { Scope::List };
                }
                "alignas" | "__attribute__" | "decltype" => {
                    here = self.reader.after_group(here + 1);
                    continue;
                }
                "<" => {
                    here = self.reader.after_angles(here).filter(|&after| after <= at).unwrap_or(here + 1);
                    continue;
                }
                "[" => {
                    here = self.reader.after_group(here);
                    continue;
                }
                // A function that returns a class, or takes one.
                "(" => return Scope::Block { repeated },
                _ => {}
            }
            here += 1;
        }
        if class {
            Scope::Class
        } else if inside_code {
            Scope::Block { repeated }
        } else {
            Scope::List
        }
    }

    /// CUDA's compiler refuses functions without a word about where they run, in what is not a system header.
    pub(super) fn refuse_host_function(&self, open: usize) -> Result<(), Problem> {
        let text = |at| self.reader.text(at);
        let outside = !matches!(self.scopes.last(), Some(Scope::Block { .. } | Scope::List));
        let start = self.lexed.tokens[self.begin].start;
        if self.target.whole
            || !outside
            || self.lexed.is_system(start)
            || self.lexed.is_system(self.lexed.tokens[open].start)
        {
            return Ok(());
        }
        let mut name = None;
        let mut at = self.begin;
        if text(at) == "template" {
            at = self.reader.after_angles(at + 1).unwrap_or(open);
        }
        while at < open {
            match text(at) {
                "__device__" | "__global__" | "__host__" | "=" | "::" | "requires" => return Ok(()),
                "(" if name.is_none() && self.reader.is_word(at - 1) => name = Some(at - 1),
                "__attribute__" | "alignas" | "decltype" | "explicit" | "noexcept" => {
                    at = if text(at + 1) == "(" { self.reader.after_group(at + 1) } else { at + 1 };
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        match name {
            Some(name) => Err(self.problem(
                name,
                match text(name) {
                    "main" => "the function main runs on the host, which CUDA's run-time compiler refuses: put the kernels into a file of their own, \
                               without main and host headers, and include that file in the program"
                        .to_string(),
                    name => format!(
                        "the function {name} runs on the host, which CUDA's run-time compiler refuses: write `__device__` before it"
                    ),
                },
            )),
            None => Ok(()),
        }
    }

    /// Remembers a class whose default constructor, or a member's, does something: the host would run it for each thread that
    /// touches a shared variable of it, and CUDA never does.
    pub(super) fn note_constructor(&mut self, open: usize) {
        let reader = &self.reader;
        let mut name = "";
        for at in self.begin..open {
            match reader.text(at) {
                ":" => break,
                "class" | "struct" | "union" | "final" | "alignas" | "__attribute__" => {}
                word if reader.is_word(at) && !word.starts_with("__") => name = word,
                _ => {}
            }
        }
        let end = reader.after_group(open).saturating_sub(1);
        let inherits = (self.begin..open).any(|at| self.constructed.contains(reader.text(at)));
        let mut constructs = inherits;
        let mut at = open + 1;
        while at < end && !constructs {
            let text = reader.text(at);
            match text {
                "(" | "{" | "[" => {
                    at = reader.after_group(at);
                    continue;
                }
                _ if text == name && reader.text(at + 1) == "(" => {
                    let after = reader.after_group(at + 1);
                    let default_arguments = reader.text(at + 2) == ")"
                        || (at + 2..after).any(|inside| reader.text(inside) == "=");
                    let trivial = reader.text(after) == "=" || reader.text(at.wrapping_sub(1)) == "=";
                    constructs = !trivial && (default_arguments || reader.text(at - 1) == "~");
                }
                _ => constructs = self.constructed.contains(text) && reader.is_word(at + 1),
            }
            at += 1;
        }
        if constructs && !name.is_empty() {
            self.constructed.insert(name);
        }
    }
}
