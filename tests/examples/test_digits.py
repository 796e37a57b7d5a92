"""The digits: modules against SciPy and NumPy, optimisers and gradients against torch, training."""

import ast
import importlib
import importlib.util
import threading
from pathlib import Path
from typing import Any

import digits
import numpy as np
import pytest
import scipy.signal
from digits import SGD, Adam, Chain, Conv, Dense, cross_entropy, fit, flat, pool, relu, train_step

import likewise
from likewise import random, tree_leaves, tree_map

FOLDER = Path(digits.__file__).parent
FRAMEWORK = ("modules", "optimisers", "training", "rows_torch", "rows_jax")
LIBRARIES = [
    name
    for name, package in (
        ("numpy", "numpy"),
        ("torch", "torch"),
        ("jax", "jax"),
        ("strict", "array_api_strict"),
        ("dask", "dask"),
    )
    if importlib.util.find_spec(package)
]
RNG = np.random.default_rng(5)


def used(lib: Any) -> Any:
    """Creation as in a variant of the tests."""
    dtype = "float64" if lib.has_float64 else "float32"
    return likewise.use(lib.library, device=lib.device, dtype=dtype)


def near(lib: Any, got: Any, expected: Any, tol: float = 1e-12) -> None:
    out = lib.to_numpy(got)
    assert out.dtype == ("float64" if lib.has_float64 else "float32")
    tol = tol if lib.has_float64 else 1e-5
    np.testing.assert_allclose(out, expected, rtol=tol, atol=tol)


# -- the text --------------------------------------------------------------------------------------


def test_framework_has_at_most_150_lines() -> None:
    lines = [line for n in FRAMEWORK for line in (FOLDER / f"{n}.py").read_text().splitlines()]
    assert 100 < sum(bool(line.strip()) for line in lines) <= 150


def test_there_is_no_backend_and_nothing_global() -> None:
    """Modules hold functions, classes and imports, and nothing that could change."""
    sources = sorted(FOLDER.glob("*.py"))
    assert len(sources) >= 5
    for path in sources:
        text = path.read_text()
        assert "backend" not in text
        tree = ast.parse(text)
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.Global | ast.Nonlocal)]
        for node in tree.body:
            if isinstance(node, ast.Assign):
                assert ast.unparse(node.targets[0]) == "__all__", path
            else:
                allowed = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Expr
                assert isinstance(node, allowed), path


# -- modules ---------------------------------------------------------------------------------------


def test_dense(lib: Any) -> None:
    w, b, x = RNG.normal(size=(3, 4)), RNG.normal(size=4), RNG.normal(size=(5, 3))
    got = Dense(3, 4)((lib.asarray(w), lib.asarray(b)), lib.asarray(x))
    near(lib, got, [[sum(row * w[:, k]) + b[k] for k in range(4)] for row in x])


def test_conv(lib: Any) -> None:
    w, b, x = RNG.normal(size=(3, 3, 2, 4)), RNG.normal(size=4), RNG.normal(size=(2, 5, 6, 2))
    got = Conv(3, 2, 4)((lib.asarray(w), lib.asarray(b)), lib.asarray(x))
    expected = np.empty((2, 3, 4, 4))
    for n in range(2):
        for o in range(4):
            parts = [
                scipy.signal.correlate(x[n, :, :, c], w[:, :, c, o], "valid", "direct")
                for c in range(2)
            ]
            expected[n, :, :, o] = sum(parts) + b[o]
    near(lib, got, expected)


def test_pool_relu_flat(lib: Any) -> None:
    x = RNG.normal(size=(2, 4, 6, 3))
    expected = [
        [
            [[x[n, i : i + 2, j : j + 2, c].max() for c in range(3)] for j in (0, 2, 4)]
            for i in (0, 2)
        ]
        for n in range(2)
    ]
    near(lib, pool(lib.asarray(x)), expected)
    near(lib, relu(lib.asarray(x)), np.maximum(x, 0))
    near(lib, flat(lib.asarray(x)), x.reshape(2, -1))


def test_new_modules_are_what_use_says(lib: Any) -> None:
    with used(lib):
        key = random.key(3)
        dense, conv = Dense(50, 40).new(key), Conv(3, 5, 40).new(key)
    assert tuple(dense[0].shape) == (50, 40) and tuple(conv[0].shape) == (3, 3, 5, 40)
    for (weight, bias), inputs in ((dense, 50), (conv, 45)):
        w = lib.to_numpy(weight)
        assert w.dtype == ("float64" if lib.has_float64 else "float32")
        assert abs(w.mean()) < 0.02
        np.testing.assert_allclose(w.var(), 2 / inputs, rtol=0.1)
        near(lib, bias, np.zeros(40))


def test_chains() -> None:
    """Parameters are those of modules; chains nest; layers have weights of their own."""
    inner = Chain((flat, Dense(2, 2), relu))
    chain = Chain((relu, Dense(2, 2), inner))
    params = chain.new(random.key(0))
    assert len(params) == 2 and len(params[1]) == 1 and len(tree_leaves(params)) == 4
    (w1, _), [(w2, _)] = params
    assert not np.any(w1 == w2)
    ones = tree_map(lambda p: 0 * p + 1, params)
    np.testing.assert_array_equal(chain(ones, np.asarray([[2.0, -3.0]])), [[7.0, 7.0]])
    assert chain == Chain((relu, Dense(2, 2), inner)) and hash(chain) == hash(Chain(chain.layers))


# -- optimisers, against torch's -------------------------------------------------------------------


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_optimisers(lib: Any, name: str) -> None:
    import torch

    values, slopes = RNG.normal(size=(2, 3)), RNG.normal(size=(20, 2, 3))
    theirs = torch.tensor(values, requires_grad=True)
    if name == "SGD":
        peer: Any = torch.optim.SGD([theirs], lr=0.05, momentum=0.8)
        ours: Any = SGD(0.05, 0.8)
    else:
        peer, ours = torch.optim.Adam([theirs], lr=0.05), Adam(0.05)
    tree = {"a": lib.asarray(values), "b": (lib.asarray(values[0]),)}
    state = ours.start(tree)
    for g in slopes:
        theirs.grad = torch.tensor(g)
        peer.step()
        grads = {"a": lib.asarray(g), "b": (lib.asarray(g[0]),)}
        tree, state = ours.update(tree, grads, state)
    near(lib, tree["a"], theirs.detach().numpy(), 1e-11)
    near(lib, tree["b"][0], theirs.detach().numpy()[0], 1e-11)


# -- what training at length needs -----------------------------------------------------------------


@pytest.mark.needs("torch")
@pytest.mark.parametrize("changing", [False, True])
def test_decay_clipping_and_a_rate_that_changes(lib: Any, changing: bool) -> None:
    """AdamW against torch's, with its clipping of norms and its schedule of the rate."""
    import torch

    values, slopes = RNG.normal(size=(2, 3)), 3 * RNG.normal(size=(12, 2, 3))
    theirs = torch.tensor(values, requires_grad=True)
    peer = torch.optim.AdamW([theirs], lr=0.05, weight_decay=0.1)
    rate = digits.Cosine(0.05, 4, 10)
    tree = (lib.asarray(values[:1]), [lib.asarray(values[1:])])
    ours = digits.AdamW(rate if changing else 0.05, decay=0.1, most=2.0)
    state = ours.start(tree)
    for i, g in enumerate(slopes):
        theirs.grad = torch.tensor(g)
        before = torch.nn.utils.clip_grad_norm_([theirs], 2.0)
        if changing:
            turn = np.clip((i - 4) / 6, 0, 1)
            peer.param_groups[0]["lr"] = 0.05 * (
                (i + 1) / 4 if i < 4 else (1 + np.cos(np.pi * turn)) / 2
            )
        peer.step()
        grads = (lib.asarray(g[:1]), [lib.asarray(g[1:])])
        short, norm = digits.clipped(grads, 2.0)
        near(lib, norm, float(before))
        near(lib, short[0], theirs.grad.numpy()[:1], 1e-11)
        tree, state = ours.update(tree, grads, state)
    near(lib, tree[0], theirs.detach().numpy()[:1], 1e-11)
    near(lib, tree[1][0], theirs.detach().numpy()[1:], 1e-11)


def test_the_rate_rises_and_falls(lib: Any) -> None:
    rate = digits.Cosine(0.1, 5, 25)
    got = [float(rate(lib.asarray(float(n)))) for n in (0, 4, 5, 15, 25, 40)]
    np.testing.assert_allclose(got, [0.02, 0.1, 0.1, 0.05, 0, 0], atol=1e-7)


def few_steps(lib: Any) -> tuple[Any, ...]:
    net, targets = digits.mlp(hidden=6), np.eye(10)[[3, 1, 7, 0]]
    with used(lib):
        params = net.new(random.key(1))
    x = np.random.default_rng(2).uniform(size=(4, 8, 8))
    return net, params, lib.asarray(x), lib.asarray(targets)


def test_training_goes_on_from_a_file(lib: Any, tmp_path: Path) -> None:
    """Parameters and state come back to the bit, as do the steps after them."""
    net, params, x, y = few_steps(lib)
    optimiser = digits.AdamW(digits.Cosine(0.01, 2, 8))
    state = optimiser.start(params)
    for i in range(6):
        if i == 3:
            digits.save(tmp_path / "at_3.npz", (params, state))
            digits.save(tmp_path / "at_3", (params, state))
            held = (params, state)
        params, state, loss = train_step(net, optimiser, params, state, x, y)
    again = digits.load(tmp_path / "at_3", like=(params, state))  # where it says, no ".npz"
    for a, b in zip(tree_leaves(again), tree_leaves(held), strict=True):
        assert likewise.library(a) == likewise.library(b) and a.dtype == b.dtype
        np.testing.assert_array_equal(lib.to_numpy(a), lib.to_numpy(b))
    for _ in range(3):
        *again, after = train_step(net, optimiser, *again, x, y)
    assert float(after) == float(loss)
    with pytest.raises(ValueError, match=r"at_3.npz has arrays of \[\(64, 6\)"):
        digits.load(tmp_path / "at_3.npz", like=digits.mlp(hidden=7).new(random.key(0)))


@pytest.mark.parametrize(
    "library",
    [
        pytest.param(n, marks=pytest.mark.full) if n == "jax" else n
        for n in LIBRARIES
        if n in ("numpy", "torch", "jax")
    ],
)
def test_half_precision_beside_whole(library: str) -> None:
    """The network in float16: parameters stay float32, the losses those of float32 nearly."""
    kind = importlib.import_module("torch" if library == "torch" else "numpy").float16
    with likewise.use(library, dtype="float32"):
        x, labels, *_ = digits.digits(random.key(0))
        net = digits.mlp(hidden=16)
        first = net.new(random.key(1))
        targets = likewise.missing.one_hot(labels[:64], 10, dtype=x.dtype)
    optimiser, found = digits.AdamW(0.003), []
    whole = half = (first, optimiser.start(first))
    for _ in range(8):
        *whole, a = train_step(net, optimiser, *whole, x[:64, ...], targets)
        *half, b = digits.half_step(net, optimiser, kind, 1024.0, *half, x[:64, ...], targets)
        found.append((float(a), float(b)))
    losses = np.asarray(found)
    assert losses[-1, 1] < losses[0, 1] - 0.2  # it learns
    np.testing.assert_allclose(losses[:, 1], losses[:, 0], rtol=5e-3)
    assert np.any(losses[:, 1] != losses[:, 0])  # by rounding in between
    for leaf in tree_leaves(half):
        assert likewise.library(leaf) == library
        assert likewise.to_numpy(leaf).dtype == "float32"


# -- gradients, against torch's own network --------------------------------------------------------


@pytest.mark.needs("torch")
def test_gradients_of_the_convolutional_network(lib: Any) -> None:
    import torch
    from torch.nn import functional as F

    net = digits.convnet(channels=2)
    with used(lib):
        params = net.new(random.key(4))
    x, labels = RNG.uniform(size=(3, 8, 8)), np.asarray([2, 9, 4])
    targets = np.eye(10)[labels]
    loss, grads = likewise.value_and_grad(cross_entropy)(
        params, net, lib.asarray(x), lib.asarray(targets)
    )

    own = [torch.tensor(lib.to_numpy(p), dtype=torch.float64) for p in tree_leaves(params)]
    w1, b1, w2, b2, w3, b3 = (p.requires_grad_() for p in own)
    y = F.relu(F.conv2d(torch.tensor(x)[:, None], w1.permute(3, 2, 0, 1), b1))
    y = F.max_pool2d(F.relu(F.conv2d(y, w2.permute(3, 2, 0, 1), b2)), 2)
    y = y.permute(0, 2, 3, 1).reshape(3, -1) @ w3 + b3
    expected = F.cross_entropy(y, torch.tensor(labels))
    expected.backward()
    near(lib, loss, float(expected.detach()))
    for got, p in zip(tree_leaves(grads), own, strict=True):
        near(lib, got, p.grad.numpy())


# -- training --------------------------------------------------------------------------------------


def trained(library: str, net: Any, optimiser: Any, n: int, epochs: int, compiled: bool) -> Any:
    """Return losses and accuracy on held-out digits, after training in float64 on n images."""
    with likewise.use(library, dtype="float64"):
        x, labels, *held_out = digits.digits(random.key(0))
        params, losses = fit(
            net,
            net.new(random.key(1)),
            x[:n, ...],
            labels[:n],
            optimiser,
            random.key(2),
            epochs,
            batch=32,
            compiled=compiled,
        )
    for a in (losses, *tree_leaves(params)):
        assert likewise.library(a) == library
    return likewise.to_numpy(losses), digits.accuracy(net, params, *held_out)


SMALL = {"mlp": digits.mlp(hidden=16), "convnet": digits.convnet(channels=2)}


def curves_agree(net: str, optimiser: Any, libraries: list[str], compiled: str) -> None:
    found = {n: trained(n, SMALL[net], optimiser, 64, 2, n in compiled) for n in libraries}
    assert len(found) >= 2
    curve, right = found["numpy"]
    assert curve.shape == (4,) and np.all(np.isfinite(curve))
    assert len(set(curve.tolist())) == 4  # it moves
    for name, (other, share) in found.items():
        np.testing.assert_allclose(other, curve, rtol=0, atol=1e-6, err_msg=name)
        assert share == pytest.approx(right)


def test_loss_curves_are_equal_on_all_libraries() -> None:
    some = [n for n in LIBRARIES if n != "dask"]  # whose graphs of random numbers are large
    curves_agree("mlp", Adam(0.003), some, compiled="jax")


@pytest.mark.needs("dask")
def test_a_step_on_dask() -> None:
    net, targets = digits.mlp(hidden=4), np.eye(10)[[3, 1]]
    params, images = net.new(random.key(1)), RNG.uniform(size=(2, 8, 8))
    expected = train_step(net, SGD(), params, SGD().start(params), images, targets)

    def on(tree: Any) -> Any:
        return tree_map(lambda x: likewise.asarray(x, namespace="dask"), tree)

    state = SGD().start(on(params))
    got = train_step(net, SGD(), on(params), state, on(images), on(targets))
    for a, b in zip(tree_leaves(got), tree_leaves(expected), strict=True):
        assert likewise.library(a) == "dask"
        np.testing.assert_allclose(likewise.to_numpy(a), b, rtol=0, atol=1e-12)


def test_loss_curves_of_convolutions_are_equal() -> None:
    some = [n for n in LIBRARIES if n in ("numpy", "torch", "strict")]
    curves_agree("convnet", SGD(0.05), some, compiled="")


@pytest.mark.full
@pytest.mark.parametrize("net", ["mlp", "convnet"])
@pytest.mark.parametrize("optimiser", [SGD(0.05), Adam(0.003)], ids=["SGD", "Adam"])
@pytest.mark.parametrize("compiled", ["", "numpy torch jax strict"], ids=["as it is", "compiled"])
def test_loss_curves_of_all_are_equal_on_all_libraries(
    net: str, optimiser: Any, compiled: str
) -> None:
    curves_agree(net, optimiser, LIBRARIES, compiled)


def test_compiled_gives_the_same_bits() -> None:
    plain, one = trained("numpy", digits.mlp(), Adam(0.003), 128, 2, compiled=False)
    jitted, two = trained("numpy", digits.mlp(), Adam(0.003), 128, 2, compiled=True)
    assert plain.tolist() == jitted.tolist() and one == two


def test_float32_stays(lib: Any) -> None:
    with likewise.use(lib.library, device=lib.device, dtype="float32"):
        x, labels, *_ = digits.digits(random.key(0))
        net = digits.mlp(hidden=8)
        params, losses = fit(
            net,
            net.new(random.key(1)),
            x[:64, ...],
            labels[:64],
            Adam(),
            random.key(2),
            epochs=1,
            compiled=False,
        )
    for a in (losses, *tree_leaves(params)):
        assert lib.to_numpy(a).dtype == "float32"


def test_nine_hundred_and_seventy_of_a_thousand() -> None:
    _, right = trained("numpy", digits.mlp(), Adam(0.003), 1437, 12, compiled=True)
    assert right >= 0.97


@pytest.mark.full
@pytest.mark.parametrize("library", [n for n in LIBRARIES if n in ("numpy", "torch", "jax")])
@pytest.mark.parametrize("net", [digits.mlp(), digits.convnet()], ids=["mlp", "convnet"])
def test_held_out_digits(net: Any, library: str) -> None:
    _, right = trained(library, net, Adam(0.003), 1437, 12, compiled=library != "torch")
    assert right >= 0.97


@pytest.mark.parametrize("second", [n for n in LIBRARIES if n in ("torch", "jax", "strict")])
def test_two_threads_train_on_two_libraries_at_once(second: str) -> None:
    compiled = second != "torch"  # which takes half a minute to compile
    names = ["numpy", second]
    alone = {n: trained(n, digits.mlp(), SGD(0.05), 64, 3, compiled) for n in names}
    found: dict[str, Any] = {}
    both = threading.Barrier(2, timeout=60)

    def run(name: str) -> None:
        both.wait()
        found[name] = trained(name, digits.mlp(), SGD(0.05), 64, 3, compiled)

    threads = [threading.Thread(target=run, args=(n,)) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in names:
        assert found[name][0].tolist() == alone[name][0].tolist()
        assert found[name][1] == alone[name][1]


# -- what can be wrong -----------------------------------------------------------------------------


def given(**changes: Any) -> dict[str, Any]:
    x, labels, *_ = digits.digits(random.key(0))
    net = digits.mlp(hidden=4)
    args = {"net": net, "params": net.new(random.key(1)), "optimiser": SGD()}
    args |= {"images": x[:64], "labels": labels[:64], "key": random.key(2)}
    return {**args, "epochs": 1, "compiled": False, **changes}


def test_labels_out_of_range() -> None:
    labels = np.arange(64) % 11
    with pytest.raises(ValueError, match="labels must be 0 to 9, but they are 0 to 10"):
        fit(**given(labels=labels))
    with pytest.raises(ValueError, match="0 to 9, but they are -1 to 9"):
        fit(**given(labels=labels - 1))
    with pytest.raises(ValueError, match="0 to 9, but they are nan to nan"):
        fit(**given(labels=np.where(labels > 9, np.nan, labels)))


@pytest.mark.parametrize("few", [{"batch": 0}, {"batch": 65}, {"epochs": 0}])
def test_nothing_to_train_on(few: dict[str, int]) -> None:
    ((name, value),) = few.items()
    with pytest.raises(ValueError, match=f"64 images have labels .*{name} {value}"):
        fit(**given(**few))


def test_parameters_of_another_network() -> None:
    params = given()["params"]
    for wrong in (params[:1], params * 2):
        with pytest.raises(ValueError, match=f"2 modules need .* got those of {len(wrong)}"):
            fit(**given(params=wrong))


def test_labels_of_other_images() -> None:
    with pytest.raises(ValueError, match=r"64 images have labels of shape \(63,\)"):
        fit(**given(labels=np.zeros(63, dtype=int)))
    few = given()
    for labels in (few["labels"][:, None], few["labels"][:1]):
        with pytest.raises(ValueError, match=r"64 images have labels of shape \("):
            digits.accuracy(few["net"], few["params"], few["images"], labels)


def test_a_nan_in_the_data() -> None:
    images = given()["images"].copy()
    images[7, 3, 3] = np.nan
    with pytest.raises(ValueError, match="loss is nan after epoch 1"):
        fit(**given(images=images))


def test_wrong_shapes() -> None:
    with pytest.raises(ValueError, match=r"Dense\(inputs=64, outputs=4\): got .* \(64, 49\)"):
        fit(**given(images=np.zeros((64, 7, 7))))
    with pytest.raises(ValueError, match=r"Conv\(size=3, .* \(3, 8, 8\)"):
        Conv(3, 1, 2)(Conv(3, 1, 2).new(random.key(0)), np.zeros((3, 8, 8)))


@pytest.mark.needs("torch")
def test_two_libraries_mixed() -> None:
    with likewise.use("torch", dtype="float64"):
        params = digits.mlp(hidden=4).new(random.key(1))
    with pytest.raises(likewise.errors.ArrayTypeError, match=r"numpy.*torch|torch.*numpy"):
        fit(**given(params=params))


def test_half_precision_trains() -> None:
    """All in NumPy's float16: every parameter moves, stays float16, and the loss falls."""
    net = Chain((Dense(8, 6), relu, Dense(6, 3)))
    with likewise.use("numpy", dtype="float32"):
        start = tree_map(lambda p: p.astype(np.float16), net.new(random.key(1)))
    images = RNG.normal(size=(60, 8)).astype(np.float16)
    labels = np.argmax(images[:, :3], axis=1)
    trained, losses = fit(
        net, start, images, labels, SGD(0.1), random.key(2), epochs=6, batch=20, classes=3
    )
    for before, after in zip(tree_leaves(start), tree_leaves(trained), strict=True):
        assert after.dtype == np.float16 and np.any(before != after)
    assert losses.dtype == np.float16 and losses[-1] < 0.8 * losses[0]
