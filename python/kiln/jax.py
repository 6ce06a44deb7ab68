# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX on Kiln: JAX_PLATFORMS=kiln, with this package installed, is all that a program needs.

JAX finds the plug-in by itself. KILN_JAX_TARGET is the target as for kiln-compile (default: cpu),
KILN_JAX_ARGUMENTS are further arguments of it, apart at spaces."""
import os

LIBRARY = "libkiln-pjrt.so"


def library_path():
    """The plug-in's library: in the wheel, or in a build folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, "lib", LIBRARY), os.path.join(here, "..", "..", "lib", LIBRARY)]
    for place in places:
        if os.path.exists(place):
            return os.path.normpath(place)
    raise RuntimeError(f"{LIBRARY} is in none of {', '.join(map(os.path.normpath, places))}")


def initialize():
    """Called by JAX when it looks for plug-ins. Kiln is used where JAX_PLATFORMS names it, and not
    only for being installed: its priority is below that of every other platform."""
    from jax._src import xla_bridge

    target, arguments = os.environ.get("KILN_JAX_TARGET", "cpu"), os.environ.get("KILN_JAX_ARGUMENTS", "")
    from kiln import jax_cache, jax_callbacks, jax_devices, jax_linalg, jax_random

    options = {"target": target, "version": _version(target, arguments), "devices": str(jax_devices.count(target))}
    if arguments:
        options["arguments"] = arguments
    xla_bridge.register_plugin("kiln", priority=-100, library_path=library_path(), options=options)
    _allow_donation()
    jax_linalg.register("kiln")
    jax_random.register("kiln")
    jax_callbacks.register("kiln")
    jax_cache.register("kiln")
    jax_devices.register("kiln")
    jax_callbacks.add_cpu("kiln")


def _version(target, arguments):
    """What compiled programs depend on beside their text. JAX makes it a part of the keys of its persistent cache."""
    import hashlib

    import kiln
    from kiln import compiler

    try:
        made_by = compiler.mark()
    except (OSError, RuntimeError):  # there is the runtime alone
        made_by = kiln.__version__
    marks = "\0".join([made_by, target, arguments, compiler.contents_of(target, *arguments.split()), *_sources()])
    return f"kiln {kiln.__version__} {hashlib.sha256(marks.encode()).hexdigest()[:16]}"


def _sources():
    """The modules that write programs of one device after JAX has made the key."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = [(name, os.stat(os.path.join(here, name))) for name in ("jax_devices.py", "partition.py", "partition_dims.py")]
    return [f"{name}:{about.st_size}:{about.st_mtime_ns}" for name, about in found]


def _allow_donation():
    """JAX passes on which arguments are given up only to platforms that it has a list of."""
    from jax._src.interpreters import mlir

    platforms = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(platforms, list) and "kiln" not in platforms:
        platforms.append("kiln")
