// CalcRestBlocks of the generalized blocked algorithm as Lund & Smith (2010), sections 4.1 and 4.2, have their doubly dependent
// kernel: 64 threads a block, 16 elements each in registers, of tiles of 32 x 32.

#pragma once

#define OWNERS 64
#define OWN (THREADS / OWNERS)
// Registers for as many blocks as one multiprocessor of that paper's GPU holds: left alone, the compiler takes fewer and spills.
#define RESIDENT_BLOCKS 8
#define OWN_ROW(own) (threadIdx.x / TILE + (own) * (OWNERS / TILE))

/// CalcRestBlocks: all tiles outside of the group's rows and columns, one block a tile, through all rounds of the group. A warp
/// owns a row of the tile at a time, as in `row_major_registers.cuh`.
KERNEL void __launch_bounds__(OWNERS, RESIDENT_BLOCKS) rest_blocks(float *d, int pitch, int group, int end) {
    __shared__ float to[STAGE_ELEMENTS];
    __shared__ float from[STAGE_ELEMENTS];
    const int row = blockIdx.y < group ? blockIdx.y : blockIdx.y - group + end;
    const int column = blockIdx.x < group ? blockIdx.x : blockIdx.x - group + end;
    float *tile = tile_at(d, row, column, pitch);
    const int j = threadIdx.x % TILE;
    float c[OWN];
#pragma unroll
    for (int own = 0; own < OWN; ++own) {
        c[own] = tile[(size_t)OWN_ROW(own) * pitch + j];
    }
    for (int round = group; round < end; ++round) {
        const float *to_tile = tile_at(d, row, round, pitch);
        const float *from_tile = tile_at(d, round, column, pitch);
        STAGE_LOOP for (int stage = 0; stage < TILE / STAGE; ++stage) {
#pragma unroll
            for (int e = threadIdx.x; e < STAGE_ELEMENTS; e += OWNERS) {
                to[e] = to_tile[(size_t)(e / STAGE) * pitch + stage * STAGE + e % STAGE];
                from[e] = from_tile[(size_t)(stage * STAGE + e / TILE) * pitch + e % TILE];
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < STAGE; ++k) {
#pragma unroll
                for (int own = 0; own < OWN; ++own) {
                    c[own] = relax(c[own], to[OWN_ROW(own) * STAGE + k], from[k * TILE + j]);
                }
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (int own = 0; own < OWN; ++own) {
        tile[(size_t)OWN_ROW(own) * pitch + j] = c[own];
    }
}
