// Blocked Floyd-Warshall with the thread's tile in registers, in one launch: blocks take tasks from a queue and wait for the
// tasks that theirs need. docs/register-blocked.md has a picture of a round and the reasons.
//
// The matrix has tiles of TILE x TILE. A round takes `depth` of them, K, in a row: for each q of K, a step,
//
//   close    tile (q, q) becomes its own closure, in the task that did its last product,
//   row q    every other tile (q, j) becomes (q, q) x itself,
//   rows     every tile (i, j) with i another of K becomes min(itself, (i, q) x (q, j)),
//
// and then for all of K at once
//
//   rest     every tile (i, j) with i not of K becomes min(itself, old (i, K) x new (K, j)), those of the columns K too,
//
// where x is the min-plus product. All but `close` are the same code: a product of two operands that lie packed, k-major, in a
// panel: `left` is TILE x TILE distances for each tile row and step, transposed; `right` is as many for each tile column and step.
// Whoever makes a tile that the next round takes as an operand writes it there too. A panel has several slots, one a round, used in turn.
//
// Of a symmetric matrix `rest` is the tiles with i <= j alone, where neither is of K. Whoever makes one writes both operands that it
// gives: (i, j) and, turned over, (j, i).

#include "register_tile.cuh"
#include "stages.cuh"
#include "tile_queue.cuh"
#include "turned_over.cuh"

/// The operands of a task, stage after stage.
struct Operands {
    const word *left;
    const word *right;
    int stages;
};

template <class S>
static __device__ __forceinline__ Operands operands_of(const Solve &solve, const Task &task) {
    return Operands{left_of<S>(solve, task.from, task.i), right_of<S>(solve, task.from, task.j),
                    (products_end(task) - task.from) * S::STAGES_A_STEP};
}

/// What a block keeps in shared memory beside its stages.
template <class S>
struct BlockState {
    Shown<S> shown;
    // Two, in turn: one is written while some threads still read the other.
    Task tasks[2];
#if IS_FED
    StageBarriers<S> stages;
    unsigned long long announced[2];
    unsigned long long stored[2];
    unsigned long long published[2];
    // On the chain: the workers have put their result into the stages.
    unsigned long long handed[2];
#endif
};

/// Stores the tile of a symmetric matrix, and what (j, i) is to others where (i, j) was the task. In the last round both are what is asked for.
template <class S>
static __device__ __forceinline__ void store_half(Tile<S> &tile, const Solve &solve, const Task &task, const Place &place) {
    const bool is_diagonal = task.i == task.j;
    const bool is_next_row = !is_diagonal && fills_right(solve, task);
    const bool is_next_column = !is_diagonal && fills_left(solve, task);
    if (is_next_row) {
        store_left_turned(tile, left_of<S>(solve, task.i, task.j), place);
    }
    if (is_next_column) {
        store_right_turned(tile, right_of<S>(solve, task.j, task.i), place);
    }
    // Rounds of more steps load the tiles of their rows, on both sides of the diagonal.
    const bool is_loaded = solve.depth > 1;
    const bool is_last = is_of_last_round(solve, task);
    const bool is_of_own_block = is_inner(solve, task) && task.j / solve.depth == round_of(solve, task);
    const bool ends = ends_round(solve, task) && !is_of_own_block;
    const bool below = task.j < task.i && ends;
    const bool turns = is_last ? !is_diagonal && ends : below || (is_next_column && is_loaded);
    if (turns) {
        store_tile_turned(tile, solve.matrix, task.i, task.j, place);
    }
    if (is_last || !(below || ((is_next_row || is_next_column) && !is_loaded))) {
        store_tile(tile, solve.matrix, task.i, task.j, place);
    }
}

/// Stores what became of a task's tile where others need it; the tile is of no use afterwards. Where the result was handed on, the
/// copy engine stores that operand from the stages.
template <class S>
static __device__ __forceinline__ void store_result(Tile<S> &tile, const Solve &solve, const Task &task, const Place &place) {
    const bool handed = follows_chain<S>();
    const bool inner = is_inner(solve, task);
    if ((inner || fills_right(solve, task)) && !(handed && is_row(task))) {
        store_right(tile, right_of<S>(solve, task.i, task.j), place);
    }
    const bool later = inner && task.j >= task.from && task.j / solve.depth == round_of(solve, task);
    if (((later && (task.j != task.from || task.i == task.j)) || fills_left(solve, task)) && !(handed && closes(task))) {
        store_left(tile, left_of<S>(solve, task.j, task.i), place);
    }
    if (IS_SYMMETRIC) {
        store_half(tile, solve, task, place);
    } else {
        store_tile(tile, solve.matrix, task.i, task.j, place);
    }
}

/// What a task's products begin with. A row begins with nothing where its operand has all of it.
template <class S>
static __device__ __forceinline__ void begin_tile(Tile<S> &tile, const Solve &solve, const Task &task, const Place &place) {
    if ((S::CHAINS || IS_SYMMETRIC) && is_row(task)) {
        clear_tile(tile);
    } else {
        load_tile(tile, solve.matrix, task.i, task.j, place);
    }
}

#if IS_FED

/// One thread of a block takes its tasks, waits for what they need, announces them and feeds their operands to the workers: as far
/// ahead of them as the ring has room.
template <class S>
static __device__ __forceinline__ void feed(const Solve &solve, word *stages, BlockState<S> &block) {
    Position position{-1, 0};
    Cursor filling{0, 1};
    Cursor announcing{0, 1};
    const bool follows = follows_chain<S>();
    int *const flag = closing_here(solve);
    int closing = 0;
    for (int number = 0;; ++number) {
        Task task;
        if (follows) {
            task = chain_task(solve, number);
        } else {
            do {
                task = task_of(solve, position, take_number(solve));
            } while (S::CHAINS && task.i >= 0 && is_on_chain(task));
        }
        if (task.i >= 0) {
            wait_for_operands(solve, task, follows);
            if (LEAVES_TO_CLOSURES<S> && closes(task)) {
                write_counter(flag, own_flag());
            }
        }
        wait_for_phase(&block.published[announcing.at], announcing.phase);
        block.tasks[announcing.at] = task;
        arrive(&block.announced[announcing.at]);
        advance<2>(announcing);
        if (task.i < 0) {
            return;
        }
        const Operands operands = operands_of<S>(solve, task);
#pragma unroll 1
        for (int at = 0; at < operands.stages; ++at) {
            // All others wait for a tile that is being closed: the blocks beside leave it the multiprocessor meanwhile.
            while (LEAVES_TO_CLOSURES<S> && closing != 0 && closing != own_flag()) {
                closing = read_counter(flag);
            }
            // Workers that follow the chain have the left operand of a row, and the right one of a tile that is closed.
            fill_stage(stages, block.stages, filling, follows && is_row(task) ? nullptr : operands.left + at * S::STAGE_LEFT_WORDS,
                       follows && !is_row(task) ? nullptr : operands.right + at * S::STAGE_RIGHT_WORDS);
            closing = LEAVES_TO_CLOSURES<S> ? read_counter(flag) : 0;
        }
    }
}

/// Begins to store the operand that the workers handed on, a right one behind a row and a left one behind a closure. The stages have it
/// until the task after next is fed, which is not announced before this one is published.
template <class S>
static __device__ __forceinline__ void store_handed(const Solve &solve, const Task &task, const word *stages) {
    const bool row = is_row(task);
    word *const to = row ? right_of<S>(solve, task.i, task.j) : left_of<S>(solve, task.j, task.i);
    const int words = row ? S::STAGE_RIGHT_WORDS : S::STAGE_LEFT_WORDS;
    for (int stage = 0; stage < S::STAGES; ++stage) {
        store_words(to + stage * words, stages + stage * S::STAGE_WORDS + (row ? S::STAGE_LEFT_WORDS : 0), words);
    }
}

/// Another lets other blocks know what the workers have stored.
template <class S>
static __device__ __forceinline__ void publish_results(const Solve &solve, const word *stages, BlockState<S> &block) {
    Cursor publishing{0, 0};
    for (;;) {
        wait_for_phase(&block.announced[publishing.at], publishing.phase);
        const Task task = block.tasks[publishing.at];
        if (task.i < 0) {
            return;
        }
        if (follows_chain<S>()) {
            wait_for_phase(&block.handed[publishing.at], publishing.phase);
            store_handed<S>(solve, task, stages);
            wait_for_stores();
        }
        wait_for_phase(&block.stored[publishing.at], publishing.phase);
        publish(solve, task);
        if (LEAVES_TO_CLOSURES<S> && closes(task)) {
            atomicCAS(closing_here(solve), own_flag(), 0);
        }
        arrive(&block.published[publishing.at]);
        advance<2>(publishing);
    }
}

/// By the workers that follow the chain: puts what became of a tile into the stages, where the next task finds its operand. A product
/// takes as many stages as the ring has.
template <class S>
static __device__ __forceinline__ void hand_on(const Tile<S> &tile, const Task &task, word *stages, const Place &place) {
    static_assert(S::STAGES == S::STAGES_A_STEP, "each stage of the next product is in its own place");
    // Nobody reads the operands of the product any more.
    sync_workers<S>();
    if (is_row(task)) {
        store_right(tile, stages + S::STAGE_LEFT_WORDS, place, S::STAGE_WORDS - S::STAGE_RIGHT_WORDS);
    } else {
        store_left(tile, stages, place, S::STAGE_WORDS - S::STAGE_LEFT_WORDS);
    }
    // The copy engine writes there again.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    sync_workers<S>();
}

/// All others do the tasks.
template <class S>
static __device__ __forceinline__ void work(const Solve &solve, word *stages, BlockState<S> &block, int one) {
    const Place place = own_place<S>();
    const unsigned ring = shared_address(stages);
    Cursor reading{0, 0};
    Cursor beginning{0, 0};
    for (;;) {
        wait_for_phase(&block.announced[beginning.at], beginning.phase);
        const Task task = block.tasks[beginning.at];
        if (task.i < 0) {
            return;
        }
        Tile<S> tile;
        begin_tile(tile, solve, task, place);
        const int count = operands_of<S>(solve, task).stages;
#pragma unroll 1
        for (int at = 0; at < count; ++at) {
            wait_for_phase(&block.stages.arrived[reading.at], reading.phase);
            relax_stage(tile, ring + 4 * reading.at * S::STAGE_WORDS, place, one);
            leave_stage(&block.stages.left[reading.at]);
            advance<S::STAGES>(reading);
        }
        if (closes(task)) {
            close_tile(tile, block.shown, place, one);
        }
        if constexpr (S::CHAINS) {
            if (follows_chain<S>()) {
                hand_on(tile, task, stages, place);
                arrive(&block.handed[beginning.at]);
            }
        }
        store_result(tile, solve, task, place);
        arrive(&block.stored[beginning.at]);
        advance<2>(beginning);
    }
}

/// Takes tasks and does them until there are none left.
template <class S>
static __device__ __forceinline__ void do_tasks(const Solve &solve, word *stages, BlockState<S> &block, int one) {
    if (threadIdx.x == 0) {
        make_stage_barriers(block.stages);
        for (int at = 0; at < 2; ++at) {
            make_barrier(&block.announced[at], 1);
            make_barrier(&block.stored[at], S::WORKERS);
            make_barrier(&block.published[at], 1);
            make_barrier(&block.handed[at], S::WORKERS);
        }
        // They are there for the copy engine too.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    clear_gaps<S>(stages);
    __syncthreads();
    if (threadIdx.x < S::WORKERS) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(S::WORKER_REGISTERS));
        work(solve, stages, block, one);
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(S::FEEDER_REGISTERS));
        if (threadIdx.x == S::WORKERS) {
            feed(solve, stages, block);
        } else if (threadIdx.x == S::WORKERS + 32) {
            publish_results(solve, stages, block);
        }
    }
}

#else

/// Takes tasks and does them until there are none left.
template <class S>
static __device__ __forceinline__ void do_tasks(const Solve &solve, word *stages, BlockState<S> &block, int one) {
    const Place place = own_place<S>();
    const unsigned ring = shared_address(stages);
    Position position{-1, 0};
    for (int turn = 0;; turn ^= 1) {
        if (threadIdx.x == 0) {
            const Task task = task_of(solve, position, take_number(solve));
            if (task.i >= 0) {
                wait_for_operands(solve, task, false);
            }
            block.tasks[turn] = task;
        }
        __syncthreads();
        const Task task = block.tasks[turn];
        if (task.i < 0) {
            return;
        }
        const Operands operands = operands_of<S>(solve, task);
        Cursor filling{0, 0};
        Cursor reading{0, 0};
        int filled = 0;
        const auto fill_next = [&] {
            if (filled < operands.stages) {
                fill_stage<S>(stages, filling, operands.left + filled * S::STAGE_LEFT_WORDS,
                              operands.right + filled * S::STAGE_RIGHT_WORDS);
                ++filled;
            }
            close_fill();
        };
        for (int at = 0; at < S::STAGES - 1; ++at) {
            fill_next();
        }
        Tile<S> tile;
        begin_tile(tile, solve, task, place);
#pragma unroll 1
        for (int at = 0; at < operands.stages; ++at) {
            await_stage<S>();
            fill_next();
            relax_stage(tile, ring + 4 * reading.at * S::STAGE_WORDS, place, one);
            advance<S::STAGES>(reading);
        }
        if (closes(task)) {
            close_tile(tile, block.shown, place, one);
        }
        store_result(tile, solve, task, place);
        __syncthreads();
        if (threadIdx.x == 0) {
            publish(solve, task);
        }
    }
}

#endif

/// Packs the operands of the first round, one block a tile of its columns (blockIdx.y = 0) and of its rows (blockIdx.y = 1), step
/// after step, and sets all counters to 0.
template <class S>
static __device__ __forceinline__ void pack_first(const Solve &solve) {
    const Place place = own_place<S>();
    const int at = blockIdx.x;
    const int steps = min(solve.depth, solve.tiles);
    Tile<S> tile;
    for (int step = 0; step < steps; ++step) {
        if (blockIdx.y == 0) {
            load_tile(tile, solve.matrix, at, step, place);
            store_left(tile, left_of<S>(solve, step, at), place);
        } else {
            load_tile(tile, solve.matrix, step, at, place);
            store_right(tile, right_of<S>(solve, step, at), place);
        }
    }
    if (blockIdx.y == 0) {
        return;
    }
    for (int j = threadIdx.x; j < solve.tiles; j += S::WORKERS) {
        solve.steps_of[(size_t)at * solve.tiles + j] = 0;
    }
#if IS_FED
    for (int other = at * S::WORKERS + threadIdx.x; other < MULTIPROCESSORS; other += solve.tiles * S::WORKERS) {
        solve.closing[other] = 0;
    }
#endif
    if (threadIdx.x == 0) {
        solve.products_of[at] = 0;
        if (at == 0) {
            *solve.taken = 0;
        }
    }
}

#ifndef SMALL_SHAPE
#ifdef DISTANCE_U16
#define SMALL_SHAPE 64, 16, 1, 2, 2, 32
#define LARGE_SHAPE 128, 8, 1, (IS_FED ? 3 : 2), 2, 32
#else
#define SMALL_SHAPE 64, 8, 1, (IS_FED ? 3 : 2), 2, 32
#define LARGE_SHAPE 128, 8, 2, 2, 2, 32
#endif
#endif
using Small = Shape<SMALL_SHAPE>;
using Large = Shape<LARGE_SHAPE>;

/// What a block of `solve_tiles` does. `one` is 1.
template <class S>
static __device__ __forceinline__ void run_block(const Solve &solve, int one) {
    DYNAMIC_SHARED(word, stages);
    __shared__ BlockState<S> block;
    do_tasks<S>(solve, stages, block, one);
}

// Both kernels of a shape take what all blocks share, and a 1. The first one goes before the second, which takes any number of blocks:
// a task waits for none that is taken after it.

KERNEL void __launch_bounds__(Small::WORKERS) begin_64(Solve solve, int) {
    pack_first<Small>(solve);
}

KERNEL void __launch_bounds__(Small::THREADS, Small::BLOCKS) solve_tiles_of_64(Solve solve, int one) {
    run_block<Small>(solve, one);
}

#if IS_FED
// For graphs of few tiles, behind `begin_64`: each thread has four rows of four words, and block 0 follows the diagonal. It does nothing
// of the queue, so that at least two blocks must run at once; those beside it on its multiprocessor are not held back.
using Chained = Shape<64, 16, 1, 2, 2, 32, true>;

KERNEL void __launch_bounds__(Chained::THREADS, Chained::BLOCKS) solve_chained_tiles_of_64(Solve solve, int one) {
    run_block<Chained>(solve, one);
}
#endif

KERNEL void __launch_bounds__(Large::WORKERS) begin_128(Solve solve, int) {
    pack_first<Large>(solve);
}

KERNEL void __launch_bounds__(Large::THREADS, Large::BLOCKS) solve_tiles_of_128(Solve solve, int one) {
    run_block<Large>(solve, one);
}
