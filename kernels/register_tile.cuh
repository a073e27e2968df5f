// A tile of TILE x TILE distances in the registers of a block's threads: how it is loaded and stored, multiplied and closed.
#pragma once

#include "words.cuh"

/// The numbers of one instance: a tile of TILE_ x TILE_ distances, threads below each other, groups of four words a row of a thread,
/// as many resident blocks a multiprocessor as registers are to allow, a ring of STAGES_ stages of STAGE_K_ vertices.
template <int TILE_, int THREADS_Y_, int WORD_GROUPS_, int BLOCKS_, int STAGES_, int STAGE_K_>
struct Shape {
    static constexpr int TILE = TILE_;
    static constexpr int TILE_WORDS = TILE / DISTANCES_A_WORD;
    // Rows and words of a thread, in groups of four: those of a group lie side by side, so that one access of 16 bytes takes them.
    static constexpr int THREADS_Y = THREADS_Y_;
    static constexpr int ROW_GROUPS = TILE / (4 * THREADS_Y);
    static constexpr int WORD_GROUPS = WORD_GROUPS_;
    static constexpr int ROWS = ROW_GROUPS * 4;
    static constexpr int WORDS = WORD_GROUPS * 4;
    static constexpr int THREADS_X = TILE_WORDS / WORDS;
    static constexpr int WORKERS = THREADS_X * THREADS_Y;
    static_assert(WORKERS % 128 == 0, "registers are divided between whole warpgroups");
    // A warpgroup more, of which one thread feeds the ring.
    static constexpr int THREADS = WORKERS + (IS_FED ? 128 : 0);
    static constexpr int BLOCKS = BLOCKS_;
    // Registers a thread: what blocks are launched with, and how they divide it; 255 are the most that a thread can use.
    static constexpr int LAUNCH_REGISTERS = 65536 / BLOCKS / THREADS / 8 * 8;
    static constexpr int FEEDER_REGISTERS = 24;
    static constexpr int LEFT_REGISTERS = (LAUNCH_REGISTERS * THREADS - FEEDER_REGISTERS * 128) / WORKERS / 8 * 8;
    static constexpr int WORKER_REGISTERS = LEFT_REGISTERS < 240 ? LEFT_REGISTERS : 240;
    // Threads of a warp that lie beside each other: the accesses of eight, 16 bytes each, are one to each bank.
    static constexpr int LANES_X = THREADS_X < 8 ? THREADS_X : 8;
    static constexpr int LANES_Y = 32 / LANES_X;
    static constexpr int WARPS_X = THREADS_X / LANES_X;
    // A panel's part for one tile, and a stage's for one product.
    static constexpr int LEFT_WORDS = TILE * TILE;
    static constexpr int RIGHT_WORDS = TILE * TILE_WORDS;
    static constexpr int STAGES = STAGES_;
    static constexpr int STAGE_K = STAGE_K_;
    static constexpr int STAGE_LEFT_WORDS = STAGE_K * TILE;
    static constexpr int STAGE_RIGHT_WORDS = STAGE_K * TILE_WORDS;
    static constexpr int STAGE_WORDS = STAGE_LEFT_WORDS + STAGE_RIGHT_WORDS;
    static constexpr int STAGES_A_STEP = TILE / STAGE_K;
};

/// A thread's place in its block: the first row and the first word of its groups.
struct Place {
    int row, word;
};

template <class S>
static __device__ __forceinline__ Place own_place() {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int x = warp % S::WARPS_X * S::LANES_X + lane % S::LANES_X;
    const int y = warp / S::WARPS_X * S::LANES_Y + lane / S::LANES_X;
    return Place{y * 4, x * 4};
}

/// The thread's part of a tile.
template <class S>
struct Tile {
    word at[S::ROWS][S::WORDS];
};

template <class S>
static __device__ __forceinline__ int row_of(int row, const Place &place) {
    return row / 4 * (4 * S::THREADS_Y) + place.row + row % 4;
}

template <class S>
static __device__ __forceinline__ int word_of(int group, const Place &place) {
    return group * (S::THREADS_X * 4) + place.word;
}

/// Four words in one access; `from` and `to` in memory are multiples of 16 bytes.
static __device__ __forceinline__ void load_four(word *to, const word *from) {
    const uint4 four = *(const uint4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

static __device__ __forceinline__ void store_four(word *to, const word *from) {
    *(uint4 *)to = make_uint4(from[0], from[1], from[2], from[3]);
}

/// The matrix: n x n, row-major. Vertices beyond it have no edges.
struct Matrix {
    distance *d;
    int n;
};

template <class S>
static __device__ __forceinline__ bool has_whole_words(const Matrix &matrix, int tile_row, int tile_column) {
    const int per_access = 4 * DISTANCES_A_WORD;
    const int last = max(tile_row, tile_column) + 1;
    return matrix.n % per_access == 0 && (long long)last * S::TILE <= matrix.n;
}

template <class S>
static __device__ __forceinline__ void load_tile(Tile<S> &tile, const Matrix &matrix, int tile_row, int tile_column,
                                                 const Place &place) {
    if (has_whole_words<S>(matrix, tile_row, tile_column)) {
#pragma unroll
        for (int r = 0; r < S::ROWS; ++r) {
            const distance *row = matrix.d + (size_t)(tile_row * S::TILE + row_of<S>(r, place)) * matrix.n + tile_column * S::TILE;
#pragma unroll
            for (int group = 0; group < S::WORD_GROUPS; ++group) {
                load_four(&tile.at[r][group * 4], (const word *)(row + word_of<S>(group, place) * DISTANCES_A_WORD));
            }
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
        const int i = tile_row * S::TILE + row_of<S>(r, place);
#pragma unroll
        for (int w = 0; w < S::WORDS; ++w) {
            const int j = tile_column * S::TILE + (word_of<S>(w / 4, place) + w % 4) * DISTANCES_A_WORD;
            const distance *entry = matrix.d + (size_t)i * matrix.n + j;
#ifdef DISTANCE_U16
            const word low = i < matrix.n && j < matrix.n ? entry[0] : ABSENT;
            const word high = i < matrix.n && j + 1 < matrix.n ? entry[1] : ABSENT;
            tile.at[r][w] = low | high << 16;
#else
            tile.at[r][w] = i < matrix.n && j < matrix.n ? *(const word *)entry : ABSENT_WORD;
#endif
        }
    }
}

template <class S>
static __device__ __forceinline__ void store_tile(const Tile<S> &tile, const Matrix &matrix, int tile_row, int tile_column,
                                                  const Place &place) {
    if (has_whole_words<S>(matrix, tile_row, tile_column)) {
#pragma unroll
        for (int r = 0; r < S::ROWS; ++r) {
            distance *row = matrix.d + (size_t)(tile_row * S::TILE + row_of<S>(r, place)) * matrix.n + tile_column * S::TILE;
#pragma unroll
            for (int group = 0; group < S::WORD_GROUPS; ++group) {
                store_four((word *)(row + word_of<S>(group, place) * DISTANCES_A_WORD), &tile.at[r][group * 4]);
            }
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
        const int i = tile_row * S::TILE + row_of<S>(r, place);
#pragma unroll
        for (int w = 0; w < S::WORDS; ++w) {
            const int j = tile_column * S::TILE + (word_of<S>(w / 4, place) + w % 4) * DISTANCES_A_WORD;
            distance *entry = matrix.d + (size_t)i * matrix.n + j;
#pragma unroll
            for (int part = 0; part < DISTANCES_A_WORD; ++part) {
                if (i < matrix.n && j + part < matrix.n) {
#ifdef DISTANCE_U16
                    entry[part] = (distance)(tile.at[r][w] >> 16 * part);
#else
                    *(word *)entry = tile.at[r][w];
#endif
                }
            }
        }
    }
}

/// Writes a tile as a right operand: row after row.
template <class S>
static __device__ __forceinline__ void store_right(const Tile<S> &tile, word *right, const Place &place) {
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
        for (int group = 0; group < S::WORD_GROUPS; ++group) {
            store_four(right + row_of<S>(r, place) * S::TILE_WORDS + word_of<S>(group, place), &tile.at[r][group * 4]);
        }
    }
}

/// Writes a tile as a left operand: column after column, every distance in a word of its own.
template <class S>
static __device__ __forceinline__ void store_left(const Tile<S> &tile, word *left, const Place &place) {
#pragma unroll
    for (int w = 0; w < S::WORDS; ++w) {
#pragma unroll
        for (int part = 0; part < DISTANCES_A_WORD; ++part) {
            word *column = left + ((word_of<S>(w / 4, place) + w % 4) * DISTANCES_A_WORD + part) * S::TILE;
#pragma unroll
            for (int r = 0; r < S::ROWS; r += 4) {
                const word four[] = {spread(tile.at[r][w], part), spread(tile.at[r + 1][w], part),
                                     spread(tile.at[r + 2][w], part), spread(tile.at[r + 3][w], part)};
                store_four(column + row_of<S>(r, place), four);
            }
        }
    }
}

/// tile = min(tile, left x right) over the k of a stage, two at a time.
template <class S>
static __device__ __forceinline__ void relax_stage(Tile<S> &tile, const word *stage, const Place &place, int one) {
    const word *left = stage + place.row;
    const word *right = stage + S::STAGE_LEFT_WORDS + place.word;
#pragma unroll 4
    for (int k = 0; k < S::STAGE_K; k += 2) {
        word to[2][S::ROWS], from[2][S::WORDS];
#pragma unroll
        for (int step = 0; step < 2; ++step) {
#pragma unroll
            for (int r = 0; r < S::ROWS; r += 4) {
                load_four(&to[step][r], left + (k + step) * S::TILE + r * S::THREADS_Y);
            }
#pragma unroll
            for (int w = 0; w < S::WORDS; w += 4) {
                load_four(&from[step][w], right + (k + step) * S::TILE_WORDS + w * S::THREADS_X);
            }
        }
#pragma unroll
        for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
            for (int w = 0; w < S::WORDS; ++w) {
                tile.at[r][w] = relax_word_twice(tile.at[r][w], to[0][r], from[0][w], to[1][r], from[1][w], w, one);
            }
        }
    }
}

/// A barrier of those threads of the block that have tiles.
template <class S>
static __device__ __forceinline__ void sync_workers() {
#if IS_FED
    asm volatile("bar.sync 1, %0;" ::"n"(S::WORKERS) : "memory");
#else
    __syncthreads();
#endif
}

/// What the threads of a block show each other of the vertex that a closure is at: its row, and its column with every distance in a
/// word of its own. Two of each in turn: with one barrier a vertex, some threads still read one while others write the next.
template <class S>
struct Shown {
    word row[2][S::TILE_WORDS];
    word column[2][S::TILE];
};

/// The closure of a tile: Floyd-Warshall within it.
template <class S>
static __device__ __forceinline__ void close_tile(Tile<S> &tile, Shown<S> &shown, const Place &place) {
#pragma unroll
    for (int group = 0; group < S::ROW_GROUPS; ++group) {
        // Vertices of a group of rows belong to each row of threads in turn, four at a time.
#pragma unroll 1
        for (int owner = 0; owner < S::THREADS_Y; ++owner) {
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const int k = group * (4 * S::THREADS_Y) + owner * 4 + r;
                const int k_word = k / DISTANCES_A_WORD;
                // The word's group is the same for all vertices of a group of rows.
                const int word_group = group * (4 * S::THREADS_Y) / DISTANCES_A_WORD / (S::THREADS_X * 4);
                word *row = shown.row[r % 2];
                word *column = shown.column[r % 2];
                if (place.row == owner * 4) {
#pragma unroll
                    for (int w = 0; w < S::WORDS; w += 4) {
                        store_four(row + word_of<S>(w / 4, place), &tile.at[group * 4 + r][w]);
                    }
                }
                if (place.word == k_word % (S::THREADS_X * 4) / 4 * 4) {
#pragma unroll
                    for (int i = 0; i < S::ROWS; i += 4) {
                        word four[4];
#pragma unroll
                        for (int step = 0; step < 4; ++step) {
                            const word *words = &tile.at[i + step][word_group * 4];
#ifdef DISTANCE_U16
                            const word own = owner % 2 == 0 ? words[r / 2] : words[2 + r / 2];
                            four[step] = spread(own, r % 2);
#else
                            four[step] = words[r];
#endif
                        }
                        store_four(column + row_of<S>(i, place), four);
                    }
                }
                sync_workers<S>();
                word to[S::ROWS], from[S::WORDS];
#pragma unroll
                for (int i = 0; i < S::ROWS; i += 4) {
                    load_four(&to[i], column + row_of<S>(i, place));
                }
#pragma unroll
                for (int w = 0; w < S::WORDS; w += 4) {
                    load_four(&from[w], row + word_of<S>(w / 4, place));
                }
#pragma unroll
                for (int i = 0; i < S::ROWS; ++i) {
#pragma unroll
                    for (int w = 0; w < S::WORDS; ++w) {
                        tile.at[i][w] = relax_word(tile.at[i][w], to[i], from[w]);
                    }
                }
            }
        }
    }
}
