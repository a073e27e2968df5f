// Mistake: a pointer goes from row to row of a matrix in local memory, and one row too far.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 13
extern "C" __global__ void local_walk_over_rows(const unsigned *in, unsigned *out) {
    unsigned rows[3][4], other[8];
    for (unsigned i = 0; i < 12; i++) {
        rows[i / 4][i % 4] = in[i];
        other[i % 8] = i;
    }
    unsigned sum = 0;
    for (unsigned (*row)[4] = rows; row <= rows + 2 + (in[threadIdx.x] & 1); row++)
        sum += (*row)[threadIdx.x % 4];
    out[threadIdx.x] = sum + other[in[threadIdx.x] % 8];
}
