//! Reads as much of a declaration as is needed to know whether it declares functions or variables, and where its declarators stand.

use super::lex::{TokenKind, TokenStream};
use std::ops::Range;

/// Tokens, and for each opening bracket its closing one.
pub struct Reader<'a> {
    pub lexed: &'a TokenStream<'a>,
    closing: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Declarator {
    /// The token that names it.
    pub name: usize,
    /// The token after the declarator and its attributes, before an initializer.
    pub end: usize,
    pub initialized: bool,
    /// Its own value cannot change: `const int x` or `int *const x`, not `const int *x`.
    pub constant: bool,
    /// `x[]`.
    pub unsized_array: bool,
    /// `(*x)(int)`, `(*x[2])(int)` or `(&x)[3]`.
    pub in_parentheses: bool,
}

#[derive(Debug, Default)]
pub struct Declaration {
    /// The token after all of it, and the one after its head: where a function's body or what is in a class begins, or the same.
    pub end: usize,
    pub head_end: usize,
    /// Of a function, the parenthesis before its parameters and the token of its name.
    pub parameters: Option<usize>,
    pub name: usize,
    /// A function that is an operator, or a member outside of its class.
    pub is_of_class: bool,
    /// The key of a class or enumeration, and what is in it.
    pub class: Option<(usize, Range<usize>)>,
    /// Ends where no declaration of variables can: it is a parameter, or something else.
    pub misplaced: bool,
    pub declarators: Vec<Declarator>,
    /// `alignas(...)` among the specifiers: first token and the one after the last.
    pub alignments: Vec<(usize, usize)>,
    /// The words of the type, without qualifiers.
    pub type_words: Vec<usize>,
}

impl Declaration {
    pub fn is_function(&self) -> bool {
        self.parameters.is_some()
    }

    fn ended(mut self, end: usize) -> Self {
        self.end = end;
        if self.head_end == 0 {
            self.head_end = end;
        }
        self
    }
}

impl<'a> Reader<'a> {
    pub fn new(lexed: &'a TokenStream<'a>) -> Self {
        let mut closing = vec![0; lexed.tokens.len()];
        let mut open = Vec::new();
        for (at, token) in lexed.tokens.iter().enumerate() {
            if token.kind != TokenKind::Mark {
                continue;
            }
            match lexed.source.as_bytes()[token.start] {
                b'(' | b'[' | b'{' => open.push(at),
                b')' | b']' | b'}' => {
                    if let Some(opening) = open.pop() {
                        closing[opening] = at as u32;
                    }
                }
                _ => {}
            }
        }
        Self { lexed, closing }
    }

    #[inline]
    pub fn text(&self, at: usize) -> &'a str {
        self.lexed.text(at)
    }

    /// The token after the group that opens at `at`.
    pub fn after_group(&self, at: usize) -> usize {
        match self.closing.get(at) {
            Some(&closing) if closing as usize > at => closing as usize + 1,
            _ => self.lexed.tokens.len(),
        }
    }

    /// The token after the template arguments that open at `at`, if they are that.
    pub fn after_angles(&self, at: usize) -> Option<usize> {
        let mut depth = 0;
        let mut at = at;
        loop {
            match self.text(at) {
                "<" => depth += 1,
                ">" if at > 0 && self.text(at - 1) == "-" => {}
                ">" => depth -= 1,
                "(" | "[" | "{" => {
                    at = self.after_group(at);
                    continue;
                }
                ";" | ")" | "]" | "}" | "" => return None,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    pub fn is_word(&self, at: usize) -> bool {
        self.lexed.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// The text of some tokens on one line.
    pub fn joined(&self, first: usize, end: usize) -> String {
        let mut text = String::new();
        for at in first..end {
            let glued = at > first && self.lexed.tokens[at - 1].end == self.lexed.tokens[at].start;
            if at > first && !glued {
                text.push(' ');
            }
            text.push_str(self.text(at));
        }
        text
    }

    /// Reads a declaration from one of its specifiers on. From what comes before, only whether it is const matters.
    pub fn declaration(&self, begin: usize, from: usize) -> Declaration {
        let mut read = Declaration::default();
        let before_const = (begin..from).any(|at| matches!(self.text(at), "const" | "constexpr"));
        let (mut specified_const, mut in_specifiers) = (before_const, true);
        let mut one = Declarator { constant: before_const, ..Declarator::default() };
        let (mut class_key, mut key) = (false, begin);
        let mut at = from;
        let mut named = false;
        loop {
            match self.text(at) {
                "" | ")" | "}" | "]" | ">" => {
                    read.misplaced = true;
                    return read.ended(at);
                }
                "operator" => {
                    // `operator()` has parentheses of its own.
                    let own = if self.text(at + 1) == "(" { at + 3 } else { at + 1 };
                    at = (own..).find(|at| matches!(self.text(*at), "(" | "")).unwrap_or(own);
                    read.is_of_class = true;
                    return self.function(read, at);
                }
                word @ ("alignas" | "__attribute__" | "__attribute" | "decltype" | "typeof"
                | "__typeof__" | "explicit" | "noexcept" | "__asm__" | "asm"
                | "__launch_bounds__" | "__cluster_dims__" | "__maxnreg__" | "__block_size__")
                    if self.text(at + 1) == "(" =>
                {
                    let end = self.after_group(at + 1);
                    if word == "alignas" && !class_key && in_specifiers {
                        read.alignments.push((at, end));
                    }
                    at = end;
                    continue;
                }
                "struct" | "class" | "union" | "enum" => {
                    key = at;
                    class_key = true;
                }
                "const" | "constexpr" => {
                    one.constant = true;
                    specified_const |= in_specifiers;
                }
                "public" | "private" | "protected" | "virtual" | "volatile" | "static" | "extern"
                | "inline" | "typename" | "unsigned" | "signed" | "long" | "short" | "__restrict__"
                | "__restrict" | "template" | "constinit" | "friend" | "__shared__" | "__device__"
                | "__host__" | "__constant__" | "__managed__" | "__global__" | "__extension__" | "final"
                | "thread_local" => {}
                "*" | "&" => {
                    in_specifiers = false;
                    one.constant = false;
                }
                "<" => match self.after_angles(at) {
                    Some(after) => {
                        at = after;
                        continue;
                    }
                    None => {
                        read.misplaced = true;
                        return read.ended(at);
                    }
                },
                "(" => {
                    let inner = self.text(at + 1);
                    if matches!(inner, "*" | "&") {
                        let end = self.after_group(at);
                        one.constant = false;
                        for inside in at + 1..end - 1 {
                            match self.text(inside) {
                                "*" => one.constant = false,
                                "const" => one.constant = true,
                                "[" => break,
                                _ if self.is_word(inside) => one.name = inside,
                                _ => {}
                            }
                        }
                        one.in_parentheses = true;
                        (named, in_specifiers) = (true, false);
                        at = if self.text(end) == "(" { self.after_group(end) } else { end };
                        continue;
                    }
                    if named && self.initializes(at) {
                        (one.end, one.initialized) = (at, true);
                        at = self.after_initializer(at);
                        read.declarators.push(one);
                        one = Declarator { constant: specified_const, ..Declarator::default() };
                        (named, in_specifiers) = (false, false);
                        if self.text(at) == ";" {
                            return read.ended(at + 1);
                        }
                        at += 1;
                        continue;
                    }
                    read.name = one.name;
                    read.is_of_class = named && self.text(one.name - 1) == "::";
                    return self.function(read, at);
                }
                "[" if self.text(at + 1) == "[" => {
                    at = self.after_group(at);
                    continue;
                }
                "[" => {
                    in_specifiers = false;
                    one.unsized_array |= self.text(at + 1) == "]" && at > 0 && self.text(at - 1) != "]";
                    at = self.after_group(at);
                    continue;
                }
                "{" if class_key => {
                    class_key = false;
                    let end = self.after_group(at);
                    read.class = Some((key, at + 1..end - 1));
                    read.head_end = at;
                    at = end;
                    continue;
                }
                ":" if class_key => {}
                mark @ ("=" | "{" | "," | ";" | ":") => {
                    in_specifiers = false;
                    one.end = at;
                    if mark == "=" || mark == "{" {
                        one.initialized = true;
                        at = self.after_initializer(at);
                    } else if mark == ":" {
                        at = self.after_initializer(at);
                    }
                    if named {
                        read.declarators.push(one);
                    }
                    one = Declarator { constant: specified_const, ..Declarator::default() };
                    named = false;
                    match self.text(at) {
                        "," => {}
                        ";" => return read.ended(at + 1),
                        _ => {
                            read.misplaced = true;
                            return read.ended(at);
                        }
                    }
                }
                _ if self.is_word(at) => {
                    // Two names one after the other: the first was the type.
                    let is_base = |at| {
                        matches!(
                            self.text(at),
                            "public"
                                | "private"
                                | "protected"
                                | "virtual"
                                | "unsigned"
                                | "signed"
                                | "long"
                                | "short"
                                | "const"
                        )
                    };
                    if named && self.is_word(at - 1) && !is_base(at - 1) {
                        class_key = false;
                    }
                    if in_specifiers {
                        read.type_words.push(at);
                    }
                    one.name = at;
                    named = true;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// The rest of a function whose parameters open at `open`: to the end of its body, or to its semicolon.
    fn function(&self, mut read: Declaration, open: usize) -> Declaration {
        read.parameters = Some(open);
        let mut at = self.after_group(open);
        loop {
            match self.text(at) {
                "" | "}" => return read.ended(at),
                ";" => return read.ended(at + 1),
                "(" | "[" => at = self.after_group(at),
                ":" => at = self.before_body(at + 1),
                "{" => {
                    read.head_end = at;
                    return read.ended(self.after_group(at));
                }
                _ => at += 1,
            }
        }
    }

    /// The brace of a constructor's body, behind what it initializes.
    fn before_body(&self, mut at: usize) -> usize {
        loop {
            match self.text(at) {
                "(" | "[" => at = self.after_group(at),
                "<" => at = self.after_angles(at).unwrap_or(at + 1),
                "{" if self.is_word(at - 1) || self.text(at - 1) == ">" => at = self.after_group(at),
                "{" | "}" | ";" | "" => return at,
                _ => at += 1,
            }
        }
    }

    /// Whether the parentheses at `at` hold a variable's value and not a function's parameters.
    fn initializes(&self, at: usize) -> bool {
        let literal = self
            .lexed
            .tokens
            .get(at + 1)
            .is_some_and(|token| !matches!(token.kind, TokenKind::Word | TokenKind::Mark));
        let value = literal
            || matches!(self.text(at + 1), "-" | "&" | "!" | "~" | "sizeof" | "true" | "false" | "nullptr");
        value && matches!(self.text(self.after_group(at)), ";" | ",")
    }

    /// The `,` or `;` that ends an initializer.
    fn after_initializer(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            match self.text(at) {
                "," | ";" | "" | ")" | "}" | "]" => return at,
                "(" | "[" | "{" => at = self.after_group(at),
                "<" if self.is_word(at - 1) => at = self.after_angles(at).unwrap_or(at + 1),
                _ => at += 1,
            }
        }
    }
}
