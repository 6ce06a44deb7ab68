# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX for several devices as one program for each rank.

    kiln.join(rank, ranks, "tcp:10.0.0.1:7000")
    step = kiln.partition.compile(jax.jit(f, in_shardings=..., out_shardings=...).lower(*arguments))
    results = step(*arguments)

The mesh has as many devices as there are ranks, of whatever platform: `jax_num_cpu_devices` makes some. What
Shardy, which comes with jaxlib, partitions becomes StableHLO with exchanges, which Kiln compiles; rank k is device k of the
mesh. Arguments are whole arrays of which a rank takes its shard, nested as the function takes them; results are the shards of
this rank, nested as the function gives them. Arguments may also be flat, as the program has them: then results are a list."""
import math
import os
import re
import tempfile

import numpy

from . import compiler, load, partition_dims

PASSES = ("sdy-propagation-pipeline", "func.func(sdy-insert-explicit-reshards{enable-full-version=true})",
          "func.func(sdy-reshard-to-collectives)", "sdy-convert-global-to-local{enable-rgv3=false}")


class Unsupported(RuntimeError):
    """What cannot be partitioned, and why."""


def _run(module, *passes):
    from jaxlib.mlir import ir, passmanager
    for one in passes:
        manager = passmanager.PassManager.parse(f"builtin.module({one})", module.context)
        # Calls are mended after the last one.
        manager.enable_verifier(False)
        try:
            manager.run(module.operation)
        except ir.MLIRError as error:
            raise Unsupported(f"{one}: {error}") from None


def _functions(module):
    from jaxlib.mlir import ir
    return {ir.StringAttr(op.attributes["sym_name"]).value: op for op in module.body.operations
            if op.operation.name == "func.func"}


def _operations(module, name):
    """All operations of a name, in regions, too. They may be changed and erased."""
    from jaxlib.mlir import ir
    found = []

    def find(op):
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE
    module.operation.walk(find)
    return found


def _mend_calls(module):
    """Calls give what their functions return now."""
    from jaxlib.mlir import ir
    functions = _functions(module)
    for call in _operations(module, "func.call"):
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        kind = ir.FunctionType(ir.TypeAttr(functions[callee].attributes["function_type"]).value)
        if [result.type for result in call.results] == list(kind.results):
            continue
        with call.location, ir.InsertionPoint(call):
            made = ir.Operation.create("func.call", results=list(kind.results), operands=list(call.operands),
                                       attributes={"callee": call.attributes["callee"]})
        for old, new in zip(call.results, made.results):
            for use in list(old.uses):
                cast = use.owner.operation
                if cast.name == "builtin.unrealized_conversion_cast" and cast.results[0].type == new.type:
                    cast.results[0].replace_all_uses_with(new)
                    cast.erase()
            old.replace_all_uses_with(new)
        call.erase()


def _copy_carries(module):
    """In regions of loops the first operation reads what is carried, and others read its result. The conversion to the sizes of
    one device gives results their new types, but takes arguments of regions with their old ones: the sizes of an exchange of such
    an argument would be wrong."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy
    for op in _operations(module, "stablehlo.while"):
        if "sdy.sharding" not in op.attributes:
            continue
        shardings = list(sdy.TensorShardingPerValueAttr(op.attributes["sdy.sharding"]).shardings)
        for region in op.regions:
            block = region.blocks[0]
            for argument, sharding in zip(block.arguments, shardings):
                if not any(sdy.DimensionShardingAttr(dim).axes for dim in sdy.TensorShardingAttr(sharding).dimension_shardings):
                    continue
                uses = list(argument.uses)
                with op.location, ir.InsertionPoint.at_block_begin(block):
                    made = ir.Operation.create("stablehlo.reshape", results=[argument.type], operands=[argument],
                                               attributes={"sdy.sharding": sdy.TensorShardingPerValueAttr.get([sharding])})
                for use in uses:
                    use.owner.operands[use.operand_number] = made.results[0]


def _mark_sums(module):
    """Says of each product over a dimension that devices share that its elements are no sums yet: axes of the mesh which an
    exchange behind it adds over. Since jaxlib 0.11 the conversion ends the process where that is not said."""
    from jaxlib.mlir import ir
    for op in _operations(module, "sdy.all_reduce"):
        source = op.operands[0].owner
        if getattr(source, "name", "") != "stablehlo.dot_general":
            continue
        # Python has no class for lists of axes: '#sdy.sharding<@mesh, [{}]>' and '#sdy<axis_ref_list{"x"}>' as text.
        out, axes = (str(op.attributes[name])[start:-1] for name, start in (("out_sharding", 14), ("reduction_axes", 18)))
        source.attributes["sdy.sharding"] = ir.Attribute.parse(f"#sdy.sharding_per_value<[<{out}, unreduced={axes}>]>", module.context)


def _groups(text, axes):
    """The devices of each group that exchanges over some axes of the mesh, or parts of axes: `#stablehlo.axis_ref<name = "x">`, and
    with `sub_axis_info = (before)size` those of `size` elements behind `before` others."""
    sizes, places = [], {}
    chosen = [(name, int(before or 1), int(size or axes[name]))
              for name, before, size in re.findall(r'<name = "([^"]*)"(?:, sub_axis_info = \((\d+)\)(\d+))?>', text)]
    for name, whole in axes.items():
        ends = sorted({1, whole} | {end for own, before, size in chosen if own == name for end in (before, before * size)})
        for begin, end in zip(ends, ends[1:]):
            places[name, begin, end] = len(sizes)
            sizes.append(end // begin)
    inside = [place for name, before, size in chosen
              for (own, begin, end), place in places.items() if own == name and before <= begin and end <= before * size]
    outside = [place for place in range(len(sizes)) if place not in inside]
    devices = numpy.arange(math.prod(sizes), dtype=numpy.int64).reshape(sizes).transpose(outside + inside)
    return numpy.ascontiguousarray(devices.reshape(-1, math.prod(sizes[place] for place in inside)))


def _list_groups(module, axes):
    """Lists the devices of exchanges that name axes of the mesh, as those of JAX 0.11 do."""
    from jaxlib.mlir import ir

    def visit(op):
        text = str(op.attributes["replica_groups"]) if "replica_groups" in op.attributes else ""
        if "replica_group_mesh_axes" in text:
            op.attributes["replica_groups"] = ir.DenseElementsAttr.get(_groups(text, axes), context=module.context)
        return ir.WalkResult.ADVANCE
    module.operation.walk(visit)


def _remove_copies(module):
    """Removes reshapes that change nothing; reports values that have a size which their users do not expect."""
    from jaxlib.mlir import ir
    found = []

    def visit(op):
        if op.name in ("stablehlo.reshape", "builtin.unrealized_conversion_cast"):
            found.append(op)
        return ir.WalkResult.ADVANCE
    module.operation.walk(visit)
    for op in found:
        if op.operands[0].type == op.results[0].type:
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
        elif op.name != "stablehlo.reshape":
            raise Unsupported(f"{op.location}: unsupported: a value of {op.operands[0].type} where a device has {op.results[0].type}")


def _mend_loop(op):
    """Regions of a loop take what it carries now."""
    for region in op.regions:
        for operand, argument in zip(op.operands, region.blocks[0].arguments):
            if argument.type == operand.type:
                continue
            argument.set_type(operand.type)
            for use in list(argument.uses):
                cast = use.owner.operation
                if cast.name == "builtin.unrealized_conversion_cast" and cast.results[0].type == operand.type:
                    cast.results[0].replace_all_uses_with(argument)
                    cast.erase()


def _mend_slice(op):
    """A slice of whole dimensions ends where they end now."""
    from jaxlib.mlir import ir
    shape, found = list(op.operands[0].type.shape), list(op.results[0].type.shape)
    if op.name == "stablehlo.dynamic_slice":
        op.attributes["slice_sizes"] = ir.DenseI64ArrayAttr.get(found)
    else:
        limits = [size if size == taken else int(limit) for size, taken, limit in zip(shape, found, op.attributes["limit_indices"])]
        op.attributes["limit_indices"] = ir.DenseI64ArrayAttr.get(limits)


def _mend(module):
    """Mends what the conversion to the sizes of one device leaves as it was."""
    from jaxlib.mlir import ir

    def visit(op):
        if op.name == "stablehlo.while":
            _mend_loop(op)
        elif op.name in ("stablehlo.slice", "stablehlo.dynamic_slice"):
            _mend_slice(op)
        return ir.WalkResult.ADVANCE
    _mend_calls(module)
    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)


def _mesh(module):
    """Names and sizes of the axes of the only mesh that has axes; its devices are in order."""
    from jaxlib.mlir.dialects import sdy
    found = None
    for op in module.body.operations:
        if op.operation.name != "sdy.mesh":
            continue
        mesh = sdy.MeshAttr(op.attributes["mesh"])
        axes = {axis.name: axis.size for axis in map(sdy.MeshAxisAttr, mesh.axes)}
        if not axes:
            continue
        if found not in (None, axes):
            raise Unsupported("a program with several meshes")
        if list(mesh.device_ids) not in ([], list(range(math.prod(axes.values())))):
            raise Unsupported("a mesh with devices in an order of their own")
        found = axes
    return found or {}


def _shardings(attributes, count):
    """For each of `count` arguments or results the axes of each dimension, or None."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy
    found = [None] * count
    for i in range(count):
        own = ir.DictAttr(attributes[i]) if attributes is not None else {}
        if "sdy.sharding" in own:
            sharding = sdy.TensorShardingAttr(own["sdy.sharding"])
            found[i] = [[sdy.AxisRefAttr(axis).name for axis in sdy.DimensionShardingAttr(dim).axes]
                        for dim in sharding.dimension_shardings]
    return found


def _kept(lowered, count):
    """The numbers of the function's arguments that the program has: JAX leaves out those that nothing uses."""
    given = lowered.in_tree.num_leaves
    if given == count:
        return list(range(count))
    try:
        kept = sorted(lowered._lowering.compile_args["kept_var_idx"])
    except (AttributeError, KeyError, TypeError):
        kept = []
    if len(kept) != count:
        raise Unsupported(f"a program of {count} arguments for a function of {given}: jit it with keep_unused=True")
    return kept


class Split:
    """A module that Shardy partitions in place, and what it was: the mesh, and where arguments and results lie."""

    def __init__(self, module):
        from jaxlib.mlir import ir
        with module.context, ir.Location.unknown():
            #: Names and sizes of the mesh's axes.
            self.axes = _mesh(module)
            partition_dims.replace_chlo(module)
            _run(module, PASSES[0])
            partition_dims.keep_whole(module)
            _run(module, *PASSES[1:3])
            _copy_carries(module)
            _mark_sums(module)
            _run(module, *PASSES[3:])
            partition_dims.restore_chlo(module)
            _list_groups(module, self.axes)
            _mend(module)
            _remove_copies(module)
            main = _functions(module)["main"]
            kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
            #: For each argument and result the axes of each dimension, or None.
            self.arguments = _shardings(main.attributes["arg_attrs"] if "arg_attrs" in main.attributes else None, len(kind.inputs))
            self.results = _shardings(main.attributes["res_attrs"] if "res_attrs" in main.attributes else None, len(kind.results))
            #: How many dimensions they have.
            self.argument_ranks, self.result_ranks = ([getattr(one, "rank", 0) for one in some] for some in (kind.inputs, kind.results))
            _run(module, "sdy-drop-sharding-and-mesh")
            module.operation.verify()
            #: The program of a rank.
            self.text = module.operation.get_asm(enable_debug_info=True)


class Partitioned:
    """A program of which every rank runs a part."""

    def __init__(self, lowered, target="cpu", options=()):
        from jaxlib.mlir import ir
        module = lowered.compiler_ir("stablehlo")
        with module.context:
            split = Split(ir.Module.parse(module.operation.get_asm(binary=False, enable_debug_info=True)))
        self.axes, self.arguments, self.results, self.text = split.axes, split.arguments, split.results, split.text
        #: How the function nests its arguments and results, and which of its arguments the program has.
        self.tree, self.out_tree = lowered.in_tree, lowered.out_tree
        self.kept = _kept(lowered, len(self.arguments))
        with tempfile.TemporaryDirectory(prefix="kiln-") as work:
            source, output = os.path.join(work, "program.mlir"), os.path.join(work, "program.kiln")
            with open(source, "w", encoding="utf-8") as file:
                file.write(self.text)
            compiler.compile(source, target, output, "--strip", *options)
            self.program = load(output)

    def _part(self, axes):
        """(number of the part, number of parts) along a dimension, of this rank."""
        places, rest = {}, int(os.environ.get("KILN_RANK", "0"))
        for name, size in reversed(self.axes.items()):
            places[name], rest = rest % size, rest // size
        number, count = 0, 1
        for name in axes:
            number, count = number * self.axes[name] + places[name], count * self.axes[name]
        return number, count

    def shard(self, array, sharding):
        """What this rank has of a whole array."""
        array = numpy.asarray(array)
        for dim, axes in enumerate(sharding or []):
            number, count = self._part(axes)
            size = array.shape[dim] // count
            array = array[(slice(None),) * dim + (slice(number * size, (number + 1) * size),)]
        return numpy.array(array, order="C")

    def __call__(self, *arguments, **keywords):
        """The shards of the results, as numpy's arrays."""
        import jax
        arrays, tree = jax.tree.flatten((arguments, keywords))
        is_nested = tree == self.tree
        if is_nested:
            arrays = [arrays[i] for i in self.kept]
        elif keywords or len(arguments) != len(self.arguments) or any(numpy.asarray(one).dtype == object for one in arguments):
            raise TypeError(f"expected arguments of structure {self.tree} or {len(self.arguments)} arrays, found {tree}")
        made = self.program(*[self.shard(array, sharding) for array, sharding in zip(arrays, self.arguments)])
        made = [numpy.asarray(one) for one in (made if isinstance(made, (list, tuple)) else [made])]
        return jax.tree.unflatten(self.out_tree, made) if is_nested else made


def compile(lowered, target="cpu", *options):  # as jax.jit(...).lower(...) gives it
    return Partitioned(lowered, target, options)
