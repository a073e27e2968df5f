//! Operands: registers, numbers, groups and addresses.

use super::super::names;
use super::{Argument, Parser, Value, Wrong};

impl Parser<'_> {
    pub(super) fn argument(&mut self) -> Result<Argument, Wrong> {
        self.deeper(Self::argument_inside)
    }

    fn argument_inside(&mut self) -> Result<Argument, Wrong> {
        self.space();
        let first = match self.peek() {
            b'{' => {
                self.at += 1;
                let mut all = Vec::new();
                while !self.eat(b'}') {
                    all.push(self.argument()?);
                    if !self.eat(b',') {
                        self.expect(b'}', "after a list of registers")?;
                        break;
                    }
                }
                Argument::Group(all)
            }
            b'[' => self.address()?,
            b'!' => {
                self.at += 1;
                match self.argument()? {
                    Argument::Value(value) => Argument::Negated(value),
                    _ => return self.wrong("PTX can negate a predicate register only"),
                }
            }
            _ => self.plain()?,
        };
        if self.eat(b'|') {
            let second = self.argument()?;
            return Ok(Argument::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    pub(super) fn address(&mut self) -> Result<Argument, Wrong> {
        self.at += 1;
        let base = match self.plain()? {
            Argument::Value(value) => value,
            Argument::Name(name) => {
                return self.wrong(format!(
                    "PTX address [{name}]: a variable that is declared in CUDA C++ comes in as an operand"
                ));
            }
            _ => return self.wrong("a PTX address is a register and perhaps an offset"),
        };
        let mut offset = String::new();
        while self.eat(b'+') {
            self.space();
            let Argument::Value(value) = self.plain()? else {
                return self.wrong("the offset of a PTX address is a number");
            };
            offset += &format!(" + {}", value.text);
        }
        if self.peek() == b'-' {
            let Argument::Value(value) = self.plain()? else {
                return self.wrong("the offset of a PTX address is a number");
            };
            offset += &format!(" + {}", value.text);
        }
        let mut coordinates = None;
        if self.eat(b',') {
            coordinates = match self.argument()? {
                Argument::Group(all) => Some(all),
                other => Some(vec![other]),
            };
        }
        self.expect(b']', "after an address")?;
        Ok(Argument::Address { base, offset, coordinates })
    }

    /// A register, special register, number or name.
    fn plain(&mut self) -> Result<Argument, Wrong> {
        self.deeper(Self::plain_inside)
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<Argument, Wrong>) -> Result<Argument, Wrong> {
        if self.depth > 64 {
            return self.wrong("the operands of this PTX instruction are nested too deep");
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn plain_inside(&mut self) -> Result<Argument, Wrong> {
        self.space();
        match self.peek() {
            b'%' => self.percent(),
            b'-' => {
                self.at += 1;
                match self.plain()? {
                    Argument::Value(Value { text, bits: 0, real, .. }) => Ok(Argument::Value(Value {
                        text: format!("(0 - {text})"),
                        bits: 0,
                        register: false,
                        real: real.map(|real| -real),
                    })),
                    _ => self.wrong("a minus sign in PTX goes before a number"),
                }
            }
            b'(' => {
                self.at += 1;
                let mut text = "(".to_string();
                loop {
                    match self.peek() {
                        b')' => break,
                        byte if byte.is_ascii_digit() => match self.plain()? {
                            Argument::Value(value) => text += &value.text,
                            _ => return self.wrong("this PTX expression is not emulated"),
                        },
                        byte @ (b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'&' | b'|' | b'^' | b'~'
                        | b' ') => {
                            text.push(byte as char);
                            self.at += 1;
                        }
                        _ => return self.wrong("this PTX expression is not emulated"),
                    }
                }
                self.at += 1;
                text.push(')');
                self.expression(text)
            }
            byte if byte.is_ascii_digit() => match self.number()? {
                Argument::Value(Value { text, bits: 0, real: None, .. }) => self.expression(text),
                other => Ok(other),
            },
            _ => {
                let mut name = self.word();
                if name == "_" {
                    return Ok(Argument::Sink);
                }
                if name == "WARP_SZ" {
                    return Ok(number("32ull".into()));
                }
                if self.peek() == b'.' && !name.is_empty() {
                    self.at += 1;
                    name = format!("{name}.{}", self.word());
                }
                if name.is_empty() {
                    return self.wrong(format!(
                        "the PTX of this asm statement has `{}` where an operand is expected",
                        self.peek() as char
                    ));
                }
                Ok(self.register(&name).map_or(Argument::Name(name), Argument::Value))
            }
        }
    }

    /// What goes on after a number: 4 + 3, 1 << 5.
    pub(super) fn expression(&mut self, first: String) -> Result<Argument, Wrong> {
        self.space();
        let operator = match (self.peek(), self.text.get(self.at + 1)) {
            (b'+', _) => "+",
            (b'-', _) => "-",
            (b'*', _) => "*",
            (b'<', Some(b'<')) => "<<",
            (b'>', Some(b'>')) => ">>",
            _ => return Ok(number(first)),
        };
        self.at += operator.len();
        match self.plain()? {
            Argument::Value(value) if !value.register && value.real.is_none() => {
                Ok(number(format!("({first} {operator} {})", value.text)))
            }
            _ => self.wrong("a PTX expression is of whole numbers"),
        }
    }

    pub(super) fn percent(&mut self) -> Result<Argument, Wrong> {
        self.at += 1;
        // Only in a statement with operands is one percent sign an operand's, and two of them one.
        if self.peek().is_ascii_digit() {
            let digits = self.word();
            let Some(operand) = digits.parse::<usize>().ok().and_then(|at| self.operands.get(at)) else {
                return self.wrong(format!(
                    "%{digits} in PTX: this asm statement has {} operands",
                    self.operands.len()
                ));
            };
            let value = Value {
                text: format!("emulated_{digits}"),
                bits: if operand.letter == 'n' { 0 } else { operand.bits() },
                register: operand.letter != 'n',
                real: None,
            };
            return Ok(Argument::Value(value));
        }
        if self.peek() == b'%' {
            if self.operands.is_empty() {
                return self.wrong("`%%` in an asm statement without operands: CUDA takes the text as it is there, write one `%`");
            }
            self.at += 1;
        }
        let mut name = self.word();
        if self.peek() == b'.' {
            self.at += 1;
            name = format!("{name}.{}", self.word());
        }
        if let Some(value) = self.register(&format!("%{name}")) {
            return Ok(Argument::Value(value));
        }
        match names::special(&name) {
            Some((text, bits)) => {
                Ok(Argument::Value(Value { text: format!("({text})"), bits, register: false, real: None }))
            }
            None => self.wrong(format!("the PTX register %{name} is not emulated")),
        }
    }

    pub(super) fn number(&mut self) -> Result<Argument, Wrong> {
        let begin = self.at;
        let word = self.word();
        let digits = |small: &str, large: &str, count: usize| {
            let digits =
                word.strip_prefix(small).or(word.strip_prefix(large)).filter(|it| it.len() == count)?;
            u64::from_str_radix(digits, 16).ok()
        };
        if let Some(bits) = digits("0f", "0F", 8) {
            let real = Some(f64::from(f32::from_bits(bits as u32)));
            let text = format!("0x{bits:08x}u");
            return Ok(Argument::Value(Value { text, bits: 32, register: false, real }));
        }
        if let Some(bits) = digits("0d", "0D", 16) {
            let text = format!("0x{bits:016x}ull");
            let real = Some(f64::from_bits(bits));
            return Ok(Argument::Value(Value { text, bits: 64, register: false, real }));
        }
        if self.peek() == b'.'
            || word.contains(['e', 'E']) && !word.starts_with("0x") && !word.starts_with("0X")
        {
            if self.peek() == b'.' {
                self.at += 1;
                self.word();
            }
            if matches!(self.text[self.at - 1], b'e' | b'E') && matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
                self.word();
            }
            let text = String::from_utf8_lossy(&self.text[begin..self.at]).to_string();
            let Ok(real) = text.parse::<f64>() else {
                return self.wrong(format!("{text} in PTX is no number"));
            };
            return Ok(Argument::Value(Value { text, bits: 0, register: false, real: Some(real) }));
        }
        let digits = word.trim_end_matches(['U', 'u']);
        let plain = digits.starts_with("0x")
            || digits.starts_with("0X")
            || digits.starts_with("0b")
            || digits.bytes().all(|it| it.is_ascii_digit());
        if !plain {
            return self.wrong(format!("{word} in PTX is no number"));
        }
        Ok(number(format!("{digits}ull")))
    }
}

fn number(text: String) -> Argument {
    Argument::Value(Value { text, bits: 0, register: false, real: None })
}
