//! One pass over the tokens of a unit, which notes what is to be replaced: variables, and the declarations of kernels and their launch attributes.

mod variables;

use super::assembly::Assembly;
use super::declaration::Reader;
use super::kernel::PendingKernel;
use super::lex::TokenStream;
use super::output::{Edits, INLINING, SourceError, Target, TranslationOutput};
use super::{foreign, kernel};
use std::collections::{HashMap, HashSet};

pub struct Rewriter<'a> {
    lexed: &'a TokenStream<'a>,
    reader: Reader<'a>,
    target: Target,
    edits: Edits,
    scopes: Vec<Scope>,
    /// The first token of the declaration or statement under way.
    begin: usize,
    pending: Option<PendingKernel>,
    bounds: Option<(usize, usize)>,
    cluster: Option<(usize, usize)>,
    /// `__maxnreg__` of the declaration under way.
    most_registers: bool,
    /// The token up to which declarations of variables are rewritten already.
    rewritten: usize,
    exported: HashSet<String>,
    /// Shared variables that are declared under their own names, and what stands before the name.
    shared: HashMap<&'a str, String>,
    /// Classes whose default constructor does something.
    constructed: HashSet<&'a str>,
    assemblies: usize,
    /// A counter for the names of types and storage of shared variables that need their own.
    unconstructed: usize,
    guards: usize,
    translated: TranslationOutput,
}

impl<'a> Rewriter<'a> {
    pub fn new(lexed: &'a TokenStream<'a>, target: Target) -> Self {
        Self {
            lexed,
            reader: Reader::new(lexed),
            target,
            edits: Edits::default(),
            scopes: Vec::new(),
            begin: 0,
            pending: None,
            bounds: None,
            cluster: None,
            most_registers: false,
            rewritten: 0,
            exported: HashSet::new(),
            shared: HashMap::new(),
            constructed: HashSet::new(),
            assemblies: 0,
            unconstructed: 0,
            guards: 0,
            translated: TranslationOutput::default(),
        }
    }

    pub fn run(mut self) -> Result<TranslationOutput, SourceError> {
        let mut at = 0;
        while at < self.lexed.tokens.len() {
            at = self.token(at)?;
        }
        for &(start, end) in &self.lexed.pragmas {
            // Other pragmas than `pack` say how to compile, which the emulated device decides. CUDA's compiler, too, ignores unknown ones.
            let words =
                self.lexed.source[start + 1..end].trim_start().strip_prefix("pragma").unwrap_or_default();
            if !(self.lexed.is_own(start) || words.trim_start().starts_with("pack")) {
                self.edits.replace(start, end, "");
            }
        }
        self.translated.text = self.edits.apply(self.lexed.source);
        Ok(self.translated)
    }

    /// Looks at one token; answers the next to look at.
    fn token(&mut self, at: usize) -> Result<usize, SourceError> {
        let token = self.lexed.tokens[at];
        if let Some(words) = foreign::refusal(&self.reader, at) {
            return Err(self.problem(at, words));
        }
        match self.lexed.source.as_bytes()[token.start] {
            b'{' => {
                self.finish_kernel();
                let scope = self.scope_at_brace(at);
                if scope == Scope::Class {
                    self.note_constructor(at);
                }
                self.scopes.push(scope);
                self.next_declaration(at + 1);
            }
            b'}' => {
                self.scopes.pop();
                self.next_declaration(at + 1);
            }
            b';' => {
                self.finish_kernel();
                self.next_declaration(at + 1);
            }
            b'=' => self.vector(at),
            b'_' | b'a' | b's' | b'e' => return self.word(at),
            _ => {}
        }
        Ok(at + 1)
    }

    fn next_declaration(&mut self, begin: usize) {
        self.begin = begin;
        self.bounds = None;
        self.cluster = None;
        self.most_registers = false;
        self.pending = None;
    }

    fn word(&mut self, at: usize) -> Result<usize, SourceError> {
        match self.reader.text(at) {
            "__global__" => self.kernel(at)?,
            "__launch_bounds__" | "__cluster_dims__" | "__maxnreg__" | "__block_size__"
                if self.reader.text(at + 1) == "(" =>
            {
                return self.launch_attribute(at);
            }
            "__grid_constant__" | "__host__" => self.edits.remove(self.lexed, at, at + 1),
            "__device__" | "__constant__" | "__managed__" => self.device(at)?,
            "__shared__" => self.shared(at)?,
            "static" if matches!(self.scopes.last(), Some(Scope::Block { .. })) => self.local_static(at),
            "asm" | "__asm__" | "__asm" => return self.assembly(at),
            // The way of the emulator's headers to write an `asm` of the host.
            "emulated_host_asm" => {
                let token = self.lexed.tokens[at];
                self.edits.replace(token.start, token.end, "__asm__");
            }
            _ => {}
        }
        Ok(at + 1)
    }

    /// `places[i] = float4{...}`: the host's compiler would store one part after the other, where a GPU stores the whole.
    fn vector(&mut self, at: usize) {
        let (text, tokens) = (|at| self.reader.text(at), &self.lexed.tokens);
        let is_place =
            matches!(text(self.begin), "*" | "(") || matches!(text(self.begin + 1), "[" | "." | "-");
        if is_place && text(at + 2) == "{" && text(at + 1).ends_with(['2', '4']) {
            let last = tokens[self.reader.after_group(at + 2) - 1];
            self.edits.insert(tokens[at + 1].start, "emulated_vector(");
            self.edits.insert(last.end, ")");
        }
    }

    fn problem(&self, at: usize, words: impl Into<String>) -> SourceError {
        let token = self.lexed.tokens[at.min(self.lexed.tokens.len() - 1)];
        SourceError { at: token.start, words: words.into() }
    }

    fn assembly(&mut self, at: usize) -> Result<usize, SourceError> {
        let previous = if at == self.begin { ";" } else { self.reader.text(at - 1) };
        let in_code = self.scopes.iter().any(|scope| matches!(scope, Scope::Block { .. }));
        // A name for the linker: `int f() asm("g")`.
        if !in_code && at != self.begin
            || !matches!(previous, ";" | "{" | "}" | ")" | "]" | ":" | "else" | "do" | "__extension__")
        {
            return self.label(at);
        }
        let mut open = at + 1;
        while matches!(self.reader.text(open), "volatile" | "__volatile__" | "__volatile" | "goto" | "inline")
        {
            if self.reader.text(open) == "goto" {
                return Err(
                    self.problem(open, "`asm goto` is not part of CUDA C++: branch inside of the asm")
                );
            }
            open += 1;
        }
        if self.reader.text(open) != "(" {
            return Err(self.problem(at, "`asm` without parentheses is no statement: write `asm(\"...\");`"));
        }
        let end = self.reader.after_group(open);
        if self.reader.text(end) != ";" {
            return Err(self.problem(at, "an asm statement ends in a semicolon"));
        }
        self.assemblies += 1;
        let assembly = Assembly::read(&self.reader, open, end - 1)?;
        if !in_code {
            if assembly.is_empty() {
                self.edits.remove(self.lexed, at, end + 1);
                return Ok(end + 1);
            }
            return Err(
                self.problem(at, "PTX outside of functions is not emulated: put the asm statement in one")
            );
        }
        let text = assembly.translate(self.lexed, at, end, self.assemblies, self.target)?;
        let (first, last) = (self.lexed.tokens[at], self.lexed.tokens[end]);
        self.edits.replace(first.start, last.end, text);
        self.begin = end + 1;
        Ok(end + 1)
    }

    /// A name for the linker: `int f() asm("g")`. The host's assembler gets it as it is.
    fn label(&self, at: usize) -> Result<usize, SourceError> {
        let name = self.reader.text(at + 2).trim_matches('"');
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let after_name =
            at > 0 && (self.reader.is_word(at - 1) || matches!(self.reader.text(at - 1), ")" | "]"));
        let whole = self.reader.text(at + 1) == "(" && self.reader.text(at + 3) == ")";
        // The name of a register of the host's processor.
        let of_register = (self.begin..at).any(|at| self.reader.text(at) == "register");
        if whole && !of_register && is_name && after_name && !super::foreign::is_of_host(name) {
            return Ok(at + 1);
        }
        Err(self.problem(at, "an asm label names a function or variable of the kernel file: write a plain name of its own, or none"))
    }
}

impl Rewriter<'_> {
    pub(super) fn kernel(&mut self, at: usize) -> Result<(), SourceError> {
        if self.scopes.last() == Some(&Scope::Class) {
            return Err(self.problem(at, "a `__global__` function cannot be a member of a class"));
        }
        let name = kernel::name(&self.reader, self.begin, at).map_err(|words| self.problem(at, words))?;
        let token = self.lexed.tokens[at];
        self.edits.replace(token.start, token.end, format!(" __attribute__((used, noinline{INLINING}))"));
        let begin = self.begin;
        let is_template = (begin..at).any(|at| self.reader.text(at) == "template");
        self.pending = Some(PendingKernel { name, start: self.lexed.tokens[begin].start, is_template });
        Ok(())
    }

    pub(super) fn launch_attribute(&mut self, at: usize) -> Result<usize, SourceError> {
        let end = self.reader.after_group(at + 1);
        let inside = Some((at + 2, end - 1));
        match self.reader.text(at) {
            "__launch_bounds__" => self.bounds = inside,
            "__cluster_dims__" => self.cluster = inside,
            "__maxnreg__" => self.most_registers = true,
            _ => {}
        }
        if self.most_registers && self.bounds.is_some() {
            return Err(
                self.problem(at, "`__launch_bounds__` and `__maxnreg__` cannot go together: take one away")
            );
        }
        self.edits.remove(self.lexed, at, end);
        Ok(end)
    }

    /// Exports the launch attributes of the kernel whose declaration ends here.
    pub(super) fn finish_kernel(&mut self) {
        let Some(pending) = self.pending.take().filter(|pending| !pending.is_template) else { return };
        for (what, inside) in [("bounds", self.bounds), ("cluster", self.cluster)] {
            let Some((first, end)) = inside else { continue };
            let mut values = kernel::arguments(&self.reader, first, end);
            if what == "cluster" {
                values.resize(3, "1".to_string());
            }
            let symbol = format!("emulated_{what}_{}", pending.name);
            if self.exported.insert(symbol.clone()) {
                self.edits.insert(pending.start, kernel::exported(&symbol, &values));
            }
        }
    }
}

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
