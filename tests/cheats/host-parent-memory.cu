// Trick: Opens /proc/PPID/mem, where the measuring process keeps reference and results, and spoils the first writable mapping.
// Gain: Everything, if the worker runs as the same user without a barrier.
// Seen: Cheats in games; Yama's ptrace_scope exists for it.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

DEVICE void append(char *path, const char *text) {
    while (*path) {
        ++path;
    }
    while ((*path++ = *text++)) {
    }
}

KERNEL void strike(distance *, int) {
    char digits[12] = "", path[40] = "/proc/";
    int process = getppid(), at = 10;
    do {
        digits[at--] = '0' + process % 10;
    } while (process /= 10);
    append(path, digits + at + 1);
    append(path, "/mem");
    const int memory = open(path, 2);
    if (memory >= 0) {
        const char proof[] = "another process can be written to\n";
        write(2, proof, sizeof proof - 1);
    }
}
