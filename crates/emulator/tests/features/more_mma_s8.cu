// Products of matrices of signed bytes with sums of 32 bits.
// launch: grid=2 block=32

extern "C" __global__ void more_mma_s8(const unsigned *in, unsigned *out) {
    unsigned lane = threadIdx.x;
    const unsigned *a = in + 128 * blockIdx.x + lane * 4, *b = in + 1000 + 2 * lane;
    int d[4] = {(int)lane, -1, 0, 7};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int k = 0; k < 4; ++k) out[128 * blockIdx.x + 4 * lane + k] = (unsigned)d[k];
}
