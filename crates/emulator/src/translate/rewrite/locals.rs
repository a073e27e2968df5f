//! Local arrays: marks lie on both sides of each, which an access beyond it meets.

use super::Rewriting;
use super::scopes::Scope;

/// What begins a statement that declares no array, or one that keeps its value or is no variable.
const OTHERS: [&str; 24] = [
    "return",
    "goto",
    "case",
    "default",
    "delete",
    "new",
    "throw",
    "else",
    "do",
    "using",
    "typedef",
    "static",
    "extern",
    "constexpr",
    "thread_local",
    "template",
    "struct",
    "class",
    "union",
    "enum",
    "if",
    "for",
    "while",
    "switch",
];

impl Rewriting<'_> {
    /// Whether arrays of the block that opens at `open` stay as they are: one may jump past their declarations, or they may be
    /// constants of the compiler's.
    pub(super) fn note_unguarded(&mut self, open: usize) {
        let head = || (self.begin..open).map(|at| self.reader.text(at));
        if head().next() == Some("switch") || head().any(|word| word == "constexpr") {
            self.unguarded.push(self.scopes.len() + 1);
        }
    }

    /// Puts marks around the array that the statement at `begin` declares, if it declares one and nothing else.
    pub(super) fn guard_local(&mut self, begin: usize) {
        let in_block = matches!(self.scopes.last(), Some(Scope::Block { .. }));
        let depth = self.scopes.len();
        if !self.target.guarded || self.has_jumps || !in_block || self.unguarded.last() == Some(&depth) {
            return;
        }
        let Some((first, name, end)) = self.local_array(begin) else { return };
        let (text, tokens) = (|at| self.reader.text(at), &self.lexed.tokens);
        let after_initializer = (end..).find(|&at| matches!(text(at), ";" | "")).unwrap_or(end);
        self.guards += 1;
        let marked = format!("emulated_local_{}", self.guards);
        self.edits.insert(tokens[first].start, "EmulatedLocal<");
        self.edits.remove(self.lexed, name, name + 1);
        self.edits.insert(tokens[end - 1].end, format!("> {marked}"));
        match text(end) {
            "=" => self.edits.replace(tokens[end].start, tokens[end].end, "= {{},"),
            "{" => self.edits.insert(tokens[end].start, " = {{},"),
            _ => {}
        }
        if end != after_initializer {
            self.edits.insert(tokens[after_initializer].start, ", {}}");
        }
        let reference = format!(" auto &{} = {marked}.own;", text(name));
        self.edits.insert(tokens[after_initializer].end, reference);
    }

    /// The first word of the type, the name, and the token behind the bounds, of a statement that declares one array of known bounds.
    fn local_array(&self, begin: usize) -> Option<(usize, usize, usize)> {
        let text = |at| self.reader.text(at);
        let mut at = begin;
        while matches!(text(at), "alignas" | "__attribute__") {
            at = self.reader.after_group(at + 1);
        }
        if !self.reader.is_word(at)
            || OTHERS.contains(&text(at))
            || self.lexed.is_system(self.lexed.tokens[at].start)
        {
            return None;
        }
        let (first, mut words) = (at, 0);
        while text(at) != "[" {
            match text(at) {
                "::" => at += 1,
                "<" => at = self.reader.after_angles(at)?,
                "const" | "volatile" | "__shared__" | "operator" | "__attribute__" => return None,
                _ if self.reader.is_word(at) => (at, words) = (at + 1, words + 1),
                _ => return None,
            }
        }
        let name = at - 1;
        // A type and a name, and no place in an array that is something's member.
        if words < 2
            || !(self.reader.is_word(name) && (self.reader.is_word(name - 1) || text(name - 1) == ">"))
        {
            return None;
        }
        while text(at) == "[" {
            if matches!(text(at + 1), "]" | "[") {
                return None;
            }
            at = self.reader.after_group(at);
        }
        let end = at;
        let closing = match text(end) {
            ";" => end,
            "=" if text(end + 1) == "{" => self.reader.after_group(end + 1),
            "{" => self.reader.after_group(end),
            _ => return None,
        };
        (text(closing) == ";").then_some((first, name, end))
    }
}
