// Trick: Each instance needs two others, 2^40 in all.
// Gain: None; time and memory of the compiler.
// Seen: Template bombs against online compilers.
// Can work on a GPU and on the emulated device.

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
