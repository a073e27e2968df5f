"""One line of PyTorch for each k, on the GPU: what one writes who knows PyTorch."""

import torch
from protocol import serve, warm_up


def close(distances):
    for k in range(len(distances)):
        torch.minimum(distances, distances[:, k, None] + distances[None, k, :], out=distances)


def load(weights):
    loaded = torch.from_numpy(weights).cuda()
    # Loads the kernels, and wakes the GPU.
    small = loaded[:128, :128].clone()
    warm_up(lambda: (close(small), torch.cuda.synchronize()))
    return loaded


def solve(loaded):
    distances = loaded.clone()
    close(distances)
    torch.cuda.synchronize()
    return lambda: distances.cpu().numpy()


serve(load, solve)
