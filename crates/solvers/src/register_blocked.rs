//! The fastest kernels of the project: blocked Floyd-Warshall with large tiles in registers, in one launch whose blocks take tiles
//! from a queue. `kernels/register_blocked.cu` has the algorithm, docs/register-blocked.md the reasons.

use super::layout::Layout;
use super::stored_code::{self, stored_code};
use super::{
    Address, BatchMode, Capabilities, Cost, DistanceSigns, Implementation, KernelSet, KernelUse,
    LaunchArgument, LaunchList, LaunchSite, Memory, Parameter, Parameters, PlannedLaunch, Problem, Solver,
    Target, Traffic,
};
use bytemuck::{Pod, Zeroable};
use repro_device::{DeviceError, Kernel, KernelSource, Launch};
use repro_graph::ElementType;

/// Rounds whose operands lie in device memory at once: a round, the next, and the one after that, whose operands the first rows of the next
/// round may already write.
const SLOTS: usize = 3;

pub const TILE: Parameter = Parameter::new("tile", "side of a tile, 64 or 128; 0: by n", 0, 0..=128);

pub const DEPTH: Parameter =
    Parameter::new("depth", "tiles a side of a round's diagonal block; 0: by n", 0, 0..=8);

const OMIT: Parameter = Parameter::new(
    "omit",
    "steps of the design to leave out, from the last: 1 deeper rounds and the block on the diagonal, \
              2 also the multiprocessor left to a closure, 3 also the feeding warpgroup, 4 also the minimum of three",
    0,
    0..=4,
);

const CHAIN: Parameter = Parameter::new(
    "chain",
    "1: one block follows the diagonal tiles (needs tile=64, depth=1 and compute capability 9.0); 0: none does; 2: by n",
    2,
    0..=2,
);

/// Also a parameter of `cpu-parallel`.
pub const HALF: Parameter = Parameter::new(
    "half",
    "1: of symmetric weights, compute only the tiles on one side of the diagonal; 0: all tiles",
    1,
    0..=1,
);

const STORED: Parameter = Parameter::new(
    "stored",
    "1: run machine code that is stored with this program, with reordered loops, where there is some; 0: compile",
    1,
    0..=1,
);

pub fn implementation() -> Implementation {
    let summary =
        "blocked: tiles of 64 or 128 in registers, asynchronous stages, a queue of tiles in one launch";
    let source = "beyond the papers: what lund-smith-2010 §6 leaves open";
    Implementation {
        parameters: (&[TILE, DEPTH, OMIT, CHAIN, HALF, STORED]).into(),
        // The last one solves as architectures other than 9.0 do.
        verified_with: vec![
            Parameters::from([("tile", 64), ("depth", 2)]),
            Parameters::from([("chain", 0)]),
            Parameters::from([("tile", 128), ("depth", 1), ("omit", 4)]),
        ],
        ..Implementation::new("register-blocked", summary, source, RegisterBlocked)
    }
}

/// The solver of `register-blocked`.
pub struct RegisterBlocked;

/// The kernels for tiles of one side, and how they are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KernelInstance {
    tile: usize,
    /// Its kernels' places in [`KERNELS`].
    begin: usize,
    solve: usize,
    /// Whether one block follows the diagonal.
    chains: bool,
    /// Blocks a multiprocessor holds at once, by which depths are chosen: for f32 and i32, then for u16.
    resident: [usize; 2],
    /// Depths of a round, other than 1, that may pay, the deepest first.
    depths: &'static [usize],
}

const KERNELS: [&str; 5] =
    ["begin_64", "solve_tiles_of_64", "begin_128", "solve_tiles_of_128", "solve_chained_tiles_of_64"];

const SMALL: KernelInstance =
    KernelInstance { tile: 64, begin: 0, solve: 1, chains: false, resident: [3, 2], depths: &[2] };
const CHAINED: KernelInstance = KernelInstance { solve: 4, chains: true, depths: &[], ..SMALL };
const LARGE: KernelInstance =
    KernelInstance { tile: 128, begin: 2, solve: 3, chains: false, resident: [2, 2], depths: &[4, 2] };

/// Stages that `register_tile.cuh` loads ahead into, and how deep each is.
const STAGES: u32 = 2;
const STAGE_K: u32 = 32;

/// Adds the macros for the signs of `target` to the source of kernels that keep tiles in registers.
pub fn with_signs(source: KernelSource, target: Target) -> KernelSource {
    match target.signs {
        DistanceSigns::Shifted(shift) => source.with_define("SHIFT", &format!("{shift:?}f")),
        DistanceSigns::Any if target.element == ElementType::F32 => source.with_define("SIGNED_F32", "1"),
        DistanceSigns::Any | DistanceSigns::Positive => source,
    }
}

/// Distances of this type in a word of 32 bits.
fn distances_a_word(element: ElementType) -> u32 {
    if element == ElementType::U16 { 2 } else { 1 }
}

/// Threads of a block that packs the operands of the first round.
const PACKERS: u32 = 128;

/// Whether an additional warpgroup feeds the workers.
fn is_fed(target: Target, parameters: &Parameters) -> bool {
    target.compute_capability == (9, 0) && OMIT.value_in(parameters) < 3
}

impl KernelInstance {
    /// Threads of a block that have parts of a tile.
    fn workers(self, element: ElementType) -> u32 {
        if self.chains { 256 / distances_a_word(element) } else { 128 }
    }

    fn threads(self, target: Target, parameters: &Parameters) -> u32 {
        self.workers(target.element) + if is_fed(target, parameters) { 128 } else { 0 }
    }

    fn resident(self, element: ElementType) -> usize {
        self.resident[usize::from(element == ElementType::U16)]
    }

    /// Bytes of all stages, with the gap after each stage from which `register_tile.cuh` loads ahead.
    fn stage_bytes(self, target: Target, parameters: &Parameters) -> u32 {
        let tile = self.tile as u32;
        let right = tile / distances_a_word(target.element);
        let loads_ahead = match target.element {
            ElementType::I32 => true,
            ElementType::F32 => self.tile == LARGE.tile,
            ElementType::U16 | ElementType::F64 => false,
        };
        let gap = if loads_ahead && is_fed(target, parameters) { 2 * right } else { 0 };
        STAGES * (STAGE_K * (tile + right) + gap) * 4
    }
}

/// Threads and bytes of stages that a block for products of tiles of this side, 64 or 128, is launched with.
pub fn block_for_products(tile: usize, target: Target) -> (u32, u32) {
    let shape = shape_of(tile);
    let usual = Parameters::default();
    (shape.threads(target, &usual), shape.stage_bytes(target, &usual))
}

/// Words of 32 bits that a tile takes as a left and as a right operand.
pub fn operand_words(tile: usize, element: ElementType) -> (usize, usize) {
    (tile * tile, tile * tile / distances_a_word(element) as usize)
}

/// Whether only the tiles on one side of the diagonal are computed.
fn uses_symmetry(target: Target, parameters: &Parameters) -> bool {
    half_suffices(target) && HALF.value_in(parameters) == 1
}

/// Whether half of the tasks suffice. With symmetric weights, a negative edge is a negative cycle, which nobody solves.
pub fn half_suffices(target: Target) -> bool {
    target.symmetric && target.signs == DistanceSigns::Positive
}

/// How a matrix of `n` vertices is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SolvePlan {
    shape: KernelInstance,
    halves: bool,
    /// Tiles a side.
    tiles: usize,
    depth: usize,
}

/// Vertices up to which it is faster that a block follows the diagonal: rounds are then bound by the way from one diagonal tile to
/// the next, and not by tasks.
fn chained_up_to(element: ElementType) -> usize {
    // Reordered loops have small tiles of i32 done sooner.
    if element == ElementType::I32 { 1_400 } else { 1_800 }
}

/// Vertices up to which small tiles are faster: with them, the way from one diagonal tile to the next is shorter.
fn small_up_to(element: ElementType) -> usize {
    if element == ElementType::U16 { 2_900 } else { 3_400 }
}

/// The side of the tiles of a matrix of `n` vertices where none is asked for.
pub fn usual_tile(n: usize, target: Target) -> usize {
    // Below 8.0 a block's shared memory, 64 KiB, has no room for more than the stages of a large tile.
    if n <= small_up_to(target.element) || target.compute_capability < (8, 0) {
        SMALL.tile
    } else {
        LARGE.tile
    }
}

/// Whether there are tiles of the side that is asked for.
///
/// # Errors
/// Which there are, in one line.
pub fn check_tile(parameters: &Parameters) -> Result<(), String> {
    match TILE.value_in(parameters) {
        0 | 64 | 128 => Ok(()),
        other => {
            Err(format!("there are no tiles of {other}: choose 64 or 128, or 0 for the one that suits n"))
        }
    }
}

/// The kernels for tiles of this side, 64 or 128.
fn shape_of(tile: usize) -> KernelInstance {
    if tile == LARGE.tile { LARGE } else { SMALL }
}

/// Multiprocessors of an H200, for which the depth is chosen.
const USUAL_MULTIPROCESSORS: usize = 132;

/// Whether the other parameters let a block follow the diagonal.
fn may_follow_diagonal(parameters: &Parameters) -> bool {
    TILE.value_in(parameters) <= 64 && DEPTH.value_in(parameters) <= 1 && OMIT.value_in(parameters) == 0
}

/// The n for which rules by n are looked up: that of a graph with as many tiles a round, all of which are computed. Where half of them are,
/// this is a prediction: no rule was measured for the half.
fn vertices_of_all(n: usize, halves: bool) -> usize {
    if halves { n * 5 / 7 } else { n }
}

/// Whether a block follows the diagonal. One tile leaves it nothing to follow.
fn follows_diagonal(n: usize, target: Target, parameters: &Parameters) -> bool {
    let wanted = match CHAIN.value_in(parameters) {
        0 => false,
        1 => true,
        _ => {
            vertices_of_all(n, uses_symmetry(target, parameters)) <= chained_up_to(target.element)
                && may_follow_diagonal(parameters)
        }
    };
    wanted && n > CHAINED.tile && is_fed(target, parameters)
}

impl SolvePlan {
    fn new(n: usize, target: Target, parameters: &Parameters) -> Self {
        let halves = uses_symmetry(target, parameters);
        let shape = match TILE.value_in(parameters) {
            _ if follows_diagonal(n, target, parameters) => CHAINED,
            0 => shape_of(usual_tile(vertices_of_all(n, halves), target)),
            given => shape_of(given as usize),
        };
        let tiles = n.div_ceil(shape.tile);
        let depth = match DEPTH.value_in(parameters) {
            _ if shape.chains => 1,
            0 if OMIT.value_in(parameters) > 0 => 1,
            0 => {
                let blocks = USUAL_MULTIPROCESSORS * shape.resident(target.element);
                let hides = |&depth: &usize| Self { shape, halves, tiles, depth }.hides_next_round(blocks);
                shape.depths.iter().copied().find(hides).unwrap_or(1)
            }
            given => given as usize,
        };
        Self { shape, halves, tiles, depth: depth.min(tiles) }
    }

    fn pairs(self) -> usize {
        self.tiles * self.tiles
    }

    /// Tiles of a round, which its blocks share; the few of the round's own rows are not subtracted.
    fn tiles_of_round(self) -> usize {
        if self.halves { self.pairs().div_ceil(2) } else { self.pairs() }
    }

    /// Tiles of a round that the next round does not begin with.
    fn plain_tiles(self) -> usize {
        let rest = self.tiles.saturating_sub(2 * self.depth);
        if self.halves { rest * (rest + 1) / 2 } else { rest * (self.tiles - self.depth.min(self.tiles)) }
    }

    /// Whether a round has enough tasks that its blocks hardly wait while the next round's own rows are done, one after the other.
    fn hides_next_round(self, blocks: usize) -> bool {
        10 * self.plain_tiles() >= 8 * waves_beside(self.depth) * blocks
    }

    /// Words of one panel: a strip of left operands, each distance in a word of its own, or of right ones, for every tile row or
    /// column.
    fn panel_words(self) -> usize {
        SLOTS * self.tiles * self.depth * self.shape.tile * self.shape.tile
    }
}

/// Waves of plain tasks, one task for each block, during which the next round's own rows are done: one after the strips, and for each step
/// one after its row and one after its other rows.
fn waves_beside(depth: usize) -> usize {
    1 + 2 * depth
}

/// Blocks a multiprocessor, at most `resident`. With few tiles a round takes as long as the way from one diagonal tile to the next, which
/// is shorter where a block has a multiprocessor to itself. So each block is to have about `tiles_a_block` tiles of a round.
fn blocks_a_multiprocessor(plan: SolvePlan, multiprocessors: usize, resident: usize) -> usize {
    let tiles_a_block = if plan.shape.chains { 3 } else { 4 };
    (plan.tiles_of_round() / multiprocessors).div_ceil(tiles_a_block).clamp(1, resident)
}

/// What the kernels know of a solve: `Solve` in `tile_queue.cuh`, with its addresses left to [`SolveArgument::in_memory`].
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct SolveArgument {
    matrix: u64,
    n: i32,
    pitch: i32,
    tiles: i32,
    depth: i32,
    slots: i32,
    /// Plain tasks after the strips, and after the row and the other rows of each step.
    plain_tasks: [i32; 3],
    left: u64,
    right: u64,
    steps_of: u64,
    products_of: u64,
    taken: u64,
    closing: u64,
}

/// Multiprocessors that `tile_queue.cuh` distinguishes.
const MULTIPROCESSORS: usize = 1024;

/// Where the parts of the scratch memory begin, bytes, in the order of the last addresses of [`SolveArgument`], and its end.
fn scratch_parts(plan: SolvePlan, element: ElementType) -> ([usize; 6], usize) {
    let left = plan.panel_words() * 4;
    let right = left / distances_a_word(element) as usize;
    let [steps, products] = [plan.pairs(), plan.tiles].map(|counters| (counters * 4).next_multiple_of(16));
    let mut end = 0;
    let parts = [left, right, steps, products, 16, MULTIPROCESSORS * 4].map(|bytes| {
        end += bytes;
        end - bytes
    });
    (parts, end)
}

/// Device memory that a solve of `n` vertices takes in addition to the matrix, bytes.
pub fn scratch_bytes(n: usize, target: Target, parameters: &Parameters) -> usize {
    scratch_parts(SolvePlan::new(n, target, parameters), target.element).1
}

/// How many plain tasks lie between the tasks that follow each other, for `blocks` blocks at once.
fn plain_tasks(plan: SolvePlan, blocks: usize) -> [i32; 3] {
    let plain = plan.plain_tiles();
    let wanted = waves_beside(plan.depth) * blocks;
    // Some are left for the end, where they fill in while the next round's strips wait.
    let gap = if wanted * 10 > plain * 9 { plain * 9 / 10 / waves_beside(plan.depth) } else { blocks };
    let others = if plan.depth > 1 { gap } else { 0 };
    [gap, gap, others].map(|tasks| tasks as i32)
}

/// Whether machine code that is stored takes the place of compiling.
fn takes_stored(target: Target, parameters: &Parameters) -> bool {
    STORED.value_in(parameters) == 1 && target.compute_capability == (9, 0)
}

/// Words of eight bytes of a [`SolveArgument`].
const ARGUMENT_WORDS: usize = size_of::<SolveArgument>() / 8;

impl SolveArgument {
    /// This struct as an argument, with the addresses of the matrix and of the parts of the scratch memory.
    fn in_memory(self, matrix: Address, scratch: [usize; 6]) -> LaunchArgument {
        let first = ARGUMENT_WORDS - scratch.len();
        let of_scratch = |(at, offset)| (first + at, Address { memory: Memory::Scratch, offset });
        let words: [u64; ARGUMENT_WORDS] = bytemuck::cast(self);
        let addresses = std::iter::once((0, matrix)).chain(scratch.into_iter().enumerate().map(of_scratch));
        LaunchArgument::Struct { words: words.to_vec(), addresses: addresses.collect() }
    }
}

impl RegisterBlocked {
    pub fn source(&self, target: Target, parameters: &Parameters) -> KernelSource {
        let text = include_str!("../../../kernels/register_blocked.cu");
        let source = KernelSource {
            architecture_specific: is_fed(target, parameters),
            ..KernelSource::embedded("register_blocked.cu", text)
        };
        let mut source = source.for_element(target.element);
        for (steps, name) in [(2, "SHARES_WITH_CLOSURES"), (4, "ONE_BY_ONE")] {
            if OMIT.value_in(parameters) >= steps {
                source = source.with_define(name, "1");
            }
        }
        if uses_symmetry(target, parameters) {
            source = source.with_define("SYMMETRIC", "1");
        }
        let source = with_signs(source, target);
        let cubin = takes_stored(target, parameters).then(|| stored_code(&source)).flatten();
        KernelSource { cubin, ..source }
    }
}

impl Solver for RegisterBlocked {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        Capabilities {
            elements: (&[ElementType::F32, ElementType::I32, ElementType::U16]).into(),
            halves: HALF.value_in(parameters) == 1,
            solves_batches: true,
            ..Capabilities::of_launches()
        }
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        if CHAIN.value_in(parameters) == 1 && !may_follow_diagonal(parameters) {
            return Err("a block follows the diagonal (chain=1) with tile=64, depth=1 and omit=0".into());
        }
        if STORED.value_in(parameters) == 1 {
            stored_code::check()?;
        }
        check_tile(parameters)
    }

    fn traffic(&self, _: &Parameters) -> Traffic {
        Traffic::of_tiles(LARGE.tile)
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let target = Target::of(problem);
        let scratch = scratch_bytes(problem.n, target, parameters);
        let tasks = if uses_symmetry(target, parameters) {
            problem.symmetric_task_count()
        } else {
            problem.full_task_count()
        };
        let matrix = Layout::PitchedRows.device_bytes(problem);
        Cost { tasks, ..Cost::new(problem, matrix + scratch as u64) }
    }

    fn kernels(&self, target: Target, parameters: &Parameters) -> Option<KernelSet> {
        let begin = |shape: KernelInstance| KernelUse {
            tasks_a_block: Some(0),
            ..KernelUse::new(KERNELS[shape.begin], PACKERS)
        };
        let solve = |shape: KernelInstance| KernelUse {
            dynamic_shared_bytes: shape.stage_bytes(target, parameters),
            ..KernelUse::new(KERNELS[shape.solve], shape.threads(target, parameters))
        };
        let mut uses = vec![begin(SMALL), solve(SMALL), begin(LARGE), solve(LARGE)];
        if is_fed(target, parameters) {
            uses.push(solve(CHAINED));
        }
        Some(KernelSet {
            source: self.source(target, parameters),
            uses,
            layout: Layout::PitchedRows,
            batch_mode: BatchMode::InTurn,
            launches_per_sync: None,
        })
    }

    fn launches(&self, on: &LaunchSite, _: &[Kernel]) -> Result<LaunchList, DeviceError> {
        let (target, parameters) = (on.target, on.parameters);
        let plan = SolvePlan::new(on.problem.n, target, parameters);
        let (parts, scratch_bytes) = scratch_parts(plan, target.element);
        let resident = on.resident_blocks[plan.shape.solve].max(1) as usize;
        let multiprocessors = on.multiprocessors.max(1) as usize;
        let blocks = multiprocessors * blocks_a_multiprocessor(plan, multiprocessors, resident);
        // More blocks than tiles would only wait, and the one that follows the diagonal waits for another.
        let launched = blocks.min(plan.pairs()).max(if plan.shape.chains { 2 } else { 1 });
        let argument = SolveArgument {
            n: on.problem.n as i32,
            pitch: on.pitch as i32,
            tiles: plan.tiles as i32,
            depth: plan.depth as i32,
            slots: SLOTS as i32,
            plain_tasks: plain_tasks(plan, blocks),
            ..SolveArgument::zeroed()
        };
        let arguments = vec![argument.in_memory(on.matrix(), parts), LaunchArgument::Int(1)];
        let begin = Launch::rows_of(plan.tiles, 2, PACKERS);
        let solve = Launch {
            dynamic_shared_bytes: plan.shape.stage_bytes(target, parameters),
            ..Launch::rows_of(launched, 1, plan.shape.threads(target, parameters))
        };
        let launches = [(plan.shape.begin, begin), (plan.shape.solve, solve)]
            .map(|(kernel, launch)| PlannedLaunch { kernel, launch, arguments: arguments.clone() });
        // SAFETY: all kernels take the struct and an integer. The scratch memory has room for what they address: SLOTS x tiles x depth operands in each
        // panel, a counter for each tile and each tile row, one more, and MULTIPROCESSORS flags; the matrix is guarded by n.
        Ok(unsafe { LaunchList::new(scratch_bytes, launches.into()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(n: usize) -> (usize, usize, usize) {
        let plan = SolvePlan::new(n, Target::default(), &Parameters::default());
        (plan.shape.tile, plan.tiles, plan.depth)
    }

    #[test]
    fn larger_graphs_get_larger_tiles_and_deeper_rounds() {
        assert_eq!(plan(1), (64, 1, 1));
        assert_eq!(plan(2048), (64, 32, 1));
        assert_eq!(plan(4096), (128, 32, 1));
        assert_eq!(plan(3072), (64, 48, 2));
        assert_eq!(plan(5120), (128, 40, 2));
        assert_eq!(plan(8192), (128, 64, 4));
        assert_eq!(plan(65_536), (128, 512, 4));
        let halves = Target { element: ElementType::U16, ..Target::default() };
        let of_halves = |n| SolvePlan::new(n, halves, &Parameters::default());
        assert_eq!(
            (of_halves(2560).depth, SolvePlan::new(2560, Target::default(), &Parameters::default()).depth),
            (2, 1)
        );
        assert_eq!((of_halves(2900).shape, of_halves(3072).shape), (SMALL, LARGE));
        let turing = Target { compute_capability: (7, 5), ..Target::default() };
        assert_eq!(SolvePlan::new(8192, turing, &Parameters::default()).shape, SMALL);
    }

    #[test]
    fn half_of_the_tiles_are_as_many_as_all_of_a_smaller_graph() {
        let undirected = Target { symmetric: true, ..Target::default() };
        let of = |n, target, parameters: Parameters| {
            let plan = SolvePlan::new(n, target, &parameters);
            (plan.halves, plan.shape.tile, plan.depth, plan.shape.chains)
        };
        let by_n = |n| of(n, undirected, Parameters::default());
        assert_eq!([2048, 2600].map(by_n), [(true, 64, 1, true), (true, 64, 1, false)]);
        assert_eq!(
            [4096, 8192, 16_384].map(by_n),
            [(true, 64, 2, false), (true, 128, 2, false), (true, 128, 4, false)]
        );
        let all = |n| of(n, undirected, Parameters::from([("half", 0)]));
        assert_eq!([2048, 8192].map(all), [(false, 64, 1, false), (false, 128, 4, false)]);
        // Both ways below 0 is a negative cycle, which all tiles find.
        let negative = Target { signs: DistanceSigns::Any, ..undirected };
        assert!(!of(4096, negative, Parameters::default()).0);
        let defines =
            |target, half| RegisterBlocked.source(target, &Parameters::from([("half", half)])).defines;
        let is_symmetric = |target, half| defines(target, half).iter().any(|(name, _)| name == "SYMMETRIC");
        let shifted = Target { signs: DistanceSigns::Shifted(1.0), ..undirected };
        assert_eq!(
            [undirected, negative, shifted, Target::default()].map(|target| is_symmetric(target, 1)),
            [true, false, false, false]
        );
        assert!(!is_symmetric(undirected, 0));
    }

    #[test]
    fn what_is_asked_for_is_done_but_for_rounds_deeper_than_the_matrix() {
        let asked = |n, tile, depth| {
            let plan =
                SolvePlan::new(n, Target::default(), &Parameters::from([("tile", tile), ("depth", depth)]));
            (plan.shape.tile, plan.depth)
        };
        assert_eq!(asked(8192, 64, 2), (64, 2));
        assert_eq!(asked(300, 128, 8), (128, 3));
    }

    #[test]
    fn a_block_follows_the_diagonal_of_few_tiles_on_9_0_alone() {
        let hopper = Target { compute_capability: (9, 0), ..Target::default() };
        let chains = |n, target, parameters| SolvePlan::new(n, target, &parameters).shape == CHAINED;
        let by_n = |n| chains(n, hopper, Parameters::default());
        assert_eq!([64, 65, 1800, 1801, 8192].map(by_n), [false, true, true, false, false]);
        let ampere = Target { compute_capability: (8, 0), ..hopper };
        assert!(
            !chains(1024, ampere, Parameters::default())
                && !chains(1024, ampere, Parameters::from([("chain", 1)]))
        );
        for (name, value) in [("chain", 0), ("tile", 128), ("depth", 2), ("omit", 1)] {
            assert!(!chains(1024, hopper, Parameters::from([(name, value)])), "{name}={value}");
        }
        let plan = SolvePlan::new(8192, hopper, &Parameters::from([("chain", 1)]));
        assert_eq!((plan.shape, plan.depth), (CHAINED, 1));
    }

    #[test]
    fn a_round_has_the_plain_tasks_that_are_set_between_others() {
        for tiles in 1..=64 {
            for depth in 1..=tiles.min(8) {
                for halves in [false, true] {
                    let plan = SolvePlan { shape: LARGE, halves, tiles, depth };
                    let [strips, row, others] = plain_tasks(plan, 264).map(|tasks| tasks as usize);
                    let rest = tiles.saturating_sub(2 * depth);
                    let plain = if halves { rest * (rest + 1) / 2 } else { rest * (tiles - depth) };
                    assert!(strips + depth * (row + others) <= plain, "{tiles} tiles, depth {depth}");
                }
            }
        }
    }
}
