// Asynchronous copies: the functions and, in CUDA's older name space, no classes: <cuda/pipeline> has those.
#pragma once

#include "cuda_pipeline_primitives.h"
