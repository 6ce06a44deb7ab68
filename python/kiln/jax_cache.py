# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX's persistent compilation cache (`jax_compilation_cache_dir`) for programs on Kiln.

JAX uses it for a list of platforms only, and keys entries by the program, the options and the version of the platform. The plug-in's
version holds the target and the compiler (`kiln.jax`). Its executables serialize themselves, and know damaged bytes: JAX warns then,
and compiles again."""
import functools


def register(platform):
    """Makes JAX keep the programs of this platform, too."""
    from jax._src import compilation_cache, compiler

    from kiln import jax_callbacks

    used, key = getattr(compilation_cache, "is_cache_used", None), getattr(compiler, "_get_cache_key", None)
    if not used or not key:  # another JAX: it compiles everything again
        return

    @functools.wraps(used)
    def is_cache_used(backend):
        return compilation_cache.is_persistent_cache_enabled() if backend.platform == platform else used(backend)

    @functools.wraps(key)
    def get_cache_key(options, backend, computation, *rest, **named):
        if backend.platform == platform and jax_callbacks.is_used_by(computation):
            return None
        return key(options, backend, computation, *rest, **named)

    compilation_cache.is_cache_used = is_cache_used
    compiler._get_cache_key = get_cache_key
    read = compilation_cache.get_executable_and_time

    @functools.wraps(read)
    def get_executable_and_time(cache_key, compile_options, backend, *rest):
        try:
            return read(cache_key, compile_options, backend, *rest)
        except Exception:  # JAX warns, and compiles
            if backend.platform == platform:
                _drop(compilation_cache._get_cache(backend), cache_key)
            raise

    compilation_cache.get_executable_and_time = get_executable_and_time


def _drop(cache, key):
    """Removes a damaged entry, which JAX would neither read nor replace."""
    folder = getattr(cache, "path", None)
    if folder is not None:
        try:
            (folder / f"{key}-cache").unlink()
        except OSError:  # others write to the folder, too
            pass
