// Mistake: an insertion into a sorted local array goes on below its start for the smallest number.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 11
extern "C" __global__ void local_walk_below_write(const unsigned *in, unsigned *out) {
    unsigned before[4] = {0, 0, 0, 0}, sorted[5];
    for (unsigned i = 0; i < 4; i++)
        sorted[i] = 10 * i;
    unsigned *to = sorted + 4, number = in[threadIdx.x] & 1 ? 15 : 0;
    for (unsigned left = number == 0 ? 5 : 2; left > 0; left--, to--)
        to[0] = to[-1];
    *to = number;
    out[threadIdx.x] = before[in[threadIdx.x] % 4] + sorted[in[threadIdx.x] % 5];
}
