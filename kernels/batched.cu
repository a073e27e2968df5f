// Batches of small graphs by blocked Floyd-Warshall: each block solves a graph of its own, with a tile in the registers of its threads,
// and waits for no other. A batch is one matrix below the other.
//
// A graph of no more vertices than a tile has is loaded, closed and stored. Of a larger one, a round q closes tile (q, q), and then does
// one row of tiles after the other, the row q first:
//
//   row q      every other tile (q, j) becomes the closed (q, q) x itself,
//   others     every tile (i, j) becomes min(itself, old (i, q) x new (q, j)),
//
// where x is the min-plus product. The left operand of a row lies whole in shared memory, k-major as in register_blocked.cu. The right
// one comes through stages, row by row as the matrix has it, so that none is packed.

#include "stages.cuh"

#if IS_FED
#error "the threads that have tiles fill the stages: compile for 9.0 and not for 9.0a"
#endif

/// By all threads: begins to fill a stage with rows from `k` on, as a column of tiles has them. What lies outside of the matrix is 0: left
/// operands have no edges there.
template <class S>
static __device__ __forceinline__ void fill_rows(word *stage, const Matrix &matrix, int k, int tile_column) {
    constexpr int ACCESS = 4 * DISTANCES_A_WORD;
    constexpr int ACCESSES_A_ROW = S::TILE / ACCESS;
    for (int at = threadIdx.x; at < S::STAGE_K * ACCESSES_A_ROW; at += S::WORKERS) {
        const int row = k + at / ACCESSES_A_ROW;
        const int column = tile_column * S::TILE + at % ACCESSES_A_ROW * ACCESS;
        const int inside = row < matrix.n ? max(0, min(ACCESS, matrix.n - column)) : 0;
        const distance *from = inside > 0 ? matrix.d + (size_t)row * matrix.pitch + column : matrix.d;
#if HAS_ASYNC_COPIES
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(stage + at * 4)),
                     "l"(__cvta_generic_to_global(from)), "r"(inside * (int)sizeof(distance))
                     : "memory");
#else
        distance *to = (distance *)(stage + at * 4);
#pragma unroll
        for (int d = 0; d < ACCESS; ++d) {
            to[d] = d < inside ? from[d] : (distance)0;
        }
#endif
    }
}

/// By all threads: tiles of row `i` with all paths through the vertices of step `q`, of which `left` is the operand of that row. A tile
/// of row q is left times itself, and left has a diagonal of zeros; the tile on the diagonal is done.
template <class S>
static __device__ __forceinline__ void multiply_row(const Matrix &matrix, int tiles, int i, int q, const word *left, word *stages,
                                                    const Place &place, int one) {
    const bool is_own = i == q;
    const int steps = min(S::STAGES_A_STEP, (matrix.n - q * S::TILE + S::STAGE_K - 1) / S::STAGE_K);
    const int columns = is_own ? tiles - 1 : tiles;
    const auto column_of = [&](int number) { return is_own ? skip_round(number, q) : number; };
    Cursor filling{0, 0};
    Cursor reading{0, 0};
    int filling_column = 0;
    int filling_step = 0;
    const auto fill_next = [&] {
        if (filling_column < columns) {
            fill_rows<S>(stages + filling.at * S::STAGE_RIGHT_WORDS, matrix, q * S::TILE + filling_step * S::STAGE_K,
                         column_of(filling_column));
            advance<S::STAGES>(filling);
            if (++filling_step == steps) {
                filling_step = 0;
                ++filling_column;
            }
        }
        close_fill();
    };
    for (int at = 0; at < S::STAGES - 1; ++at) {
        fill_next();
    }
    for (int number = 0; number < columns; ++number) {
        const int j = column_of(number);
        Tile<S> tile;
        if (is_own) {
            clear_tile(tile);
        } else {
            load_tile(tile, matrix, i, j, place);
        }
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            await_stage<S>();
            fill_next();
            const word *const operand = left + step * S::STAGE_LEFT_WORDS;
            const int apart = (int)(stages + reading.at * S::STAGE_RIGHT_WORDS - operand);
            relax_stage(tile, shared_address(operand), place, one, apart);
            advance<S::STAGES>(reading);
        }
        store_tile(tile, matrix, i, j, place);
    }
}

/// By all threads of a block: the distances of one graph, in place.
template <class S>
static __device__ __forceinline__ void solve_graph(const Matrix &matrix, int one) {
    DYNAMIC_SHARED(word, left);
    __shared__ Shown<S> shown;
    word *const stages = left + S::LEFT_WORDS;
    const Place place = own_place<S>();
    const int tiles = (matrix.n + S::TILE - 1) / S::TILE;
    Tile<S> tile;
    for (int q = 0; q < tiles; ++q) {
        load_tile(tile, matrix, q, q, place);
        close_tile(tile, shown, place, one, min(S::TILE, matrix.n - q * S::TILE));
        store_tile(tile, matrix, q, q, place);
        if (tiles == 1) {
            return;
        }
        for (int number = 0; number < tiles; ++number) {
            const int i = number == 0 ? q : skip_round(number - 1, q);
            load_tile(tile, matrix, i, q, place);
            // Nobody reads the operand of the row before any more, nor its stages, and its tiles are there. The operand is once the first
            // stage has arrived.
            __syncthreads();
            store_left(tile, left, place);
            multiply_row<S>(matrix, tiles, i, q, left, stages, place, one);
        }
    }
}

#ifdef DISTANCE_U16
using Small = Shape<64, 16, 1, 8, 2, 32>;
using Large = Shape<128, 8, 1, 3, 2, 32>;
#else
using Small = Shape<64, 8, 1, 5, 2, 32>;
using Large = Shape<128, 8, 2, 2, 2, 32>;
#endif

// One block a graph of `n` vertices, whose rows lie `pitch` distances apart, each at a multiple of 16 bytes. `one` is 1. Shared memory
// beyond what is declared: a left operand and the stages, where a graph has more vertices than a tile.

static __device__ __forceinline__ Matrix own_graph(distance *graphs, int n, int pitch) {
    return Matrix{graphs + (size_t)blockIdx.x * n * pitch, n, pitch};
}

KERNEL void __launch_bounds__(Small::WORKERS, Small::BLOCKS) solve_graphs_by_64(distance *graphs, int n, int pitch, int one) {
    solve_graph<Small>(own_graph(graphs, n, pitch), one);
}

KERNEL void __launch_bounds__(Large::WORKERS, Large::BLOCKS) solve_graphs_by_128(distance *graphs, int n, int pitch, int one) {
    solve_graph<Large>(own_graph(graphs, n, pitch), one);
}
