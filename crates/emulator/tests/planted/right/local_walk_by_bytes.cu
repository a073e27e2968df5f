// Local arrays, structs, members and unions are copied as bytes, words and vectors, each to its very end.
// launch: grid=1 block=32
struct local_walk_by_bytes_record {
    unsigned short small[3];
    unsigned word;
    unsigned char bytes[5];
};
union local_walk_by_bytes_either {
    unsigned words[3];
    unsigned char bytes[12];
};
__device__ void local_walk_by_bytes_copy(void *to, const void *from, unsigned count) {
    unsigned char *t = (unsigned char *)to;
    for (const unsigned char *f = (const unsigned char *)from, *end = f + count; f != end;)
        *t++ = *f++;
}
extern "C" __global__ void local_walk_by_bytes(const unsigned *in, unsigned *out) {
    local_walk_by_bytes_record records[3];
    for (unsigned i = 0; i < sizeof(records); i++)
        ((unsigned char *)records)[i] = (unsigned char)(in[threadIdx.x] >> i % 25);
    local_walk_by_bytes_record one;
    local_walk_by_bytes_copy(&one, records + in[threadIdx.x] % 3, sizeof(one));
    local_walk_by_bytes_copy(one.bytes, in + threadIdx.x, 4);
    local_walk_by_bytes_either either;
    local_walk_by_bytes_copy(either.bytes, in + threadIdx.x, 12);
    alignas(16) unsigned whole[8];
    for (uint4 *to = (uint4 *)whole; to < (uint4 *)(whole + 8); to++)
        *to = make_uint4(one.word, one.bytes[4], one.small[2], either.words[in[threadIdx.x] % 3]);
    unsigned sum = 0;
    for (const unsigned *at = whole; at - whole < 8; at++)
        sum = sum * 31 + *at;
    unsigned *word = &one.word;
    *word += sum;
    out[threadIdx.x] = one.word + records[in[threadIdx.x] % 3].bytes[in[threadIdx.x] % 5];
}
