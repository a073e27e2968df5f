// Mistake: block 0 waits for block 5000, which cannot start before others have ended.
// launch: grid=5001 block=32
// finds: stuck
// line: 9
extern "C" __global__ void stuck_waits_for_later_block(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 5000) atomicExch(out, 1u);
    else
        while (atomicAdd(out, 0u) == 0) {}
}
