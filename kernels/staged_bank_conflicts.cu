// Staged Load with bank conflicts of four ways on 32 banks, and with their cure: Lund & Smith (2010), section 4.3, whose own order
// has them on 16 banks that hand one word a step to several threads. Banks of today hand each word to all who want it, and the
// plain order of `staged_plain_order.cu` has no conflicts there.
//
// Here the four words (i, k) of one k that the rows of a 4 x 4 tile want lie 32 words apart, in one bank. As CYCLIC says, each row
// starts with a k of its own, so that the four rows read four banks; stores of a stage conflict in both. Only one operand can be
// had this way: the paper's order, by i + j, reads all sixteen words of a tile at once, which then no order of the banks makes
// conflict without it.

#define THREADS 64
#ifdef CYCLIC
#define FIRST_K(i, j) (i)
#else
#define FIRST_K(i, j) 0
#endif
#define TO_AT(small, i, k) ((i) * 32 + (small) * 4 + (k))
#define TO_STORED(e) TO_AT((e) / 16, (e) / 4 % 4, (e) % 4)

#include "staged_load.cuh"
