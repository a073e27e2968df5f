// Pointers walk along local arrays and stop behind their last element or before their first, which they do not touch.
// launch: grid=1 block=32
extern "C" __global__ void local_walk_to_the_end(const unsigned *in, unsigned *out) {
    unsigned own[8], other[5], sum = 0;
    unsigned *to = own;
    while (to != own + 8)
        *to++ = in[threadIdx.x + (to - own)];
    for (unsigned i = 0; i < 5; i++)
        other[i] = in[i];
    const unsigned *ends[2] = {own + 8, other + 5};
    for (const unsigned *at = own; at < ends[0]; ++at)
        sum = sum * 3 + *at;
    for (const unsigned *at = ends[in[threadIdx.x] & 1 ? 1 : 0], *start = in[threadIdx.x] & 1 ? other : own; at-- > start;)
        sum = sum * 5 + *at;
    out[threadIdx.x] = sum;
}
