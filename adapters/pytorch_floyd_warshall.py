"""One line of PyTorch for each k, on the GPU: what one writes who knows PyTorch."""

import torch
from protocol import serve


def close(distances):
    for k in range(len(distances)):
        torch.minimum(distances, distances[:, k, None] + distances[None, k, :], out=distances)


def load(weights):
    loaded = torch.from_numpy(weights).cuda()
    # Loads the kernels.
    close(loaded[:2, :2].clone())
    torch.cuda.synchronize()
    return loaded


def solve(loaded):
    distances = loaded.clone()
    close(distances)
    torch.cuda.synchronize()
    return lambda: distances.cpu().numpy()


serve(load, solve)
