//! The kinds of blocks: what opens them, and what that implies for the code in them.

use super::Rewriter;

/// What a `{` opens.
#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    Linkage,
    Namespace,
    Class,
    /// A function's body or a block in one. If `repeated`, the code may come from several units, or several times from one: templates,
    /// inline functions and members. A variable in it cannot be put in a section.
    Block {
        repeated: bool,
    },
    /// An enumeration's or initializer's list.
    List,
}

impl Rewriter<'_> {
    /// What the `{` at `at` opens, by what stands before it.
    pub(super) fn scope_at_brace(&self, at: usize) -> Scope {
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
                    return Scope::Namespace;
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
                // A function or a statement like `if (…)`, also after `struct`: a function may return one.
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
