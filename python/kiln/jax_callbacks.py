# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls from a JAX program back to Python: pure_callback, io_callback, jax.debug.print and jax.debug.callback.

The program calls a function of this process by name (`prim.callback`). The runtime calls one C function with the operands and
with memory for the results; that finds the Python function by the number that it was registered with."""
import ctypes
import functools
import io
import itertools
import os
import traceback
import weakref

import numpy as np


class Tensor(ctypes.Structure):
    """KilnLentTensor of kiln-c/Runtime.h."""

    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("tensor", ctypes.c_void_p)]


FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Tensor), ctypes.c_size_t,
                            ctypes.POINTER(Tensor), ctypes.c_void_p, ctypes.c_size_t)
#: By number: the function, and the types of its operands and results. A number that a program holds is here until no executable
#: holds the function.
FUNCTIONS = {}
NUMBERS = itertools.count(1)


@functools.cache
def runtime():
    """The runtime that the plug-in's library is linked with."""
    from kiln import jax as plugin

    return ctypes.CDLL(os.path.join(os.path.dirname(plugin.library_path()), "libkiln-runtime.so.0"))


def view(tensor, shape, dtype):
    """The elements of a tensor of the runtime, in place, as an array."""
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if not count:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * count).from_address(tensor.data), dtype).reshape(shape)


def arrays(tensors, avals):
    """The operands as arrays of their own. Complex numbers come as tensors of the real and the imaginary parts."""
    tensors = iter(tensors)
    for shape, dtype in avals:
        if dtype.kind != "c":
            yield view(next(tensors), shape, dtype).copy()
            continue
        array = np.empty(shape, dtype)
        array.real, array.imag = (view(next(tensors), shape, array.real.dtype) for _ in range(2))
        yield array


def fill(tensors, avals, values):
    """Writes the results to where the runtime wants them."""
    tensors = iter(tensors)
    for (shape, dtype), value in zip(avals, values, strict=True):
        value = np.asarray(value)
        if value.shape != shape or value.dtype != dtype:
            raise TypeError(f"a callback gave {value.dtype}{list(value.shape)} where its program expects {dtype}{list(shape)}")
        for part in (value.real, value.imag) if dtype.kind == "c" else (value,):
            view(next(tensors), shape, part.dtype)[...] = part


@FUNCTION
def call(number, sources_count, sources, targets_count, targets, message, size):
    """What the runtime calls."""
    try:
        function, operands, results = FUNCTIONS[number]
        values = function(*arrays(sources[:sources_count], operands))
        fill(targets[:targets_count], results, values)
        return 0
    except BaseException:
        # The last lines name the exception.
        text = traceback.format_exc().encode()[1 - size:].decode(errors="ignore").encode() + b"\0"
        ctypes.memmove(message, text, len(text))
        return 1


def forget(number):
    FUNCTIONS.pop(number, None)
    runtime().kilnCallbackRemove(b"%d" % number)


def add(function, operands, results):
    """Registers a function; the number that programs know it by, and what keeps it registered."""
    number = next(NUMBERS)

    def hold(*operands):
        return function(*operands)

    types = [[(tuple(aval.shape), np.dtype(aval.dtype)) for aval in avals] for avals in (operands, results)]
    FUNCTIONS[number] = (function, *types)
    if runtime().kilnCallbackRegister(b"%d" % number, call, ctypes.c_void_p(number)):
        raise RuntimeError("the runtime takes no callback")
    weakref.finalize(hold, forget, number)
    return number, hold


def emit(ctx, function, token, operands, operand_avals, result_avals, has_side_effect):
    """A call of `function` in a program: its results, the token after it, and what JAX hands on as the callback."""
    from jax._src import core, dtypes
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir.dialects import hlo

    def canonical(*operands):
        # Python's numbers become those of 32 bits, where JAX has no others.
        return [dtypes.canonicalize_value(np.asarray(value)) for value in function(*operands)]

    operand_avals, result_avals = ([core.physical_aval(aval) for aval in avals] for avals in (operand_avals, result_avals))
    number, hold = add(canonical, operand_avals, result_avals)
    ctx.module_context.add_keepalive(hold)
    types = [mlir.aval_to_ir_type(ctx.module_context, aval) for aval in result_avals]
    lead = [token] if token else []
    made = mlir.custom_call(f"kiln.callback {number}", result_types=[hlo.TokenType.get()] * len(lead) + types,
                            operands=[*lead, *operands], has_side_effect=has_side_effect)
    results = list(made.results)
    return results[len(lead):], results[0] if token else None, hold


def is_used_by(module):
    """Whether a program calls functions of this process, so that no other process can run it."""
    if not FUNCTIONS:
        return False
    code = io.BytesIO()
    module.operation.write_bytecode(file=code)
    return b"kiln.callback " in code.getvalue()


def register(platform):
    """Makes JAX's primitives call back on this platform as they do on its own."""
    from jax._src import callback, checkify, debugging
    from jax._src.interpreters import mlir

    theirs = callback.emit_python_callback

    @functools.wraps(theirs)
    def emit_python_callback(ctx, function, token, operands, operand_avals, result_avals, *, has_side_effect, **options):
        if tuple(ctx.module_context.platforms) != (platform,):
            return theirs(ctx, function, token, operands, operand_avals, result_avals, has_side_effect=has_side_effect, **options)
        return emit(ctx, function, token, operands, operand_avals, result_avals, has_side_effect)

    callback.emit_python_callback = emit_python_callback
    rules = mlir._platform_specific_lowerings["cpu"]
    for module, name in ((debugging, "debug_callback_p"), (debugging, "debug_print_p"), (checkify, "check_p")):
        primitive = getattr(module, name, None)
        if primitive in rules:
            mlir.register_lowering(primitive, rules[primitive].rule, platform=platform, cacheable=False)


def add_cpu(platform):
    """JAX hands operands to Python functions as arrays of its CPU backend, which a list of this platform alone leaves out."""
    import jax

    if jax.config.jax_platforms == platform:
        jax.config.update("jax_platforms", f"{platform},cpu")
