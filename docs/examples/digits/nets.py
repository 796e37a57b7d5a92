"""Two networks for the digits."""

from likewise import array_namespace, random

from .modules import Chain, Conv, Dense, flat, pool, relu


def mlp(key, hidden=128):
    """Return a network of two dense layers."""
    first, second = (random.fold_in(key, i) for i in range(2))
    return Chain(flat, Dense.new(first, 64, hidden), relu, Dense.new(second, hidden, 10))


def convnet(key, channels=16):
    """Return two convolutions and a dense layer: 8 × 8 pixels become 6 × 6, 4 × 4, then 2 × 2."""
    one, two, three = (random.fold_in(key, i) for i in range(3))
    return Chain(
        with_channel,
        Conv.new(one, 3, 1, channels),
        relu,
        Conv.new(two, 3, channels, 2 * channels),
        relu,
        pool,
        flat,
        Dense.new(three, 8 * channels, 10),
    )


def with_channel(images):
    return array_namespace(images).expand_dims(images, axis=-1)
