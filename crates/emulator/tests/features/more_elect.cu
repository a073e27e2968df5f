// One lane of a warp is elected; all learn which.
// launch: grid=2 block=64

extern "C" __global__ void more_elect(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned leader, elected;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(elected));
    unsigned votes = __ballot_sync(0xffffffffu, elected);
    out[i] = in[i] + __popc(votes) * 10 + (votes == 1u << leader) * 100 + (elected == (threadIdx.x % 32 == leader)) * 1000;
}
