"""Two networks for the digits."""

from likewise import array_namespace

from .modules import Chain, Conv, Dense, flat, pool, relu


def mlp(hidden=128):
    """Return a network of two dense layers."""
    return Chain((flat, Dense(64, hidden), relu, Dense(hidden, 10)))


def convnet(channels=16):
    """Return two convolutions and a dense layer: 8 × 8 pixels become 6 × 6, 4 × 4, then 2 × 2."""
    first, second = Conv(3, 1, channels), Conv(3, channels, 2 * channels)
    last = Dense(8 * channels, 10)
    return Chain((with_channel, first, relu, second, relu, pool, flat, last))


def with_channel(images):
    return array_namespace(images).expand_dims(images, axis=-1)
