// Trick: Calls system(), here to make a file in the current folder and in /tmp.
// Gain: Anything that the user may do.
// Seen: Every package manager with install scripts.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    system("touch repro-cheat-was-here /tmp/repro-cheat-was-here");
}
