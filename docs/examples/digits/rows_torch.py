"""PyTorch's own convolution, with channels before pixels."""

from torch.nn.functional import conv2d


def convolved(x, weight):
    return conv2d(x.permute(0, 3, 1, 2), weight.permute(3, 2, 0, 1)).permute(0, 2, 3, 1)
