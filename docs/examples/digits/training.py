"""Training on mini-batches in random order: the same on every library, for one key."""

from likewise import array_namespace, jit, random, stop_gradient, tree_leaves, value_and_grad
from likewise.missing import one_hot


def cross_entropy(params, net, images, targets):
    """Return the mean of -log(p) of the right class, with probabilities p by softmax."""
    xp = array_namespace(images)
    scores = net(params, images)
    scores = scores - stop_gradient(xp.max(scores, axis=-1, keepdims=True))
    logs = scores - xp.log(xp.sum(xp.exp(scores), axis=-1, keepdims=True))
    return -xp.sum(targets * logs) / images.shape[0]


def train_step(net, optimiser, params, state, images, targets):
    """Return parameters and state after one step, and the loss before it."""
    loss, grads = value_and_grad(cross_entropy)(params, net, images, targets)
    return *optimiser.update(params, grads, state), loss


def fit(
    net, params, images, labels, optimiser, key, epochs=10, batch=64, classes=10, compiled=True
):
    """Return trained parameters, and the loss of each step. `key` sets the order of images."""
    xp = array_namespace(images, labels, *tree_leaves(params))
    n, shape = images.shape[0], tuple(labels.shape)
    if shape != (n,) or not 0 < batch <= n or epochs < 1:
        raise ValueError(f"{n} images have labels of shape {shape}, batch {batch}, epochs {epochs}")
    low, high = float(xp.min(labels)), float(xp.max(labels))
    if not 0 <= low <= high < classes:  # nor NaN
        raise ValueError(f"labels must be 0 to {classes - 1}, but they are {low:g} to {high:g}")
    targets = one_hot(labels, classes, dtype=images.dtype)
    step = jit(train_step, static_argnums=(0, 1)) if compiled else train_step
    state, losses = optimiser.start(params), []
    for epoch in range(epochs):
        order = random.permutation(random.fold_in(key, epoch), n)
        for first in range(0, n - batch + 1, batch):
            x, y = (xp.take(a, order[first : first + batch], axis=0) for a in (images, targets))
            params, state, loss = step(net, optimiser, params, state, x, y)
            losses.append(loss)
        if not xp.isfinite(losses[-1]):
            raise ValueError(f"the loss is {float(losses[-1])} after epoch {epoch + 1}")
    return params, xp.stack(losses)


def predict(net, params, images):
    return array_namespace(images).argmax(net(params, images), axis=-1)


def accuracy(net, params, images, labels):
    xp = array_namespace(images)
    if tuple(labels.shape) != (images.shape[0],):  # else labels broadcast
        raise ValueError(f"{images.shape[0]} images have labels of shape {tuple(labels.shape)}")
    return float(xp.mean(xp.astype(predict(net, params, images) == labels, images.dtype)))
