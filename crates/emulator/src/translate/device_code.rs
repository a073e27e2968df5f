//! Takes from a whole file, as a program's compiler takes it, what its kernels are made of. What runs on the host goes, and so does each
//! declaration that no kernel names, directly or through others: it may need headers that are not here.

use super::declaration::Reader;
use super::foreign::check_pragma;
use super::kernel::Signature;
use super::lex::Lexed;
use super::output::Edits;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The device code of a file.
#[derive(Debug, Default)]
pub struct DeviceCode {
    /// The preprocessed text without the rest, each line where it was.
    pub text: String,
    /// All kernels that the file defines.
    pub kernels: Vec<Signature>,
    /// Functions and variables of the host by their names, each with its file and line.
    pub of_host: HashMap<String, (String, u32)>,
}

/// Whether a declaration is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It runs, or lies, on the host.
    Never,
    /// A name of its own is used.
    Named,
    /// All that it names is there: operators, members outside of their class, assertions.
    Complete,
}

/// One declaration.
#[derive(Debug)]
struct Declaration<'a> {
    tokens: Range<usize>,
    /// Where a function's body, or what is in a class, begins; else its end.
    head_end: usize,
    names: Vec<&'a str>,
    rule: Rule,
    /// Functions of the host that are members of the class.
    host_members: Vec<Range<usize>>,
}

/// Keeps what the kernels of these names need; a name may have template arguments and namespaces.
pub fn of_kernels(lexed: &Lexed, names: &[String]) -> DeviceCode {
    let reader = Reader::new(lexed);
    let namespaces = namespaces(lexed);
    let mut split = Splitter { reader: &reader, lexed, namespaces, found: Vec::new(), kernels: Vec::new() };
    split.scope(0..lexed.tokens.len(), "");
    let Splitter { found, kernels, .. } = split;
    let words = names.iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let kept = reached(lexed, &found, words.collect());
    let mut edits = Edits::default();
    let mut of_host = HashMap::new();
    let mut gone: Vec<&Range<usize>> = Vec::new();
    for (one, kept) in found.iter().zip(kept) {
        gone.extend(if kept { one.host_members.iter().collect() } else { vec![&one.tokens] });
        for name in one.names.iter().filter(|_| one.rule == Rule::Never) {
            of_host.entry((*name).to_string()).or_insert(lexed.place(lexed.tokens[one.tokens.start].start));
        }
    }
    for tokens in &gone {
        edits.remove(lexed, tokens.start, tokens.end);
    }
    // Of those that are gone nothing is to be compiled, and others may be for the host's compiler alone.
    let is_gone = |byte: usize| {
        gone.iter().any(|it| lexed.tokens[it.start].start < byte && byte < lexed.tokens[it.end - 1].end)
    };
    for &(start, end) in lexed.pragmas.iter().filter(|(start, _)| !lexed.is_own(*start)) {
        if is_gone(start) || check_pragma(&lexed.source[start..end]).is_err() {
            edits.replace(start, end, "");
        }
    }
    DeviceCode { text: edits.apply(lexed.source), kernels, of_host }
}

/// Which declarations the words lead to.
fn reached<'a>(lexed: &Lexed<'a>, all: &[Declaration<'a>], mut words: HashSet<&'a str>) -> Vec<bool> {
    let mut kept = vec![false; all.len()];
    let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, one) in all.iter().enumerate() {
        one.names.iter().for_each(|name| declared.entry(name).or_default().push(at));
    }
    loop {
        let is_there = |kept: &[bool], word: &str| {
            declared.get(word).is_none_or(|places| places.iter().any(|place| kept[*place]))
        };
        let is_wanted = |kept: &[bool], one: &Declaration| match one.rule {
            Rule::Never => false,
            Rule::Named => one.names.iter().any(|name| words.contains(name)),
            Rule::Complete => (one.tokens.start..one.head_end).all(|token| is_there(kept, lexed.text(token))),
        };
        let more: Vec<usize> =
            (0..all.len()).filter(|at| !kept[*at] && is_wanted(&kept, &all[*at])).collect();
        if more.is_empty() {
            return kept;
        }
        for at in more {
            kept[at] = true;
            let one = &all[at];
            let is_used = |token: &usize| !one.host_members.iter().any(|member| member.contains(token));
            words.extend(one.tokens.clone().filter(is_used).map(|token| lexed.text(token)));
        }
    }
}

/// Divides a unit into its declarations.
struct Splitter<'a, 'b> {
    reader: &'b Reader<'a>,
    lexed: &'a Lexed<'a>,
    namespaces: HashSet<&'a str>,
    found: Vec<Declaration<'a>>,
    kernels: Vec<Signature>,
}

/// What a declaration consists of, as far as its first tokens tell.
#[derive(Default)]
struct Shape {
    end: usize,
    head_end: usize,
    /// The parenthesis before a function's parameters.
    parameters: Option<usize>,
    /// What is in a class or enumeration.
    members: Option<Range<usize>>,
    /// The last word before the parameters.
    name: Option<usize>,
    /// An operator, or a member outside of its class.
    belongs_to_class: bool,
    /// Names of variables and types.
    names: Vec<usize>,
}

impl<'a> Splitter<'a, '_> {
    fn text(&self, at: usize) -> &'a str {
        self.lexed.text(at)
    }

    fn has(&self, tokens: Range<usize>, words: &[&str]) -> bool {
        tokens.into_iter().any(|at| words.contains(&self.text(at)))
    }

    /// The declarations of a namespace.
    fn scope(&mut self, tokens: Range<usize>, namespace: &str) {
        let mut at = tokens.start;
        while at < tokens.end {
            let opens = match self.text(at) {
                _ if self.lexed.is_own(self.lexed.tokens[at].start) => {
                    at += 1;
                    continue;
                }
                ";" | "}" => {
                    at += 1;
                    continue;
                }
                "namespace" | "inline" if self.has(at..at + 2, &["namespace"]) => {
                    let brace = (at..tokens.end).find(|at| matches!(self.text(*at), "{" | ";" | "="));
                    brace.filter(|at| self.text(*at) == "{")
                }
                "extern" if self.text(at + 2) == "{" => Some(at + 2),
                _ => None,
            };
            if let Some(open) = opens {
                let end = self.reader.after_group(open);
                let name = (at..open).rev().map(|at| self.text(at)).find(|word| *word != "namespace");
                let within = match name.filter(|name| !name.starts_with('"') && *name != "inline") {
                    Some(name) => format!("{namespace}{name}::"),
                    None => namespace.to_string(),
                };
                self.scope(open + 1..end - 1, &within);
                at = end;
                continue;
            }
            let shape = self.shape(at, tokens.end);
            let end = shape.end.max(at + 1);
            self.note(at..end, shape, namespace);
            at = end;
        }
    }

    fn note(&mut self, tokens: Range<usize>, shape: Shape, namespace: &str) {
        let head = tokens.start..shape.head_end;
        let is_device = self.is_of_device(head.clone());
        let mut lead = tokens.start;
        while self.text(lead) == "template" && self.text(lead + 1) == "<" {
            lead = self.reader.after_angles(lead + 1).unwrap_or(tokens.end);
        }
        let first = self.text(lead);
        let is_instance = self.has(lead..lead + 2, &["template"]);
        let is_type = matches!(first, "typedef" | "using" | "namespace")
            || shape.members.is_some()
            || self.is_forward(lead..tokens.end);
        let mut names: Vec<&str> = shape.names.iter().map(|at| self.text(*at)).collect();
        let is_function = shape.parameters.is_some() && !is_type;
        let named = shape.name.map(|at| self.text(at)).filter(|_| is_function);
        let is_opened = first == "using" && self.text(lead + 1) == "namespace";
        let is_unknown = is_opened && !self.namespaces.contains(self.text(tokens.end - 2))
            || first == "using" && self.text(lead + 2) == "::" && !self.is_known(lead + 1, tokens.end - 2);
        let is_error = first == "static_assert" && self.text(lead + 2) == "false";
        let rule = if is_instance || is_unknown || is_error {
            Rule::Never
        } else if is_opened || first == "static_assert" {
            Rule::Complete
        } else if is_type {
            Rule::Named
        } else if is_function && shape.belongs_to_class {
            if is_device || self.is_declared_for_devices(named) { Rule::Complete } else { Rule::Never }
        } else if is_device || (!is_function && self.has(head.clone(), &["const"])) {
            names.extend(named);
            Rule::Named
        } else {
            names.extend(named);
            Rule::Never
        };
        if let (true, Some(open), Some(name)) = (self.has(head, &["__global__"]), shape.parameters, named)
            && self.text(tokens.end - 1) == "}"
        {
            let signature = Signature::read(self.reader, tokens.start, name, open, namespace);
            self.kernels.push(signature);
        }
        let host_members = shape.members.map_or_else(Vec::new, |members| self.host_members(members));
        self.found.push(Declaration { tokens, head_end: shape.head_end, names, rule, host_members });
    }

    /// Whether a namespace is declared, and of `std` the member.
    fn is_known(&self, namespace: usize, member: usize) -> bool {
        let is_of_headers =
            |at: usize| self.text(at) == self.text(member) && self.lexed.is_own(self.lexed.tokens[at].start);
        self.namespaces.contains(self.text(namespace))
            && (self.text(namespace) != "std" || (0..self.lexed.tokens.len()).any(is_of_headers))
    }

    fn is_of_device(&self, head: Range<usize>) -> bool {
        let words = ["__device__", "__global__", "__constant__", "__managed__", "__shared__", "constexpr"];
        self.has(head, &words)
    }

    /// Whether a class has a member of this name that devices may call.
    fn is_declared_for_devices(&self, name: Option<&str>) -> bool {
        let mut classes = self.found.iter().filter(|one| one.head_end < one.tokens.end);
        name.is_some_and(|name| {
            classes.any(|class| {
                let mut members = class.tokens.clone().filter(|at| self.text(*at) == name);
                members.any(|at| {
                    let from =
                        (class.tokens.start..at).rev().find(|at| matches!(self.text(*at), ";" | "{" | "}"));
                    self.is_of_device(from.unwrap_or(at)..at)
                })
            })
        })
    }

    /// The members of a class that are functions of the host. A constructor that the compiler is to make is of both.
    fn host_members(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            if matches!(self.text(at), "public" | "private" | "protected") && self.text(at + 1) == ":" {
                at += 2;
                continue;
            }
            let shape = self.shape(at, tokens.end);
            let end = shape.end.max(at + 1);
            let is_made = self.text(end - 1) == ";" && self.has(at..end, &["default", "delete"]);
            let is_plain = matches!(self.text(at), "typedef" | "using" | "static_assert");
            if let Some(members) = shape.members {
                found.extend(self.host_members(members));
            } else if shape.parameters.is_some()
                && !(is_made || is_plain || self.is_of_device(at..shape.head_end))
            {
                found.push(at..end);
            }
            at = end;
        }
        found
    }

    /// Reads the declaration at `from`, which ends before `to`.
    fn shape(&self, from: usize, to: usize) -> Shape {
        let reader = self.reader;
        let mut shape = Shape { head_end: to, end: to, ..Shape::default() };
        let (mut class, mut is_assigned, mut at) = (None, false, from);
        while at < to {
            match self.text(at) {
                ";" => {
                    shape.end = at + 1;
                    shape.head_end = shape.head_end.min(at + 1);
                    return shape;
                }
                "alignas" | "__attribute__" | "__attribute" | "decltype" | "explicit" | "noexcept"
                | "__launch_bounds__" | "__cluster_dims__" | "__maxnreg__" | "__block_size__" | "throw"
                | "requires"
                    if self.text(at + 1) == "(" =>
                {
                    at = reader.after_group(at + 1);
                    continue;
                }
                "operator" if shape.parameters.is_none() => {
                    // `operator()` has parentheses of its own.
                    let own = if self.text(at + 1) == "(" { at + 3 } else { at + 1 };
                    at = (own..to).find(|at| self.text(*at) == "(").unwrap_or(to);
                    shape.belongs_to_class = true;
                    continue;
                }
                "(" if matches!(self.text(at + 1), "*" | "&")
                    && shape.parameters.is_none()
                    && !is_assigned =>
                {
                    // A pointer to a function or an array.
                    let end = reader.after_group(at);
                    shape.names.extend((at + 1..end).rev().find(|at| reader.is_word(*at)));
                    at = if self.text(end) == "(" { reader.after_group(end) } else { end };
                    continue;
                }
                "(" => {
                    let end = reader.after_group(at);
                    if shape.parameters.is_none() && !is_assigned {
                        // A macro of a header that is not here.
                        if matches!(
                            self.text(end),
                            "template" | "__global__" | "__device__" | "static" | "extern"
                        ) {
                            shape.end = end;
                            return shape;
                        }
                        shape.parameters = Some(at);
                        shape.belongs_to_class |= shape.name.is_some_and(|name| self.text(name - 1) == "::");
                    }
                    at = end;
                    continue;
                }
                "," => is_assigned = false,
                "[" => {
                    at = reader.after_group(at);
                    continue;
                }
                "<" => {
                    at = reader.after_angles(at).filter(|end| *end <= to).unwrap_or(at + 1);
                    continue;
                }
                "=" => is_assigned = true,
                ":" if shape.parameters.is_some() && !is_assigned => at = self.before_body(at + 1, to),
                "class" | "struct" | "union" | "enum" if shape.parameters.is_none() && !is_assigned => {
                    class = Some(at);
                }
                "{" => {
                    let end = reader.after_group(at);
                    if is_assigned {
                    } else if shape.parameters.is_some() {
                        (shape.head_end, shape.end) = (at, end);
                        return shape;
                    } else if let Some(key) = class.take() {
                        shape.head_end = at;
                        shape.names = self.class_names(key, at, end);
                        shape.members = Some(at + 1..end - 1);
                    }
                    at = end;
                    continue;
                }
                _ if reader.is_word(at) && shape.parameters.is_none() && !is_assigned => {
                    let next = self.text(at + 1);
                    if matches!(next, ";" | "," | "=" | "[" | "{" | ":") {
                        shape.names.push(at);
                    }
                    shape.name = Some(at);
                }
                _ => {}
            }
            at += 1;
        }
        shape
    }

    /// Whether a class is declared and not defined, as in `struct A;`.
    fn is_forward(&self, tokens: Range<usize>) -> bool {
        let is_name = |at: usize| self.reader.is_word(at) && matches!(self.text(at + 1), ";" | "<" | ":");
        matches!(self.text(tokens.start), "class" | "struct" | "union" | "enum")
            && (is_name(tokens.start + 1)
                || is_name(tokens.start + 2) && self.text(tokens.start + 1) == "class")
    }

    /// The token before a constructor's body, behind what it initializes.
    fn before_body(&self, mut at: usize, to: usize) -> usize {
        while at < to {
            match self.text(at) {
                "(" | "[" => at = self.reader.after_group(at),
                "<" => at = self.reader.after_angles(at).unwrap_or(at + 1),
                "{" if self.reader.is_word(at - 1) || self.text(at - 1) == ">" => {
                    at = self.reader.after_group(at);
                }
                "{" | ";" => break,
                _ => at += 1,
            }
        }
        at - 1
    }

    /// The name of a class between its key and its brace, and of an enumeration what it lists.
    fn class_names(&self, key: usize, open: usize, end: usize) -> Vec<usize> {
        let mut names = Vec::new();
        let mut at = key + 1;
        while at < open && self.text(at) != ":" {
            match self.text(at) {
                "class" | "struct" | "final" => {}
                "alignas" | "__attribute__" | "__attribute" => at = self.reader.after_group(at + 1) - 1,
                "<" => at = self.reader.after_angles(at).map_or(at, |end| end - 1),
                _ if self.reader.is_word(at) => names.push(at),
                _ => {}
            }
            at += 1;
        }
        if self.text(key) == "enum" {
            names.extend((open + 1..end).filter(|at| matches!(self.text(*at - 1), "{" | ",")));
        }
        names
    }
}

/// The namespaces that are declared anywhere.
fn namespaces<'a>(lexed: &Lexed<'a>) -> HashSet<&'a str> {
    let is_declared =
        |at: &usize| lexed.text(*at) == "namespace" && (*at == 0 || lexed.text(*at - 1) != "using");
    let words = |at: usize| {
        (at + 1..).map(|at| lexed.text(at)).take_while(|text| !matches!(*text, "{" | ";" | "=" | ""))
    };
    (0..lexed.tokens.len()).filter(is_declared).flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lex::Lexed;
    use super::of_kernels;

    /// What is left of a text for the kernel `k`, with single blanks.
    fn left(text: &str) -> String {
        let code = of_kernels(&Lexed::new(&format!("# 1 \"k.cu\"\n{text}")), &["k<4>".to_string()]);
        let lines = code.text.lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    const KERNEL: &str = "__global__ void k(A *a) { f(a, N, x); }";

    #[test]
    fn declarations_that_a_kernel_names_stay_and_others_go() {
        for kept in [
            "__device__ int f(int, int);",
            "static const int M = 2, N = M;",
            "#define X\nconstexpr int N = 3;",
            "enum { M, N = 4 };",
            "typedef struct { int b; } A;",
            "struct B { int c; }; struct A : B { int *d; };",
            "using A = int;",
            "template <class T> using A = T;",
            "template <int> struct A;",
            "__constant__ int x[3] = {1, 2, 3};",
            "typedef int (*A)(int);",
            "namespace n { __device__ int f() { return 1; } } using n::f;",
            "extern \"C\" { __device__ void f(); }",
            "struct A { __device__ A(int b) : c{b}, d(b) { } int c, d; __device__ ~A(); }; __device__ A::~A() { }",
            "struct A { }; __device__ A operator+(A, A); static_assert(sizeof(A) == 1);",
            "struct A { A() = default; constexpr int b() { return 1; } void (*c)(int); static const int d = 2; unsigned e : 3; };",
        ] {
            let text = format!("{kept} {KERNEL}");
            assert_eq!(left(&text), text.replace("#define X\n", ""));
        }
        for (gone, rest) in [
            ("int f(int n) { return n; }", ""),
            ("template <class T> T f(T n) { return n; }", ""),
            ("int x = 3; static float M[2][2];", ""),
            ("__device__ int g() { return 1; } struct Z { int a; };", ""),
            ("P::P(int n) : a(n), b{n} { g(); }", ""),
            ("template __global__ void k<3>(int *); extern template int f<int>(int);", ""),
            ("using namespace nowhere; using nowhere::f; using std::vector;", ""),
            ("MACRO(1)", ""),
            ("const char *text = R\"(struct A {};)\";", ""),
            (
                "struct A { int a; A(int b) : a(b) { } ~A() { } int c() const { return a; } };",
                "struct A { int a; };",
            ),
            ("struct B { int a; }; B operator-(B b) { return b; } __device__ B operator+(B, B);", ""),
            ("namespace n { void f() { } }", "namespace n { }"),
        ] {
            assert_eq!(left(&format!("{gone} {KERNEL}")), format!("{rest} {KERNEL}").trim_start(), "{gone}");
        }
    }
}
