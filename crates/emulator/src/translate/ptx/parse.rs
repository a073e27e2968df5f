//! The text of an asm statement as PTX: statements, registers, labels, and operands that are C++ expressions already.

mod operands;

use super::names::Type;
use super::operation::Operand;
use std::collections::HashMap;

#[derive(Debug)]
pub struct PtxError {
    /// Byte of the PTX text.
    pub at: usize,
    pub words: String,
}

/// Registers and labels by name, for each scope.
type ScopedNames<T> = HashMap<(usize, String), T>;

#[derive(Debug, Clone)]
pub struct Value {
    pub text: String,
    /// 0 for a literal, which takes the width that its instruction needs.
    pub bits: u32,
    pub register: bool,
    /// Written as 1.5 or 0f...: its bits depend on the type of the instruction.
    pub real: Option<f64>,
}

#[derive(Debug, Clone)]
pub enum Argument {
    Value(Value),
    Negated(Value),
    Sink,
    /// `{a, b}`
    Group(Vec<Argument>),
    /// `a|p`
    Pair(Box<Argument>, Box<Argument>),
    /// `[base + offset]` or `[base, {coordinates}]`: the sum, and the bits of the base.
    Address {
        sum: String,
        bits: u32,
        coordinates: Option<Vec<Argument>>,
    },
    /// The target of a branch.
    Name(String),
}

impl Argument {
    /// `register = ` for one that can be written; nothing for `_`.
    pub fn assign(&self) -> Option<String> {
        match self {
            Self::Value(value) if value.register => Some(format!("{} = ", value.text)),
            Self::Sink => Some(String::new()),
            _ => None,
        }
    }
}

/// An instruction, or a label, whose `opcode` is its C++ name and a colon.
#[derive(Debug)]
pub struct Item {
    pub at: usize,
    /// The condition in C++.
    pub guard: Option<String>,
    pub opcode: String,
    pub arguments: Vec<Argument>,
    /// The scopes in braces that it is in, outermost first.
    pub scopes: Vec<usize>,
}

#[derive(Default)]
pub struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    operands: &'a [Operand],
    number: usize,
    scopes: Vec<usize>,
    scope_count: usize,
    /// How deep the operand that is read is nested in others.
    depth: usize,
    registers: ScopedNames<Value>,
    /// Registers declared as `name<count>`: the count, and their bits.
    families: ScopedNames<(u32, u32)>,
    pub items: Vec<Item>,
    /// C++ that declares the registers.
    pub declarations: String,
    pub labels: ScopedNames<String>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'a> Parser<'a> {
    /// Reads all statements.
    pub fn read(text: &'a str, operands: &'a [Operand], number: usize) -> Result<Self, PtxError> {
        let text = text.as_bytes();
        let mut parser = Self { text, operands, number, scopes: vec![0], scope_count: 1, ..Self::default() };
        loop {
            parser.skip_space();
            if parser.at >= parser.text.len() {
                break;
            }
            parser.statement()?;
        }
        if parser.scopes.len() > 1 {
            return parser.error("the PTX of this asm statement lacks a }");
        }
        Ok(parser)
    }

    fn error<T>(&self, words: impl Into<String>) -> Result<T, PtxError> {
        Err(PtxError { at: self.at.min(self.text.len()), words: words.into() })
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn starts_with(&self, with: &str) -> bool {
        self.text[self.at.min(self.text.len())..].starts_with(with.as_bytes())
    }

    /// Goes to where a text is next, or to the end.
    fn skip_to(&mut self, end: &str) {
        while self.at < self.text.len() && !self.starts_with(end) {
            self.at += 1;
        }
    }

    /// Skips spaces and comments.
    fn skip_space(&mut self) {
        loop {
            if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
                self.at += 1;
            } else if self.starts_with("//") {
                self.skip_to("\n");
            } else if self.starts_with("/*") {
                self.at += 2;
                self.skip_to("*/");
                self.at += 2;
            } else {
                return;
            }
        }
    }

    fn eat(&mut self, mark: u8) -> bool {
        self.skip_space();
        let found = self.peek() == mark;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: u8, place: &str) -> Result<(), PtxError> {
        if self.eat(mark) {
            return Ok(());
        }
        let found = match self.peek() {
            0 => "the end".to_string(),
            other => format!("`{}`", other as char),
        };
        self.error(format!(
            "the PTX of this asm statement has {found} where `{}` is expected {place}",
            mark as char
        ))
    }

    /// A name. `%=` in it becomes the number of the asm statement.
    fn word(&mut self) -> String {
        let mut word = String::new();
        loop {
            if is_word(self.peek()) {
                word.push(self.peek() as char);
                self.at += 1;
            } else if self.starts_with("%=") {
                word += &self.number.to_string();
                self.at += 2;
            } else {
                return word;
            }
        }
    }

    /// Words with points and double colons between them.
    fn opcode(&mut self) -> String {
        self.skip_space();
        let mut opcode = self.word();
        while let Some(mark) = [".", "::"].into_iter().find(|mark| self.starts_with(mark)) {
            self.at += mark.len();
            opcode += mark;
            opcode += &self.word();
        }
        opcode
    }

    fn scope(&self) -> usize {
        self.scopes.last().copied().unwrap_or(0)
    }

    fn statement(&mut self) -> Result<(), PtxError> {
        match self.peek() {
            b'{' => {
                self.scopes.push(self.scope_count);
                self.scope_count += 1;
            }
            b'}' if self.scopes.len() == 1 => {
                return self.error("the PTX of this asm statement has a } without its {");
            }
            b'}' => self.scopes.truncate(self.scopes.len() - 1),
            b';' => {}
            b'.' => return self.directive(),
            _ => return self.instruction(),
        }
        self.at += 1;
        Ok(())
    }

    fn instruction(&mut self) -> Result<(), PtxError> {
        let at = self.at;
        let mut guard = None;
        if self.eat(b'@') {
            let sign = if self.eat(b'!') { "==" } else { "!=" };
            let Argument::Value(value) = self.argument()? else {
                return self.error("a PTX guard is a predicate register: @p or @!p");
            };
            guard = Some(format!("{} {sign} 0", value.text));
        }
        let opcode = self.opcode();
        if opcode.is_empty() {
            return self.error(format!(
                "the PTX of this asm statement has `{}` where an instruction is expected",
                self.peek() as char
            ));
        }
        let mut item = Item { at, guard, opcode, arguments: Vec::new(), scopes: self.scopes.clone() };
        if item.guard.is_none() && !item.opcode.contains('.') && self.eat(b':') {
            let plain = item.opcode.replace('$', "_S_");
            let label = format!("emulated_label_{}_{}_{plain}", self.number, self.scope());
            self.labels.insert((self.scope(), item.opcode), label.clone());
            item.opcode = label + ":";
            self.items.push(item);
            return Ok(());
        }
        let branches = matches!(item.opcode.as_str(), "bra" | "bra.uni");
        self.skip_space();
        while self.peek() != b';' {
            item.arguments.push(if branches { Argument::Name(self.word()) } else { self.argument()? });
            if !self.eat(b',') {
                break;
            }
            self.skip_space();
        }
        self.expect(b';', &format!("after {}", item.opcode))?;
        self.items.push(item);
        Ok(())
    }

    /// `.reg .b32 a, b<4>;`
    fn directive(&mut self) -> Result<(), PtxError> {
        let directive = self.opcode();
        if matches!(directive.as_str(), ".pragma" | ".loc") {
            self.skip_to(";");
            return Ok(());
        }
        if directive != ".reg" {
            return self
                .error(format!("the PTX directive {directive} is not emulated: declare variables in C++"));
        }
        let mut kind = self.opcode();
        let parts: &[&str] = match kind.as_str() {
            ".v2" => &[".x", ".y"],
            ".v4" => &[".x", ".y", ".z", ".w"],
            _ => &[""],
        };
        if parts.len() > 1 {
            kind = self.opcode();
        }
        let Some(Type { bits, .. }) = Type::of(kind.trim_start_matches('.')) else {
            return self.error(format!("PTX registers of type {kind} are not emulated"));
        };
        loop {
            let mut name = String::new();
            while self.eat(b'%') {
                name = "%".to_string();
            }
            name += &self.word();
            if name.is_empty() {
                return self.error("PTX declares a register without a name");
            }
            if self.eat(b'<') {
                let count = self.word();
                self.expect(b'>', "after the number of registers")?;
                let Ok(count) = count.parse() else {
                    return self.error("PTX declares registers `name<N>` whose N is no number");
                };
                self.families.insert((self.scope(), name), (count, bits));
            } else {
                for part in parts {
                    self.declare(self.scope(), format!("{name}{part}"), bits);
                }
            }
            if !self.eat(b',') {
                return self.expect(b';', "after a .reg");
            }
        }
    }

    fn declare(&mut self, scope: usize, name: String, bits: u32) -> Value {
        let plain = name.replace('%', "").replace('$', "_S_").replace('.', "_");
        let text = format!("emulated_r{scope}_{plain}");
        let kind = if bits == 1 { "bool".to_string() } else { format!("emulated_u{bits}") };
        self.declarations += &format!("{kind} {text}; ");
        let value = Value { text, bits, register: true, real: None };
        self.registers.insert((scope, name), value.clone());
        value
    }

    fn register(&mut self, name: &str) -> Option<Value> {
        let digits = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        for scope in self.scopes.clone().into_iter().rev() {
            if let Some(value) = self.registers.get(&(scope, name.to_string())) {
                return Some(value.clone());
            }
            let family = self.families.get(&(scope, name[..digits].to_string())).copied();
            let number = name[digits..].parse::<u32>();
            if let (Some((count, bits)), Ok(number)) = (family, number)
                && number < count
            {
                return Some(self.declare(scope, name.to_string(), bits));
            }
        }
        None
    }
}
