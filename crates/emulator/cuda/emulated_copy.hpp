// An asynchronous copy that several threads share, in the largest pieces that the addresses allow; plain loads and stores where no instruction copies.
#pragma once

template <unsigned piece>
static __forceinline__ void emulated_copy_pieces(char *to, const char *from, size_t bytes, unsigned rank, unsigned threads) {
    for (size_t at = (size_t)rank * piece; at + piece <= bytes; at += (size_t)threads * piece) {
        emulated_copy_async(to + at, from + at, piece, piece);
    }
}
static __forceinline__ void emulated_copy_share(void *to, const void *from, size_t bytes, unsigned rank, unsigned threads) {
    char *const out = (char *)to;
    const char *const in = (const char *)from;
    const size_t places = (size_t)to | (size_t)from;
    size_t done = 0;
    if (emulated_is_shared(to) && emulated_is_global(from)) {
        if (places % 16 == 0 && bytes % 16 == 0) {
            emulated_copy_pieces<16>(out, in, bytes, rank, threads);
            done = bytes;
        } else if (places % 8 == 0 && bytes % 8 == 0) {
            emulated_copy_pieces<8>(out, in, bytes, rank, threads);
            done = bytes;
        } else if (places % 4 == 0) {
            emulated_copy_pieces<4>(out, in, bytes, rank, threads);
            done = bytes & ~(size_t)3;
        }
    }
    for (size_t at = done + rank; at < bytes; at += threads) {
        out[at] = in[at];
    }
}
