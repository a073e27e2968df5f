// The tasks of a solve, the order in which blocks take them, and how a task waits for others.
#pragma once

#include "register_tile.cuh"

/// What all blocks share.
struct Solve {
    Matrix matrix;
    /// Tiles a side of the matrix, and of a round's diagonal block.
    int tiles, depth;
    /// Rounds whose operands the panels hold at once.
    int slots;
    word *left;
    word *right;
    /// How many steps each tile has behind it.
    int *steps_of;
    /// Products of each round that are done.
    int *products_of;
    /// Tasks that were taken.
    unsigned long long *taken;
    /// How many of a round's plain tasks come before its strips, between those and the next round's first closure, and behind the
    /// closure, the row and the inner tasks of each of the next round's steps.
    int before_strips, behind_strips, behind_closure, behind_row, behind_inner;
};

/// One tile in one step, or in all steps of a round at once.
struct Task {
    /// In steps: what the tile has behind it before, and after. One step where the tile's row is the round's own.
    int from, to;
    int i, j;
};

static __device__ __forceinline__ int round_of(const Solve &solve, const Task &task) {
    return task.from / solve.depth;
}

static __device__ __forceinline__ bool is_closure(const Task &task) {
    return task.i == task.from && task.j == task.from;
}

/// Whether the task is a row's or a tile's of the round's own rows.
static __device__ __forceinline__ bool is_inner(const Solve &solve, const Task &task) {
    return task.i / solve.depth == round_of(solve, task);
}

/// Whether what becomes of the tile is a right operand of the next round.
static __device__ __forceinline__ bool fills_right(const Solve &solve, const Task &task) {
    return task.i / solve.depth == round_of(solve, task) + 1;
}

/// Whether what becomes of the tile is a left operand of the next round: it is, behind the last step of its own.
static __device__ __forceinline__ bool fills_left(const Solve &solve, const Task &task) {
    return task.j / solve.depth == round_of(solve, task) + 1 && (task.to % solve.depth == 0 || task.to == solve.tiles);
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

/// The tiles of a round: its own `own` rows and columns, behind them the next round's, `next`, and `rest` others.
struct Round {
    int first, own, next, rest;
};

static __device__ __forceinline__ Round round_at(const Solve &solve, int round) {
    const int first = round * solve.depth;
    const int own = min(solve.depth, solve.tiles - first);
    const int next = min(solve.depth, solve.tiles - first - own);
    return Round{first, own, next, solve.tiles - own - next};
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
    return Task{round.first, round.first + round.own, i < solve.tiles ? i : i - solve.tiles,
                j < solve.tiles ? j : j - solve.tiles};
}

/// A tile that the next round does not begin with.
static __device__ __forceinline__ Task plain_task(const Solve &solve, const Round &round, int number) {
    const int columns = solve.tiles - round.next;
    const int j = number % columns;
    return outer_task(solve, round, round.own + round.next + number / columns, j < round.own ? j : j + round.next);
}

/// A tile of the next round's rows or columns, those where they cross first.
static __device__ __forceinline__ Task strip_task(const Solve &solve, const Round &round, int number) {
    const int tiles = solve.tiles;
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
    return Task{step, step + 1, i < first + rows ? i : i - rows, j < solve.tiles ? j : j - solve.tiles};
}

/// How many tasks the steps of `rows` rows are.
static __device__ __forceinline__ int inner_tasks(const Solve &solve, int rows) {
    return rows * rows * solve.tiles;
}

/// The task of this number in a round's order: all tiles but those of the round's own rows, which the round before has, and all
/// of the next round's own rows in each of its steps. Whatever a task waits for has a lower number.
static __device__ __forceinline__ Task task_in_round(const Solve &solve, const Round &round, int number) {
    int left = round.rest * (solve.tiles - round.next);
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
    PLAIN(solve.before_strips);
    if (is_among(number, round.next * (solve.tiles + round.rest))) {
        return strip_task(solve, round, number);
    }
    PLAIN(solve.behind_strips);
    const int first = round.first + round.own;
    for (int step = first; step < first + round.next; ++step) {
        if (is_among(number, 1)) {
            return inner_task(solve, first, round.next, step, 0, 0);
        }
        PLAIN(solve.behind_closure);
        if (is_among(number, solve.tiles - 1)) {
            return inner_task(solve, first, round.next, step, 0, 1 + number);
        }
        PLAIN(solve.behind_row);
        const int others = round.next - 1;
        if (is_among(number, others * solve.tiles)) {
            return inner_task(solve, first, round.next, step, 1 + number % others, (1 + number / others) % solve.tiles);
        }
        PLAIN(solve.behind_inner);
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
        // The first round's own rows come before all rounds.
        const Round round = position.round < 0 ? Round{-solve.depth, solve.depth, min(solve.depth, solve.tiles), 0}
                                               : round_at(solve, position.round);
        if (round.first >= solve.tiles) {
            return Task{0, 0, -1, 0};
        }
        const unsigned long long tasks = (position.round < 0 ? 0 : (unsigned long long)(solve.tiles - round.own) * solve.tiles) +
                                         inner_tasks(solve, round.next);
        if (number - position.before < tasks) {
            int within = (int)(number - position.before);
            if (position.round < 0) {
                const int a_step = round.next * solve.tiles;
                const int step = within / a_step;
                within %= a_step;
                if (is_among(within, solve.tiles)) {
                    return inner_task(solve, 0, round.next, step, 0, within);
                }
                const int others = round.next - 1;
                return inner_task(solve, 0, round.next, step, 1 + within % others, (1 + within / others) % solve.tiles);
            }
            return task_in_round(solve, round, within);
        }
        position.before += tasks;
        ++position.round;
    }
}

/// Whether a counter has got as far as this. Not yet an order: that takes a fence behind the last.
static __device__ __forceinline__ bool has_reached(const int *counter, int least) {
    int found;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(found) : "l"(__cvta_generic_to_global(counter)) : "memory");
    return found >= least;
}

/// Whether everything that `task` needs is there.
static __device__ __forceinline__ bool has_operands(const Solve &solve, const Task &task) {
    const int *own_row = solve.steps_of + (size_t)task.i * solve.tiles;
    bool ready = has_reached(own_row + task.j, task.from);
    if (is_closure(task)) {
        return ready;
    }
    const bool inner = is_inner(solve, task);
#pragma unroll 1
    for (int step = task.from; step < task.to; ++step) {
        // The left operand: the closure for a step's own row, what the tile of its column was before the round or step for others.
        ready &= has_reached(own_row + step, task.i == step ? step + 1 : task.from);
        if (task.i != step) {
            // The right operand: the step's row, as it is when all rows of the round are done or behind this step alone.
            ready &= has_reached(solve.steps_of + (size_t)step * solve.tiles + task.j, task.to);
        }
    }
    const int round = round_of(solve, task);
    const int end = min((round + 1) * solve.depth, solve.tiles);
    if (inner && task.i < task.from) {
        // It changes a right operand that others of its column may still be reading in that operand's own step.
#pragma unroll 1
        for (int i = round * solve.depth; i < end; ++i) {
            ready &= has_reached(solve.steps_of + (size_t)i * solve.tiles + task.j, task.i + 1);
        }
    }
    // The first who write into a slot wait for the last who read what it had.
    const int before = round + 1 - solve.slots;
    if (before >= 0 && (fills_right(solve, task) || fills_left(solve, task))) {
        const int own = min(solve.depth, solve.tiles - before * solve.depth);
        const int products = solve.tiles * (solve.tiles - own) + inner_tasks(solve, own) - own;
        ready &= has_reached(solve.products_of + before, products);
    }
    return ready;
}

/// Behind `has_operands`: what others stored before they said so is seen from here on, by the copy engine too.
static __device__ __forceinline__ void see_operands() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#if ARCHITECTURE >= 900
    asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

/// By one thread, when all of its block have stored what they had to: lets others see it.
static __device__ __forceinline__ void publish(const Solve &solve, const Task &task) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    int *steps = solve.steps_of + (size_t)task.i * solve.tiles + task.j;
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(steps)), "r"(task.to) : "memory");
    if (!is_closure(task)) {
        atomicAdd(solve.products_of + round_of(solve, task), 1);
    }
}
