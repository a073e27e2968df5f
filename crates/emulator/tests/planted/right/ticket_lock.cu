// Tickets are drawn by an atomic, served in order through a volatile word; the protected list is plain.
// launch: grid=4 block=32
extern "C" __global__ void ticket_lock(const unsigned *in, unsigned *out) {
    volatile unsigned *serving = out + 201;
    if (threadIdx.x == 5) {
        const unsigned ticket = atomicAdd(out + 200, 1u);
        while (*serving != ticket) {}
        __threadfence();
        out[0] += in[blockIdx.x];
        out[1] ^= in[blockIdx.x] * 3;
        __threadfence();
        *serving = ticket + 1;
    }
}
