// Trick: Sends SIGSTOP to the parent process, whose clocks of the host then stand in a strange light and whose limits are
// never enforced.
// Gain: No limit of time ends the worker any more.
// Seen: Imagined.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int side) {
    if (side > 0) {
        kill(getppid(), 19);
    }
}
