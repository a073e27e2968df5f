//! Variables of device, constant and shared memory.

use super::{Rewriter, SourceError};
use crate::translate::output::DYNAMIC_PREFIX;
use crate::translate::rewrite::Scope;

impl Rewriter<'_> {
    /// `__device__`, `__constant__` and `__managed__`: removed from functions; variables get a section of their own.
    pub(super) fn device(&mut self, at: usize) -> Result<(), SourceError> {
        self.edits.remove(self.lexed, at, at + 1);
        let text = |at| self.reader.text(at);
        if at > 0 && matches!(text(at - 1), "]" | ">") && at > self.begin {
            // A lambda's.
            return Ok(());
        }
        if at < self.rewritten {
            return Ok(());
        }
        let declaration = self.reader.declaration(self.begin.min(at), at);
        if declaration.is_function() || declaration.misplaced {
            return Ok(());
        }
        self.rewritten = declaration.declarators.last().map_or(at, |last| last.end);
        let specifiers = |word: &str| (self.begin..self.rewritten).any(|at| text(at) == word);
        match self.scopes.last() {
            Some(Scope::Class | Scope::List) => return Ok(()),
            Some(Scope::Block { .. }) if !specifiers("static") && !specifiers("constexpr") => {
                return Err(self.problem(
                    at,
                    format!(
                        "an automatic variable cannot be `{}`: take the word away, or make it `static`",
                        text(at)
                    ),
                ));
            }
            Some(Scope::Block { repeated: true }) => return Ok(()),
            _ => {}
        }
        if text(self.begin) == "template" {
            return Ok(());
        }
        // Where a pointer to a function is declared, g++ 12 applies `__constinit` to the function.
        let to_function = declaration.declarators.iter().any(|one| one.in_parentheses);
        if !specifiers("constexpr") && !specifiers("constinit") && !to_function {
            // CUDA runs no constructor or function for it either.
            let token = self.lexed.tokens[at];
            self.edits.insert(token.start, "__constinit");
        }
        let constant = specifiers("__constant__");
        let external = specifiers("extern");
        for one in &declaration.declarators {
            if external && !one.initialized {
                continue;
            }
            // The host's own copies them in, so that the compiler must not believe it knows them.
            let section = match (constant, one.constant) {
                (true, false) => ".emulated_constant",
                (true, true) => ".emulated_constant_const",
                (false, false) => ".emulated_device",
                (false, true) => ".emulated_device_const",
            };
            self.put_in_section(one.end, section);
        }
        Ok(())
    }

    pub(super) fn put_in_section(&mut self, before: usize, section: &str) {
        // After the declarator's last token: on its line, whatever line the initializer is on.
        let after = self.lexed.tokens[before - 1].end;
        self.edits.insert(after, format!(" __attribute__((section(\"{section}\"), used, retain))"));
    }

    /// A `static` variable of a function lies in global memory too, one for all threads.
    pub(super) fn local_static(&mut self, at: usize) {
        let specified = |words: &[&str]| {
            (self.begin..at + 6)
                .take_while(|&at| self.reader.is_word(at))
                .any(|at| words.contains(&self.reader.text(at)))
        };
        if at < self.rewritten
            || specified(&[
                "__shared__",
                "__device__",
                "__constant__",
                "__managed__",
                "thread_local",
                "constexpr",
            ])
            || !matches!(self.scopes.last(), Some(Scope::Block { repeated: false }))
        {
            return;
        }
        let declaration = self.reader.declaration(self.begin, at);
        if declaration.is_function() || declaration.misplaced {
            return;
        }
        for one in declaration.declarators {
            if !one.constant {
                self.put_in_section(one.end, ".emulated_device");
            }
        }
    }

    pub(super) fn shared(&mut self, at: usize) -> Result<(), SourceError> {
        self.edits.remove(self.lexed, at, at + 1);
        let begin = self.begin;
        // What stands before the word can hold alignments too.
        let declaration = self.reader.declaration(begin, begin);
        if declaration.misplaced || declaration.is_function() || self.scopes.last() == Some(&Scope::Class) {
            return Err(self.problem(
                at,
                "`__shared__` does not apply here: it is for variables of functions and namespaces",
            ));
        }
        let Some(first) = declaration.declarators.first() else {
            return Err(self.problem(at, "`__shared__` names no variable"));
        };
        let specifiers_end = first.name;
        let external = (begin..specifiers_end)
            .find(|&at| self.reader.text(at) == "extern" && !self.reader.text(at + 1).starts_with('"'));
        if let Some(wrong) = declaration.declarators.iter().find(|one| one.initialized) {
            return Err(self.problem(
                wrong.name,
                format!(
                    "the `__shared__` variable {} cannot have an initializer: let a thread assign to it, then __syncthreads()",
                    self.reader.text(wrong.name)
                ),
            ));
        }
        let dynamic = external.is_some() && declaration.declarators.iter().all(|one| one.unsized_array);
        // The host's compiler takes alignments in front only.
        let mut alignments = String::new();
        for &(first, end) in &declaration.alignments {
            self.edits.remove(self.lexed, first, end);
            alignments += &format!("{} ", self.reader.joined(first, end));
        }
        let mut front = begin;
        while self.reader.text(front) == "[" {
            front = self.reader.after_group(front);
        }
        for word in begin..specifiers_end {
            if matches!(self.reader.text(word), "static" | "extern" | "__device__" | "inline") {
                self.edits.remove(self.lexed, word, word + 1);
            }
        }
        let class =
            declaration.type_words.iter().any(|&word| self.constructed.contains(self.reader.text(word)));
        self.rewritten = declaration.declarators.last().map_or(at, |last| last.end);
        let last_end = self.rewritten;
        // Compilers would take declarations of one name in several functions for those of one variable.
        let apart = matches!(self.scopes.last(), Some(Scope::Block { repeated: true }))
            || (class || dynamic)
                && declaration.declarators.iter().any(|one| self.is_another(one.name, begin, class));
        let made_apart = (class || dynamic) && apart;
        let mut head = if made_apart { String::new() } else { alignments.clone() };
        head += match dynamic || class {
            true if apart => "typedef ",
            // Not thread_local, for which the host would look for an initialization at each use.
            true => "extern __thread ",
            false => "static thread_local __attribute__((used)) ",
        };
        self.edits.insert(self.lexed.tokens[front].start, head);
        for one in &declaration.declarators {
            if dynamic {
                let name = self.reader.text(one.name);
                if !self.translated.dynamic.iter().any(|known| known == name) {
                    self.translated.dynamic.push(name.to_string());
                }
                if apart {
                    self.dynamic_apart(one.name, last_end);
                    continue;
                }
                let end = self.array_end(one.name + 1);
                let after = self.lexed.tokens[end - 1].end;
                self.edits.insert(after, format!(" __asm__(\"{DYNAMIC_PREFIX}{name}\")"));
            } else if class {
                let alignments = made_apart.then_some(alignments.as_str());
                self.unconstructed(one.name, one.end, last_end, alignments);
            }
        }
        if self.target.guarded && !dynamic && self.reader.text(last_end) == ";" {
            self.guards += 1;
            let guard = format!(
                " static thread_local __attribute__((used, aligned(16))) char emulated_guard_{}[1024];",
                self.guards
            );
            self.edits.insert(self.lexed.tokens[last_end].end, guard);
        }
        Ok(())
    }

    /// Whether the shared variable declared here differs from an earlier one of this name: it has another type, or bytes of its own.
    fn is_another(&mut self, name: usize, begin: usize, class: bool) -> bool {
        let type_words = self.reader.joined(begin, name);
        let before = self.shared.entry(self.reader.text(name)).or_default();
        let another = !before.is_empty() && (class || *before != type_words);
        if before.is_empty() {
            *before = type_words;
        }
        another
    }

    /// A dynamic shared array in a template, or with a name that another has: in a template, compilers ignore the symbol that a
    /// declaration names, so a reference leads to a declaration outside.
    fn dynamic_apart(&mut self, name: usize, semicolon: usize) {
        let symbol = format!("{DYNAMIC_PREFIX}{}", self.reader.text(name));
        self.refer(name, semicolon, &symbol, |_| String::new());
        self.edits.insert(0, format!("extern \"C\" __thread char {symbol}[];\n"));
    }

    /// Turns a variable's declaration into that of a type, and its name into a reference to `symbol`, which `storage` may declare.
    fn refer(&mut self, name: usize, semicolon: usize, symbol: &str, storage: impl Fn(&str) -> String) {
        self.unconstructed += 1;
        let (kind, token) = (format!("emulated_type_{}", self.unconstructed), self.lexed.tokens[name]);
        let reference = format!("{} auto &{} = *({kind} *){symbol};", storage(&kind), self.reader.text(name));
        self.edits.replace(token.start, token.end, kind);
        self.edits.insert(self.lexed.tokens[semicolon].end, reference);
    }

    /// The token after the array bounds that begin at `at`.
    pub(super) fn array_end(&self, mut at: usize) -> usize {
        while self.reader.text(at) == "[" {
            at = self.reader.after_group(at);
        }
        at
    }

    /// A shared variable whose class has a constructor: CUDA does not run it, so bytes of the same size and alignment take its
    /// place. Both have one symbol. In a template, which makes many variables, and after another of this name, a reference leads there.
    pub(super) fn unconstructed(&mut self, name: usize, end: usize, semicolon: usize, apart: Option<&str>) {
        let symbol = format!("emulated_shared_{}_{}", self.unconstructed + 1, self.reader.text(name));
        if let Some(alignments) = apart {
            self.refer(name, semicolon, &symbol, |kind| {
                format!(
                    " {alignments}alignas({kind}) static thread_local __attribute__((used)) char {symbol}[sizeof({kind})];"
                )
            });
            return;
        }
        self.unconstructed += 1;
        let name = self.reader.text(name);
        self.edits.insert(self.lexed.tokens[end - 1].end, format!(" __asm__(\"{symbol}\")"));
        self.edits.insert(
            self.lexed.tokens[semicolon].end,
            format!(
                " static __thread __attribute__((used, aligned(__alignof__({name})))) char {symbol}[sizeof({name})] __asm__(\"{symbol}\");"
            ),
        );
    }
}
