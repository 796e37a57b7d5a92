"""Following arrays: the proxy array, its namespace, the interpreter, and errors of what escapes."""
