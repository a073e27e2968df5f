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
    /// The token after the declaration. `head_end` is where a function's body or a class's members begin, or else the same.
    pub end: usize,
    pub head_end: usize,
    /// For a function, the parenthesis before its parameters; `name` is the token of its name.
    pub parameters: Option<usize>,
    pub name: usize,
    /// A function that is an operator, or a member outside of its class.
    pub is_of_class: bool,
    /// The key of a class or enumeration, and what is in it.
    pub class: Option<(usize, Range<usize>)>,
    /// It ends where no declaration of variables can end: it is a parameter, or something else.
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

    /// The token after the template arguments that open at `at`; None if this is no such list.
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

    /// Reads a declaration from its specifier at `from` on. Of what comes before, from `begin`, only `const` and `constexpr` matter.
    pub fn declaration(&self, begin: usize, from: usize) -> Declaration {
        let specified_const = (begin..from).any(|at| matches!(self.text(at), "const" | "constexpr"));
        let parser = DeclarationParser {
            reader: self,
            at: from,
            read: Declaration::default(),
            one: Declarator { constant: specified_const, ..Declarator::default() },
            named: false,
            in_specifiers: true,
            specified_const,
            class_key: None,
        };
        parser.parse()
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

    /// The brace of a constructor's body, after its initializer list.
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

/// Words that are no type. After one of them, a name does not declare something of a type, as in `class A : public B {`.
const BEFORE_NAMES: [&str; 9] =
    ["public", "private", "protected", "virtual", "unsigned", "signed", "long", "short", "const"];

/// Reads one declaration, token by token.
struct DeclarationParser<'r, 'a> {
    reader: &'r Reader<'a>,
    at: usize,
    read: Declaration,
    /// The declarator that is being read. `named` says whether its name was read.
    one: Declarator,
    named: bool,
    in_specifiers: bool,
    /// Whether the specifiers are const, so that each declarator begins as constant.
    specified_const: bool,
    /// The key of a class or enumeration whose body may follow.
    class_key: Option<usize>,
}

impl DeclarationParser<'_, '_> {
    fn parse(mut self) -> Declaration {
        loop {
            match self.reader.text(self.at) {
                "" | ")" | "}" | "]" | ">" => return self.misplaced(),
                "operator" => return self.operator(),
                "<" => match self.reader.after_angles(self.at) {
                    Some(after) => self.at = after,
                    None => return self.misplaced(),
                },
                "(" if matches!(self.reader.text(self.at + 1), "*" | "&") => self.in_parentheses(),
                "(" if !self.named || !self.reader.initializes(self.at) => return self.function(),
                "[" => self.brackets(),
                "{" if self.class_key.is_some() => self.class_body(),
                ":" if self.class_key.is_some() => self.at += 1,
                "(" | "=" | "{" | "," | ";" | ":" => {
                    self.end_declarator();
                    match self.reader.text(self.at) {
                        "," => self.at += 1,
                        ";" => return self.read.ended(self.at + 1),
                        _ => return self.misplaced(),
                    }
                }
                word if self.is_attribute(word) => self.attribute(word),
                word => self.specifier(word),
            }
        }
    }

    fn misplaced(mut self) -> Declaration {
        self.read.misplaced = true;
        self.read.ended(self.at)
    }

    fn operator(mut self) -> Declaration {
        let is_open = |at: &usize| matches!(self.reader.text(*at), "(" | "");
        // `operator()` has parentheses of its own.
        let own = self.at + if self.reader.text(self.at + 1) == "(" { 3 } else { 1 };
        let open = (own..).find(is_open).unwrap_or(own);
        self.read.is_of_class = true;
        self.reader.function(self.read, open)
    }

    fn function(mut self) -> Declaration {
        self.read.name = self.one.name;
        self.read.is_of_class = self.named && self.reader.text(self.one.name - 1) == "::";
        self.reader.function(self.read, self.at)
    }

    fn is_attribute(&self, word: &str) -> bool {
        let has_arguments = matches!(
            word,
            "alignas"
                | "__attribute__"
                | "__attribute"
                | "decltype"
                | "typeof"
                | "__typeof__"
                | "explicit"
                | "noexcept"
                | "__asm__"
                | "asm"
                | "__launch_bounds__"
                | "__cluster_dims__"
                | "__maxnreg__"
                | "__block_size__"
        );
        has_arguments && self.reader.text(self.at + 1) == "("
    }

    fn attribute(&mut self, word: &str) {
        let end = self.reader.after_group(self.at + 1);
        if word == "alignas" && self.class_key.is_none() && self.in_specifiers {
            self.read.alignments.push((self.at, end));
        }
        self.at = end;
    }

    /// A word among the specifiers, or the name of a type or declarator.
    fn specifier(&mut self, word: &str) {
        match word {
            "struct" | "class" | "union" | "enum" => self.class_key = Some(self.at),
            "const" | "constexpr" => {
                self.one.constant = true;
                self.specified_const |= self.in_specifiers;
            }
            "public" | "private" | "protected" | "virtual" | "volatile" | "static" | "extern" | "inline"
            | "typename" | "unsigned" | "signed" | "long" | "short" | "__restrict__" | "__restrict"
            | "template" | "constinit" | "friend" | "__shared__" | "__device__" | "__host__"
            | "__constant__" | "__managed__" | "__global__" | "__extension__" | "final" | "thread_local" => {}
            "*" | "&" => {
                self.in_specifiers = false;
                self.one.constant = false;
            }
            _ if self.reader.is_word(self.at) => self.name(),
            _ => {}
        }
        self.at += 1;
    }

    fn name(&mut self) {
        let reader = self.reader;
        let is_type = |at| reader.is_word(at) && !BEFORE_NAMES.contains(&reader.text(at));
        // Two names one after the other: the first was the type.
        if self.named && is_type(self.at - 1) {
            self.class_key = None;
        }
        if self.in_specifiers {
            self.read.type_words.push(self.at);
        }
        (self.one.name, self.named) = (self.at, true);
    }

    /// `(*x)(int)`, `(*x[2])(int)` or `(&x)[3]`.
    fn in_parentheses(&mut self) {
        let end = self.reader.after_group(self.at);
        self.one.constant = false;
        for inside in self.at + 1..end - 1 {
            match self.reader.text(inside) {
                "*" => self.one.constant = false,
                "const" => self.one.constant = true,
                "[" => break,
                _ if self.reader.is_word(inside) => self.one.name = inside,
                _ => {}
            }
        }
        self.one.in_parentheses = true;
        (self.named, self.in_specifiers) = (true, false);
        self.at = if self.reader.text(end) == "(" { self.reader.after_group(end) } else { end };
    }

    /// The size of an array, or attributes in two brackets.
    fn brackets(&mut self) {
        let inside = self.reader.text(self.at + 1);
        if inside != "[" {
            self.in_specifiers = false;
            let is_first = self.at > 0 && self.reader.text(self.at - 1) != "]";
            self.one.unsized_array |= inside == "]" && is_first;
        }
        self.at = self.reader.after_group(self.at);
    }

    fn class_body(&mut self) {
        let end = self.reader.after_group(self.at);
        self.read.class = self.class_key.take().map(|key| (key, self.at + 1..end - 1));
        self.read.head_end = self.at;
        self.at = end;
    }

    /// Ends the declarator whose initializer or end is here, and goes on to the mark after it.
    fn end_declarator(&mut self) {
        self.in_specifiers = false;
        self.one.end = self.at;
        self.one.initialized = matches!(self.reader.text(self.at), "(" | "=" | "{");
        self.at = self.reader.after_initializer(self.at);
        let next = Declarator { constant: self.specified_const, ..Declarator::default() };
        let one = std::mem::replace(&mut self.one, next);
        if std::mem::take(&mut self.named) {
            self.read.declarators.push(one);
        }
    }
}
