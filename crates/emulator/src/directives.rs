//! The preprocessor's directives in a kernel file, read before the preprocessor reads them: those that reach other files of the
//! machine are refused, and `__has_include` is answered from the headers that there are. What is left is a file with all that it includes.

use crate::EmulatorError;
use crate::options::{Header, Source, has_header};
use std::ops::Range;

/// A directive that is refused: its line, from 1, and why.
#[derive(Debug, PartialEq)]
pub struct RejectedDirective {
    pub line: usize,
    pub words: String,
}

/// A text as the preprocessor may read it.
#[derive(Debug, Default, PartialEq)]
pub struct CheckedText {
    pub text: String,
    /// The headers whose directives were left out, with the quotes or brackets around their names.
    pub absent: Vec<String>,
}

/// Takes the place of an `#error` in a header of a whole file. Outside of functions and classes it is passed over, since an
/// absent header may define what the `#error` asks for. An `#error` under a condition about CUDA stays.
pub const PASSED_ERROR: &str = "static_assert(false, ";

/// The files that a text includes, whatever conditions are around the directives: their names, and where these stand in the text with their
/// quotes or brackets.
pub fn inclusions(text: &str) -> Vec<(String, Range<usize>)> {
    let included = |directive: Directive| {
        let (word, rest) = directive.words();
        if !INCLUDING.contains(&word) {
            return None;
        }
        let name = quoted(rest)?.to_string();
        // Finds the name in the text itself, where comments may come before it.
        let inside = &text[directive.bytes.clone()];
        let start = directive.bytes.start + inside.find(&rest[..name.len() + 2])?;
        let end = start + name.len() + 2;
        Some((name, start..end))
    };
    Scan::new(text).directives().into_iter().filter_map(included).collect()
}

/// The words of directives that include a file.
const INCLUDING: [&str; 3] = ["include", "include_next", "import"];

/// What a text of a whole file is: the file with the kernels, or a header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SourcePlace {
    Kernels,
    Header,
}

/// Keywords of CUDA that a program may define as macros for other compilers: these definitions are left out.
const OF_CUDA: [&str; 7] = [
    "__shared__",
    "__device__",
    "__global__",
    "__constant__",
    "__host__",
    "__managed__",
    "__launch_bounds__",
];

/// The text as the preprocessor may read it. `known` says whether a header of this name may be included, and `asked` answers
/// `__has_include`. In a `whole` file, the directive of an unknown header is left out.
///
/// # Errors
/// When a directive leads to a file outside of the folder, or is a line marker, which only the preprocessor may write.
pub fn checked(
    text: &str,
    known: impl Fn(&str) -> bool,
    asked: impl Fn(&str) -> bool,
    whole: Option<SourcePlace>,
) -> Result<CheckedText, RejectedDirective> {
    let mut checked = CheckedText { text: text.to_string(), absent: Vec::new() };
    let mut replaced = Vec::new();
    let (mut line, mut counted) = (1, 0);
    // For each open condition, whether it asks for something of CUDA.
    let mut conditions: Vec<bool> = Vec::new();
    for directive in Scan::new(text).directives() {
        line += text[counted..directive.at].matches('\n').count();
        counted = directive.at;
        let (name, rest) = directive.words();
        if let Some(words) = refusal(name, rest, &known, whole.is_some()) {
            return Err(RejectedDirective { line, words });
        }
        match name {
            _ if INCLUDING.contains(&name) => match quoted(rest) {
                Some(header) if known(header) => {}
                header if whole.is_some() => {
                    let length = header.map_or(rest.len(), |header| header.len() + 2);
                    checked.absent.push(rest[..length].to_string());
                    let lines = text[directive.bytes.clone()].matches('\n').count();
                    replaced.push((directive.bytes.clone(), "\n".repeat(lines)));
                }
                _ => {}
            },
            "define"
                if whole.is_some()
                    && OF_CUDA.iter().any(|word| {
                        rest.strip_prefix(word)
                            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                    }) =>
            {
                replaced.push((directive.bytes.clone(), String::new()));
            }
            "error" if whole == Some(SourcePlace::Header) && !conditions.contains(&true) => {
                let words = rest.replace(|c: char| c == '"' || c == '\\' || c.is_control(), " ");
                replaced.push((directive.at..directive.bytes.end, format!("{PASSED_ERROR}\"{words}\");")));
            }
            "ifdef" | "ifndef" => conditions.push(rest.contains("CUDA")),
            "if" | "elif" => {
                if name == "if" {
                    conditions.push(false);
                }
                if let Some(last) = conditions.last_mut() {
                    *last |= rest.contains("CUDA");
                }
                let answers = answers(text, directive.bytes.clone(), &asked);
                replaced.extend(answers.map_err(|words| RejectedDirective { line, words })?);
            }
            "endif" => {
                conditions.pop();
            }
            _ => {}
        }
    }
    for (bytes, answer) in replaced.into_iter().rev() {
        checked.text.replace_range(bytes, &answer);
    }
    Ok(checked)
}

/// Why a directive is refused, whatever the conditions around it. In a whole file, an unknown header is no reason.
fn refusal(name: &str, rest: &str, known: impl Fn(&str) -> bool, is_whole: bool) -> Option<String> {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return Some("`#` before a number is a line marker of the preprocessor: write `#line`".to_string());
    }
    match name {
        "embed" => Some("`#embed` is not part of CUDA C++: write the bytes as an array".to_string()),
        "pragma" => match rest.split_whitespace().take(2).collect::<Vec<_>>()[..] {
            [who @ ("GCC" | "clang"), what @ ("system_header" | "dependency" | "pch_preprocess")] => {
                Some(format!("`#pragma {who} {what}` is not part of CUDA C++: remove it"))
            }
            _ => None,
        },
        _ if is_whole || !INCLUDING.contains(&name) => None,
        _ => match quoted(rest) {
            Some(header) if !known(header) && leads_out(header) => {
                Some(format!("`{header}` leads out of the folder: include a file next to this one or below"))
            }
            Some(_) => None,
            None => Some(format!("`#include {rest}` names its file by a macro: write the file's name")),
        },
    }
}

/// The file and line of a line of a text by the last `#line` before it, or else by `file`.
pub fn place(text: &str, file: &str, line: usize) -> (String, usize) {
    let mut place = (file.to_string(), 1);
    for text in text.lines().take(line.saturating_sub(1)) {
        place.1 += 1;
        let Some((number, name)) = text.strip_prefix("#line ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        if let Ok(number) = number.parse() {
            place = (name.trim().trim_matches('"').to_string(), number);
        }
    }
    place
}

/// Whether a header's name leads out of the folders in which it is looked for.
pub fn leads_out(header: &str) -> bool {
    header.starts_with(['/', '\\', '~']) || header.split(['/', '\\']).any(|part| part == "..")
}

/// The name between quotes or angle brackets.
fn quoted(text: &str) -> Option<&str> {
    let close = match text.as_bytes().first()? {
        b'"' => '"',
        b'<' => '>',
        _ => return None,
    };
    text[1..].split_once(close).map(|(name, _)| name)
}

/// The bytes of each `__has_include(...)` within `bytes`, and its answer, 1 or 0.
fn answers(
    text: &str,
    bytes: Range<usize>,
    known: &impl Fn(&str) -> bool,
) -> Result<Vec<(Range<usize>, String)>, String> {
    const ASKING: &str = "__has_include";
    let mut found = Vec::new();
    let mut from = bytes.start;
    while let Some(at) = text[from..bytes.end].find(ASKING).map(|at| from + at) {
        from = at + ASKING.len();
        let Some(inside) = text[from..bytes.end].trim_start().strip_prefix('(') else { continue };
        let header = quoted(inside.trim_start()).filter(|header| !leads_out(header)).ok_or_else(|| {
            "`__has_include` asks for a file outside of the folder, or by a macro: name a header of CUDA or one next to this file"
                .to_string()
        })?;
        let behind = header.as_ptr() as usize - text.as_ptr() as usize + header.len() + 1;
        let end = behind + text[behind..bytes.end].find(')').map_or(0, |length| length + 1);
        found.push((at..end, u8::from(known(header)).to_string()));
        from = end;
    }
    Ok(found)
}

/// A directive: where its `#` is, and what follows to the line's end.
struct Directive {
    at: usize,
    bytes: Range<usize>,
    /// The same without comments and line continuations.
    text: String,
}

impl Directive {
    /// The directive's name, and what follows it.
    fn words(&self) -> (&str, &str) {
        let words = self.text.trim_start();
        let end = words.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(words.len());
        (&words[..end], words[end..].trim_start())
    }
}

/// Walks over a text as a preprocessor does: a backslash continues a line everywhere but in raw strings, and what stands in
/// comments and strings is no directive.
struct Scan<'a> {
    bytes: &'a [u8],
    text: &'a str,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), text }
    }

    /// The position after all line continuations that begin at `at`.
    fn spliced(&self, mut at: usize) -> usize {
        while self.bytes.get(at) == Some(&b'\\') {
            let blanks = self.bytes[at + 1..]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 11 | 12))
                .count();
            if self.bytes.get(at + 1 + blanks) != Some(&b'\n') {
                break;
            }
            at += blanks + 2;
        }
        at
    }

    /// The byte at `at` and where the next one is, past continued lines.
    fn byte(&self, at: usize) -> (u8, usize) {
        let at = self.spliced(at);
        (self.bytes.get(at).copied().unwrap_or(b'\n'), at + 1)
    }

    /// The end of a comment that begins at `at`, if one does. A line comment ends at its line break.
    fn comment(&self, at: usize) -> Option<usize> {
        let (first, next) = self.byte(at);
        let (second, mut at) = self.byte(next);
        match (first, second) {
            (b'/', b'/') => loop {
                let here = self.spliced(at);
                if here >= self.bytes.len() || self.bytes[here] == b'\n' {
                    return Some(here);
                }
                at = here + 1;
            },
            (b'/', b'*') => {
                while at < self.bytes.len() {
                    let (byte, next) = self.byte(at);
                    if byte == b'*' && self.byte(next).0 == b'/' {
                        return Some(self.byte(next).1);
                    }
                    at = next;
                }
                Some(self.bytes.len())
            }
            _ => None,
        }
    }

    /// The end of a string or character literal that begins at `at`.
    fn quoted(&self, at: usize) -> usize {
        let (quote, mut at) = self.byte(at);
        loop {
            let (byte, next) = self.byte(at);
            match byte {
                b'\n' => return self.spliced(at),
                b'\\' => at = self.byte(next).1,
                byte if byte == quote => return next,
                _ => at = next,
            }
        }
    }

    /// The end of a raw string whose quote is at `at`.
    fn raw(&self, at: usize) -> usize {
        let inside = &self.text[at + 1..];
        let Some((delimiter, body)) = inside.split_once('(') else { return self.bytes.len() };
        let closing = format!("){delimiter}\"");
        body.find(&closing)
            .map_or(self.bytes.len(), |length| at + 1 + delimiter.len() + 1 + length + closing.len())
    }

    fn directives(&self) -> Vec<Directive> {
        let mut found = Vec::new();
        let (mut at, mut begins, mut word) = (0, true, String::new());
        loop {
            at = self.spliced(at);
            let Some(&byte) = self.bytes.get(at) else { return found };
            if let Some(end) = self.comment(at) {
                word.clear();
                at = end;
                continue;
            }
            let (second, behind) = self.byte(at + 1);
            match byte {
                b'\n' => begins = true,
                0..=b' ' => {}
                b'#' if begins => found.push(self.directive(at, at + 1)),
                b'%' if begins && second == b':' => found.push(self.directive(at, behind)),
                _ => begins = false,
            }
            if byte == b'#' || byte == b'%' {
                begins = false;
            }
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            match byte {
                b'"' if matches!(&*word, "R" | "LR" | "uR" | "UR" | "u8R") => at = self.raw(at),
                b'\'' if is_number && second.is_ascii_alphanumeric() => {
                    at += 1;
                    continue;
                }
                b'"' | b'\'' => at = self.quoted(at),
                byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80 => {
                    word.push(if byte < 0x80 { byte as char } else { '?' });
                    at += 1;
                    continue;
                }
                _ => at += 1,
            }
            word.clear();
        }
    }

    fn directive(&self, hash: usize, from: usize) -> Directive {
        let mut text = Vec::new();
        let mut at = from;
        loop {
            at = self.spliced(at);
            if at >= self.bytes.len() || self.bytes[at] == b'\n' {
                break;
            }
            if let Some(end) = self.comment(at) {
                text.push(b' ');
                at = end;
                continue;
            }
            text.push(self.bytes[at]);
            at += 1;
        }
        let end = at.min(self.bytes.len());
        Directive { at: hash, bytes: from..end, text: String::from_utf8_lossy(&text).into_owned() }
    }
}

/// A file with what it includes, as the preprocessor may read them.
pub(crate) struct Texts {
    /// The kernel file, after the includes of the emulator's headers.
    pub code: String,
    pub headers: Vec<Header>,
    /// Headers that are passed over since they are not there.
    pub absent: Vec<String>,
}

impl Texts {
    pub fn of(source: &Source) -> Result<Self, EmulatorError> {
        let is_header =
            |name: &str| has_header(name) || source.headers.iter().any(|header| header.name == name);
        let mut absent = Vec::new();
        let is_there = |name: &str| {
            let last = name.rsplit('/').next().unwrap_or(name);
            is_header(name) || source.headers.iter().any(|header| header.name.ends_with(&format!("/{last}")))
        };
        let mut checked = |text: &str, file: &str, found_in: SourcePlace| {
            let whole = source.whole.then_some(found_in);
            let checked = self::checked(text, is_header, is_there, whole).map_err(|rejected| {
                let (file, line) = place(text, file, rejected.line);
                EmulatorError::refused(format!("{file}:{line}: {}", rejected.words))
            })?;
            absent.extend(checked.absent);
            Ok::<_, EmulatorError>(format!("#line 1 \"{file}\"\n{}\n", checked.text))
        };
        let text = checked(&source.text, &source.file, SourcePlace::Kernels)?;
        let mut headers = source.headers.clone();
        for header in &mut headers {
            if leads_out(&header.name) {
                return Err(EmulatorError::refused(format!(
                    "the header {} leads out of its folder: name it by a path within",
                    header.name
                )));
            }
            header.text = checked(&header.text, &header.file, SourcePlace::Header)?;
        }
        let has = |word: &str| text.contains(word) || headers.iter().any(|header| header.text.contains(word));
        let mut code = String::new();
        if has("asm") {
            code += "#define EMULATED_PTX\n";
        }
        if has("std") {
            code += "#define EMULATED_STD\n";
        }
        code += "#include \"cuda.hpp\"\n";
        if source.whole {
            code += "#include \"program.hpp\"\n";
        }
        // The headers of these CUDA libraries are absent; they would include these.
        if absent.iter().any(|name| name.contains("cublas") || name.contains("cudnn")) {
            code += "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
        }
        // After the headers of the emulator, which may use the same names.
        for define in &source.defines {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            code += &format!("#define {name} {value}\n");
        }
        code += &text;
        Ok(Self { code, headers, absent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked_here(text: &str) -> Result<String, RejectedDirective> {
        checked(text, |name| name == "cuda_fp16.h", |name| name == "cuda_fp16.h", None)
            .map(|checked| checked.text)
    }

    #[test]
    fn directives_that_reach_other_files_are_refused_however_they_are_written() {
        for text in [
            "#include \"/etc/passwd\"",
            "#include </etc/passwd>",
            " # /* x */ include \"../k.cuh\"",
            "#incl\\\nude \"/etc/passwd\"",
            "%: include_next <a/../../b>",
            "/* x */ # 1 \"cuda/mma.h\" 3",
            "#\\\n1 \"x\"",
            "#embed \"x\"",
            "#pragma GCC system_header",
            "#pragma GCC dependency \"/dev/x\"",
            "#if __has_include(\"/dev/nvidiactl\")",
            "#if 0\n#elif X && __has_include ( <../x> )",
            "#if __has_include(NAME)",
            "#include NAME",
            "const char *a = R\"x(/* )\\\n\" )x\";\n# 1 \"x\"",
            "const char *a = \"/*\";\n# 1 \"x\"",
            "int a = 1'0'0;\n# 1 \"x\" // '",
        ] {
            assert!(checked_here(text).is_err(), "{text}");
        }
        let refused = checked_here("int a;\n\n#include \"/etc/passwd\"\n").unwrap_err();
        assert_eq!(refused.line, 3);
    }

    #[test]
    fn other_directives_and_what_looks_like_one_are_left_as_they_are() {
        for text in [
            "#include \"a.cuh\"\n#include <cuda/barrier>\n#line 4 \"x.cu\"\n#pragma unroll 4\n",
            "/* an order:\n #1 load\n # 2 store */\n",
            "// continued \\\n# 1 \"x\"\n",
            "const char *a = R\"(\n# 1 \"x\"\n)\";\n",
            "#define TEXT(x) #x\nint a = 1'000;\n",
            "asm(\"mov %0; # 1\");",
        ] {
            assert_eq!(checked_here(text), Ok(text.to_string()), "{text}");
        }
    }

    #[test]
    fn a_whole_file_passes_over_the_headers_that_it_has_not_and_keeps_its_lines() {
        let text = "#include <stdio.h> // for main\n#include \\\n \"../a b.h\"\n#include NAME\n#include <cuda_fp16.h>\nint a;";
        let made = checked(text, |name| name == "cuda_fp16.h", |_| true, Some(SourcePlace::Kernels)).unwrap();
        assert_eq!(made.text, "#\n#\n\n#\n#include <cuda_fp16.h>\nint a;");
        assert_eq!(made.absent, ["<stdio.h>", "\"../a b.h\"", "NAME"]);
        let names: Vec<_> = inclusions(text).into_iter().map(|(_, bytes)| text[bytes].to_string()).collect();
        assert_eq!(names, ["<stdio.h>", "\"../a b.h\"", "<cuda_fp16.h>"]);
    }
}
