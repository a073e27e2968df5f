// The tasks of a solve, the order in which blocks take them, and how a task waits for others.
#pragma once

#include "register_tile.cuh"

// Of a symmetric matrix, tiles (i, j) and (j, i) are one: behind its own rows a round does those with i <= j alone. Its rows stay whole,
// since each of their tiles is a right operand, and as many as before.
#ifdef SYMMETRIC
#define IS_SYMMETRIC 1
#else
#define IS_SYMMETRIC 0
#endif

/// What all blocks share.
struct Solve {
    Matrix matrix;
    /// Tiles a side of the matrix, and of a round's diagonal block.
    int tiles, depth;
    /// Rounds whose operands the panels hold at once.
    int slots;
    /// How many of a round's plain tasks come behind its strips, and behind the row and the other rows of each of the next round's
    /// steps.
    int behind_strips, behind_row, behind_others;
    word *left;
    word *right;
    /// How many steps each tile has behind it.
    int *steps_of;
    /// Products of each round that are done.
    int *products_of;
    /// Tasks that were taken.
    unsigned long long *taken;
    /// For each multiprocessor 1 + the number of the block that closes a tile there, or 0.
    int *closing;
};

/// One tile in one step, or in all steps of a round at once. A tile of the diagonal whose own step follows is closed, too: it is what
/// all others of that step wait for.
struct Task {
    /// In steps: what the tile has behind it before, and after. One product where the tile's row is the round's own.
    int from, to;
    int i, j;
};

static __device__ __forceinline__ bool closes(const Task &task) {
    return task.i == task.j && task.to == task.i + 1;
}

/// The step behind the task's last product.
static __device__ __forceinline__ int products_end(const Task &task) {
    return closes(task) ? task.to - 1 : task.to;
}

static __device__ __forceinline__ Task task_with_closure(int from, int end, int i, int j) {
    return Task{from, i == j && i == end ? end + 1 : end, i, j};
}

static __device__ __forceinline__ int round_of(const Solve &solve, const Task &task) {
    return task.from / solve.depth;
}

/// Whether the task is a row's or a tile's of the round's own rows.
static __device__ __forceinline__ bool is_inner(const Solve &solve, const Task &task) {
    return task.i / solve.depth == round_of(solve, task);
}

static __device__ __forceinline__ bool is_of_last_round(const Solve &solve, const Task &task) {
    return (round_of(solve, task) + 1) * solve.depth >= solve.tiles;
}

/// Whether the task is its tile's last of the round.
static __device__ __forceinline__ bool ends_round(const Solve &solve, const Task &task) {
    const int end = products_end(task);
    return end % solve.depth == 0 || end == solve.tiles;
}

/// Whether what becomes of the tile is a right operand of the next round.
static __device__ __forceinline__ bool fills_right(const Solve &solve, const Task &task) {
    return task.i / solve.depth == round_of(solve, task) + 1;
}

/// Whether what becomes of the tile is a left operand of the next round: it is, behind the last step of its own.
static __device__ __forceinline__ bool fills_left(const Solve &solve, const Task &task) {
    const int end = products_end(task);
    return task.j / solve.depth == round_of(solve, task) + 1 && (end % solve.depth == 0 || end == solve.tiles);
}

/// Where it is counted how many steps tile (i, j) has behind it. Of a symmetric matrix that is one place for (i, j) and (j, i), but in a
/// round's diagonal block, where both are done.
static __device__ __forceinline__ int *steps_at(const Solve &solve, int i, int j) {
    const bool swaps = IS_SYMMETRIC && j < i && i / solve.depth != j / solve.depth;
    return solve.steps_of + (swaps ? (size_t)j * solve.tiles + i : (size_t)i * solve.tiles + j);
}

/// The operand that belongs to tile row `i` and step `step`; those of a round follow each other.
template <class S>
static __device__ __forceinline__ word *left_of(const Solve &solve, int step, int i) {
    const int slot = step / solve.depth % solve.slots;
    return solve.left + ((size_t)(slot * solve.tiles + i) * solve.depth + step % solve.depth) * S::LEFT_WORDS;
}

/// The operand that belongs to tile column `j` and step `step`.
template <class S>
static __device__ __forceinline__ word *right_of(const Solve &solve, int step, int j) {
    const int slot = step / solve.depth % solve.slots;
    return solve.right + ((size_t)(slot * solve.tiles + j) * solve.depth + step % solve.depth) * S::RIGHT_WORDS;
}

/// The tiles of a round: its own `own` rows and columns, behind them the next round's, `next`, and `rest` others. Round -1 comes
/// before the first and has nothing but what is done beside a round for the next.
struct Round {
    int first, own, next, rest;
};

static __device__ __forceinline__ Round round_at(const Solve &solve, int round) {
    const int first = round * solve.depth;
    const int own = min(solve.depth, solve.tiles - first);
    const int next = min(solve.depth, solve.tiles - first - own);
    return Round{first, own, next, round < 0 ? 0 : solve.tiles - own - next};
}

/// Takes tasks of a list off its front: true, and `number` counted from their first, when it is one of these.
static __device__ __forceinline__ bool is_among(int &number, int tasks) {
    if (number < tasks) {
        return true;
    }
    number -= tasks;
    return false;
}

/// Tile (i, j) counted from the first tile of a round, all steps of the round.
static __device__ __forceinline__ Task outer_task(const Solve &solve, const Round &round, int i, int j) {
    i += round.first;
    j += round.first;
    i = i < solve.tiles ? i : i - solve.tiles;
    j = j < solve.tiles ? j : j - solve.tiles;
    return task_with_closure(round.first, round.first + round.own, IS_SYMMETRIC ? min(i, j) : i, IS_SYMMETRIC ? max(i, j) : j);
}

/// How many tiles of a square of so many a side are tasks of a symmetric matrix.
static __device__ __forceinline__ int tiles_of_half(int side) {
    return side * (side + 1) / 2;
}

/// One of them, with i <= j. The last rows fill up the first ones to a rectangle, so that one division finds it.
static __device__ __forceinline__ void find_in_half(int number, int side, int &i, int &j) {
    const int width = side | 1;
    const int shift = width - side;
    i = number / width;
    j = number % width - shift;
    if (j < i) {
        i = side - shift - i;
        j = side - shift - 1 - j;
    }
}

/// A tile that the next round does not begin with.
static __device__ __forceinline__ Task plain_task(const Solve &solve, const Round &round, int number) {
    if (IS_SYMMETRIC) {
        int i, j;
        find_in_half(number, round.rest, i, j);
        return outer_task(solve, round, round.own + round.next + i, round.own + round.next + j);
    }
    const int columns = solve.tiles - round.next;
    const int j = number % columns;
    return outer_task(solve, round, round.own + round.next + number / columns, j < round.own ? j : j + round.next);
}

/// A tile of the next round's rows or columns, those where they cross first.
static __device__ __forceinline__ Task strip_task(const Solve &solve, const Round &round, int number) {
    const int tiles = solve.tiles;
    if (IS_SYMMETRIC) {
        int i, j;
        if (is_among(number, tiles_of_half(round.next))) {
            find_in_half(number, round.next, i, j);
        } else {
            i = number % round.next;
            j = round.next + number / round.next;
        }
        return outer_task(solve, round, round.own + i, round.own + j);
    }
    if (is_among(number, round.next * tiles)) {
        const int j = round.own + number / round.next;
        return outer_task(solve, round, round.own + number % round.next, j < tiles ? j : j - tiles);
    }
    return outer_task(solve, round, round.own + round.next + number / round.next, round.own + number % round.next);
}

/// In a step, tile (i, j) of rows first to first + rows - 1, counted from the step's own.
static __device__ __forceinline__ Task inner_task(const Solve &solve, int first, int rows, int step, int i, int j) {
    i += step;
    j += step;
    return task_with_closure(step, step + 1, i < first + rows ? i : i - rows, j < solve.tiles ? j : j - solve.tiles);
}

/// How many tasks the steps of `rows` rows are: in each step all tiles of the rows but the closed one.
static __device__ __forceinline__ int inner_tasks(const Solve &solve, int rows) {
    return rows * (rows * solve.tiles - 1);
}

/// How many tiles are done in all steps of a round at once: all but those of its own rows, which the round before has; of a symmetric
/// matrix, but those of its own columns too.
static __device__ __forceinline__ int outer_tasks(const Solve &solve, int own) {
    const int others = solve.tiles - own;
    return IS_SYMMETRIC ? tiles_of_half(others) : solve.tiles * others;
}

/// How many of them the next round does not begin with.
static __device__ __forceinline__ int plain_tasks(const Solve &solve, const Round &round) {
    return IS_SYMMETRIC ? tiles_of_half(round.rest) : round.rest * (solve.tiles - round.next);
}

/// How many it begins with.
static __device__ __forceinline__ int strip_tasks(const Solve &solve, const Round &round) {
    return IS_SYMMETRIC ? tiles_of_half(round.next) + round.next * round.rest : round.next * (solve.tiles + round.rest);
}

/// How many tasks a round has: its tiles in all steps at once, and all of the next round's own rows in each of its steps. What comes
/// before the first round has one tile to close, and the first round's rows.
static __device__ __forceinline__ int tasks_of_round(const Solve &solve, const Round &round) {
    return (round.first < 0 ? 1 : outer_tasks(solve, round.own)) + inner_tasks(solve, round.next);
}

/// The task of this number in a round's order. Whatever a task waits for has a lower number.
static __device__ __forceinline__ Task task_in_round(const Solve &solve, const Round &round, int number) {
    int left = plain_tasks(solve, round);
    int passed = 0;
    // Plain tasks, as many as are asked for and left.
#define PLAIN(asked)                                             \
    {                                                            \
        const int some = min(asked, left);                       \
        if (is_among(number, some)) {                            \
            return plain_task(solve, round, passed + number);    \
        }                                                        \
        passed += some;                                          \
        left -= some;                                            \
    }
    if (round.first < 0) {
        if (is_among(number, 1)) {
            return task_with_closure(0, 0, 0, 0);
        }
    } else {
        if (is_among(number, strip_tasks(solve, round))) {
            return strip_task(solve, round, number);
        }
        PLAIN(solve.behind_strips);
    }
    const int first = round.first + round.own;
    for (int step = first; step < first + round.next; ++step) {
        if (is_among(number, solve.tiles - 1)) {
            return inner_task(solve, first, round.next, step, 0, 1 + number);
        }
        PLAIN(solve.behind_row);
        const int others = round.next - 1;
        if (is_among(number, others * solve.tiles)) {
            return inner_task(solve, first, round.next, step, 1 + number % others, (1 + number / others) % solve.tiles);
        }
        PLAIN(solve.behind_others);
    }
#undef PLAIN
    return plain_task(solve, round, passed + number);
}

/// A block's place in the order of all tasks: the round that it is in, and the tasks before that.
struct Position {
    int round;
    unsigned long long before;
};

static __device__ __forceinline__ unsigned long long take_number(const Solve &solve) {
    return atomicAdd(solve.taken, 1ULL);
}

/// The task of this number in the order of all. Its tile row is negative when there are no more.
static __device__ __forceinline__ Task task_of(const Solve &solve, Position &position, unsigned long long number) {
    for (;;) {
        const Round round = round_at(solve, position.round);
        if (round.first >= solve.tiles) {
            return Task{0, 0, -1, 0};
        }
        const int tasks = tasks_of_round(solve, round);
        if (number - position.before < tasks) {
            return task_in_round(solve, round, (int)(number - position.before));
        }
        position.before += tasks;
        ++position.round;
    }
}

/// The chain that a solve of few tiles waits for is each step's closure, the first tile of its row, the last product of the next
/// diagonal tile, and so on. One block may follow it, in rounds of one step: it keeps what the next task needs in shared memory. These
/// are its tasks, by number.
static __device__ __forceinline__ Task chain_task(const Solve &solve, int number) {
    const int step = (number - 1) / 2;
    if (number == 0) {
        return task_with_closure(0, 0, 0, 0);
    }
    if (step + 1 >= solve.tiles) {
        return Task{0, 0, -1, 0};
    }
    return number % 2 == 1 ? Task{step, step + 1, step, step + 1} : task_with_closure(step, step + 1, step + 1, step + 1);
}

static __device__ __forceinline__ bool is_on_chain(const Task &task) {
    return closes(task) || (task.i == task.from && task.j == task.i + 1);
}

/// Whether this block follows the diagonal, where one does.
template <class S>
static __device__ __forceinline__ bool follows_chain() {
    return S::CHAINS && blockIdx.x == 0;
}

/// A tile of a step's own row. It is left times itself, and the left operand has a diagonal of zeros.
static __device__ __forceinline__ bool is_row(const Task &task) {
    return task.i == task.from && task.j != task.i;
}

/// A flag that others change; no order comes with it.
static __device__ __forceinline__ int read_counter(const int *counter) {
    int found;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(found) : "l"(__cvta_generic_to_global(counter)) : "memory");
    return found;
}

static __device__ __forceinline__ void write_counter(int *counter, int value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(counter)), "r"(value) : "memory");
}

/// Waits for a counter that others raise behind a fence, and for all that they did before. Each read acquires: a fence
/// after relaxed reads would cost another trip to memory.
static __device__ __forceinline__ void wait_for_count(const int *counter, int least) {
    int found;
    do {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(found) : "l"(__cvta_generic_to_global(counter)) : "memory");
    } while (found < least);
}

/// Waits until everything that `task` needs is there and seen, by the copy engine too. What is ready last is asked for last: then it
/// is known one read after it was told. Of two operands on the chain, the block that `follows` it has one.
static __device__ __forceinline__ void wait_for_operands(const Solve &solve, const Task &task, bool follows) {
    const auto wait_for_tile = [&](int i, int j, int steps) {
        wait_for_count(steps_at(solve, i, j), steps);
    };
    const int round = round_of(solve, task);
    // The first who write into a slot wait for the last who read what it had.
    const int before = round + 1 - solve.slots;
    if (before >= 0 && (fills_right(solve, task) || fills_left(solve, task))) {
        const int own = min(solve.depth, solve.tiles - before * solve.depth);
        wait_for_count(solve.products_of + before, outer_tasks(solve, own) + inner_tasks(solve, own));
    }
    if (is_inner(solve, task) && task.i < task.from) {
        // It changes a right operand that others of its column may still be reading in that operand's own step.
        const int end = min((round + 1) * solve.depth, solve.tiles);
#pragma unroll 1
        for (int i = round * solve.depth; i < end; ++i) {
            wait_for_tile(i, task.j, task.i + 1);
        }
    }
    wait_for_tile(task.i, task.j, task.from);
    const int products = products_end(task);
#pragma unroll 1
    for (int step = task.from; step < products; ++step) {
        // The left operand: the closure for a step's own row, what the tile of its column was before the round or step for others.
        if (!follows || task.i != step) {
            wait_for_tile(task.i, step, task.i == step ? step + 1 : task.from);
        }
        if (!follows && task.i != step) {
            // The right operand: the step's row, as it is when all rows of the round are done or behind this step alone.
            wait_for_tile(step, task.j, products);
        }
    }
#if ARCHITECTURE >= 900
    asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

#if IS_FED

// SHARES_WITH_CLOSURES leaves this out, to see what it is worth.
#ifdef SHARES_WITH_CLOSURES
template <class S>
static constexpr bool LEAVES_TO_CLOSURES = false;
#else
template <class S>
static constexpr bool LEAVES_TO_CLOSURES = !S::CHAINS;
#endif

/// Multiprocessors that are told apart.
static constexpr unsigned MULTIPROCESSORS = 1024;

/// The flag of the multiprocessor that the block runs on.
static __device__ __forceinline__ int *closing_here(const Solve &solve) {
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return solve.closing + multiprocessor % MULTIPROCESSORS;
}

static __device__ __forceinline__ int own_flag() {
    return blockIdx.x + 1;
}

#endif

/// By one thread, when all of its block have stored what they had to: lets others see it.
static __device__ __forceinline__ void publish(const Solve &solve, const Task &task) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    write_counter(steps_at(solve, task.i, task.j), task.to);
    if (IS_SYMMETRIC && task.i != task.j && fills_right(solve, task) && fills_left(solve, task)) {
        // From here on (j, i) is a tile of its own.
        write_counter(steps_at(solve, task.j, task.i), task.to);
    }
    if (task.from < products_end(task)) {
        atomicAdd(solve.products_of + round_of(solve, task), 1);
    }
}
