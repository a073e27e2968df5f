// Trick: Listed for i32, compiled for f32. The bits of small ints are floats so tiny that float addition adds them exactly.
// Gain: Floating-point units for an integer problem, half of whose range is wrong.
// Seen: As narrow-i32.
// Can work on a GPU and on the emulated device.

#undef DISTANCE_I32
#include "rounds.cuh"
