// Blocked Floyd-Warshall on a part of a matrix: the products that a device of several does in a round. docs/several-gpus.md has the
// algorithm; the host decides which tiles are multiplied when.
//
// All is one kernel, W = min(W, left x right) on a rectangle of tiles, whose operands lie packed as `register_blocked.cu` has them. It may
// begin with tiles without a path, leave the matrix as it is, and write what becomes of a tile as an operand of later products. With no
// step it packs. Of a symmetric matrix it may leave out what lies on one side of the diagonal, and write a tile turned over.

#include "digest.cuh"
#include "register_tile.cuh"
#include "stages.cuh"
#include "turned_over.cuh"

/// Rows or columns of tiles that are left out, counted from the first of a rectangle.
struct Gap {
    int first, count;
};

/// Tiles in a rectangle, and what becomes of them. Addresses are those of its first tile, its first row and its first column.
struct Product {
    distance *from;
    /// Null: the matrix is not written.
    distance *to;
    const word *left;
    const word *right;
    /// Where tiles are stored as operands of a round whose rows or columns the rectangle has, or null.
    word *to_left;
    word *to_right;
    int from_pitch, to_pitch;
    /// Tiles that are not left out, a side.
    int rows, columns;
    Gap row_gaps[2];
    Gap column_gap;
    /// Tiles that the operands of this round have in a row, and those that there is room for.
    int steps, depth;
    /// Whether tiles begin without a path.
    int clears;
    /// Tiles that a block does, one after the other.
    int run;
#ifdef SYMMETRIC
    /// Where tiles are stored turned over, or null: as operands, and in a matrix with the pitch of `to`.
    word *to_left_turned;
    word *to_right_turned;
    distance *to_turned;
    /// The first row on the device, which has every `devices`th block of so many rows from number `own` on, and the first column.
    int first_row, block, devices, own, first_column;
    /// 1: tiles left of the diagonal are left out; -1: all others.
    int side;
    /// Whether `from` has the rows of all devices.
    int from_all;
#endif
};

/// Rows of tiles that blocks at work at the same time share, so that they read the same operands.
static constexpr int BAND = 16;

static __device__ __forceinline__ int behind(int at, const Gap &gap) {
    return at < gap.first ? at : at + gap.count;
}

struct Position {
    int i, j;
};

static __device__ __forceinline__ Position position_of(const Product &product, int number) {
    const int band = number / (BAND * product.columns);
    const int within = number - band * (BAND * product.columns);
    const int height = min(BAND, product.rows - band * BAND);
    const int i = band * BAND + within % height;
    return Position{behind(behind(i, product.row_gaps[0]), product.row_gaps[1]), behind(within / height, product.column_gap)};
}

/// The numbers of a block's tiles.
static __device__ __forceinline__ int first_number(const Product &product) {
    return blockIdx.x * product.run;
}

static __device__ __forceinline__ int end_number(const Product &product) {
    return min((int)(blockIdx.x + 1) * product.run, product.rows * product.columns);
}

#ifdef SYMMETRIC

/// A row's place among those of all devices.
static __device__ __forceinline__ int whole_row(const Product &product, int i) {
    const int row = product.first_row + i;
    return (row / product.block * product.devices + product.own) * product.block + row % product.block;
}

static __device__ __forceinline__ int right_of_diagonal(const Product &product, const Position &at) {
    return product.first_column + at.j - whole_row(product, at.i);
}

static __device__ __forceinline__ bool is_left_out(const Product &product, int number) {
    const int right = product.side == 0 ? 0 : right_of_diagonal(product, position_of(product, number));
    return product.side > 0 ? right < 0 : product.side < 0 && right >= 0;
}

template <class S>
static __device__ __forceinline__ void store_turned(const Tile<S> &tile, const Product &product, const Position &at, const Place &place) {
    if (product.to_left_turned) {
        store_left_turned(tile, product.to_left_turned + ((size_t)at.i * product.depth + at.j) * S::LEFT_WORDS, place);
    }
    if (product.to_right_turned) {
        const size_t column = whole_row(product, at.i);
        store_right_turned(tile, product.to_right_turned + (column * product.depth + at.j) * S::RIGHT_WORDS, place);
    }
    // What is on the diagonal may be stored there as it is.
    if (product.to_turned && !(product.to && right_of_diagonal(product, at) == 0)) {
        store_tile_turned(tile, WholeTiles{product.to_turned, product.to_pitch}, at.i, at.j, place);
    }
}

static __device__ __forceinline__ int from_row(const Product &product, int i) {
    return product.from_all ? whole_row(product, i) : i;
}

#else

// No functions: with those, even without an effect, the loops of products get other registers.
#define is_left_out(product, number) false
#define store_turned(tile, product, at, place)
#define from_row(product, i) (i)

#endif

template <class S>
static __device__ __forceinline__ const word *left_at(const Product &product, const Position &at) {
    return product.left + (size_t)at.i * product.depth * S::LEFT_WORDS;
}

template <class S>
static __device__ __forceinline__ const word *right_at(const Product &product, const Position &at) {
    return product.right + (size_t)at.j * product.depth * S::RIGHT_WORDS;
}

template <class S>
static __device__ __forceinline__ void begin_tile(Tile<S> &tile, const Product &product, const Position &at, const Place &place) {
    if (product.clears) {
        clear_tile(tile);
    } else {
        load_tile(tile, WholeTiles{product.from, product.from_pitch}, from_row(product, at.i), at.j, place);
    }
}

/// The tile is of no use afterwards.
template <class S>
static __device__ __forceinline__ void end_tile(Tile<S> &tile, const Product &product, const Position &at, const Place &place) {
    if (product.to_left) {
        store_left(tile, product.to_left + ((size_t)at.i * product.depth + at.j) * S::LEFT_WORDS, place);
    }
    if (product.to_right) {
        store_right(tile, product.to_right + ((size_t)at.j * product.depth + at.i) * S::RIGHT_WORDS, place);
    }
    store_turned(tile, product, at, place);
    if (product.to) {
        store_tile(tile, WholeTiles{product.to, product.to_pitch}, at.i, at.j, place);
    }
}

#if IS_FED

/// By one thread of a block: brings the operands of its tiles, as far ahead of the workers as the ring has room.
template <class S>
static __device__ __forceinline__ void feed(const Product &product, word *stages, StageBarriers<S> &barriers) {
    Cursor filling{0, 1};
    const int count = product.steps * S::STAGES_A_STEP;
    for (int number = first_number(product); number < end_number(product); ++number) {
        if (is_left_out(product, number)) {
            continue;
        }
        const Position at = position_of(product, number);
        const word *left = left_at<S>(product, at);
        const word *right = right_at<S>(product, at);
#pragma unroll 1
        for (int stage = 0; stage < count; ++stage) {
            fill_stage(stages, barriers, filling, left + stage * S::STAGE_LEFT_WORDS, right + stage * S::STAGE_RIGHT_WORDS);
        }
    }
}

/// All others multiply.
template <class S>
static __device__ __forceinline__ void work(const Product &product, const word *stages, StageBarriers<S> &barriers, int one) {
    const Place place = own_place<S>();
    const unsigned ring = shared_address(stages);
    Cursor reading{0, 0};
    const int count = product.steps * S::STAGES_A_STEP;
    for (int number = first_number(product); number < end_number(product); ++number) {
        if (is_left_out(product, number)) {
            continue;
        }
        const Position at = position_of(product, number);
        Tile<S> tile;
        begin_tile(tile, product, at, place);
#pragma unroll 1
        for (int stage = 0; stage < count; ++stage) {
            wait_for_phase(&barriers.arrived[reading.at], reading.phase);
            relax_stage(tile, ring + 4 * reading.at * S::STAGE_WORDS, place, one);
            leave_stage(&barriers.left[reading.at]);
            advance<S::STAGES>(reading);
        }
        end_tile(tile, product, at, place);
    }
}

template <class S>
static __device__ __forceinline__ void run_block(const Product &product, int one) {
    if (product.run == 1 && is_left_out(product, blockIdx.x)) {
        return;
    }
    DYNAMIC_SHARED(word, stages);
    __shared__ StageBarriers<S> barriers;
    if (threadIdx.x == 0) {
        make_stage_barriers(barriers);
        // They are there for the copy engine too.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    clear_gaps<S>(stages);
    __syncthreads();
    if (threadIdx.x < S::WORKERS) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(S::WORKER_REGISTERS));
        work(product, stages, barriers, one);
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(S::FEEDER_REGISTERS));
        if (threadIdx.x == S::WORKERS) {
            feed(product, stages, barriers);
        }
    }
}

#else

template <class S>
static __device__ __forceinline__ void run_block(const Product &product, int one) {
    if (product.run == 1 && is_left_out(product, blockIdx.x)) {
        return;
    }
    DYNAMIC_SHARED(word, stages);
    const Place place = own_place<S>();
    const unsigned ring = shared_address(stages);
    const int count = product.steps * S::STAGES_A_STEP;
    for (int number = first_number(product); number < end_number(product); ++number) {
        if (is_left_out(product, number)) {
            continue;
        }
        const Position at = position_of(product, number);
        const word *left = left_at<S>(product, at);
        const word *right = right_at<S>(product, at);
        Cursor filling{0, 0};
        Cursor reading{0, 0};
        int filled = 0;
        const auto fill_next = [&] {
            if (filled < count) {
                fill_stage<S>(stages, filling, left + filled * S::STAGE_LEFT_WORDS, right + filled * S::STAGE_RIGHT_WORDS);
                ++filled;
            }
            close_fill();
        };
        // Some may still read the last stages of the tile before.
        __syncthreads();
        for (int stage = 0; stage < S::STAGES - 1; ++stage) {
            fill_next();
        }
        Tile<S> tile;
        begin_tile(tile, product, at, place);
#pragma unroll 1
        for (int stage = 0; stage < count; ++stage) {
            await_stage<S>();
            fill_next();
            relax_stage(tile, ring + 4 * reading.at * S::STAGE_WORDS, place, one);
            advance<S::STAGES>(reading);
        }
        end_tile(tile, product, at, place);
    }
}

#endif

#ifdef DISTANCE_U16
using Small = Shape<64, 16, 1, 2, 2, 32>;
using Large = Shape<128, 8, 1, (IS_FED ? 3 : 2), 2, 32>;
#else
using Small = Shape<64, 8, 1, (IS_FED ? 3 : 2), 2, 32>;
using Large = Shape<128, 8, 2, 2, 2, 32>;
#endif

// Both take the rectangle, and a 1.

KERNEL void __launch_bounds__(Small::THREADS, Small::BLOCKS) multiply_tiles_of_64(Product product, int one) {
    run_block<Small>(product, one);
}

KERNEL void __launch_bounds__(Large::THREADS, Large::BLOCKS) multiply_tiles_of_128(Product product, int one) {
    run_block<Large>(product, one);
}

/// Where a part's rows and columns are in the whole matrix: of `block` vertices each device of a line of `devices` has every
/// `devices`th block, from number `own` on.
struct Line {
    int block, devices, own;
};

static __device__ __forceinline__ long long in_matrix(const Line &line, int at) {
    return ((long long)(at / line.block) * line.devices + line.own) * line.block + at % line.block;
}

/// Adds to `sum` what `digest_rows` in `layout.cu` would for the whole matrix of n vertices, of a part of so many rows and columns. Where
/// `differs` is not 0, less what it would for that matrix turned over: all parts of a symmetric one come to 0.
KERNEL void digest_part(const distance *part, int rows, int columns, int pitch, long long n, Line down, Line across, int differs,
                        unsigned long long *sum) {
    unsigned long long own = 0;
    for (int i = blockIdx.x; i < rows; i += gridDim.x) {
        const unsigned long long row = in_matrix(down, i);
        for (int j = threadIdx.x; j < columns; j += blockDim.x) {
            distance entry = part[(size_t)i * pitch + j];
#ifdef DISTANCE_I32
            // A sum with an absent edge is any number from here on.
            entry = entry < (1 << 29) ? entry : ABSENT;
#endif
            const unsigned long long column = in_matrix(across, j);
            own += name_of(entry, row * n + column);
            if (differs) {
                own -= name_of(entry, column * n + row);
            }
        }
    }
    add_up(own, sum);
}
