"""Networks that learn the handwritten digits of scikit-learn, on any array library."""

from .data import digits
from .extras import AdamW, Cosine, clipped, half_step, load, save
from .modules import Chain, Conv, Dense, flat, pool, relu
from .nets import convnet, mlp
from .optimisers import SGD, Adam
from .training import accuracy, cross_entropy, fit, predict, train_step

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "Chain",
    "Conv",
    "Cosine",
    "Dense",
    "accuracy",
    "clipped",
    "convnet",
    "cross_entropy",
    "digits",
    "fit",
    "flat",
    "half_step",
    "load",
    "mlp",
    "pool",
    "predict",
    "relu",
    "save",
    "train_step",
]
