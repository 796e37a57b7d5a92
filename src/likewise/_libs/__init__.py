"""One folder per array library, and the only one that may import it.

Its `_library` supplies what `likewise._namespace.Library` lists: the library's namespace with the
repairs that the standard asks for, its devices, the way to the host and back. Where it has them,
also the natives that other rooms look up by name:

``at_set(x, index, value)``
    Out-of-place item assignment.
``at_update(x, index, value, op)``, ``put(x, indices, values, mode)``
    The same with an operation, at places that may repeat; by flat positions.
``segment(...)``, ``count(...)``
    Reductions over the elements of each segment.
``while_loop(cond_fun, body_fun, init_val)``
    A loop that can be traced.
``jit(fun)``
    The function compiled.
``recorded(x)``
    Whether derivatives may be asked for of what `x` was computed of.
``map_batches(fun, shared, arrays, width)``
    A function of host blocks over the chunks of lazy arrays.
``preference(value)``
    A context manager that keeps what is compiled under different values apart.
``viewable(*arrays)``, ``through_numpy(routine)``
    Whether NumPy can see arrays without a copy, and a NumPy routine on such views.
``see_through(cls)``
    Let the library's own transforms take a dataclass for the arrays that it holds.
``quiet()``
    A context manager without floating-point warnings.
``staging(x)``
    Whether what is computed of an eager array can't be looked at, for a trace is open.
``free_memory(device)``, ``out_of_memory(error)``
    Bytes; whether an error says that there are none left.
``stranger(error)``
    Whether an error says that an array of another kind came, in words without the class's name.
``closed(fun, *args)``, ``keyed(fun)``
    A function as it is traced, apart from the arrays that it closes over, which compares equal to
    others that read the same; a function compiled for each value of its first argument.
``unrecorded()``
    A context in which nothing is kept for derivatives.
``one_thread``
    True where forward mode must not run in two threads at once.

For the test kit, which may not import an array library:

``trial(fun)``, ``compiles()``
    The function compiled the quickest way, as one graph; how much was compiled so far.
``vjp(fun, *primals)``, ``vmap(fun, in_axes, out_axes)``
    As JAX's.
``HOST_READS``, ``CONVERSIONS``, ``computing(seen)``
    What takes data to the host: rows of owner, name and 'copy' or 'scalar'; NumPy's functions that
    do; a context that tells of computations.
``minimal``, ``x64``, ``default_floating``, ``synchronous``
    Contexts for the variants of a library.
"""
