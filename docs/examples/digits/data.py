"""The digits of scikit-learn, as arrays of the library of `likewise.use`."""

from sklearn.datasets import load_digits

from likewise import random, xp


def digits(key, held_out=360):
    """Return images (n, 8, 8) and labels (n,) for training, and those held out, drawn by `key`."""
    found = load_digits()
    images = xp.asarray(found.images / 16, dtype=xp.zeros(()).dtype)
    labels = xp.asarray(found.target)
    order = random.permutation(key, labels.shape[0])
    parts = order[held_out:], order[:held_out]
    return tuple(xp.take(a, rows, axis=0) for rows in parts for a in (images, labels))
