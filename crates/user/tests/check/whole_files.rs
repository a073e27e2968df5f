//! Files as a program has them: with what runs on the host, headers that are not here, and kernels in any form.
//! What other programs read: SARIF, annotations of GitHub Actions, and the action itself.

use super::{check, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Below `HOST`, which would not compile here, lie two kernels.
const HOST: &str = r##"#include <stdio.h>
#include <vector>
#include <cuda_runtime.h>
#include <sys/time.h>
#include "nowhere/helper.h"
#include "timers.h"
using namespace std;
using std::vector;
using boost::shared_ptr;
typedef std::vector<int> Rows;
struct Options { Rows rows; Options(int n) : rows(n), name{"o"} { printf("%d", n); } std::string name; };
static const std::string title = "title";
int counter = 0;
texture<float, 2> unused;
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
const char *source = R"(
__global__ void in_a_text() {}
)";
template <class T> T *allocate(size_t n) { T *p; CHECK(cudaMalloc(&p, n * sizeof(T))); return p; }
template float *allocate<float>(size_t);
REGISTER(something)
"##;

const KERNELS: &str = r##"constexpr int square(int n) { return n * n; }
struct Pair {
    float x, y;
    Pair(float x, float y) : x{x}, y(y) { cout << x; }
    __device__ Pair() : x(0), y(0) {}
    __device__ float sum() const;
    float host_sum() const { return vector<float>{x, y}.size(); }
};
__device__ float Pair::sum() const { return x + y; }
__device__ Pair operator+(const Pair &a, const Pair &b) { Pair c; c.x = a.x + b.x; c.y = a.y + b.y; return c; }
enum { WIDTH = 8 };
template <typename T, int TIMES>
__global__ void reversed(T *p, int n) {
    __shared__ T s[square(WIDTH)];
    int i = threadIdx.x;
    assert(i < n);
    s[i] = p[i] * TIMES;
    BARRIER
    p[i] = s[63 - i];
    if (p[i] > FLT_MAX) printf("%d", INT_MAX);
}
namespace deep { namespace er {
extern "C"__global__ void __launch_bounds__(square(8)) pairs(Pair *p, const uint32_t n) {
    if (threadIdx.x < n) { p[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x]; p[threadIdx.x].y = p[threadIdx.x].sum(); }
}
} }
int main(int argc, char **argv) {
    #pragma omp parallel for
    for (int i = 0; i < 3; i++) counter++;
    reversed<float, 4><<<dim3(1), dim3(64)>>>(allocate<float>(64), 64);
    return 0;
}
"##;

/// The file `name` in a new folder.
fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    let timers = "#ifndef TIMERS_OF_THE_SYSTEM\n#error \"no timers\"\n#endif\n";
    std::fs::write(folder.path().join("timers.h"), timers).unwrap();
    (folder, path.to_str().unwrap().to_string())
}

/// The exit code and all that is printed.
fn checked(path: &str, options: &[&str]) -> (Option<i32>, String) {
    let output = check(path, options);
    (output.status.code(), format!("{}{}", stdout(&output), stderr(&output)))
}

/// The exit code and the finding's line of checks of kernels behind the host's part, each with its arguments.
fn kernels_are_checked_with_their_lines(kernels: &[(&str, &str, i32)]) {
    let before = HOST.lines().count();
    let shape = ["--grid", "1", "--block", "64", "--orders", "1", "--kernel"];
    let (_folder, path) = file("program.cu", &format!("{HOST}{}", KERNELS.replace("BARRIER", "")));
    for &(kernel, arguments, code) in kernels {
        let options: Vec<&str> = shape.into_iter().chain([kernel]).chain(arguments.split(' ')).collect();
        let (found, told) = checked(&path, &options);
        assert_eq!(found, Some(code), "{kernel}: {told}");
        let race = format!("program.cu:{}: ", before + 17);
        assert!(code == 0 || told.contains(&format!("kernel {kernel},")) && told.contains(&race), "{told}");
        assert!(!told.contains("not seen"), "{told}");
    }
}

#[test]
fn what_concerns_no_kernel_is_passed_over_and_lines_stay() {
    let (_folder, path) = file("program.cu", &format!("{HOST}{}", KERNELS.replace("BARRIER", "")));
    let listed = check(&path, &[]);
    let before = HOST.lines().count();
    let lines = format!(
        "program.cu:{}: reversed<typename T, int TIMES>(T *p, int n)\nprogram.cu:{}: deep::er::pairs(Pair *p, const uint32_t n)\n",
        before + 13,
        before + 23
    );
    assert_eq!(stdout(&listed), lines, "{}", stderr(&listed));
    assert_eq!(listed.status.code(), Some(2));
    let told = stderr(&listed);
    let problem = "program.cu defines 2 kernels; choose one, its launch and its arguments, as in: ";
    let (told, example) = told.trim_end().split_once(problem).expect(&told);
    assert_eq!(told.split('/').next(), Some("error: nothing was checked: "));
    let (_, words) = example.split_once("program.cu ").unwrap();
    assert_eq!(words, "--kernel deep::er::pairs --grid 1 --block 64 --args random:1024 int:64");
    let words: Vec<&str> = words.split(' ').collect();
    assert_eq!(check(&path, &words).status.code(), Some(0));
    kernels_are_checked_with_their_lines(&[("reversed<float, 4>", "--args random-floats:256 int:64", 1)]);
}

#[test]
fn what_a_kernel_lacks_is_named_with_where_it_belongs() {
    for (text, kernel, words) in [
        (
            "int f(int n) { return n; }\n__global__ void k(int *p) { p[0] = f(1); }",
            "k",
            "f belongs to the host (own.cu:1): write `__device__`",
        ),
        (
            "#include \"a/b.h\"\n__global__ void k(int *p) { p[0] = LEAST; }",
            "k",
            "these headers were not found: \"a/b.h\": name their folders with --include",
        ),
        (
            "template <int N> __global__ void k(int *p) { p[0] = N; }",
            "k",
            "own.cu:1: the kernel k is a template of <int N>: name its arguments, too",
        ),
        (
            "__global__ void a(int *p) {}\nnamespace n { __global__ void b(int *p) {} }",
            "c",
            "own.cu has no kernel c: it has a, n::b",
        ),
        ("int main() {}", "k", "own.cu has no kernel k, nor any other: write one with __global__"),
        ("__global__ void k(int *p) {}", "k; int x", "own.cu has no kernel k; int x: give a kernel's name"),
        ("#if __CUDA_ARCH__ >= 800\n#error older\n#endif\n__global__ void k(int *p) {}", "k", "own.cu:2:"),
    ] {
        let (_folder, path) = file("own.cu", text);
        let (code, told) =
            checked(&path, &["--kernel", kernel, "--grid", "1", "--block", "1", "--args", "zeros:4"]);
        assert!(code == Some(2) && told.contains(words), "{text}: {told}");
    }
}

/// Each has a store outside of its buffer that is lost where the wrong part of the file is passed over.
fn a_part_of_a_kernel_is_not_passed_over(is_chosen: impl Fn(&str) -> bool) {
    let all = [
        (
            "operators whose parameters are called as the host's variables",
            "float *a; struct Idx { int v; __device__ Idx(int x) : v(x) {} __device__ operator int() const { return v; } };\n\
             __device__ Idx operator+(Idx a, int b) { return Idx(a.v + 2 * b); }\n\
             __global__ void k(int *d) { Idx i(threadIdx.x); d[(int)(i + 1) + 62] = 1; }",
            "",
        ),
        (
            "specialisations likewise",
            "int *p; template <class T> struct Rev { __device__ static void run(T *p) { p[threadIdx.x] = 1; } };\n\
             template <> __device__ void Rev<int>::run(int *p) { p[threadIdx.x + 64] = 1; }\n__global__ void k(int *d) { Rev<int>::run(d); }",
            "",
        ),
        (
            "sizes of classes with virtual functions of the host",
            "struct I { virtual void p() { printf(\"\"); } int a; }; __global__ void k(I *x) { x[threadIdx.x].a = 1; }",
            "",
        ),
        (
            "deduction guides",
            "template <class T> struct Acc { T v; __device__ Acc(int x) : v(x) {} }; Acc(int) -> Acc<long long>;\n\
             __global__ void k(int *d) { Acc a(3); d[threadIdx.x * (sizeof a.v / 4)] = 1; }",
            "",
        ),
        (
            "words that are macros of CUDA",
            "#ifndef __shared__\n#define __shared__\n#endif\n__global__ void k(int *d) { __shared__ int s[64]; s[threadIdx.x] = 1; d[0] = s[63 - threadIdx.x]; }",
            "",
        ),
        (
            "numbered enumerations",
            "enum class M : unsigned int { A = 64 }; __global__ void k(int *d) { d[threadIdx.x + (int)M::A] = 1; }",
            "",
        ),
        (
            "macros that are called as parameters of the emulator's headers",
            "__global__ void k(T *d) { d[threadIdx.x + 64] = 1; }",
            "-D T=int",
        ),
        (
            "a header that is asked for",
            "#if __has_include(\"fast.h\")\n#include \"fast.h\"\n#endif\n__global__ void k(int *d) { d[threadIdx.x + FAST] = 1; }",
            "",
        ),
        (
            "\u{feff}marks of an encoding",
            "\u{feff}__global__ void k(int *d) { d[threadIdx.x + 64] = 1; }",
            "",
        ),
    ];
    for (name, text, options) in all.into_iter().filter(|(name, ..)| is_chosen(name)) {
        let (folder, path) = file("own.cu", text);
        std::fs::write(folder.path().join("fast.h"), "#define FAST 64\n").unwrap();
        let shape = "--kernel k --grid 1 --block 64 --args zeros:256 --orders 1";
        let options: Vec<&str> = shape.split(' ').chain(options.split_whitespace()).collect();
        let (code, told) = checked(&path, &options);
        assert_eq!(code, Some(1), "{name}: {told}");
    }
}

#[test]
fn what_looks_like_the_hosts_and_belongs_to_a_kernel_is_not_passed_over() {
    a_part_of_a_kernel_is_not_passed_over(|name| name == "specialisations likewise");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn the_action_annotates_the_lines_of_a_pull_request() {
        let action = include_str!("../../action.yml");
        let script = action.rsplit_once("run: |\n").unwrap().1;
        let script: String = script
            .lines()
            .map(|line| line.strip_prefix("        ").unwrap_or(line).to_string() + "\n")
            .collect();
        let folder = racy();
        let binary = assert_cmd::cargo::cargo_bin!("check-kernel");
        let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
        // As runners call it.
        let run = |kernel: &str, options: &str| {
            Command::new("bash")
                .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &script])
                .current_dir(folder.path())
                .env("PATH", &path)
                .envs([("FILE", "./my kernels/own.cu"), ("KERNEL", kernel), ("GRID", "1"), ("BLOCK", "64")])
                .envs([("ARGUMENTS", "random:256"), ("OPTIONS", options), ("SARIF", "found.sarif")])
                .output()
                .unwrap()
        };
        let output = run("k", "--orders 1");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let text = stdout(&output);
        let first = text.lines().next().unwrap();
        assert!(
            first.starts_with("::error file=my kernels/turn.cuh,line=2,title=data race in a block::"),
            "{text}"
        );
        assert!(text.ends_with(" in 1 order\n"), "{text}");
        let sarif = std::fs::read_to_string(folder.path().join("found.sarif")).unwrap();
        assert!(sarif.contains("my%20kernels/turn.cuh"), "{sarif}");
        let right = run("right", "--time-limit 60\n  --orders 2");
        assert_eq!(right.status.code(), Some(0), "{}{}", stdout(&right), stderr(&right));
        assert_eq!(stdout(&right), "::notice title=check-kernel::right: 0 findings in 2 orders\n");
        // Options behind a line break are read, too.
        assert_eq!(run("right", "--time-limit 60\n--none").status.code(), Some(2));
    }

    #[test]
    #[ignore = "long"]
    fn headers_are_found_beside_the_file_in_the_folders_that_were_given_and_nowhere_else() {
        let text = "#include \"../common/book.h\"\n#include <inner/more.h>\n__global__ void k(int *p) { p[0] = FIRST + SECOND; p[1] = p[0]; }\n";
        let (folder, path) = file("samples/own.cu", text);
        let common = folder.path().join("common");
        std::fs::create_dir_all(common.join("inner")).unwrap();
        let book = "#pragma once\n#include \"inner/more.h\"\n#define FIRST 1\n";
        std::fs::write(common.join("book.h"), book).unwrap();
        std::fs::write(common.join("inner/more.h"), "#include \"../book.h\"\n#pragma once\n").unwrap();
        let shape = [
            "--kernel", "k", "--grid", "1", "--block", "1", "--args", "zeros:8", "--order", "0", "-D",
            "SECOND=2",
        ];
        let with = |include: &str| checked(&path, &[&shape[..], &["-I", include]].concat());
        let (code, told) = checked(&path, &shape);
        assert!(code == Some(2) && told.contains("\"../common/book.h\""), "{told}");
        let common = common.to_str().unwrap();
        assert_eq!(with(common).0, Some(0), "{}", with(common).1);
        // Beside the file, by its last name.
        let beside = Path::new(&path).parent().unwrap();
        std::fs::write(beside.join("book.h"), "#define FIRST 1\n").unwrap();
        assert_eq!(checked(&path, &shape).0, Some(0));
        std::fs::remove_file(beside.join("book.h")).unwrap();
        // What leads out of the folders is not read, not even by a link.
        std::os::unix::fs::symlink(folder.path().join("common/book.h"), beside.join("book.h")).unwrap();
        assert_eq!(checked(&path, &shape).0, Some(2));
        // Those of this program are there, once.
        std::fs::write(
            beside.join("own.cu"),
            "#include \"repro.cuh\"\n#include <repro.cuh>\n__global__ void k(int *p) { p[0] = SECOND; }",
        )
        .unwrap();
        assert_eq!(checked(&path, &shape).0, Some(0), "{}", checked(&path, &shape).1);
        let (code, told) = checked(&path, &[&shape[..10], &["-D", "1=2"]].concat());
        assert!(code == Some(2) && told.contains("expected NAME or NAME=VALUE"), "{told}");
    }

    #[test]
    #[ignore = "long"]
    fn nothing_that_a_kernel_is_made_of_is_passed_over() {
        a_part_of_a_kernel_is_not_passed_over(|_| true);
        // By any of their names.
        kernels_are_checked_with_their_lines(&[
            ("reversed<unsigned long long, -1>", "--args random:512 int:64", 1),
            ("pairs", "--args random-floats:512 int:64", 0),
            ("deep::er::pairs", "--args random-floats:512 int:64", 0),
        ]);
    }
}

#[test]
fn headers_that_are_not_there_are_named() {
    let options = ["--kernel", "k", "--grid", "1", "--block", "1", "--args", "zeros:4", "--orders", "1"];
    let (_folder, path) = file(
        "own.cu",
        "#include <vector>\n#include \"../tuning.h\"\n__global__ void k(int *p) { p[0] = 1; }",
    );
    let (code, told) = checked(&path, &options);
    assert!(
        code == Some(0) && told.contains("passed over, with what depends on them: ../tuning.h;"),
        "{told}"
    );
    let (_, told) = checked(&path, &[&options[..], &["--annotations"]].concat());
    assert!(told.contains("::warning title=check-kernel::these headers were not found"), "{told}");
}

/// A kernel beside a header with a race, in a folder with a blank in its name.
fn racy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("my kernels");
    std::fs::create_dir(&source).unwrap();
    std::fs::write(
        source.join("turn.cuh"),
        "__device__ void turn(int *s) {\n s[threadIdx.x] = s[63 - threadIdx.x];\n}\n",
    )
    .unwrap();
    let text = "#include <stdio.h>\n#include \"turn.cuh\"\n__global__ void k(int *p) { turn(p); }\n__global__ void right(int *p) { p[threadIdx.x] = 1; }\nint main() { k<<<1, 64>>>(0); }\n";
    std::fs::write(source.join("own.cu"), text).unwrap();
    folder
}

#[test]
fn findings_have_the_places_of_files_for_programs_that_show_them() {
    let folder = racy();
    let path = folder.path().join("my kernels/own.cu");
    let shape = ["--kernel", "k", "--grid", "1", "--block", "64", "--args", "random:256", "--orders", "1"];
    let output = check(path.to_str().unwrap(), &[&shape[..], &["--sarif"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let sarif: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_eq!((&result["ruleId"], &result["level"]), (&"race-in-block".into(), &"error".into()));
        let place = &result["locations"][0]["physicalLocation"];
        let address = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(address.starts_with("file:///") && address.ends_with("/my%20kernels/turn.cuh"), "{address}");
        assert_eq!(place["region"]["startLine"], 2);
        assert!(result["message"]["text"].as_str().unwrap().contains("data race in a block"));
    }
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "race-in-block");
    let both = check(path.to_str().unwrap(), &[&shape[..], &["--sarif", "--json"]].concat());
    assert_eq!(both.status.code(), Some(2));
}
