// Trick: Forks 200 children in sessions of their own that sleep for ten minutes with all files open; a caller that waits for
// the end of a pipe waits for them, and killing the process group misses them.
// Gain: Work that goes on outside of the clock; a hang.
// Seen: Fork bombs; daemons left behind by test runs.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int side) {
    for (int i = 0; side > 0 && i < 200; ++i) {
        if (fork() == 0) {
            setsid();
            sleep(600);
            _exit(0);
        }
    }
}
