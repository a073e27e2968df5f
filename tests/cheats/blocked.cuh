// What the exploits of this folder are made from: the pieces of a correct blocked Floyd-Warshall, one tile a block and one
// element a thread, for f32, i32 and u16. The matrix is row-major, its sides a multiple of TILE.
#pragma once

#define KERNEL extern "C" __global__
#define DEVICE static __device__ __forceinline__

#if defined(DISTANCE_I32)
typedef int distance;
#define ABSENT 0x3fffffff
#elif defined(DISTANCE_U16)
typedef unsigned short distance;
#define ABSENT ((distance)0x7fff)
#else
typedef float distance;
#define ABSENT __int_as_float(0x7f800000)
#endif

#ifndef TILE
#define TILE 16
#endif
#define THREADS (TILE * TILE)

/// Row and column of the thread's element within its tile.
#define ROW ((int)threadIdx.x / TILE)
#define COLUMN ((int)threadIdx.x % TILE)

/// Where the thread's element of tile (row, column) lies.
DEVICE size_t element(int pitch, int row, int column) {
    return (size_t)(row * TILE + ROW) * pitch + column * TILE + COLUMN;
}

/// The thread's element when the grid is one block a tile.
DEVICE size_t own_element(int pitch) {
    return element(pitch, blockIdx.y, blockIdx.x);
}

/// The bits of a distance, for hashes and comparisons.
DEVICE unsigned bits_of(float x) {
    return __float_as_uint(x);
}
DEVICE unsigned bits_of(int x) {
    return (unsigned)x;
}
DEVICE unsigned bits_of(unsigned short x) {
    return x;
}

/// One task.
#ifndef OWN_RELAX
DEVICE distance relax(distance known, distance to, distance from) {
    const distance through = to + from;
    return through < known ? through : known;
}
#endif

/// Closes a tile in shared memory over TILE values of k; `to` and `from` are it or the closed diagonal tile.
#ifndef TILE_BARRIER
#define TILE_BARRIER __syncthreads()
#endif
DEVICE void close_tile(distance *c, const distance *to, const distance *from) {
    for (int k = 0; k < TILE; ++k) {
        TILE_BARRIER;
        const distance through = to[ROW * TILE + k] + from[k * TILE + COLUMN];
        if (through < c[threadIdx.x]) {
            c[threadIdx.x] = through;
        }
    }
    __syncthreads();
}

DEVICE void diagonal_tile(distance *d, int pitch, int k) {
    __shared__ distance c[THREADS];
    const size_t at = element(pitch, k, k);
    c[threadIdx.x] = d[at];
    close_tile(c, c, c);
    d[at] = c[threadIdx.x];
}

/// Tile (k, other) when in_row, else (other, k).
DEVICE void panel_tile(distance *d, int pitch, int k, int other, bool in_row) {
    __shared__ distance c[THREADS];
    __shared__ distance closed[THREADS];
    const size_t at = in_row ? element(pitch, k, other) : element(pitch, other, k);
    c[threadIdx.x] = d[at];
    closed[threadIdx.x] = d[element(pitch, k, k)];
    close_tile(c, in_row ? closed : c, in_row ? c : closed);
    d[at] = c[threadIdx.x];
}

DEVICE void rest_tile(distance *d, int pitch, int k, int row, int column) {
    __shared__ distance to[THREADS];
    __shared__ distance from[THREADS];
    const size_t at = element(pitch, row, column);
    to[threadIdx.x] = d[element(pitch, row, k)];
    from[threadIdx.x] = d[element(pitch, k, column)];
    distance c = d[at];
    __syncthreads();
    for (int m = 0; m < TILE; ++m) {
        c = relax(c, to[ROW * TILE + m], from[m * TILE + COLUMN]);
    }
    d[at] = c;
}

/// The block-th tile when tile k is left out.
DEVICE int without(int k, int block) {
    return block + (block >= k);
}
