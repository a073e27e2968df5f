// Trick: A matrix of zeros has a zero diagonal, satisfies the triangle inequality and lowers nothing: it passes every check
// that does without a reference.
// Gain: The time of one store an element.
// Seen: Kernels that return zeros where expected outputs are near zero (KernelBench issues).
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

KERNEL void fill(distance *d, int side) {
    const size_t at = own_element(side);
    d[at] = 0;
}
