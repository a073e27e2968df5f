// How a tile (i, j) of a symmetric matrix is stored as (j, i): its rows as columns.
#pragma once

#include "register_tile.cuh"

#if defined(SYMMETRIC) && (defined(SHIFT) || defined(SIGNED_F32))
#error "an undirected edge of negative weight is a negative cycle"
#endif

/// The words of four distances of a column of a thread's tile, from row `r` on. `part` says which of the word's distances they are.
template <class S>
static __device__ __forceinline__ void take_column(word *words, const Tile<S> &tile, int r, int w, int part) {
#ifdef DISTANCE_U16
    const int halves = part == 0 ? 0x5410 : 0x7632;
    words[0] = __byte_perm(tile.at[r][w], tile.at[r + 1][w], halves);
    words[1] = __byte_perm(tile.at[r + 2][w], tile.at[r + 3][w], halves);
#else
    words[0] = tile.at[r][w];
    words[1] = tile.at[r + 1][w];
    words[2] = tile.at[r + 2][w];
    words[3] = tile.at[r + 3][w];
#endif
}

/// Four distances side by side in one access.
static __device__ __forceinline__ void store_distances(word *to, const word *words) {
#ifdef DISTANCE_U16
    *(uint2 *)to = make_uint2(words[0], words[1]);
#else
    store_four(to, words);
#endif
}

/// Calls `visit` with four distances of a column at a time, and the column and the first of their rows in the tile.
template <class S, class Visit>
static __device__ __forceinline__ void visit_columns(const Tile<S> &tile, const Place &place, const Visit &visit) {
#pragma unroll
    for (int w = 0; w < S::WORDS; ++w) {
#pragma unroll
        for (int part = 0; part < DISTANCES_A_WORD; ++part) {
            const int column = (word_of<S>(w / 4, place) + w % 4) * DISTANCES_A_WORD + part;
#pragma unroll
            for (int r = 0; r < S::ROWS; r += 4) {
                word words[4 / DISTANCES_A_WORD];
                take_column(words, tile, r, w, part);
                visit(words, column, row_of<S>(r, place));
            }
        }
    }
}

/// Writes the tile turned over as a right operand.
template <class S>
static __device__ __forceinline__ void store_right_turned(const Tile<S> &tile, word *right, const Place &place) {
    visit_columns(tile, place, [&](const word *words, int column, int row) {
        store_distances(right + column * S::TILE_WORDS + row / DISTANCES_A_WORD, words);
    });
}

/// Writes the tile turned over as a left operand.
template <class S>
static __device__ __forceinline__ void store_left_turned(const Tile<S> &tile, word *left, const Place &place) {
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
        for (int w = 0; w < S::WORDS; w += 4 / DISTANCES_A_WORD) {
            word *to = left + row_of<S>(r, place) * S::TILE + (word_of<S>(w / 4, place) + w % 4) * DISTANCES_A_WORD;
            word four[4];
#pragma unroll
            for (int at = 0; at < 4; ++at) {
                four[at] = left_operand(tile.at[r][w + at / DISTANCES_A_WORD], at % DISTANCES_A_WORD);
            }
            store_four(to, four);
        }
    }
}

/// Stores tile (i, j) as tile (j, i) of the matrix.
template <class S, class M>
static __device__ __forceinline__ void store_tile_turned(const Tile<S> &tile, const M &matrix, int i, int j, const Place &place) {
    distance *first = matrix.d + (size_t)j * S::TILE * matrix.pitch + (size_t)i * S::TILE;
    if (is_whole<S>(matrix, i, j)) {
        visit_columns(tile, place, [&](const word *words, int column, int row) {
            store_distances((word *)(first + (size_t)column * matrix.pitch + row), words);
        });
        return;
    }
    visit_columns(tile, place, [&](const word *words, int column, int row) {
        const int inside = j * S::TILE + column < matrix.n ? matrix.n - i * S::TILE - row : 0;
#pragma unroll
        for (int at = 0; at < 4; ++at) {
            if (at < inside) {
                distance *to = first + (size_t)column * matrix.pitch + row + at;
#ifdef DISTANCE_U16
                *to = (distance)(words[at / 2] >> 16 * (at % 2));
#else
                *(word *)to = words[at];
#endif
            }
        }
    });
}
