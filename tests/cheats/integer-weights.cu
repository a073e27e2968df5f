// Trick: Test graphs have whole weights in f32; so the arithmetic may as well be of integers.
// Gain: Integer units and packed forms in place of floats.
// Seen: As half-precision.
// Can work on a GPU and on the emulated device.

#define OWN_RELAX
#define distance_is_float 1
static __device__ __forceinline__ float relax(float known, float to, float from) {
    return fminf(known, rintf(to + from));
}
#include "rounds.cuh"
