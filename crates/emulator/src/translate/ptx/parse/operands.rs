//! Operands: registers, numbers, groups and addresses.

use super::super::names;
use super::{Argument, Parser, PtxError, Value};

/// The longer ones first.
const OPERATORS: [&str; 12] = ["<<", ">>", "+", "-", "*", "/", "&", "|", "^", "~", "<", ">"];

impl Parser<'_> {
    pub(super) fn argument(&mut self) -> Result<Argument, PtxError> {
        if self.depth > 64 {
            return self.error("the operands of this PTX instruction are nested too deep");
        }
        self.depth += 1;
        let argument = self.argument_inside();
        self.depth -= 1;
        argument
    }

    fn argument_inside(&mut self) -> Result<Argument, PtxError> {
        self.skip_space();
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
                    _ => return self.error("PTX can negate a predicate register only"),
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

    fn address(&mut self) -> Result<Argument, PtxError> {
        self.at += 1;
        let Argument::Value(Value { text: mut sum, bits, .. }) = self.plain()? else {
            return self.error("a PTX address is a register and perhaps an offset");
        };
        while self.eat(b'+') || self.peek() == b'-' {
            match self.plain()? {
                Argument::Value(value) => sum = format!("{sum} + {}", value.text),
                _ => return self.error("the offset of a PTX address is a number"),
            }
        }
        let mut coordinates = None;
        if self.eat(b',') {
            coordinates = match self.argument()? {
                Argument::Group(all) => Some(all),
                other => Some(vec![other]),
            };
        }
        self.expect(b']', "after an address")?;
        Ok(Argument::Address { sum: format!("({sum})"), bits, coordinates })
    }

    /// A register, special register, number or name.
    fn plain(&mut self) -> Result<Argument, PtxError> {
        self.skip_space();
        match self.peek() {
            b'%' => self.percent(),
            b'-' | b'(' | b'~' | b'0'..=b'9' => Ok(Argument::Value(self.expression()?)),
            _ => match self.name().as_str() {
                "" => self.error(format!(
                    "the PTX of this asm statement has `{}` where an operand is expected",
                    self.peek() as char
                )),
                "_" => Ok(Argument::Sink),
                "WARP_SZ" => Ok(Argument::Value(number("32ull".into()))),
                name => match self.register(name) {
                    Some(value) => Ok(Argument::Value(value)),
                    None => self.error(format!(
                        "PTX names {name}, which is no register of this asm statement: a variable that is declared in CUDA C++ comes in as an operand"
                    )),
                },
            },
        }
    }

    /// A word, perhaps with the name of a component: `tid.x`.
    fn name(&mut self) -> String {
        let mut name = self.word();
        if self.peek() == b'.' && !name.is_empty() {
            self.at += 1;
            name = format!("{name}.{}", self.word());
        }
        name
    }

    /// A number, or several with operators, which C++ reads as PTX does: `(4 + 3) * 2`, `-1.5`.
    fn expression(&mut self) -> Result<Value, PtxError> {
        let mut text = String::new();
        let mut depth = 0;
        // Whether the expression may end here.
        let mut complete = false;
        for _ in 0..256 {
            self.skip_space();
            let operator = OPERATORS.into_iter().find(|operator| self.starts_with(operator));
            match (self.peek(), operator) {
                (b'0'..=b'9', _) if !complete => {
                    let value = self.number()?;
                    match (value.real, text.as_str()) {
                        (None, _) => text += &value.text,
                        (_, "") => return Ok(value),
                        (Some(real), " - ") => return Ok(Value { real: Some(-real), ..value }),
                        _ => return self.error("a PTX expression is of whole numbers"),
                    }
                    complete = true;
                }
                // Outside of parentheses, what follows a bar is a predicate.
                (_, Some(operator)) if depth > 0 || operator != "|" => {
                    self.at += operator.len();
                    text += &format!(" {operator} ");
                    complete = false;
                }
                (mark @ b'(', _) if !complete => {
                    self.at += 1;
                    text.push(mark as char);
                    depth += 1;
                }
                (mark @ b')', _) if complete && depth > 0 => {
                    self.at += 1;
                    text.push(mark as char);
                    depth -= 1;
                }
                _ if complete && depth == 0 => {
                    return Ok(number(if text.contains(' ') { format!("({text})") } else { text }));
                }
                _ => return self.error("a PTX expression is of whole numbers and operators"),
            }
        }
        self.error("this PTX expression is too long")
    }

    fn percent(&mut self) -> Result<Argument, PtxError> {
        self.at += 1;
        // Only in a statement with operands is `%0` an operand, and `%%` stands for one `%`.
        if self.peek().is_ascii_digit() {
            return self.operand();
        }
        if self.peek() == b'%' {
            if self.operands.is_empty() {
                return self.error("`%%` in an asm statement without operands: CUDA takes the text as it is there, write one `%`");
            }
            self.at += 1;
        }
        let name = self.name();
        let special = |(text, bits)| Value { text: format!("({text})"), bits, register: false, real: None };
        match self.register(&format!("%{name}")).or_else(|| names::special(&name).map(special)) {
            Some(value) => Ok(Argument::Value(value)),
            None => self.error(format!("the PTX register %{name} is not emulated")),
        }
    }

    fn operand(&mut self) -> Result<Argument, PtxError> {
        let digits = self.word();
        let Some(operand) = digits.parse().ok().and_then(|at: usize| self.operands.get(at)) else {
            return self
                .error(format!("%{digits} in PTX: this asm statement has {} operands", self.operands.len()));
        };
        let register = operand.letter != 'n';
        let bits = if register { operand.bits() } else { 0 };
        Ok(Argument::Value(Value { text: format!("emulated_{digits}"), bits, register, real: None }))
    }

    /// 7, 0x1F, 1.5e-3, or the bits of a floating-point number: 0f3F800000.
    fn number(&mut self) -> Result<Value, PtxError> {
        let begin = self.at;
        let word = self.word().to_lowercase();
        for (prefix, bits) in [("0f", 32), ("0d", 64)] {
            let digits = word.strip_prefix(prefix).filter(|digits| digits.len() == bits as usize / 4);
            if let Some(Ok(number)) = digits.map(|digits| u64::from_str_radix(digits, 16)) {
                let single = f64::from(f32::from_bits(number as u32));
                let real = if bits == 32 { single } else { f64::from_bits(number) };
                return Ok(Value {
                    text: format!("{number:#x}ull"),
                    bits,
                    register: false,
                    real: Some(real),
                });
            }
        }
        let of_bits = word.starts_with("0x") || word.starts_with("0b");
        if self.peek() == b'.' || word.contains('e') && !of_bits {
            let exponent = |before: u8| matches!(before, b'e' | b'E');
            while self.peek() == b'.'
                || exponent(self.text[self.at - 1]) && matches!(self.peek(), b'+' | b'-')
            {
                self.at += 1;
                self.word();
            }
            let text = String::from_utf8_lossy(&self.text[begin..self.at]).to_string();
            let Ok(real) = text.parse() else {
                return self.error(format!("{text} in PTX is no number"));
            };
            return Ok(Value { text, bits: 0, register: false, real: Some(real) });
        }
        let digits = word.trim_end_matches('u');
        if !of_bits && !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return self.error(format!("{word} in PTX is no number"));
        }
        Ok(number(format!("{digits}ull")))
    }
}

fn number(text: String) -> Value {
    Value { text, bits: 0, register: false, real: None }
}
