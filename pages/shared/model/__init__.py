"""The models of the server: loading, waiting, caching, choosing another one, adding one."""
