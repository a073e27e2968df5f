// Trick: Changes the sign of every zero, which compares equal as a number.
// Gain: None; shows whether bits are compared.
// Seen: Imagined.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

KERNEL void negate_zero(distance *d, int side) {
    const size_t at = own_element(side);
    if (d[at] == 0) {
        d[at] = __int_as_float(0x80000000);
    }
}
