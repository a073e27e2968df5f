//! The table of refusals.

/// What is called, in words parted by blanks, and the parts of the message, between bars.
pub type Call = (&'static str, &'static str);

/// Refused wherever they are called, a command at a time.
pub const OF_THE_CALL: [&[Call]; 11] =
    [ARGUMENTS, RUN, SMOKE, SHARDED, RESUME, REPORT, COMPARE, HISTORY, COUNTS, TRACK, KERNELS];

const ARGUMENTS: &[Call] = &[
    ("run", "<EXPERIMENT>"),
    ("runn", "'runn' | 'run'"),
    ("rnu table1", "'rnu'; tip: a similar subcommand exists: 'run'; see --help"),
    ("benchmark", "error: unrecognized subcommand 'benchmark'; see --help"),
    ("run table1 --sample 3", "'--sample' | tip:  | '--samples' | see --help"),
    // That it could be a value helps nobody.
    ("claims --wrong", "error: unexpected argument '--wrong' found; see --help"),
    ("run table1 --sizes -3", "error: unexpected argument '-3' found; see --help"),
    ("run tabel1", "'tabel1': did you mean table1? | repro list"),
    ("run table1 --only stagedload", "--only | 'stagedload': did you mean staged-load?"),
    ("verify --only stagedload", "--only | 'stagedload': did you mean staged-load?"),
    ("verify --sizes 64,abc", "'abc' | --sizes | expected numbers of vertices | 1024,2048"),
    ("verify --sizes 0", "--sizes | n = 0"),
    ("verify --orders 2", "--orders | --device emulated"),
    ("verify --device emulated", "--device emulated: REPRO_CXX names no-compiler-for-this-test"),
    ("inspect stagedload", "'stagedload': did you mean staged-load?"),
    ("inspect staged", "unknown implementation 'staged' | staged-load"),
    ("inspect cpu-naive", "no kernels to inspect | katz-kider"),
    ("inspect staged-load --n 0", "n = 0"),
    ("inspect staged-load --banks 8", "--banks | 16, 32"),
    ("inspect staged-load", "REPRO_CXX names no-compiler-for-this-test | correct it or unset it"),
    ("claims smem-ctu", "no claim 'smem-ctu' | did you mean smem-cut?"),
    ("list two-phases", "nothing is called 'two-phases' | did you mean two-phase?"),
    ("doctor --with own.toml", "'--with'"),
    ("--with own.toml doctor", "--with: this command looks at no implementation"),
    ("run table1 --out a\nb", "\"a\\nb\" | expected a name of one line without control characters"),
    ("track table1 --out a\u{1b}[2J", "\"a\\u{1b}[2J\" | expected a name of one line"),
];

const RUN: &[Call] = &[
    ("run table9", "'table9' | table1"),
    ("run ta\nble9", "table1"),
    ("run no/such.toml", "cannot read no/such.toml"),
    ("run typo.toml", "typo.toml:11: budget: unknown field | `budget_s`"),
    ("run many.toml", "many.toml: | : sizes:  | 9223372036854775807 | more than 10000 | larger steps"),
    ("run peers", "peers runs implementations from files next to it | run it in a clone"),
    ("run mine.toml --only nobody", "--only | 'nobody'"),
    ("run mine.toml --sizes 8,0", "--sizes | n = 0"),
    ("run mine.toml --sizes 64,abc", "'abc' | --sizes"),
    ("run mine.toml --sizes -1", "'-1'"),
    ("run mine.toml --device cpu --sizes 9999999", "n = 9999999 needs | smaller n with --sizes"),
    ("run mine.toml --device cpu --sizes 18446744073709551615", "n = 18446744073709551615 needs"),
    ("run mine.toml --samples 0", "--samples | at least 1"),
    ("run mine.toml --budget -1", "--budget | -1 | 0 or more seconds"),
    ("run mine.toml --budget nan", "--budget"),
    ("run mine.toml --param kappa=x", "--param | 'x'"),
    ("run mine.toml --param kappa=2", "kappa"),
    ("run mine.toml --param kappa", "--param | expected NAME=VALUE"),
    ("run mine.toml --param kappa=1,,2", "--param | is no whole number"),
    ("run mine.toml --device cpu --param iterations=13", "--param | n = 8 has 8 iterations of k, not 13"),
    (
        "run mine.toml --device gpu",
        "--device | 'gpu': expected auto, cpu, cuda, cuda:N, cuda:all, emulated or",
    ),
    ("run mine.toml --full --sizes 8", "--full | --sizes"),
    ("run mine.toml --graph none.gr", "none.gr | cannot be read"),
    ("run mine.toml --graph empty", "is a directory"),
    ("run mine.toml --graph nothing.gr", "nothing.gr | is empty"),
    ("run mine.toml --graph cut.gr", "cut.gr | 1 of 2"),
    ("run mine.toml --graph word.gr", "word.gr:2 | two"),
    ("run mine.toml --graph far.gr", "far.gr:2 | vertex 4"),
    ("run mine.toml --graph huge.gr", "huge.gr | 900000000"),
    ("run mine.toml --graph zip.gr", "zip.gr | gunzip"),
    ("run mine.toml --graph negative.gr", "negative.gr | negative cycle"),
    ("run mine.toml --graph nan.mtx", "nan.mtx:3 | nan"),
    ("run mine.toml --graph far-sum.gr", "results cannot be verified | may exceed the largest f32"),
    ("run mine.toml --graph rounds.gr", "results cannot be verified | a cycle through vertex"),
    ("run mine.toml --graph file", "file | no known format"),
    ("run mine.toml --graph cut.gr --seed 1", "--graph | --seed"),
    ("run mine.toml --resume run --out empty", "--resume | --out"),
    ("run mine.toml --device cpu --out run", "run holds another run | --resume | --out"),
    ("run mine.toml --device cpu --out half", "table.md | is not part of a run | --out"),
    ("run mine.toml --device cpu --out full", "summary.csv | is not part of a run | --out"),
    ("run mine.toml --device cpu --out link", "link holds another run"),
    ("run mine.toml --device cpu --out counted", "counted holds another run"),
    ("run mine.toml --device cpu --out file", "cannot make file | --out"),
    ("run mine.toml --device cpu --out file/run", "cannot make file/run | --out"),
    // Where folders were made, or found, before it was known that there is no device.
    ("run mine.toml --device cuda", "--device cuda"),
    ("run mine.toml --device cuda --out new", "--device cuda | --device cpu"),
    ("run mine.toml --device cuda --out new/deep/run", "--device cuda"),
    ("run mine.toml --device cuda --out empty", "--device cuda"),
    ("run mine.toml --device cuda --out full", "--device cuda"),
    ("run mine.toml --device cuda:7 --out new", "--device cuda:7"),
    ("run mine.toml --device emulated --out new", "--device emulated | REPRO_CXX"),
    ("run mine.toml --device emulated:7.0 --out new", "--device | 7.5, 8.0"),
    ("run table1 --device emulated --no-counts", "--no-counts: the emulated device only counts | --device"),
    ("run table1 --only staged-load --sizes 1024", NOT_RUN),
    ("run table1 --only staged-load --sizes 1024 --out new --json", NOT_RUN),
];

/// Of a run none of whose cells could run.
const NOT_RUN: &str =
    "nothing was measured:  | no CUDA driver | --sizes, --only or --device | `repro doctor`";

const SMOKE: &[Call] = &[
    ("run --smoke --out .", ". is no empty folder | --out"),
    ("run --smoke --out file", "cannot make file | --out"),
    ("run table9 --smoke --out new", "'table9'"),
    ("run --smoke=60", "--smoke"),
    ("run --smoke --sizes 64", "--smoke | --sizes"),
    ("run --smoke --resume new", "--smoke | --resume"),
    ("run --smoke --device cuda --out new", "--device cuda"),
];

const ROWS_OF_4: &str = "--param: a grid of 3 rows cannot have 4 devices";
const OF_DEVICES: &str = "--param devices: --grid sets it to something else | leave one of both out";
const OF_ROWS: &str = "--param rows: --grid sets it to something else | leave one of both out";
/// That of `n = 0` says that nothing else is wrong.
const RIGHT: &str = "n = 0";

const SHARDED: &[Call] = &[
    ("run table1 --device cpu --distances new", "--distances: table1 has no `sharded = true`"),
    (
        "run scaling --device cpu --out new",
        "no implementation of scaling runs on the CPU | --device emulated",
    ),
    ("run scaling --device cuda:all --out new", "--device cuda:all:  | --device emulated"),
    ("run scaling --graph -", "read more than once | give the path of a file"),
    ("run scaling --graph /dev/stdin", "/dev/stdin: a sharded graph | give the path of a file"),
    ("run scaling --graph none.npy", "none.npy"),
    ("run scaling --graph torn.npy", "torn.npy: the array: has  | is it truncated?"),
    // Parameters that go together are taken in any order.
    ("run scaling --sizes 0 --param rows=2 --param devices=4", RIGHT),
    ("run scaling --sizes 0 --param devices=4 --param rows=2", RIGHT),
    ("run scaling --sizes 0 --param rows=3 --param devices=4", ROWS_OF_4),
    ("run scaling --sizes 0 --param devices=4 --param rows=3", ROWS_OF_4),
    ("run scaling --sizes 0 --grid 2x2 --param devices=3", OF_DEVICES),
    ("run scaling --sizes 0 --grid 2x2 --param rows=4", OF_ROWS),
    ("run scaling --sizes 0 --grid 2x2 --param devices=4,8", OF_DEVICES),
    // What says the same again is no contradiction, nor is another parameter.
    ("run scaling --sizes 0 --grid 2x2 --param devices=4", RIGHT),
    ("run scaling --sizes 0 --grid 2x2 --param rows=2", RIGHT),
    ("run scaling --sizes 0 --grid 2x2 --param depth=3", RIGHT),
];

const RESUME: &[Call] = &[
    ("run mine.toml --resume of-a-pair", "pair 1 | start a new pair"),
    ("run mine.toml --resume none", "none holds no run | --out"),
    ("run mine.toml --resume empty", "empty holds no run"),
    ("run other.toml --resume run", "run holds a run of mine, not of other"),
];

const REPORT: &[Call] = &[
    ("report none", "cannot look for runs in none"),
    ("report file", "cannot look for runs in file"),
    ("report empty", "empty | holds a run"),
    ("report run none --out new", "none"),
    ("report run --full", "--full"),
    ("report run --out file", "file | it is a file"),
    ("report run --out file/below", "file/below | it is a file"),
    ("report run --out full", "full | no report"),
    ("report run --out run", "run | no report"),
    ("report run --out link", "link | no report"),
    ("report run --out broken", "files.json: "),
    ("report run --out later", "files.json:  | version 9"),
    ("report run --out in-the-way", "in-the-way/tables | --out"),
    ("report run --history none --out new", "cannot read none"),
    ("report run --history file --out new", "cannot read file"),
];

const COMPARE: &[Call] = &[
    ("compare run", "<NEW>"),
    ("compare run none", "cannot look for runs in none"),
    ("compare none run", "cannot look for runs in none"),
    ("compare run empty", "empty | holds a run"),
    ("compare run file", "cannot look for runs in file"),
    ("compare run counted", "counted"),
    ("compare run of-abacus", "Abacus | --across device"),
    ("compare run of-seed-2", "seed 2 | --across graph"),
    ("compare run run --floors mine.toml", "mine.toml | calibrate anew"),
    ("compare run run --scope moment", "--scope | kernel"),
    ("compare run run --scope device-free", "--scope"),
    ("compare run run --scope cuda-graph", "cuda-graph"),
    ("compare run run --threshold -3", "--threshold -3"),
    ("compare run run --threshold nan", "--threshold NaN"),
    ("compare run run --across moon", "--across | 'moon'"),
];

const HISTORY: &[Call] = &[
    ("history --out none", "cannot read none"),
    ("history --accept meant --only nobody", "--only nobody | they have cpu-naive"),
    ("history run --accept meant", "[RUN] | --accept"),
    ("history --accept meant --out none", "cannot read none"),
    ("history --only a --out new", "--accept"),
    ("history run --only a --out new", "[RUN] | --only"),
    ("history none", "cannot look for runs in none"),
    ("history empty", "empty | holds a run"),
    ("history file", "file"),
    ("history garbled counted --out new", "samples.csv: line 2 is not a sample"),
    ("history run --out of-another-row", "line 2 is not a row of this file"),
    ("history run --out of-another-header", "line 1 is not the header"),
    ("history --out of-another-row", "line 2 is not a row of this file"),
    ("history --accept meant --out of-another-header", "line 1 is not the header"),
    ("history --out hollow", "hollow/machine.csv has no row | repro history RUN"),
    // The first of the two could be added.
    ("history of-noon --out history", "a row for history | check the run"),
    ("history of-seed-2 of-noon --out history", "a row for history | check the run"),
    ("history run --out run", "--out"),
    ("history run --out file", "file | nothing was added"),
    ("history run --out file/below", "file/below | nothing was added"),
];

const COUNTS: &[Call] = &[
    ("counts --check --update", "--check | --update"),
    ("counts --only nobody", "--only | 'nobody'"),
    ("counts", "nothing can be counted | REPRO_CXX | REPRO_NVRTC"),
    ("counts --check", "results/counts/baseline.csv | --update"),
    ("counts --update", "nothing can be counted"),
    ("counts --update --baseline new/counts.csv", "nothing can be counted"),
    ("counts --check --baseline counts.csv", "nothing can be counted | REPRO_CXX | REPRO_NVRTC"),
    ("counts --update --baseline counts.csv", "nothing can be counted"),
    ("counts --check --baseline none.csv", "none.csv | repro counts --update"),
    ("counts --check --baseline empty", "empty"),
    ("counts --update --baseline empty", "empty"),
    ("counts --check --baseline file", "file line 1 | --update"),
    ("counts --update --baseline file", "file line 1 | --update"),
    ("counts --check --baseline many.csv", "many.csv line  | 'many' | --update"),
    ("counts --update --baseline many.csv", "many.csv line  | 'many'"),
    ("counts --require-all", "REPRO_CXX"),
];

const TRACK: &[Call] = &[
    ("track table9", "'table9'"),
    ("track mine.toml --threshold -3", "--threshold -3"),
    ("track mine.toml --device cpu --sizes 0 --out new", "n = 0"),
    ("track mine.toml --device cpu --floors mine.toml --out new", "mine.toml | calibrate anew"),
    ("track mine.toml --device cpu --calibrate --against run", "--calibrate | --against"),
    ("track mine.toml --device cpu --against none --out new", "no such file or folder"),
    ("track mine.toml --device cpu --against empty --out new", "empty | holds a run"),
    ("track other.toml --device cpu --against run --out new", "no run of other there"),
    ("track mine.toml --device cpu --against run --sizes 99 --out new", "none of the cells"),
    ("track mine.toml --device cpu --against file", "file cannot be paired"),
    ("track mine.toml --device cpu --against file --out new", "file cannot be paired"),
    ("track mine.toml --device cpu --against run --seed 2 --out new", "seed | --across graph"),
    ("track mine.toml --device cpu --against of-abacus --out new", "Abacus | --across device"),
    ("track mine.toml --device cpu --against of-a-pair --out new", "with another | --across pairing"),
    ("track mine.toml --device cpu --out old", "old/new holds another run"),
    ("track mine.toml --device cpu --out file", "file"),
    ("track mine.toml --device cpu --out run", "--out run holds a run"),
    ("track mine.toml --device cpu --history run --out run", "--history"),
    ("track mine.toml --device cuda", "--device cuda"),
    ("track mine.toml --device cuda --out new", "--device cuda"),
    ("track mine.toml --device cuda --out new/deep", "--device cuda"),
    ("track mine.toml --device cuda --out empty", "--device cuda"),
];

/// `own.toml` and `own.cu` are there as `repro new-kernel` writes them.
const KERNELS: &[Call] = &[
    ("new-kernel", "<NAME>"),
    ("new-kernel Own", "\"Own\" | lower-case"),
    ("new-kernel a/b", "\"a/b\" | lower-case"),
    ("new-kernel ..", "\"..\" | lower-case"),
    ("new-kernel layout", "\"layout\" | another name"),
    ("new-kernel staged-load", "'staged-load' | choose another name | repro list"),
    ("new-kernel own", "own.toml is there already"),
    ("new-kernel half", "half.cu is there already | another name | --out"),
    ("new-kernel own --out run", "--out run holds a run"),
    ("new-kernel own --out run/below", "run/below is in the run "),
    ("new-kernel own --out file", "cannot make file | --out"),
    ("new-kernel own --out file/deeper", "cannot make file/deeper | --out"),
    ("new-kernel own --out new --with own.toml", "'own' | choose another name"),
    ("list --with none.toml", "cannot read none.toml"),
    ("list --with empty", "cannot read empty: is a directory"),
    ("list --with /dev/zero", "cannot read /dev/zero: it is no regular file"),
    ("list --with file", "file:1: "),
    ("list --with alone.toml", "alone.toml:8: source: cannot read  | none.cu"),
    ("list --with outside.toml", "outside.toml:8: source: '../own.cu' leads out of the folder"),
    ("list --with sauce.toml", "sauce.toml:8: unknown field `sauce`, expected one of"),
    ("inspect own --with padded.toml", "padded.toml:14: layout.padded: 'n': Variable not found: n | tile"),
    ("run mine.toml --with grid.toml --out new", "grid.toml:41: script: the grid of diagonal is 0"),
    ("run mine.toml --with i32.toml --device cpu --only cpu-naive,own", "own does not solve in f32 | i32"),
    ("run mine.toml --device cpu --only cpu-naive,own --with i32.toml --elements u16", "add --elements i32"),
    ("counts --with ours.toml", "ours.toml:4: name = \"staged-load\" | repro's own has"),
    ("list --with own.toml --with twin.toml", "twin.toml:4: name = \"own\": own.toml has this name already"),
    ("run scaling --with own.toml --device cpu", "--with: own | sharded | scaling"),
    ("counts --update --with own.toml", "--with: own | results/counts/baseline.csv | --baseline"),
    ("counts --check --with own.toml --only own", "--with: own | --baseline"),
    ("inspect own --with own.toml --param tile=24", "own has no parameter tile = 24: it takes 16, 32"),
    ("inspect own --with own.toml", "REPRO_CXX"),
];

/// Refused where the folders `empty` and `report` may not be written to.
pub const READ_ONLY: &[Call] = &[
    ("run mine.toml --device cpu --out empty", "empty | --out"),
    ("run mine.toml --device cpu --out empty/run", "empty/run | --out"),
    ("track mine.toml --device cpu --out empty", "empty | --out"),
    ("report run --out report", "report | --out"),
    ("report run --out empty", "empty | --out"),
    ("report run --out empty/new", "empty | --out"),
    ("history run --out empty", "empty | nothing was added"),
    ("new-kernel own --out empty", "cannot write empty/own.toml | --out"),
    ("new-kernel own --out empty/deeper", "cannot make empty/deeper | --out"),
];

/// Every command that reads a run, whose folder is `run` or a link to it.
pub const READERS: [&str; 8] = [
    "run mine.toml --resume run",
    "report run --out new",
    "report run --out report",
    "compare run link",
    "history run --out new",
    "track mine.toml --device cpu --against run --out new",
    "claims --runs run",
    "rank run",
];

/// A file of a run, what in it is replaced wherever it is, and by what. Without the first the file is the second; without both there is none.
pub type Damage = (&'static str, &'static str, &'static str);

/// What may have become of a run, and what of it is named.
pub const DAMAGED: &[(Damage, &str)] = &[
    (("manifest.json", "\"experiment\"", ""), "manifest.json: "),
    (("manifest.json", "\"schema_version\": 3", "\"schema_version\": 99"), "schema version 99"),
    (("manifest.json", "\"finished\": \"2", "\"finished\": \"1"), "finished = 1 | is before started = "),
    (
        ("manifest.json", "Small cells", "a\\u001b[2Jb"),
        "manifest.json: \"a\\u{1b}[2Jb\" has control characters",
    ),
    (("samples.csv", ",kernel,", ",colonel,"), "samples.csv: line 2 is not a sample"),
    (("samples.csv", ",ok,true,", ",ok,false,"), "line 2 is not a sample: it has a time and is not verified"),
    (("samples.csv", "\n", "\r\n"), "plain newlines"),
    (("samples.csv", "", ""), "samples.csv was removed"),
    (("counts.csv", "", "implementation,n\nkatz-kider,many\n"), "counts.csv: "),
    (("kernels.csv", "", "implementation,n\nkatz-kider,many\n"), "kernels.csv: "),
];

pub const OF_A_PAIR: Damage = (
    "manifest.json",
    "\n  \"experiment\"",
    "\n  \"pair\": {\"id\": \"1\", \"side\": \"new\"},\n  \"experiment\"",
);

/// What keeps a run that was stopped from being resumed.
pub const STOPPED: &[(Damage, &str)] = &[
    (("manifest.json", "\"commit\": \"", "\"commit\": \"f00"), "another build of repro"),
    (("manifest.json", "\"cpu\": \"", "\"cpu\": \"Abacus "), "another host"),
    (("manifest.json", "\"name\": \"mine\"", "\"name\": \"timers\""), "run holds a run of timers"),
    (OF_A_PAIR, "is the new run of pair 1 | start a new pair"),
    (("manifest.json", "\"device\": \"cpu\"", "\"device\": \"cuda\""), "--device cuda"),
    (("counts.csv", "", "a\nb\n"), "counts.csv"),
    (("samples.csv", ",exact,", ",tolerance,"), "'tolerance' is no verification"),
    (("samples.csv", "\n", "\r"), "carriage returns"),
];
