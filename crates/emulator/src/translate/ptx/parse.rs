//! The text of an asm statement as PTX: statements, registers, labels, and operands that are C++ expressions already.

mod operands;

use super::super::assembly::Operand;
use super::{Named, Wrong, names};

#[derive(Debug, Clone)]
pub struct Value {
    pub text: String,
    /// 0: a number, of as many bits as are wanted.
    pub bits: u32,
    pub register: bool,
    /// Written as 1.5 or 0f...: its bits hang on the type of the instruction.
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
    /// `[base + offset]` or `[base, {coordinates}]`; the offset with its sign.
    Address {
        base: Value,
        offset: String,
        coordinates: Option<Vec<Argument>>,
    },
    Name(String),
}

#[derive(Debug)]
pub struct Instruction {
    pub at: usize,
    /// The predicate, and whether it is negated.
    pub guard: Option<(String, bool)>,
    pub opcode: String,
    pub arguments: Vec<Argument>,
    /// The blocks it is in, outermost first.
    pub scopes: Vec<usize>,
}

#[derive(Debug)]
pub enum Item {
    Label { at: usize, name: String },
    Instruction(Instruction),
}

pub struct Parsed {
    pub items: Vec<Item>,
    /// C++ that declares the registers.
    pub declarations: String,
    pub labels: Named<String>,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    operands: &'a [Operand],
    number: usize,
    scopes: Vec<usize>,
    scope_count: usize,
    /// How deep in one another the operands under way are.
    depth: usize,
    registers: Named<Value>,
    /// Names of registers with a number after them: how many.
    families: Named<(u32, u32)>,
    parsed: Parsed,
}

pub fn parse(text: &str, operands: &[Operand], number: usize) -> Result<Parsed, Wrong> {
    let parsed = Parsed { items: Vec::new(), declarations: String::new(), labels: Named::new() };
    let mut parser = Parser {
        text: text.as_bytes(),
        at: 0,
        operands,
        number,
        scopes: vec![0],
        scope_count: 1,
        depth: 0,
        registers: Named::new(),
        families: Named::new(),
        parsed,
    };
    loop {
        parser.space();
        if parser.at >= parser.text.len() {
            break;
        }
        parser.statement()?;
    }
    if parser.scopes.len() > 1 {
        return parser.wrong("the PTX of this asm statement lacks a }");
    }
    Ok(parser.parsed)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl Parser<'_> {
    fn wrong<T>(&self, words: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { at: self.at.min(self.text.len()), words: words.into() })
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Skips spaces and comments.
    fn space(&mut self) {
        loop {
            match (self.peek(), self.text.get(self.at + 1)) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => self.at += 1,
                (b'/', Some(b'/')) => {
                    while self.at < self.text.len() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', Some(b'*')) => {
                    let rest = &self.text[self.at + 2..];
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    self.at = end.map_or(self.text.len(), |length| self.at + 2 + length + 2);
                }
                _ => return,
            }
        }
    }

    fn eat(&mut self, mark: u8) -> bool {
        self.space();
        let found = self.peek() == mark;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: u8, where_: &str) -> Result<(), Wrong> {
        if self.eat(mark) {
            return Ok(());
        }
        let found = match self.peek() {
            0 => "the end".to_string(),
            other => format!("`{}`", other as char),
        };
        self.wrong(format!(
            "the PTX of this asm statement has {found} where `{}` is expected {where_}",
            mark as char
        ))
    }

    /// A name, with what `%=` stands for put in, which is different in each asm statement.
    fn word(&mut self) -> String {
        self.space();
        let mut word = String::new();
        loop {
            if is_word(self.peek()) {
                word.push(self.peek() as char);
                self.at += 1;
            } else if self.peek() == b'%' && self.text.get(self.at + 1) == Some(&b'=') {
                word += &self.number.to_string();
                self.at += 2;
            } else {
                return word;
            }
        }
    }

    fn statement(&mut self) -> Result<(), Wrong> {
        let begin = self.at;
        match self.peek() {
            b'{' => {
                self.at += 1;
                self.scopes.push(self.scope_count);
                self.scope_count += 1;
                return Ok(());
            }
            b'}' => {
                if self.scopes.len() == 1 {
                    return self.wrong("the PTX of this asm statement has a } without its {");
                }
                self.at += 1;
                self.scopes.pop();
                return Ok(());
            }
            b';' => {
                self.at += 1;
                return Ok(());
            }
            b'.' => return self.directive(),
            _ => {}
        }
        let guard = if self.eat(b'@') {
            let negated = self.eat(b'!');
            match self.argument()? {
                Argument::Value(value) => Some((value.text, negated)),
                _ => return self.wrong("a PTX guard is a predicate register: @p or @!p"),
            }
        } else {
            None
        };
        self.space();
        let opcode = self.opcode();
        if guard.is_none() && !opcode.contains('.') && self.peek_label() {
            self.eat(b':');
            let scope = self.scopes.last().copied().unwrap_or(0);
            let name = format!("emulated_label_{}_{scope}_{}", self.number, opcode.replace('$', "_S_"));
            self.parsed.labels.insert((scope, opcode), name.clone());
            self.parsed.items.push(Item::Label { at: begin, name });
            return Ok(());
        }
        if opcode.is_empty() {
            return self.wrong(format!(
                "the PTX of this asm statement has `{}` where an instruction is expected",
                self.peek() as char
            ));
        }
        let mut arguments = Vec::new();
        self.space();
        while self.peek() != b';' {
            arguments.push(self.argument()?);
            if !self.eat(b',') {
                break;
            }
            self.space();
        }
        self.expect(b';', &format!("after {opcode}"))?;
        let scopes = self.scopes.clone();
        self.parsed.items.push(Item::Instruction(Instruction {
            at: begin,
            guard,
            opcode,
            arguments,
            scopes,
        }));
        Ok(())
    }

    fn peek_label(&mut self) -> bool {
        self.space();
        self.peek() == b':' && self.text.get(self.at + 1) != Some(&b':')
    }

    fn opcode(&mut self) -> String {
        let mut opcode = String::new();
        loop {
            let more = self.word_here();
            opcode += &more;
            if self.peek() == b'.' {
                opcode.push('.');
                self.at += 1;
            } else if self.peek() == b':' && self.text.get(self.at + 1) == Some(&b':') {
                opcode += "::";
                self.at += 2;
            } else {
                return opcode;
            }
        }
    }

    /// As `word`, with no space before it.
    fn word_here(&mut self) -> String {
        if is_word(self.peek()) || self.peek() == b'%' { self.word() } else { String::new() }
    }

    /// `.reg .b32 a, b<4>;`
    fn directive(&mut self) -> Result<(), Wrong> {
        let directive = self.opcode();
        if matches!(directive.as_str(), ".pragma" | ".loc") {
            while self.at < self.text.len() && self.peek() != b';' {
                self.at += 1;
            }
            return Ok(());
        }
        if directive != ".reg" {
            return self
                .wrong(format!("the PTX directive {directive} is not emulated: declare variables in C++"));
        }
        self.space();
        let mut kind = self.opcode();
        let mut vector = "";
        for (prefix, parts) in [(".v2", "xy"), (".v4", "xyzw")] {
            if kind == prefix {
                self.space();
                kind = self.opcode();
                vector = parts;
            }
        }
        let Some((_, bits)) = names::of_type(kind.trim_start_matches('.')) else {
            return self.wrong(format!("PTX registers of type {kind} are not emulated"));
        };
        loop {
            self.space();
            let mut name = String::new();
            while self.peek() == b'%' {
                name = "%".to_string();
                self.at += 1;
            }
            name += &self.word();
            if name.is_empty() {
                return self.wrong("PTX declares a register without a name");
            }
            if self.eat(b'<') {
                let count = self.word();
                self.expect(b'>', "after the number of registers")?;
                let Ok(count) = count.parse::<u32>() else {
                    return self.wrong("PTX declares a number of registers that is no number");
                };
                let scope = self.scopes.last().copied().unwrap_or(0);
                self.families.insert((scope, name), (count, bits));
            } else if vector.is_empty() {
                self.declare(name, bits);
            } else {
                for part in vector.chars() {
                    self.declare(format!("{name}.{part}"), bits);
                }
            }
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b';', "after a .reg")
    }

    fn declare(&mut self, name: String, bits: u32) -> Value {
        let scope = self.scopes.last().copied().unwrap_or(0);
        self.declare_in(scope, name, bits)
    }

    fn declare_in(&mut self, scope: usize, name: String, bits: u32) -> Value {
        let plain = name.replace('%', "").replace('$', "_S_").replace('.', "_");
        let text = format!("emulated_r{scope}_{plain}");
        let kind = if bits == 1 { "bool".to_string() } else { format!("emulated_u{bits}") };
        self.parsed.declarations += &format!("{kind} {text}; ");
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
            if let Some((_, bits)) =
                family.filter(|(count, _)| number.as_ref().is_ok_and(|number| number < count))
            {
                return Some(self.declare_in(scope, name.to_string(), bits));
            }
        }
        None
    }
}
