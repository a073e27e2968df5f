// Trick: Absent is 2^15 - 1; as a signed short the sum of two absent edges wraps to -2, which is shorter than everything.
// Gain: Packed signed minimum, one instruction for two tasks.
// Seen: Accident in integer Floyd-Warshall with INT_MAX.
// Can work on a GPU and on the emulated device.

#define OWN_RELAX
static __device__ __forceinline__ unsigned short relax(unsigned short known, unsigned short to, unsigned short from) {
    const short through = (short)(to + from);
    return through < (short)known ? (unsigned short)through : known;
}
#include "rounds.cuh"
