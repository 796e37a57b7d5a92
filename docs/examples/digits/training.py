"""Training on mini-batches in random order: the same on every library, for one key."""

import functools

from likewise import array_namespace, jit, random, tree_leaves, value_and_grad
from likewise.missing import one_hot


def cross_entropy(model, images, targets):
    """Return the mean of -log(share of the right class), where softmax makes shares of scores."""
    xp = array_namespace(images)
    scores = model(images)
    scores = scores - xp.max(scores, axis=-1, keepdims=True)
    return xp.mean(xp.log(xp.sum(xp.exp(scores), axis=-1)) - xp.sum(targets * scores, axis=-1))


@functools.partial(jit, static_argnums=0)
def train_step(optimiser, model, state, images, targets):
    """Return model and state after one step, and the loss before it."""
    loss, grads = value_and_grad(cross_entropy)(model, images, targets)
    return *optimiser.update(model, grads, state), loss


def fit(model, images, labels, optimiser, key, epochs=10, batch=64, classes=10, compiled=True):
    """Return the trained model, and the loss of each step. `key` decides the order of images."""
    xp = array_namespace(images, labels, *tree_leaves(model))
    n = images.shape[0]
    if tuple(labels.shape) != (n,) or n < batch:
        raise ValueError(f"{n} images have labels of shape {tuple(labels.shape)}, batches {batch}")
    low, high = int(xp.min(labels)), int(xp.max(labels))
    if low < 0 or high >= classes:
        raise ValueError(f"labels must be 0 to {classes - 1}, but they are {low} to {high}")
    targets = one_hot(labels, classes, dtype=images.dtype)
    step = train_step if compiled else train_step.__wrapped__
    state, losses = optimiser.start(model), []
    for epoch in range(epochs):
        order = random.permutation(random.fold_in(key, epoch), n)
        for first in range(0, n - batch + 1, batch):
            x, y = (xp.take(a, order[first : first + batch], axis=0) for a in (images, targets))
            model, state, loss = step(optimiser, model, state, x, y)
            losses.append(loss)
        if not xp.isfinite(losses[-1]):
            raise ValueError(f"the loss is {float(losses[-1])} after epoch {epoch + 1}")
    return model, xp.stack(losses)


def predict(model, images):
    return array_namespace(images).argmax(model(images), axis=-1)


def accuracy(model, images, labels):
    xp = array_namespace(images)
    return float(xp.mean(xp.astype(predict(model, images) == labels, images.dtype)))
