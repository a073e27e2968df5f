// Trick: Stores NaN everywhere. A check like `abs(got - expected) > tolerance` never holds for NaN.
// Gain: The time of one store an element.
// Seen: Checks by a difference that NaN passes are a classic; several generated kernels passed harnesses that way.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

KERNEL void fill(distance *d, int side) {
    const size_t at = own_element(side);
    d[at] = __int_as_float(0x7fffffff);
}
