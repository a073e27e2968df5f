// Staged loading on the doubly tiled layout: Lund & Smith (2010), section 4. The doubly dependent kernel is the paper's
// subject: the tile's 1,024 elements in registers (section 4.1), the two singly dependent tiles through shared memory in
// stages of four k (section 4.2), the doubly tiled layout (section 4.3). The other two kernels are not described there; they
// are those of Optimized & Blocked on this layout.
//
// Those who include this define:
//
//   THREADS        threads a block of the doubly dependent kernel: the paper's 64, or the 256 that it changed from
//   FIRST_K(i, j)  the k of a stage, modulo four, that the thread at row i and column j of a 4 x 4 tile starts with
//
// and may define where the words of a stage's columns lie, of which there are 128:
//
//   TO_AT(small, i, k)  the word (i, k) of the 4 x 4 tile `small` of the eight
//   TO_STORED(e)        the word that is the e-th in global memory

#include "repro.cuh"
#include "doubly_tiled.cuh"

#define DEPENDENT_THREADS 256
#define OWN_IN_DEPENDENT (TILE_ELEMENTS / DEPENDENT_THREADS)

#define OWN (TILE_ELEMENTS / THREADS)
#define HALF_WARPS (THREADS / SMALL_ELEMENTS)
#define STAGE SMALL
#define STAGE_ELEMENTS (STAGE * TILE)
#ifndef TO_AT
#define TO_STORED(e) (e)
#define TO_AT(small, i, k) ((small) * SMALL_ELEMENTS + (i) * SMALL + (k))
#endif
// Loads of a stage by one thread from either array; where there are more threads than elements, some load nothing.
#define PARTS ((STAGE_ELEMENTS + THREADS - 1) / THREADS)

/// The round's diagonal tile, by one block.
KERNEL void __launch_bounds__(DEPENDENT_THREADS) independent(distance *d, int tiles, int round) {
    __shared__ distance c[TILE_ELEMENTS];
    distance *tile = d + tile_start(round, round, tiles);
#pragma unroll
    for (int own = 0; own < OWN_IN_DEPENDENT; ++own) {
        const int e = own * DEPENDENT_THREADS + threadIdx.x;
        c[row_of(e) * TILE + column_of(e)] = tile[e];
    }
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
#pragma unroll
        for (int own = 0; own < OWN_IN_DEPENDENT; ++own) {
            const int e = own * DEPENDENT_THREADS + threadIdx.x;
            relax_in_place(&c[e], c[e / TILE * TILE + k], c[k * TILE + e % TILE]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int own = 0; own < OWN_IN_DEPENDENT; ++own) {
        const int e = own * DEPENDENT_THREADS + threadIdx.x;
        tile[e] = c[row_of(e) * TILE + column_of(e)];
    }
}

/// The tiles in the diagonal tile's row (blockIdx.y = 0) and column (blockIdx.y = 1), one block a tile.
KERNEL void __launch_bounds__(DEPENDENT_THREADS) singly_dependent(distance *d, int tiles, int round) {
    __shared__ distance c[TILE_ELEMENTS];
    __shared__ distance diagonal[TILE_ELEMENTS];
    const int other = skip_round(blockIdx.x, round);
    const bool in_row = blockIdx.y == 0;
    distance *tile = d + (in_row ? tile_start(round, other, tiles) : tile_start(other, round, tiles));
    const distance *diagonal_tile = d + tile_start(round, round, tiles);
#pragma unroll
    for (int own = 0; own < OWN_IN_DEPENDENT; ++own) {
        const int e = own * DEPENDENT_THREADS + threadIdx.x;
        const int at = row_of(e) * TILE + column_of(e);
        diagonal[at] = diagonal_tile[e];
        c[at] = tile[e];
    }
    const distance *to = in_row ? diagonal : c;
    const distance *from = in_row ? c : diagonal;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
#pragma unroll
        for (int own = 0; own < OWN_IN_DEPENDENT; ++own) {
            const int e = own * DEPENDENT_THREADS + threadIdx.x;
            relax_in_place(&c[e], to[e / TILE * TILE + k], from[k * TILE + e % TILE]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int own = 0; own < OWN_IN_DEPENDENT; ++own) {
        const int e = own * DEPENDENT_THREADS + threadIdx.x;
        tile[e] = c[row_of(e) * TILE + column_of(e)];
    }
}

/// All other tiles, one block a tile, its elements in registers.
KERNEL void __launch_bounds__(THREADS) doubly_dependent(distance *d, int tiles, int round) {
    // The four columns and the four rows that a stage needs, as eight 4 x 4 tiles each.
    __shared__ distance to[STAGE_ELEMENTS];
    __shared__ distance from[STAGE_ELEMENTS];
    const int tile_row = skip_round(blockIdx.y, round);
    const int tile_column = skip_round(blockIdx.x, round);
    distance *tile = d + tile_start(tile_row, tile_column, tiles);
    const distance *to_tile = d + tile_start(tile_row, round, tiles);
    const distance *from_tile = d + tile_start(round, tile_column, tiles);

    // A half-warp owns one 4 x 4 tile at a time. i and j: this thread's place in it. The next element of a thread lies as
    // many 4 x 4 tiles on as there are half-warps: half a row of them, or two whole rows. Where all half-warps begin in the
    // first row, the compiler is told so, since it does not know how many threads there are.
    const int i = threadIdx.x / SMALL % SMALL;
    const int j = threadIdx.x % SMALL;
    const int first_small = threadIdx.x / SMALL_ELEMENTS;
    const int first_small_row = HALF_WARPS < SMALL_PER_SIDE ? 0 : first_small / SMALL_PER_SIDE;
    const int first_small_column = first_small - first_small_row * SMALL_PER_SIDE;
    distance c[OWN];
#pragma unroll
    for (int own = 0; own < OWN; ++own) {
        c[own] = tile[own * THREADS + threadIdx.x];
    }

    for (int stage = 0; stage < TILE / STAGE; ++stage) {
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            const int e = part * THREADS + threadIdx.x;
            if (PARTS * THREADS == STAGE_ELEMENTS || e < STAGE_ELEMENTS) {
                const int small = e / SMALL_ELEMENTS;
                to[TO_STORED(e)] = to_tile[(small * SMALL_PER_SIDE + stage) * SMALL_ELEMENTS + e % SMALL_ELEMENTS];
                from[e] = from_tile[stage * STAGE_ELEMENTS + e];
            }
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < STAGE; ++step) {
            const int k = (step + FIRST_K(i, j)) % STAGE;
#pragma unroll
            for (int own = 0; own < OWN; ++own) {
                const int small_row = first_small_row + own * HALF_WARPS / SMALL_PER_SIDE;
                const int small_column = first_small_column + own * HALF_WARPS % SMALL_PER_SIDE;
                c[own] = relax(c[own], to[TO_AT(small_row, i, k)],
                               from[small_column * SMALL_ELEMENTS + k * SMALL + j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int own = 0; own < OWN; ++own) {
        tile[own * THREADS + threadIdx.x] = c[own];
    }
}
