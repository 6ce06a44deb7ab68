# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX on several devices of one process: `jax.jit` with shardings, `shard_map` and `pmap`.

The plug-in runs the same program on each device. Shardy, which comes with jaxlib, makes it of the program that JAX has written for
all devices (`kiln.partition`). The plug-in gets it as a compile option, with the shardings of the results, which JAX asks for."""
import copy
import functools
import os


def count(target):
    """How many devices a client has: KILN_JAX_DEVICES, or one."""
    named = os.environ.get("KILN_JAX_DEVICES", "1")
    if not named.isdigit() or int(named) < 1:
        raise ValueError(f"KILN_JAX_DEVICES: expected a number of devices, found {named!r}")
    return int(named)


def _sharding(axes, dims, rank):
    """A sharding as XLA's OpSharding. `dims`: the axes of each dimension, or None."""
    from jax._src.lib import xla_client
    from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

    if not dims or not any(dims):
        return xla_client.HloSharding.replicate().to_proto().SerializeToString()
    mesh = AbstractMesh(tuple(axes.values()), tuple(axes))
    sharding = NamedSharding(mesh, PartitionSpec(*(tuple(dim) or None for dim in dims)))
    return sharding._to_xla_hlo_sharding(rank).to_proto().SerializeToString()


def _shardings(axes, all_dims, ranks):
    """Hexadecimal digits of each sharding, with a space behind them: that of a tensor which all devices have is empty."""
    return "".join(_sharding(axes, dims, rank).hex() + " " for dims, rank in zip(all_dims, ranks))


def partition(module, options):
    """The compile options of a program on several devices, with the program of one of them."""
    from kiln.partition import Split

    split = Split(module.operation.clone())
    options = copy.deepcopy(options)
    options.env_option_overrides = [*options.env_option_overrides, ("kiln_program", split.text),
                                    ("kiln_argument_shardings", _shardings(split.axes, split.arguments, split.argument_ranks)),
                                    ("kiln_result_shardings", _shardings(split.axes, split.results, split.result_ranks))]
    return options


def register(platform):
    """Makes JAX partition the programs of this platform before it compiles them."""
    from jax._src import compiler

    theirs = compiler.backend_compile_and_load

    @functools.wraps(theirs)
    def backend_compile_and_load(backend, module, executable_devices, options, host_callbacks):
        if backend.platform == platform and options.executable_build_options.num_partitions > 1:
            options = partition(module, options)
        return theirs(backend, module, executable_devices, options, host_callbacks)

    compiler.backend_compile_and_load = backend_compile_and_load
