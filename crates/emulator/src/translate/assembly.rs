//! An `asm` statement: its text, with the literals joined, and its operands.

use super::declaration::Reader;
use super::lex::{TokenKind, TokenStream};
use super::output::{self, SourceError, Target};
use super::ptx::{self, Operand};

pub struct Assembly {
    ptx: String,
    /// Where each piece of the joined text begins: (byte of the text, byte of the source, whether bytes match one by one from there).
    pieces: Vec<(usize, usize, bool)>,
    operands: Vec<Operand>,
}

impl Assembly {
    /// Reads what is between the parentheses at `open` and `close`.
    pub fn read(reader: &Reader, open: usize, close: usize) -> Result<Self, SourceError> {
        let lexed = reader.lexed;
        let problem = |at: usize, words: String| SourceError { at: lexed.tokens[at].start, words };
        let mut read = Self { ptx: String::new(), pieces: Vec::new(), operands: Vec::new() };
        let mut at = open + 1;
        while at < close && lexed.tokens[at].kind == TokenKind::Text {
            read.literal(lexed, at).map_err(|words| problem(at, words))?;
            at += 1;
        }
        let mut section = 0;
        while at < close {
            match reader.text(at) {
                ":" => section += 1,
                "::" => section += 2,
                "," => {}
                "[" => {
                    let words = "CUDA has no names for asm operands: write %0, %1 and so on";
                    return Err(problem(at, words.into()));
                }
                text if !text.starts_with('"') => {
                    return Err(problem(at, format!("`{text}` is not expected in an asm statement")));
                }
                _ if section > 2 => {}
                text if reader.text(at + 1) != "(" => {
                    return Err(problem(at, format!("asm operand {text} has no expression in parentheses")));
                }
                text => {
                    let end = reader.after_group(at + 1);
                    let expression = reader.joined(at + 2, end - 1);
                    let operand = constraint(text.trim_matches('"'), section == 1, expression);
                    read.operands.push(operand.map_err(|words| problem(at, words))?);
                    at = end - 1;
                }
            }
            at += 1;
        }
        Ok(read)
    }

    pub fn is_empty(&self) -> bool {
        self.ptx.trim().is_empty()
    }

    fn literal(&mut self, lexed: &TokenStream, at: usize) -> Result<(), String> {
        let start = lexed.tokens[at].start;
        let text = lexed.text(at);
        if let Some(quoted) = text.strip_prefix('"') {
            self.pieces.push((self.ptx.len(), start + 1, false));
            return unescape(quoted.strip_suffix('"').unwrap_or(quoted), &mut self.ptx);
        }
        let Some(raw) = text.strip_prefix("R\"") else {
            return Err("the text of an asm statement cannot have an encoding prefix".into());
        };
        let (Some(first), Some(last)) = (raw.find('('), raw.rfind(')')) else {
            return Err("this raw string does not end".into());
        };
        self.pieces.push((self.ptx.len(), start + 2 + first + 1, true));
        self.ptx.push_str(&raw[first + 1..last]);
        Ok(())
    }

    /// The byte of the source that a byte of the text came from.
    fn origin(&self, byte: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.0 <= byte);
        match next.checked_sub(1).map(|last| self.pieces[last]) {
            Some((from, source, true)) => source + byte - from,
            Some((_, source, false)) => source,
            None => 0,
        }
    }

    /// C++ in place of the tokens `first` to `last`, with as many line breaks.
    pub fn translate(
        &self,
        lexed: &TokenStream,
        first: usize,
        last: usize,
        number: usize,
        target: Target,
    ) -> Result<String, SourceError> {
        let mut breaks = output::breaks(lexed, first, last).into_iter().peekable();
        let mut text = "{ ".to_string();
        if self.is_empty() && self.operands.is_empty() {
            // Keeps the compiler from moving accesses across, as it does in CUDA.
            text += "__asm__ volatile(\"\" ::: \"memory\"); ";
        }
        for (at, operand) in self.operands.iter().enumerate() {
            let (letter, expression, bits) = (operand.letter, &operand.expression, operand.bits());
            if operand.output {
                text += &format!("auto &&emulated_to{at} = ({expression}); emulated_u{bits} emulated_{at}");
                if operand.input {
                    text += &format!(" = emulated_ptx::take_{letter}(emulated_to{at})");
                }
                text += "; ";
            } else if operand.letter == 'n' {
                text += &format!("const emulated_u64 emulated_{at} = (emulated_u64)({expression}); ");
            } else {
                text +=
                    &format!("emulated_u{bits} emulated_{at} = emulated_ptx::take_{letter}({expression}); ");
            }
        }
        let body = ptx::translate(&self.ptx, &self.operands, number, target)
            .map_err(|wrong| SourceError { at: self.origin(wrong.at), words: wrong.words })?;
        text += &body.declarations;
        for (at, statement) in body.statements {
            let origin = self.origin(at);
            while let Some((_, line)) = breaks.next_if(|one| one.0 < origin) {
                text += &line;
            }
            text += &statement;
            text.push(' ');
        }
        for (at, operand) in self.operands.iter().enumerate().filter(|(_, operand)| operand.output) {
            text += &format!("emulated_ptx::give_{}(emulated_to{at}, emulated_{at}); ", operand.letter);
        }
        text.push('}');
        for (_, line) in breaks {
            text += &line;
        }
        Ok(text)
    }
}

fn constraint(text: &str, output: bool, expression: String) -> Result<Operand, String> {
    let (writes, reads) = (text.starts_with('='), text.starts_with('+'));
    if output != (writes || reads) {
        return Err(format!(
            "asm constraint \"{text}\": an output begins with = or +, an input with neither"
        ));
    }
    let mut letters = text.trim_start_matches(['=', '+', '&']).chars();
    let (letter, more) = (letters.next(), letters.next());
    match (letter, more) {
        (Some(letter @ ('r' | 'l' | 'h' | 'f' | 'd')), None) => {
            Ok(Operand { letter, output, input: reads || !output, expression })
        }
        (Some('n'), None) if !output => Ok(Operand { letter: 'n', output, input: true, expression }),
        (_, Some(_)) => Err(format!("asm constraint \"{text}\": CUDA takes one letter")),
        _ => Err(format!(
            "asm constraint \"{text}\" is not emulated: \"r\", \"l\", \"h\", \"f\", \"d\" and \"n\" are"
        )),
    }
}

fn unescape(quoted: &str, text: &mut String) -> Result<(), String> {
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => text.push('\n'),
            Some('t' | 'r' | ' ' | '\n') => text.push(' '),
            Some(same @ ('\\' | '"' | '\'' | '?')) => text.push(same),
            Some('x') => {
                let mut code = 0;
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(16)) {
                    code = code * 16 + digit;
                    letters.next();
                }
                text.push(char::from_u32(code).unwrap_or(' '));
            }
            Some('0') => return Err("the text of an asm statement has a zero byte".into()),
            other => return Err(format!("the text of an asm statement has \\{}", other.unwrap_or(' '))),
        }
    }
    Ok(())
}
