//! Cuts preprocessed C++ into tokens that know where they stand. The rewriting replaces single tokens and leaves all other
//! text as it was.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Number,
    Text,
    Character,
    Mark,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a unit, and the places where the preprocessor names the file and line that follow.
pub struct TokenStream<'a> {
    pub source: &'a str,
    pub tokens: Vec<Token>,
    markers: Vec<Marker>,
    line_ends: Vec<usize>,
    /// The files that are open where the lexer is, the innermost last.
    open: Vec<(usize, usize)>,
    /// Pragmas: all of the line, from its `#` on.
    pub pragmas: Vec<(usize, usize)>,
}

struct Marker {
    /// Where the line after the marker begins.
    after: usize,
    line: u32,
    file: (usize, usize),
    /// Whether what follows is spelled in one of the emulator's headers, and was read from there.
    own: bool,
}

impl<'a> TokenStream<'a> {
    pub fn new(source: &'a str) -> Self {
        let bytes = source.as_bytes();
        let mut lexed = Self {
            source,
            tokens: Vec::with_capacity(bytes.len() / 5),
            markers: Vec::new(),
            line_ends: Vec::new(),
            open: Vec::new(),
            pragmas: Vec::new(),
        };
        lexed
            .line_ends
            .extend(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at));
        let mut at = 0;
        let mut line_begins = true;
        while at < bytes.len() {
            let byte = bytes[at];
            match byte {
                b'\n' => {
                    line_begins = true;
                    at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 11 | 12 => {
                    at += 1;
                    continue;
                }
                b'#' if line_begins => {
                    let end = directive_end(bytes, at);
                    lexed.note_marker(at, end);
                    at = end;
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at = line_end(bytes, at);
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    at = source[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4);
                    continue;
                }
                _ => {}
            }
            line_begins = false;
            let (kind, end) = token(bytes, at);
            lexed.tokens.push(Token { kind, start: at, end });
            at = end;
        }
        lexed
    }

    fn note_marker(&mut self, start: usize, end: usize) {
        let text = self.source[start + 1..end].trim_start();
        if text.starts_with("pragma") {
            self.pragmas.push((start, end));
            return;
        }
        // Like the compiler, takes only a `#` at a line's start for a marker: a macro may put one after blanks.
        if start > 0 && self.source.as_bytes()[start - 1] != b'\n' {
            return;
        }
        let text = text.strip_prefix("line").unwrap_or(text).trim_start();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(line) = text[..digits].parse() else { return };
        let name = text[digits..].trim_start();
        let flags = || name.rsplit('"').next().into_iter().flat_map(|flags| flags.split_whitespace());
        let flagged = |wanted: &str| flags().any(|flag| flag == wanted);
        let system = flagged("3");
        let file = match (name.strip_prefix('"'), name.len() >= 2) {
            (Some(name), true) => {
                let start = name.as_ptr() as usize - self.source.as_ptr() as usize;
                let length = name.rfind('"').unwrap_or(name.len());
                (start, start + length)
            }
            _ => self.markers.last().map_or((0, 0), |marker| marker.file),
        };
        if flagged("1") {
            self.open.push(file);
        } else if flagged("2") {
            self.open.pop();
        }
        let name = |(start, end): (usize, usize)| &self.source[start..end];
        // What a kernel file claims by `#line` opens nothing.
        let is_open = self.open.last().is_some_and(|&open| name(open) == name(file));
        let own = system && is_open && is_own_header(name(file));
        self.markers.push(Marker { after: end + 1, line, file, own });
    }

    /// Whether a byte was read from a header of the emulator and is no macro of a kernel file.
    pub fn is_own(&self, byte: usize) -> bool {
        let next = self.markers.partition_point(|marker| marker.after <= byte);
        next.checked_sub(1).is_some_and(|last| self.markers[last].own)
    }

    #[inline]
    pub fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.source[token.start..token.end])
    }

    /// The file, as the preprocessor names it, and line of a byte of the source.
    pub fn place(&self, byte: usize) -> (String, u32) {
        let next = self.markers.partition_point(|marker| marker.after <= byte);
        let (start, line, file) = match next.checked_sub(1) {
            Some(last) => {
                let marker = &self.markers[last];
                (marker.after, marker.line, &self.source[marker.file.0..marker.file.1])
            }
            None => (0, 1, ""),
        };
        let ends_before = |byte: usize| self.line_ends.partition_point(|&end| end < byte);
        let passed = ends_before(byte) - ends_before(start);
        (file.replace("\\\\", "\\"), line + passed as u32)
    }
}

/// Whether the preprocessor's name of a file is that of a header of the emulator.
pub fn is_own_header(name: &str) -> bool {
    let Some(name) = name.strip_prefix("cuda/") else { return false };
    let mut parts = Vec::new();
    for part in name.split('/') {
        match part {
            ".." if parts.pop().is_none() => return false,
            ".." | "." | "" => {}
            part => parts.push(part),
        }
    }
    crate::options::HEADERS.get_file(parts.join("/")).is_some()
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| from + length)
}

/// The end of a marker or a pragma, which a backslash at a line's end continues.
fn directive_end(bytes: &[u8], from: usize) -> usize {
    let mut end = line_end(bytes, from);
    while end < bytes.len() && bytes[end - 1] == b'\\' {
        end = line_end(bytes, end + 1);
    }
    end
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn token(bytes: &[u8], at: usize) -> (TokenKind, usize) {
    let byte = bytes[at];
    if byte.is_ascii_digit() || byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        return (TokenKind::Number, number_end(bytes, at));
    }
    if is_word(byte) {
        let mut end = at + 1;
        while end < bytes.len() && is_word(bytes[end]) {
            end += 1;
        }
        return match (bytes.get(end), &bytes[at..end]) {
            (Some(b'"'), b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => (TokenKind::Text, raw_end(bytes, end)),
            (Some(b'"'), b"L" | b"u" | b"U" | b"u8") => (TokenKind::Text, quoted_end(bytes, end)),
            (Some(b'\''), b"L" | b"u" | b"U" | b"u8") => (TokenKind::Character, quoted_end(bytes, end)),
            _ => (TokenKind::Word, end),
        };
    }
    match byte {
        b'"' => (TokenKind::Text, quoted_end(bytes, at)),
        b'\'' => (TokenKind::Character, quoted_end(bytes, at)),
        b':' if bytes.get(at + 1) == Some(&b':') => (TokenKind::Mark, at + 2),
        _ => (TokenKind::Mark, at + 1),
    }
}

fn number_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        let byte = bytes[end];
        let exponent = matches!(bytes[end - 1], b'e' | b'E' | b'p' | b'P');
        let quoted = byte == b'\'' && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_word(byte) || byte == b'.' || quoted || exponent && matches!(byte, b'+' | b'-')) {
            break;
        }
        end += 1;
    }
    end
}

fn quoted_end(bytes: &[u8], quote: usize) -> usize {
    let mut end = quote + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'\n' => return end,
            byte if byte == bytes[quote] => {
                end += 1;
                // A suffix belongs to the literal: "..."_name. A word of CUDA may follow without a blank: extern "C"__global__.
                let cuda = bytes[end..].starts_with(b"__");
                while !cuda && end < bytes.len() && is_word(bytes[end]) {
                    end += 1;
                }
                return end;
            }
            _ => end += 1,
        }
    }
    bytes.len()
}

fn raw_end(bytes: &[u8], quote: usize) -> usize {
    let Some(length) = bytes[quote + 1..].iter().position(|&byte| byte == b'(') else { return bytes.len() };
    let delimiter = &bytes[quote + 1..quote + 1 + length];
    let mut closing = Vec::with_capacity(length + 2);
    closing.push(b')');
    closing.extend_from_slice(delimiter);
    closing.push(b'"');
    let body = quote + 2 + length;
    bytes[body..]
        .windows(closing.len())
        .position(|window| window == closing)
        .map_or(bytes.len(), |length| body + length + closing.len())
}
