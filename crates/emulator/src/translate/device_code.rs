//! Takes from a whole file, with its host code, what its kernels need. What runs on the host is removed, and so is each declaration that
//! no kernel names, directly or through others: it may need headers that are not here.

use super::declaration::{Declaration, Reader};
use super::kernel::Signature;
use super::lex::TokenStream;
use super::output::Edits;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The device code of a file.
#[derive(Debug, Default)]
pub struct DeviceCode {
    /// The preprocessed text with only what kernels need, each line where it was.
    pub text: String,
    /// All kernels that the file defines.
    pub kernels: Vec<Signature>,
    pub of_host: Vec<HostDeclaration>,
}

/// A function or variable of the host.
#[derive(Debug)]
pub struct HostDeclaration {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// A function with a body, and without `__host__` or another word for where it runs.
    pub is_unmarked: bool,
}

/// When a declaration is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It runs, or lies, on the host.
    Never,
    /// A kernel, or what is kept, uses a name that it declares.
    Named,
    /// All types that it names are kept: operators, members outside of their class, assertions.
    Complete,
}

/// One declaration.
#[derive(Debug)]
struct Decl<'a> {
    tokens: Range<usize>,
    /// As [`Declaration::head_end`].
    head_end: usize,
    names: Vec<&'a str>,
    rule: Rule,
    is_type: bool,
    /// Functions of the host that are members of the class, each with its name.
    host_members: Vec<(Range<usize>, usize)>,
}

/// Keeps what the kernels of these names need; a name may have template arguments and namespaces. Without names there is no text.
pub fn of_kernels(lexed: &TokenStream, names: Option<&[String]>) -> DeviceCode {
    let reader = Reader::new(lexed);
    let namespaces = namespaces(lexed);
    let mut split = Splitter {
        reader: &reader,
        lexed,
        namespaces,
        namespace: String::new(),
        is_of_c: false,
        names_of_c: HashSet::new(),
        found: Vec::new(),
        kernels: Vec::new(),
        of_host: Vec::new(),
    };
    split.scope(0..lexed.tokens.len());
    let Splitter { found, mut kernels, of_host, names_of_c, .. } = split;
    for kernel in &mut kernels {
        kernel.extern_c |= names_of_c.contains(kernel.name.as_str());
    }
    let text = names.map_or_else(String::new, |names| text_for(lexed, &found, names));
    DeviceCode { text, kernels, of_host }
}

/// The text without what the kernels do not need.
fn text_for(lexed: &TokenStream, found: &[Decl], names: &[String]) -> String {
    let words = names.iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let kept = reached(lexed, found, words.collect());
    let mut edits = Edits::default();
    let gone: Vec<&Range<usize>> = found
        .iter()
        .zip(kept)
        .flat_map(|(one, kept)| match kept {
            true => one.host_members.iter().map(|member| &member.0).collect(),
            false => vec![&one.tokens],
        })
        .collect();
    for tokens in &gone {
        edits.remove(lexed, tokens.start, tokens.end);
        if lexed.text(tokens.start) == "{" {
            edits.insert(lexed.tokens[tokens.start].start, ";");
        }
    }
    edits.apply(lexed.source)
}

/// Which declarations are kept: those that the words name, directly or through others.
fn reached<'a>(lexed: &TokenStream<'a>, all: &[Decl<'a>], mut words: HashSet<&'a str>) -> Vec<bool> {
    let mut kept = vec![false; all.len()];
    let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, one) in all.iter().enumerate().filter(|(_, one)| one.is_type) {
        one.names.iter().for_each(|name| declared.entry(name).or_default().push(at));
    }
    loop {
        let is_there = |kept: &[bool], word: &str| {
            declared.get(word).is_none_or(|places| places.iter().any(|place| kept[*place]))
        };
        let is_wanted = |kept: &[bool], one: &Decl| match one.rule {
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
            let is_used = |token: &usize| !one.host_members.iter().any(|(member, _)| member.contains(token));
            words.extend(one.tokens.clone().filter(is_used).map(|token| lexed.text(token)));
        }
    }
}

/// Divides a unit into its declarations.
struct Splitter<'a, 'b> {
    reader: &'b Reader<'a>,
    lexed: &'a TokenStream<'a>,
    /// The names of all namespaces that the unit declares.
    namespaces: HashSet<&'a str>,
    /// The namespace of the current declaration. `is_of_c` says whether it is in a block of `extern "C"`.
    namespace: String,
    is_of_c: bool,
    /// Kernels that were declared as `extern "C"`.
    names_of_c: HashSet<&'a str>,
    found: Vec<Decl<'a>>,
    kernels: Vec<Signature>,
    of_host: Vec<HostDeclaration>,
}

impl<'a> Splitter<'a, '_> {
    fn text(&self, at: usize) -> &'a str {
        self.lexed.text(at)
    }

    fn has(&self, tokens: Range<usize>, words: &[&str]) -> bool {
        tokens.into_iter().any(|at| words.contains(&self.text(at)))
    }

    /// The declarations of a namespace.
    fn scope(&mut self, tokens: Range<usize>) {
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
                let around = (self.namespace.clone(), self.is_of_c);
                self.is_of_c |= self.text(at) == "extern";
                let names = (at..open)
                    .filter(|at| !matches!(self.text(*at), "inline" | "namespace" | "::" | "extern"));
                let words: String = names
                    .filter(|at| self.reader.is_word(*at))
                    .map(|at| format!("{}::", self.text(at)))
                    .collect();
                self.namespace += &words;
                self.scope(open + 1..end - 1);
                (self.namespace, self.is_of_c) = around;
                at = end;
                continue;
            }
            if let Some(behind) = self.after_macro(at) {
                self.found.push(Decl {
                    tokens: at..behind,
                    head_end: behind,
                    names: Vec::new(),
                    rule: Rule::Never,
                    is_type: false,
                    host_members: Vec::new(),
                });
                at = behind;
                continue;
            }
            let read = self.reader.declaration(at, at);
            let end = read.end.clamp(at + 1, tokens.end);
            self.note(at..end, &read);
            at = end;
        }
    }

    /// The token after a macro of a header that is not here, and its arguments, if one is at `at`: no declaration begins so.
    fn after_macro(&self, at: usize) -> Option<usize> {
        let word = self.text(at);
        if !self.reader.is_word(at)
            || word.starts_with("__")
            || matches!(word, "alignas" | "extern" | "inline" | "using")
        {
            return None;
        }
        match self.text(at + 1) {
            "namespace" | "template" | "typedef" | "using" => Some(at + 1),
            "(" => Some(self.reader.after_group(at + 1)).filter(|behind| self.reader.is_word(*behind)),
            _ => None,
        }
    }

    fn note(&mut self, tokens: Range<usize>, read: &Declaration) {
        let head = tokens.start..read.head_end;
        let is_device = self.is_of_device(head.clone());
        let mut lead = tokens.start;
        while self.text(lead) == "template" && self.text(lead + 1) == "<" {
            lead = self.reader.after_angles(lead + 1).unwrap_or(tokens.end);
        }
        let first = self.text(lead);
        let is_type = matches!(first, "typedef" | "using" | "namespace")
            || read.class.is_some()
            || self.is_forward(lead..tokens.end);
        let is_guide = read.is_function()
            && read.name == lead
            && read.parameters.is_some_and(|open| self.text(self.reader.after_group(open)) == "-");
        let is_type = is_type || is_guide;
        let is_function = read.is_function() && !is_type;
        let names = self.declared_names(read, is_function || is_guide, first == "static_assert");
        let is_instance = self.has(lead..lead + 2, &["template"]);
        let is_opened = first == "using" && self.text(lead + 1) == "namespace";
        let is_unknown = is_opened && !self.namespaces.contains(self.text(tokens.end - 2))
            || first == "using" && self.text(lead + 2) == "::" && !self.is_known(lead + 1, tokens.end - 2);
        let is_error = first == "static_assert" && self.text(lead + 2) == "false";
        let is_member_of_device =
            || is_device || self.is_declared_for_devices(self.text(read.name)) && read.name > 0;
        let rule = if is_instance || is_unknown || is_error {
            Rule::Never
        } else if is_opened
            || first == "static_assert"
            || is_function && read.is_of_class && is_member_of_device()
        {
            Rule::Complete
        } else if is_type
            || is_device && !read.is_of_class
            || !is_function && self.has(head.clone(), &["const"])
        {
            Rule::Named
        } else {
            Rule::Never
        };
        let is_defined = self.text(tokens.end - 1) == "}";
        if let (true, Some(open)) = (self.has(head.clone(), &["__global__"]), read.parameters) {
            self.note_kernel(tokens.start, read.name, open, is_defined);
        }
        let host_members = read.class.as_ref().map_or_else(Vec::new, |it| self.host_members(it.1.clone()));
        if rule == Rule::Never && !is_instance && !is_unknown {
            let is_unmarked =
                is_defined && is_function && !read.is_of_class && !self.has(head, &["__host__"]);
            names.iter().for_each(|name| self.note_host(*name, is_unmarked));
        }
        for (member, name) in &host_members {
            let is_unmarked =
                self.text(member.end - 1) == "}" && !self.has(member.clone(), &["__host__", "::"]);
            self.note_host(*name, is_unmarked);
        }
        let names = names.into_iter().map(|at| self.text(at)).collect();
        self.found.push(Decl { tokens, head_end: read.head_end, names, rule, is_type, host_members });
    }

    /// The tokens that name what a declaration declares.
    fn declared_names(&self, read: &Declaration, is_function: bool, is_assertion: bool) -> Vec<usize> {
        let mut names: Vec<usize> = read.declarators.iter().map(|one| one.name).collect();
        if is_function && !read.is_of_class {
            names.push(read.name);
        }
        if is_assertion {
            names.clear();
        }
        if let Some((key, members)) = &read.class {
            names.retain(|name| *name >= members.end);
            names.extend(self.class_names(*key, members));
        }
        names
    }

    fn note_kernel(&mut self, first: usize, name: usize, open: usize, is_defined: bool) {
        let (namespace, is_of_c) = (&self.namespace, self.is_of_c);
        let signature = Signature::read(self.reader, first, name, open, namespace, is_of_c);
        if is_defined {
            self.kernels.push(signature);
        } else if signature.extern_c {
            self.names_of_c.insert(self.text(name));
        }
    }

    fn note_host(&mut self, at: usize, is_unmarked: bool) {
        let (file, line) = self.lexed.place(self.lexed.tokens[at].start);
        self.of_host.push(HostDeclaration { name: self.text(at).to_string(), file, line, is_unmarked });
    }

    /// Whether a namespace is declared; for `std`, also whether the emulator's headers have the member.
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
    fn is_declared_for_devices(&self, name: &str) -> bool {
        let mut classes = self.found.iter().filter(|one| one.head_end < one.tokens.end);
        classes.any(|class| {
            let mut members = class.tokens.clone().filter(|at| self.text(*at) == name);
            members.any(|at| {
                let from =
                    (class.tokens.start..at).rev().find(|at| matches!(self.text(*at), ";" | "{" | "}"));
                self.is_of_device(from.unwrap_or(at)..at)
            })
        })
    }

    /// The members of a class that are functions of the host. A member that is defaulted or deleted belongs to host and device.
    fn host_members(&self, tokens: Range<usize>) -> Vec<(Range<usize>, usize)> {
        let mut found = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            if matches!(self.text(at), "public" | "private" | "protected") && self.text(at + 1) == ":" {
                at += 2;
                continue;
            }
            let read = self.reader.declaration(at, at);
            let end = read.end.clamp(at + 1, tokens.end);
            let is_made = self.text(end - 1) == ";" && self.has(at..end, &["default", "delete"]);
            let is_plain = matches!(self.text(at), "typedef" | "using" | "static_assert");
            let is_of_device = self.is_of_device(at..read.head_end);
            if let Some((_, members)) = &read.class {
                found.extend(self.host_members(members.clone()));
            } else if read.is_function() && !(is_made || is_plain || is_of_device) {
                // Virtual functions change the size of a class: they lose only their bodies.
                let is_virtual = self.has(at..read.head_end, &["virtual"]);
                found.push((if is_virtual { read.head_end..end } else { at..end }, read.name));
            }
            at = end;
        }
        found
    }

    /// Whether a class is declared and not defined, as in `struct A;`.
    fn is_forward(&self, tokens: Range<usize>) -> bool {
        let is_name = |at: usize| self.reader.is_word(at) && matches!(self.text(at + 1), ";" | "<" | ":");
        matches!(self.text(tokens.start), "class" | "struct" | "union" | "enum")
            && (is_name(tokens.start + 1)
                || is_name(tokens.start + 2) && self.text(tokens.start + 1) == "class")
    }

    /// The names between the key of a class and its members; for an enumeration also those that it lists.
    fn class_names(&self, key: usize, members: &Range<usize>) -> Vec<usize> {
        let mut names = Vec::new();
        let mut at = key + 1;
        while at < members.start && self.text(at) != ":" {
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
            names.extend(members.clone().filter(|at| matches!(self.text(*at - 1), "{" | ",")));
        }
        names
    }
}

/// The namespaces that are declared anywhere.
fn namespaces<'a>(lexed: &TokenStream<'a>) -> HashSet<&'a str> {
    let is_declared =
        |at: &usize| lexed.text(*at) == "namespace" && (*at == 0 || lexed.text(*at - 1) != "using");
    let words = |at: usize| {
        (at + 1..).map(|at| lexed.text(at)).take_while(|text| !matches!(*text, "{" | ";" | "=" | ""))
    };
    (0..lexed.tokens.len()).filter(is_declared).flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lex::TokenStream;
    use super::of_kernels;

    /// What is left of a text for the kernel `k`, with single blanks.
    fn left(text: &str) -> String {
        let code =
            of_kernels(&TokenStream::new(&format!("# 1 \"k.cu\"\n{text}")), Some(&["k<4>".to_string()]));
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
            "class B { int c; }; class A final : public virtual B, protected n::C<int> { int *d; };",
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
            (
                "MACRO(1) constexpr int x = 1; BEGIN namespace n { void g() { } }",
                "constexpr int x = 1; namespace n { }",
            ),
            ("const char *text = R\"(struct A {};)\";", ""),
            (
                "struct A { int a; A(int b) : a(b) { } ~A() { } int c() const { return a; } };",
                "struct A { int a; };",
            ),
            ("struct B { int a; }; B operator-(B b) { return b; } __device__ B operator+(B, B);", ""),
            ("namespace n { void f() { } }", "namespace n { }"),
            ("class A : public B { A(int b) : B(b) { c(); } int d; };", "class A : public B { int d; };"),
        ] {
            assert_eq!(left(&format!("{gone} {KERNEL}")), format!("{rest} {KERNEL}").trim_start(), "{gone}");
        }
    }
}
