// The generalized blocked algorithm: Likhoded & Sipeyko (2019). Up to kappa consecutive rounds of one tile run as one
// multitile, so a tile is stored once a multitile and not once a round. `generalized_blocked.cu` defines TILE, the paper's r, and
// adds CalcRestBlocks.
//
// As in the paper's GPU section: TILE x TILE threads a block, one element each, kept in a register through the whole
// multitile; the singly dependent tiles through shared memory in stages, here of TILE / 2 values of k, so that every thread
// loads one word of either tile a stage.
//
// The host may define:
//
//   STAGE  another number of values of k a stage, a power of two of at most TILE: where they are fewer, some threads load nothing,
//          where they are more, each loads a word of both tiles
//
// d is row-major with rows of `pitch` floats. A group is the rounds group .. group + kappa - 1. Within a group, a tile
// (i, j) has been through round m when it holds distances no greater than those of walks through the vertices of the blocks
// 0 .. m; every distance is at all times that of a walk. So a tile that has been through more rounds than a reader needs does
// as well (the paper's Remark 1: intermediate values may differ from the pointwise algorithm's).

#pragma once

#include "repro.cuh"

#define THREADS (TILE * TILE)
#ifndef STAGE
#define STAGE (TILE / 2)
#endif
#define STAGE_ELEMENTS (STAGE * TILE)
// Of many stages the compiler would begin to load several at once, for which it takes so many registers that fewer blocks are
// resident.
#if 2 * STAGE < TILE
#define STAGE_LOOP _Pragma("unroll 1")
#else
#define STAGE_LOOP
#endif

static __device__ __forceinline__ float *tile_at(float *d, int row, int column, int pitch) {
    return d + (size_t)row * TILE * pitch + column * TILE;
}

/// TileDD of the paper for the rounds first .. end - 1: the thread's element of the tile in this row and column, relaxed with
/// k innermost. Leaves no thread reading the stages.
static __device__ __forceinline__ float relax_rounds(float c, float *d, int pitch, int row, int column, int first, int end,
                                                     float *to, float *from) {
    const int i = threadIdx.x / TILE;
    const int j = threadIdx.x % TILE;
    const bool loads_to = threadIdx.x < STAGE_ELEMENTS;
    const int e = loads_to ? threadIdx.x : threadIdx.x - STAGE_ELEMENTS;
    for (int round = first; round < end; ++round) {
        const float *to_tile = tile_at(d, row, round, pitch);
        const float *from_tile = tile_at(d, round, column, pitch);
        STAGE_LOOP for (int stage = 0; stage < TILE / STAGE; ++stage) {
            if (loads_to) {
                to[e] = to_tile[(size_t)(e / STAGE) * pitch + stage * STAGE + e % STAGE];
            }
            if (STAGE == TILE || (!loads_to && (2 * STAGE == TILE || e < STAGE_ELEMENTS))) {
                from[e] = from_tile[(size_t)(stage * STAGE + e / TILE) * pitch + e % TILE];
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < STAGE; ++k) {
                c = relax(c, to[i * STAGE + k], from[k * TILE + j]);
            }
            __syncthreads();
        }
    }
    return c;
}

/// Tile of the paper, k outermost, on a tile in shared memory; `to` and `from` are it or the closed diagonal tile.
static __device__ __forceinline__ void close_tile(float *c, const float *to, const float *from) {
    const int i = threadIdx.x / TILE;
    const int j = threadIdx.x % TILE;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        relax_in_place(&c[threadIdx.x], to[i * TILE + k], from[k * TILE + j]);
    }
}

/// CalcLeadBlock: tile (lead, lead) through the rounds first .. lead, by one block.
KERNEL void __launch_bounds__(THREADS) lead_block(float *d, int pitch, int first, int lead) {
    __shared__ float to[STAGE_ELEMENTS];
    __shared__ float from[STAGE_ELEMENTS];
    __shared__ float c[THREADS];
    float *own = tile_at(d, lead, lead, pitch) + (size_t)(threadIdx.x / TILE) * pitch + threadIdx.x % TILE;
    c[threadIdx.x] = relax_rounds(*own, d, pitch, lead, lead, first, lead, to, from);
    close_tile(c, c, c);
    *own = c[threadIdx.x];
}

#define PART_COLUMNS 8
#define SLICES (THREADS / PART_COLUMNS)

/// The paper's Remark 4, in which CalcLeadBlock occupies all multiprocessors: TileDD of tile (lead, lead) for the rounds
/// group .. lead - 1, by TILE rows x TILE / 8 columns of blocks. A block owns eight elements of a row, and its threads share
/// out the k of each. `lead_block` then closes the tile.
KERNEL void __launch_bounds__(THREADS) lead_block_part(float *d, int pitch, int group, int lead) {
    __shared__ float best[THREADS];
    const int i = blockIdx.y;
    const int j = blockIdx.x * PART_COLUMNS + threadIdx.x % PART_COLUMNS;
    const int slice = threadIdx.x / PART_COLUMNS;
    const float *to_row = tile_at(d, lead, group, pitch) + (size_t)i * pitch;
    const float *from_column = tile_at(d, group, lead, pitch) + j;
    float *own = tile_at(d, lead, lead, pitch) + (size_t)i * pitch + j;
    float c = *own;
    for (int k = slice; k < (lead - group) * TILE; k += SLICES) {
        c = relax(c, to_row[k], from_column[(size_t)k * pitch]);
    }
    best[threadIdx.x] = c;
    for (int others = SLICES / 2; others > 0; others /= 2) {
        __syncthreads();
        if (slice < others) {
            best[threadIdx.x] = fminf(best[threadIdx.x], best[threadIdx.x + others * PART_COLUMNS]);
        }
    }
    if (slice == 0) {
        *own = best[threadIdx.x];
    }
}

/// CalcLeadRowAndColumn: the tiles in the row (blockIdx.y = 0) and the column (blockIdx.y = 1) of tile (lead, lead), one block
/// a tile, through the rounds up to `lead`. Tiles that an earlier lead of the group has brought further start later.
///
/// Those earlier tiles are also what the others relax with, in rounds that they have been through already: they may be read
/// before or after they are lowered here.
KERNEL void __launch_bounds__(THREADS) lead_row_and_column(float *d, int pitch, int group, int lead) {
    __shared__ float to[STAGE_ELEMENTS];
    __shared__ float from[STAGE_ELEMENTS];
    __shared__ float c[THREADS];
    __shared__ float closed[THREADS];
    const int other = skip_round(blockIdx.x, lead);
    const bool in_row = blockIdx.y == 0;
    const bool is_operand = other >= group && other < lead;
    const int row = in_row ? lead : other;
    const int column = in_row ? other : lead;
    const size_t at = (size_t)(threadIdx.x / TILE) * pitch + threadIdx.x % TILE;
    float *own = tile_at(d, row, column, pitch) + at;
    closed[threadIdx.x] = tile_at(d, lead, lead, pitch)[at];
    c[threadIdx.x] = relax_rounds(*own, d, pitch, row, column, is_operand ? other + 1 : group, lead, to, from);
    close_tile(c, in_row ? closed : c, in_row ? c : closed);
    if (is_operand) {
        lower_while_read(own, c[threadIdx.x]);
    } else {
        *own = c[threadIdx.x];
    }
}

/// CalcLeadRowAndColumnReverse: the tiles in the row and column of `lead` that are not yet through the rest of the group,
/// lead + 1 .. end - 1: those before and including the lead tile, and those after the group. The row's come first.
KERNEL void __launch_bounds__(THREADS) lead_row_and_column_reverse(float *d, int pitch, int lead, int end, int of_row) {
    __shared__ float to[STAGE_ELEMENTS];
    __shared__ float from[STAGE_ELEMENTS];
    const bool in_row = blockIdx.x < of_row;
    const int before = in_row ? lead + 1 : lead;
    const int block = in_row ? blockIdx.x : blockIdx.x - of_row;
    const int other = block < before ? block : block - before + end;
    const int row = in_row ? lead : other;
    const int column = in_row ? other : lead;
    float *own = tile_at(d, row, column, pitch) + (size_t)(threadIdx.x / TILE) * pitch + threadIdx.x % TILE;
    *own = relax_rounds(*own, d, pitch, row, column, lead + 1, end, to, from);
}
