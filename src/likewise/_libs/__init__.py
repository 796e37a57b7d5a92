"""One file per array library, and the only files that may import it.

Each supplies what `likewise._namespace.Library` lists: the library's namespace with the repairs
that the standard asks for, its devices, the way to the host and back. Where it has them, also the
natives that other rooms look up by name:

``at_set(x, index, value)``
    Out-of-place item assignment.
``while_loop(cond_fun, body_fun, init_val)``
    A loop that can be traced.
``jit(fun)``
    The function compiled.
``pushforward(fun, x, tangents)``
    Derivatives along stacked tangents, in forward mode.
``map_batches(fun, shared, arrays, width)``
    A function of host blocks over the chunks of lazy arrays.
``preference(value)``
    A context manager that keeps what is compiled under different values apart.
``viewable(*arrays)``, ``through_numpy(routine)``
    Whether NumPy can see arrays without a copy, and a NumPy routine on such views.
``quiet()``
    A context manager without floating-point warnings.
``free_memory(device)``
    Bytes.
"""
