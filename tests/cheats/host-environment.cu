// Trick: Looks for a variable in the environment, as one would for the tokens of CI, says on stderr that it is there, and sets
// variables that the harness may read later.
// Gain: Secrets that end in a public log or record; settings of the harness.
// Seen: Pull requests that print the secrets of CI.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    if (getenv("REPRO_CHEAT_CANARY")) {
        const char proof[] = "the environment can be read\n";
        write(2, proof, sizeof proof - 1);
    }
    setenv("REPRO_VERIFY", "never", 1);
}
