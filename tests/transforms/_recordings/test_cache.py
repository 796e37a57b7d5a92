"""The cache of what was recorded, and the state in its keys."""

import threading

import numpy as np

import likewise
from likewise._namespace import hooks_of
from likewise.transforms._recordings._cache import Cache, in_force


def test_the_least_recently_used_is_dropped() -> None:
    cache = Cache(3)
    for k in "abc":
        cache.set(k, k.upper())
    assert cache.get("a") == "A"
    assert cache.first("b", "new") == "B"
    cache.set("d", "D")
    assert cache.get("c") is None
    cache.set("a", "again")
    assert cache.first("e", "E") == "E"
    assert cache.values() == ["D", "again", "E"]
    assert len(cache) == 3
    assert cache.get("b", 0) == 0


def test_what_was_used_elsewhere_is_spared_once() -> None:
    cache, used = Cache(2), {"a"}

    def spared(value: str) -> bool:
        stays = value in used
        used.discard(value)
        return stays

    for k in "abc":
        cache.first(k, k, spared)
    assert cache.values() == ["c", "a"]
    cache.first("d", "d", spared)
    cache.first("e", "e", spared)
    assert cache.values() == ["d", "e"]


def test_threads_share_it() -> None:
    cache, failed = Cache(4), []

    def work(seed: int) -> None:
        try:
            for i in range(3000):
                key = (i * seed) % 7
                if cache.get(key, key) != key or cache.first(key, key) != key:
                    failed.append(key)
                cache.set(key, key)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(s,)) for s in (1, 2, 3, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    assert len(cache) <= 4


def test_the_state_is_error_state_default_and_preference() -> None:
    library = hooks_of(np.ones(1))
    usual = in_force(library)
    found = {usual}
    for state in (
        np.errstate(over="raise"),
        likewise.use(dtype="float32"),
        likewise.prefer("generic"),
        likewise.prefer(force="generic"),
    ):
        with state:
            found.add(in_force(library))
    assert len(found) == 5
    assert in_force(library) == usual
