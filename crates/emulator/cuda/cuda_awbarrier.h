// The older name of barriers in shared memory.
#pragma once

#include "cuda_awbarrier_primitives.h"
