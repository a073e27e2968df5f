// Batches of small graphs by blocked Floyd-Warshall: each block solves a graph of its own, with a tile of 64 x 64 in the registers of its
// threads, and waits for no other. A batch is one matrix below the other.
//
// A graph of one tile is loaded, closed and stored. Of a larger one, a round q closes tile (q, q), and then does one row of tiles after the
// other, the row q first:
//
//   row q      every other tile (q, j) becomes the closed (q, q) x itself,
//   others     every tile (i, j) becomes min(itself, old (i, q) x new (q, j)),
//
// where x is the min-plus product. Stages are as in register_blocked.cu, as many as a tile has, so that the left operand of a row stays in
// them whole. The right one passes through them, row by row as the matrix has it, so that none is packed.

#include "stages.cuh"

#if IS_FED
#error "the threads that have tiles fill the stages: compile for 9.0 and not for 9.0a"
#endif

#ifdef DISTANCE_U16
using Small = Shape<64, 16, 1, 6, 2, 32>;
#else
using Small = Shape<64, 8, 1, 5, 2, 32>;
#endif
static_assert(Small::STAGES == Small::STAGES_A_STEP, "each stage has its own part of the left operand");

/// By all threads: begins to fill the right half of a stage with rows from `k` on, as a column of tiles has them. What lies outside of the
/// matrix is 0: left operands have no edges there.
template <class S>
static __device__ __forceinline__ void fill_rows(word *stage, const Matrix &matrix, int k, int tile_column) {
    constexpr int ACCESS = 4 * DISTANCES_A_WORD;
    constexpr int ACCESSES_A_ROW = S::TILE / ACCESS;
    for (int at = threadIdx.x; at < S::STAGE_K * ACCESSES_A_ROW; at += S::WORKERS) {
        const int row = k + at / ACCESSES_A_ROW;
        const int column = tile_column * S::TILE + at % ACCESSES_A_ROW * ACCESS;
        const int inside = row < matrix.n ? max(0, min(ACCESS, matrix.n - column)) : 0;
        const distance *from = inside > 0 ? matrix.d + (size_t)row * matrix.pitch + column : matrix.d;
        word *to = stage + S::STAGE_LEFT_WORDS + at * 4;
#if HAS_ASYNC_COPIES
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(__cvta_generic_to_global(from)), "r"(inside * (int)sizeof(distance))
                     : "memory");
#else
#pragma unroll
        for (int d = 0; d < ACCESS; ++d) {
            ((distance *)to)[d] = d < inside ? from[d] : (distance)0;
        }
#endif
    }
}

/// By all threads: tiles of row `i` with all paths through the vertices of tile `q`. The stages have the left operand of that row. A tile
/// of row q is left times itself, and left has a diagonal of zeros; the tile on the diagonal is done.
template <class S>
static __device__ __forceinline__ void multiply_row(const Matrix &matrix, int tiles, int i, int q, word *stages, const Place &place,
                                                    int one) {
    const bool is_own = i == q;
    const int parts = (is_own ? tiles - 1 : tiles) * S::STAGES;
    const auto column_of = [&](int part) { return is_own ? skip_round(part / S::STAGES, q) : part / S::STAGES; };
    const auto fill = [&](int part) {
        if (part < parts) {
            const int stage = part % S::STAGES;
            fill_rows<S>(stages + stage * S::STAGE_WORDS, matrix, q * S::TILE + stage * S::STAGE_K, column_of(part));
        }
        close_fill();
    };
    fill(0);
    for (int first = 0; first < parts; first += S::STAGES) {
        Tile<S> tile;
        if (is_own) {
            clear_tile(tile);
        } else {
            load_tile(tile, matrix, i, column_of(first), place);
        }
#pragma unroll 1
        for (int stage = 0; stage < S::STAGES; ++stage) {
            await_stage<S>();
            fill(first + stage + 1);
            relax_stage(tile, shared_address(stages + stage * S::STAGE_WORDS), place, one);
        }
        store_tile(tile, matrix, i, column_of(first), place);
    }
}

/// By all threads of a block: the distances of one graph, in place.
template <class S>
static __device__ __forceinline__ void solve_graph(const Matrix &matrix, int one) {
    DYNAMIC_SHARED(word, stages);
    __shared__ Shown<S> shown;
    const Place place = own_place<S>();
    const int tiles = (matrix.n + S::TILE - 1) / S::TILE;
    Tile<S> tile;
    for (int q = 0; q < tiles; ++q) {
        load_tile(tile, matrix, q, q, place);
        // As `close_tile`, without the vertices that are none.
        const int vertices = min(S::TILE, matrix.n - q * S::TILE);
#pragma unroll 1
        for (int k = 0; k < vertices; k += 4) {
            pass_pair<S, 0>(tile, shared_address(&shown), k, place, one);
            pass_pair<S, 1>(tile, shared_address(&shown), k + 2, place, one);
        }
        store_tile(tile, matrix, q, q, place);
        if (tiles == 1) {
            return;
        }
        for (int number = 0; number < tiles; ++number) {
            const int i = number == 0 ? q : skip_round(number - 1, q);
            load_tile(tile, matrix, i, q, place);
            // Nobody reads the operands of the row before any more, and its tiles are there. The operand is once the first part of the
            // right one has arrived.
            __syncthreads();
            store_left(tile, stages, place, S::STAGE_WORDS - S::STAGE_LEFT_WORDS);
            multiply_row<S>(matrix, tiles, i, q, stages, place, one);
        }
    }
}

/// One block a graph of `n` vertices, whose rows lie `pitch` distances apart, each at a multiple of 16 bytes. `one` is 1. Graphs of more than
/// one tile need shared memory for the stages beyond what is declared.
KERNEL void __launch_bounds__(Small::WORKERS, Small::BLOCKS) solve_graphs(distance *graphs, int n, int pitch, int one) {
    solve_graph<Small>(Matrix{graphs + (size_t)blockIdx.x * n * pitch, n, pitch}, one);
}
