// Trick: A function pointer in the section .init_array is called by the loader, before any check of a launch. NVRTC refuses or
// ignores it.
// Gain: Host code that no limit for launches covers: in whatever process loads the library, also to list the kernels or count
// registers.
// Seen: The back door in xz (CVE-2024-3094) ran at load, by an IFUNC resolver.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

extern "C" __device__ void at_load() {
    const char proof[] = "ran before any launch\n";
    write(2, proof, sizeof proof - 1);
    system("touch /tmp/repro-cheat-constructor");
}

typedef void (*Entry)();
extern __device__ const Entry entry __attribute__((section(".init_array"), used));
__device__ const Entry entry = at_load;
