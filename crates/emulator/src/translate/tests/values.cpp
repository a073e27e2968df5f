// Runs the kernel `values` for 256 threads, one after the other, and prints a digest of what each instruction gave: FNV-1a of 64 bits.
// Of the runtime there is what instructions without memory need.
#include "runtime.hpp"

#undef threadIdx
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
// What the kernel sees as constant, under a name that can be written.
__thread EmulatedIndexes current __asm__("emulated_indexes") __attribute__((visibility("hidden")));
void values(const emulated_u64 *numbers, emulated_u64 *out);
void emulated_misuse(EmulatedMisuse, unsigned, const char *words) {
    std::puts(words);
    std::abort();
}
}

// Edges of 32-bit, 64-bit and 16-bit numbers (also as 16-bit floats), floats and doubles.
static const emulated_u64 numbers[5][31] = {
    {
        0x0ull, 0x1ull, 0x2ull, 0x3ull, 0x5ull, 0x7ull,
        0x1full, 0x20ull, 0x21ull, 0xffull, 0x100ull, 0x7fffffffull,
        0x80000000ull, 0x80000001ull, 0xffffffffull, 0xfffffffeull, 0x12345678ull, 0x9abcdef0ull,
        0xff00ffull, 0x8000ull, 0xffffull, 0x7fffull, 0xf0f0f0full, 0x64ull,
        0xf4243ull, 0xdeadbeefull, 0x40ull, 0x10ull, 0x8ull, 0x800000ull,
        0x1000000ull,
    },
    {
        0x0ull, 0x1ull, 0x2ull, 0x3ull, 0x5ull, 0x3full,
        0x40ull, 0x41ull, 0xffffffffull, 0x100000000ull, 0x7fffffffffffffffull, 0x8000000000000000ull,
        0x8000000000000001ull, 0xffffffffffffffffull, 0xfffffffffffffffeull, 0x123456789abcdef0ull, 0xfedcba9876543210ull, 0x20000000000001ull,
        0x1fffffffffffffull, 0x40000000000003ull, 0x7fffffc000000000ull, 0x3b9aca07ull, 0xffffffff80000000ull, 0x80000000ull,
        0x7fffffffull, 0xffull, 0xffffull, 0x10000ull, 0xff00ff00ff00ffull, 0x2dfdc1c35ull,
        0x63ull,
    },
    {
        0x0ull, 0x1ull, 0x8000ull, 0x8001ull, 0x3c00ull, 0xbc00ull,
        0x7bffull, 0xfbffull, 0x7c00ull, 0xfc00ull, 0x7e00ull, 0x3ffull,
        0x400ull, 0x3555ull, 0x4200ull, 0xc500ull, 0x200ull, 0x7f80ull,
        0xff80ull, 0x3f80ull, 0x4000ull, 0x7f7full, 0x80ull, 0x5640ull,
        0xd640ull, 0x63d0ull, 0x2e66ull, 0x3800ull, 0xb800ull, 0x7full,
        0xffull,
    },
    {
        0x0ull, 0x80000000ull, 0x3f800000ull, 0xbf800000ull, 0x3f000000ull, 0xbf000000ull,
        0x3fc00000ull, 0x40200000ull, 0xc0200000ull, 0x116c2ull, 0x800116c2ull, 0x800000ull,
        0x7f7fffffull, 0xff7fffffull, 0x3eaaaaabull, 0xbeaaaaabull, 0x3dcccccdull, 0x47f12065ull,
        0xc7f12065ull, 0x4f800000ull, 0x4f000000ull, 0xcf000000ull, 0x477fe000ull, 0x477ff000ull,
        0x33d6bf95ull, 0x3380d959ull, 0x4b800000ull, 0x5f01103dull, 0x7f800000ull, 0xff800000ull,
        0x7fc00000ull,
    },
    {
        0x0ull, 0x8000000000000000ull, 0x3ff0000000000000ull, 0xbff0000000000000ull, 0x3fe0000000000000ull, 0xbfe0000000000000ull,
        0x3ff8000000000000ull, 0x4004000000000000ull, 0xc004000000000000ull, 0x1ull, 0x800012688b70e62bull, 0x10000000000000ull,
        0x7fefffffffffffffull, 0xffefffffffffffffull, 0x3fd5555555555555ull, 0xbfd5555555555555ull, 0x3fb999999999999aull, 0x40fe240c9fbe76c9ull,
        0xc0fe240c9fbe76c9ull, 0x41f0000000000000ull, 0x41e0000000100000ull, 0xc1e0000000200000ull, 0x37a16c262777579cull, 0x47f074f8c4d3cd7bull,
        0x366244ce242c5561ull, 0x7e37e43c8800759cull, 0x4340000000000000ull, 0x43e02207973f6440ull, 0x7ff0000000000000ull, 0xfff0000000000000ull,
        0x7ff8000000000000ull,
    },
};

int main(int, char **arguments) {
    const unsigned instructions = std::atoi(arguments[1]);
    std::vector<emulated_u64> out(instructions * 256);
    current.block_extent = {256, 1, 1};
    for (unsigned thread = 0; thread < 256; thread++) {
        current.thread = {thread, 0, 0};
        values(&numbers[0][0], out.data());
    }
    for (unsigned at = 0; at < instructions; at++) {
        emulated_u64 digest = 0xcbf29ce484222325ull;
        for (unsigned byte = 0; byte < 2048; byte++) {
            digest = (digest ^ reinterpret_cast<unsigned char *>(&out[at * 256])[byte]) * 0x100000001b3ull;
        }
        std::printf("%016llx\n", (unsigned long long)digest);
    }
}
