//! What CUDA has and the emulated device has not. It is refused where it is used, by its name and with what to do, since a host's
//! compiler would say no more than that it knows no such name.

use super::declaration::Reader;

const TEXTURE: &str = "needs a texture or surface, which are not emulated: reach the data through a pointer, \
                       at least under `#ifdef REPRO_EMULATED`";
const LIBRARY: &str = "is of a library that the emulated device does not have: write this part in CUDA C++, \
                       at least under `#ifdef REPRO_EMULATED`";
const RUNTIME: &str = "is a call of the CUDA runtime, which is not emulated in kernels: let the host do it";
const LAUNCH: &str = "is a launch from a kernel, which is not emulated: launch from the host, or make the \
                      other kernel a `__device__` function and call it";

/// Names, `*` for whatever may follow, with what stands behind one: a call, maybe with template arguments; those of a type where a
/// declaration begins; a name of the namespace; or anything.
const NAMES: &[(&[&str], &str, &str)] = &[
    (&["tex1D*", "tex2D*", "tex3D*", "texCubemap*"], "call", TEXTURE),
    (&["surf1D*", "surf2D*", "surf3D*", "surfCubemap*"], "call", TEXTURE),
    (&["texture", "surface"], "<", TEXTURE),
    (&["cub", "cute", "cutlass", "thrust"], "::", LIBRARY),
    (&["curand*"], "(", LIBRARY),
    (&["curandState*"], "", LIBRARY),
    (&["cudaLaunch*"], "(", LAUNCH),
    (&["cuda*"], "(", RUNTIME),
];

/// Why the token at `at` may not stand there, if it may not.
pub fn refusal(reader: &Reader, at: usize) -> Option<String> {
    let (text, lexed) = (|at| reader.text(at), reader.lexed);
    let glued = |at: usize| text(at + 1) == "<" && lexed.tokens[at].end == lexed.tokens[at + 1].start;
    let (name, why) = if text(at) == "<" {
        let opens = glued(at) && glued(at + 1) && at > 0 && text(at - 1) != "operator";
        ("<<<", opens.then_some(LAUNCH)?)
    } else {
        let before = text(at.wrapping_sub(1));
        let begins = matches!(before, ";" | "{" | "}" | "static" | "extern" | "typedef" | "const");
        let is_behind = |behind: &str| match text(at + 1) {
            "(" => matches!(behind, "call" | "("),
            "<" => behind == "call" || behind == "<" && begins,
            next => behind == next,
        };
        let is_this = |(names, behind, _): &&(&[&str], &str, &str)| {
            (behind.is_empty() || is_behind(behind)) && names.iter().any(|name| is_name(name, text(at)))
        };
        (text(at), NAMES.iter().find(is_this)?.2)
    };
    let member = at > 1 && (text(at - 1) == "." || text(at - 1) == ">" && text(at - 2) == "-");
    (!member && !is_declared(reader, name) && !lexed.is_own(lexed.tokens[at].start))
        .then(|| format!("`{name}` {why}"))
}

fn is_name(name: &str, word: &str) -> bool {
    let begun = name.strip_suffix('*').and_then(|start| word.strip_prefix(start));
    begun.map_or(word == name, |rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// Whether a file has something of its own by this name.
fn is_declared(reader: &Reader, word: &str) -> bool {
    let text = |at| reader.text(at);
    (1..reader.lexed.tokens.len()).filter(|&at| text(at) == word).any(|at| match text(at - 1) {
        "namespace" | "struct" | "class" | "union" => true,
        "return" | "else" | "do" | "case" => false,
        _ => text(at + 1) == "(" && (reader.is_word(at - 1) || text(reader.after_group(at + 1)) == "{"),
    })
}
