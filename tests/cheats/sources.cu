// What is compiled. Each text is a file of its own, with the name of its heading.

// === macro-tile
// The sweep believes that it measures tiles of 32; the source has tiles of 16 whatever it is told, and the grid
// covers a quarter of the matrix.
#undef TILE
#define TILE 16
#include "rounds.cuh"

// === macro-element
// Listed for i32, compiled for f32. The bits of small ints are floats so tiny that float addition adds them exactly.
#undef DISTANCE_I32
#include "rounds.cuh"

// === hidden-in-header
// The file that is named as source has one line; all code is in headers beside it.
#include "rounds.cuh"

// === include-passwd
// The compiler's message quotes the file's first lines.
#include "/etc/passwd"
#include "rounds.cuh"

// === include-device
// The preprocessor reads without end, in memory.
#include "/dev/zero"
#include "rounds.cuh"

// === include-outside
// The record holds the source and its hash, but not what lies outside.
#include "../../kernels/repro.cuh"
#undef KERNEL
#undef ABSENT
#define OWN_RELAX
#define distance other_distance
#include "rounds.cuh"

// === compile-bomb
// Each instance needs two others, 2^40 in all.
template <int N, unsigned long long B> struct Tree {
    static constexpr int value = Tree<N - 1, 2 * B>::value + Tree<N - 1, 2 * B + 1>::value;
};
template <unsigned long long B> struct Tree<0, B> {
    static constexpr int value = 1;
};

#include "rounds.cuh"

KERNEL void bomb(int *to) {
    *to = Tree<40, 1>::value;
}

// === include-bomb
// 2^200 inclusions, within the compiler's limit of depth.
#if __INCLUDE_LEVEL__ < 150
#include __FILE__
#include __FILE__
#endif
#if __INCLUDE_LEVEL__ == 0
#include "rounds.cuh"
#endif
