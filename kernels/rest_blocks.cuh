// CalcRestBlocks of the generalized blocked algorithm as the paper has it: Likhoded & Sipeyko (2019), one thread an element.

#pragma once

/// CalcRestBlocks: all tiles outside of the group's rows and columns, one block a tile, through all rounds of the group.
KERNEL void __launch_bounds__(THREADS) rest_blocks(float *d, int pitch, int group, int end) {
    __shared__ float to[STAGE_ELEMENTS];
    __shared__ float from[STAGE_ELEMENTS];
    const int row = blockIdx.y < group ? blockIdx.y : blockIdx.y - group + end;
    const int column = blockIdx.x < group ? blockIdx.x : blockIdx.x - group + end;
    float *own = tile_at(d, row, column, pitch) + (size_t)(threadIdx.x / TILE) * pitch + threadIdx.x % TILE;
    *own = relax_rounds(*own, d, pitch, row, column, group, end, to, from);
}
