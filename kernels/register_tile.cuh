// A tile of TILE x TILE distances in the registers of a block's threads: how it is loaded and stored, multiplied and closed.
#pragma once

#include "words.cuh"

// Half of a symmetric matrix in u16 has too few registers for them.
#ifdef SYMMETRIC
#define HAS_LONG_ROUNDS (IS_FED && IS_INTEGER && DISTANCES_A_WORD == 1)
#else
#define HAS_LONG_ROUNDS (IS_FED && IS_INTEGER)
#endif

/// The numbers of one instance: a tile of TILE_ x TILE_ distances, threads below each other, groups of four words a row of a thread,
/// as many resident blocks a multiprocessor as registers are to allow, a ring of STAGES_ stages of STAGE_K_ vertices, and whether one
/// block follows the diagonal, of which the others leave out what it does.
template <int TILE_, int THREADS_Y_, int WORD_GROUPS_, int BLOCKS_, int STAGES_, int STAGE_K_, bool CHAINS_ = false>
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
    // Whether words are loaded a pair of vertices ahead, behind the last pair from a gap that nobody fills; and pairs a round of the loop:
    // longer ones outgrow the cache of instructions, shorter ones begin more often. Both as measured on 9.0.
    static constexpr bool LOADS_AHEAD = IS_FED && (IS_INTEGER ? DISTANCES_A_WORD == 1 : ROWS * WORDS >= 64);
    // Elsewhere as many as registers suffice for.
    static constexpr int PAIRS = IS_FED || ARCHITECTURE == 900
                                     ? (ROWS * WORDS >= 64 ? (LOADS_AHEAD ? 2 : 4) : (HAS_LONG_ROUNDS ? 8 : 4))
                                     : (IS_INTEGER && DISTANCES_A_WORD == 1 ? 8 : 2);
    static constexpr int GAP_WORDS = LOADS_AHEAD ? 2 * TILE_WORDS : 0;
    static constexpr int STAGE_WORDS = STAGE_LEFT_WORDS + STAGE_RIGHT_WORDS + GAP_WORDS;
    static constexpr int STAGES_A_STEP = TILE / STAGE_K;
    static constexpr bool CHAINS = CHAINS_;
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

/// The same in shared memory. Addresses of 32 bits, since of a pointer the compiler works out the block's window again and again.
static __device__ __forceinline__ unsigned shared_address(const void *shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

static __device__ __forceinline__ word load_shared(unsigned from) {
    word found;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(found) : "r"(from) : "memory");
    return found;
}

static __device__ __forceinline__ void load_four_shared(word *to, unsigned from) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

static __device__ __forceinline__ void store_four_shared(unsigned to, const word *from) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}

/// The matrix: n x n, row-major, rows `pitch` distances apart, each at a multiple of 16 bytes. Vertices beyond it have no edges.
struct Matrix {
    distance *d;
    int n, pitch;
};

/// Whether all of a tile lies in the matrix.
template <class S>
static __device__ __forceinline__ bool is_whole(const Matrix &matrix, int tile_row, int tile_column) {
    return (long long)(max(tile_row, tile_column) + 1) * S::TILE <= matrix.n;
}

/// A part of a matrix that has whole tiles alone.
struct WholeTiles {
    distance *d;
    int pitch;
    static constexpr int n = 0x7fffffff;
};

template <class S>
static __device__ __forceinline__ bool is_whole(const WholeTiles &, int, int) {
    return true;
}

/// Calls `visit` with each group of four words of a thread, where it begins in the matrix, and how many of its distances from
/// there on lie in the matrix; none may.
template <class S, class M, class Visit>
static __device__ __forceinline__ void visit_groups(Tile<S> &tile, const M &matrix, int tile_row, int tile_column,
                                                    const Place &place, const Visit &visit) {
    const int i = tile_row * S::TILE + place.row;
    const int j = tile_column * S::TILE + place.word * DISTANCES_A_WORD;
    distance *first = matrix.d + (size_t)i * matrix.pitch + j;
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
        const int row = r / 4 * (4 * S::THREADS_Y) + r % 4;
#pragma unroll
        for (int group = 0; group < S::WORD_GROUPS; ++group) {
            const int column = group * (S::THREADS_X * 4) * DISTANCES_A_WORD;
            visit(&tile.at[r][group * 4], first + (size_t)row * matrix.pitch + column,
                  i + row < matrix.n ? matrix.n - j - column : 0);
        }
    }
}

template <class S, class M>
static __device__ __forceinline__ void load_tile(Tile<S> &tile, const M &matrix, int tile_row, int tile_column, const Place &place) {
    if (is_whole<S>(matrix, tile_row, tile_column)) {
        visit_groups(tile, matrix, tile_row, tile_column, place,
                     [](word *words, const distance *at, int) { load_four(words, (const word *)at); });
    } else {
        visit_groups(tile, matrix, tile_row, tile_column, place, [](word *words, const distance *at, int inside) {
#pragma unroll
            for (int w = 0; w < 4; ++w) {
#ifdef DISTANCE_U16
                const word low = 2 * w < inside ? at[2 * w] : ABSENT;
                const word high = 2 * w + 1 < inside ? at[2 * w + 1] : ABSENT;
                words[w] = low | high << 16;
#else
                words[w] = w < inside ? *(const word *)(at + w) : ABSENT_WORD;
#endif
            }
        });
    }
#ifdef SHIFT
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
        for (int w = 0; w < S::WORDS; ++w) {
            tile.at[r][w] = shifted(tile.at[r][w], SHIFT);
        }
    }
#endif
}

template <class S, class M>
static __device__ __forceinline__ void store_tile(Tile<S> &tile, const M &matrix, int tile_row, int tile_column, const Place &place) {
#ifdef SHIFT
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
        for (int w = 0; w < S::WORDS; ++w) {
            // Worked out anew: what was for left operands would take as many registers as the tile until here.
            asm volatile("" : "+r"(tile.at[r][w]));
            tile.at[r][w] = shifted(tile.at[r][w], -SHIFT);
        }
    }
#endif
    if (is_whole<S>(matrix, tile_row, tile_column)) {
        visit_groups(tile, matrix, tile_row, tile_column, place,
                     [](const word *words, distance *at, int) { store_four((word *)at, words); });
        return;
    }
    visit_groups(tile, matrix, tile_row, tile_column, place, [](const word *words, distance *at, int inside) {
#pragma unroll
        for (int w = 0; w < 4 * DISTANCES_A_WORD; ++w) {
            if (w < inside) {
#ifdef DISTANCE_U16
                at[w] = (distance)(words[w / 2] >> 16 * (w % 2));
#else
                *(word *)(at + w) = words[w];
#endif
            }
        }
    });
}

/// A tile without a path.
template <class S>
static __device__ __forceinline__ void clear_tile(Tile<S> &tile) {
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
        for (int w = 0; w < S::WORDS; ++w) {
            tile.at[r][w] = ABSENT_WORD;
        }
    }
}

/// Writes a tile as a right operand: row after row, with a gap of so many words behind the rows of each stage.
template <class S>
static __device__ __forceinline__ void store_right(const Tile<S> &tile, word *right, const Place &place, int gap = 0) {
#pragma unroll
    for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
        for (int group = 0; group < S::WORD_GROUPS; ++group) {
            const int row = row_of<S>(r, place);
            store_four(right + row * S::TILE_WORDS + row / S::STAGE_K * gap + word_of<S>(group, place), &tile.at[r][group * 4]);
        }
    }
}

/// Writes a tile as a left operand: column after column, with a gap of so many words behind the columns of each stage.
template <class S>
static __device__ __forceinline__ void store_left(const Tile<S> &tile, word *left, const Place &place, int gap = 0) {
#pragma unroll
    for (int w = 0; w < S::WORDS; ++w) {
#pragma unroll
        for (int part = 0; part < DISTANCES_A_WORD; ++part) {
            const int k = (word_of<S>(w / 4, place) + w % 4) * DISTANCES_A_WORD + part;
            word *column = left + k * S::TILE + k / S::STAGE_K * gap;
#pragma unroll
            for (int r = 0; r < S::ROWS; r += 4) {
                const word four[] = {left_operand(tile.at[r][w], part), left_operand(tile.at[r + 1][w], part),
                                     left_operand(tile.at[r + 2][w], part), left_operand(tile.at[r + 3][w], part)};
                store_four(column + row_of<S>(r, place), four);
            }
        }
    }
}

/// tile = min(tile, left x right) over the k of a stage at this address, two at a time.
template <class S>
static __device__ __forceinline__ void relax_stage(Tile<S> &tile, unsigned stage, const Place &place, int one) {
    constexpr int LEFT = 4 * S::TILE, RIGHT = 4 * S::TILE_WORDS;
    const unsigned first_left = stage + 4 * place.row;
    const unsigned first_right = stage + 4 * (S::STAGE_LEFT_WORDS + place.word);
    // Of a pair of vertices, what its tasks begin with is loaded first, or before the tasks of the pair before it.
    word to[2][S::ROWS], from[2][S::WORDS], first_to[2][4], next[2][S::WORDS];
    const auto load_first = [&](unsigned left, unsigned right) {
#pragma unroll
        for (int step = 0; step < 2; ++step) {
            load_four_shared(first_to[step], left + step * LEFT);
#pragma unroll
            for (int w = 0; w < S::WORDS; w += 4) {
                load_four_shared(&next[step][w], right + step * RIGHT + 4 * w * S::THREADS_X);
            }
        }
    };
    if (S::LOADS_AHEAD) {
        load_first(first_left, first_right);
    }
#pragma unroll 1
    for (int at = 0; at < S::STAGE_K * LEFT; at += 2 * S::PAIRS * LEFT) {
        const unsigned left = first_left + at;
        const unsigned right = first_right + at / DISTANCES_A_WORD;
#pragma unroll
        for (int pair = 0; pair < 2 * S::PAIRS; pair += 2) {
            if (!S::LOADS_AHEAD) {
                load_first(left + pair * LEFT, right + pair * RIGHT);
            }
#pragma unroll
            for (int step = 0; step < 2; ++step) {
#pragma unroll
                for (int r = 0; r < S::ROWS; ++r) {
                    if (r < 4) {
                        to[step][r] = first_to[step][r];
                    } else if (r % 4 == 0) {
                        load_four_shared(&to[step][r], left + (pair + step) * LEFT + 4 * r * S::THREADS_Y);
                    }
                }
#pragma unroll
                for (int w = 0; w < S::WORDS; ++w) {
                    from[step][w] = next[step][w];
                }
            }
            if (S::LOADS_AHEAD) {
                load_first(left + (pair + 2) * LEFT, right + (pair + 2) * RIGHT);
            }
#pragma unroll
            for (int r = 0; r < S::ROWS; ++r) {
#pragma unroll
                for (int w = 0; w < S::WORDS; ++w) {
                    tile.at[r][w] = relax_word_twice(tile.at[r][w], to[0][r], from[0][w], to[1][r], from[1][w],
                                                     r * S::WORDS + w, one);
                }
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

/// What the threads of a block show each other of two vertices: their rows, and their columns as left operands. Two of each in turn:
/// with one barrier a time, some threads still read one while others write the next.
template <class S>
struct Shown {
    word rows[2][2][S::TILE_WORDS];
    word columns[2][2][S::TILE];
};

/// Shows the rows and columns of the two vertices of a tile that begin at k, to the threads that do not have them. PAIR is which pair
/// of a group of four they are.
template <class S, int PAIR>
static __device__ __forceinline__ void show_pair(const Tile<S> &tile, unsigned rows, unsigned columns, int k, const Place &place) {
    if (place.row == k / 4 * 4 % (4 * S::THREADS_Y)) {
#pragma unroll
        for (int r = 2 * PAIR; r < S::ROWS; r += 4) {
            if (row_of<S>(r, place) == k) {
#pragma unroll
                for (int w = 0; w < S::WORDS; w += 4) {
                    const unsigned at = rows + 4 * word_of<S>(w / 4, place);
                    store_four_shared(at, &tile.at[r][w]);
                    store_four_shared(at + 4 * S::TILE_WORDS, &tile.at[r + 1][w]);
                }
            }
        }
    }
    const int in_word = k / DISTANCES_A_WORD;
    if (place.word == in_word / 4 * 4 % (4 * S::THREADS_X)) {
        constexpr int STEP = 4 / DISTANCES_A_WORD;
#pragma unroll
        for (int w = 2 * PAIR / DISTANCES_A_WORD; w < S::WORDS; w += STEP) {
            if (word_of<S>(w / 4, place) + w % 4 == in_word) {
#pragma unroll
                for (int part = 0; part < 2; ++part) {
                    const int own = DISTANCES_A_WORD == 1 ? w + part : w;
#pragma unroll
                    for (int r = 0; r < S::ROWS; r += 4) {
                        const word four[] = {left_operand(tile.at[r][own], part), left_operand(tile.at[r + 1][own], part),
                                             left_operand(tile.at[r + 2][own], part), left_operand(tile.at[r + 3][own], part)};
                        store_four_shared(columns + 4 * (part * S::TILE + row_of<S>(r, place)), four);
                    }
                }
            }
        }
    }
}

/// The tile with all paths through the two vertices that begin at k. It counts on a diagonal of zeros: that is how the row of each
/// comes to pass through the other.
template <class S, int PAIR>
static __device__ __forceinline__ void pass_pair(Tile<S> &tile, unsigned shown, int k, const Place &place, int one) {
    const unsigned rows = shown + PAIR * 4 * (2 * S::TILE_WORDS);
    const unsigned columns = shown + 4 * (4 * S::TILE_WORDS) + PAIR * 4 * (2 * S::TILE);
    show_pair<S, PAIR>(tile, rows, columns, k, place);
    sync_workers<S>();
    const word there = load_shared(columns + 4 * (S::TILE + k));
    const word back = load_shared(columns + 4 * (k + 1));
    word from[2][S::WORDS];
#pragma unroll
    for (int w = 0; w < S::WORDS; w += 4) {
        const unsigned at = rows + 4 * word_of<S>(w / 4, place);
        load_four_shared(&from[0][w], at);
        load_four_shared(&from[1][w], at + 4 * S::TILE_WORDS);
    }
#pragma unroll
    for (int w = 0; w < S::WORDS; ++w) {
        const word first = from[0][w];
        from[0][w] = relax_word(first, there, from[1][w]);
        from[1][w] = relax_word(from[1][w], back, first);
    }
#pragma unroll
    for (int r = 0; r < S::ROWS; r += 4) {
        word to[2][4];
        load_four_shared(to[0], columns + 4 * row_of<S>(r, place));
        load_four_shared(to[1], columns + 4 * (S::TILE + row_of<S>(r, place)));
#pragma unroll
        for (int step = 0; step < 4; ++step) {
#pragma unroll
            for (int w = 0; w < S::WORDS; ++w) {
                word &known = tile.at[r + step][w];
                known = relax_word_twice(known, to[0][step], from[0][w], to[1][step], from[1][w],
                                         (r + step) * S::WORDS + w, one);
            }
        }
    }
}

/// The closure of a tile: Floyd-Warshall within it, two vertices at a time.
template <class S>
static __device__ __forceinline__ void close_tile(Tile<S> &tile, Shown<S> &shown, const Place &place, int one) {
    const unsigned at = shared_address(&shown);
#pragma unroll 1
    for (int k = 0; k < S::TILE; k += 4) {
        pass_pair<S, 0>(tile, at, k, place, one);
        pass_pair<S, 1>(tile, at, k + 2, place, one);
    }
}
