"""One folder per array library, and the only one that may import it.

`_library`
    A subclass of `likewise._library.Library`, which lists what can be asked, and its one instance,
    ``LIBRARY``: the namespace with the repairs that the standard asks for, devices, the way to the
    host and back.
`_repairs`, `_blocks`
    Functions of the standard that the library lacks or has otherwise.
`_transforms`, `_jit`, `_states`
    Its own program transforms and its compiler, in JAX's forms; what it is doing with an array.
`_natives`
    Routines that rows call, with the signatures of their apply steps.
"""
