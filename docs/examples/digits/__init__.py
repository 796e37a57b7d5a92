"""Networks that learn the handwritten digits of scikit-learn, on any array library."""

from .data import digits
from .modules import Chain, Conv, Dense, flat, pool, relu
from .nets import convnet, mlp
from .optimisers import SGD, Adam
from .training import accuracy, cross_entropy, fit, predict, train_step

__all__ = [
    "SGD",
    "Adam",
    "Chain",
    "Conv",
    "Dense",
    "accuracy",
    "convnet",
    "cross_entropy",
    "digits",
    "fit",
    "flat",
    "mlp",
    "pool",
    "predict",
    "relu",
    "train_step",
]
