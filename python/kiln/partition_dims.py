# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dimensions of an operation's operands and results devices may share, when Shardy has spread a program (`kiln.partition`).

Shardy splits operations whose elements follow from those at the same place, and adds up partial sums. It takes a partial product or
a partial maximum for a sum, too, and ends the process at a window over a dimension that is split. So every dimension along which an
operation does something else stays whole: the operand is gathered before, and the result split behind it."""

#: Elementwise, movements of whole dimensions, sums of products, and what contains other operations or is an exchange already.
WHOLE = frozenset("stablehlo." + name for name in """
abs add and atan2 bitcast_convert broadcast broadcast_in_dim cbrt ceil clamp compare complex constant convert cosine count_leading_zeros
create_token divide dot dot_general exponential exponential_minus_one floor imag iota is_finite log log_plus_one
logistic maximum minimum multiply negate not optimization_barrier or popcnt power real reduce_precision remainder reshape
round_nearest_afz round_nearest_even rsqrt select shift_left shift_right_arithmetic shift_right_logical sign sine sqrt subtract tan tanh
transpose xor while if case return after_all all_reduce all_gather all_to_all reduce_scatter collective_permute collective_broadcast
partition_id replica_id """.split())

#: Functions of elements of the dialect `chlo`, which Shardy does not know.
FUNCTIONS = frozenset("chlo." + name for name in """
_asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma
next_after polygamma sinh square tan zeta""".split())
#: Attributes of an operation that stands for another one: its name and its attributes.
STANDS_FOR, HELD = "kiln.stands_for", "kiln.held"


def _exchange_operations(module, chosen, build):
    """Replaces the operations for which `chosen` holds by what `build` makes."""
    from jaxlib.mlir import ir
    found = []

    def visit(op):
        if chosen(op):
            found.append(op)
        return ir.WalkResult.ADVANCE
    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op in found:
        with op.location, ir.InsertionPoint(op):
            made = build(op)
        for old, new in zip(op.results, made.results):
            old.replace_all_uses_with(new)
        op.erase()


def _stand_in(op):
    """An operation of `stablehlo` in place of one of FUNCTIONS, or of one that has whole operands and results."""
    from jaxlib.mlir import ir
    held = {name: op.attributes[name] for name in op.attributes if name != "sdy.sharding"}
    attributes = {STANDS_FOR: ir.StringAttr.get(op.name), HELD: ir.DictAttr.get(held)}
    if "sdy.sharding" in op.attributes:
        attributes["sdy.sharding"] = op.attributes["sdy.sharding"]
    types = [result.type for result in op.results]
    if op.name not in FUNCTIONS:
        name = "stablehlo.custom_call"
        attributes["call_target_name"] = ir.StringAttr.get(STANDS_FOR)
    elif op.operands[0].type != types[0]:
        name = "stablehlo.is_finite"
    else:
        is_integer = isinstance(types[0].element_type, ir.IntegerType)
        name = ("stablehlo.negate" if is_integer else "stablehlo.tanh") if len(op.operands) == 1 else "stablehlo.atan2"
    return ir.Operation.create(name, results=types, operands=list(op.operands), attributes=attributes)


def replace_chlo(module):
    """Puts an operation of `stablehlo` in place of each of `chlo`."""
    _exchange_operations(module, lambda op: op.name.startswith("chlo.") and not len(op.regions), _stand_in)


def restore_chlo(module):
    """Puts them back."""
    from jaxlib.mlir import ir

    def build(op):
        held = {one.name: one.attr for one in ir.DictAttr(op.attributes[HELD])}
        return ir.Operation.create(ir.StringAttr(op.attributes[STANDS_FOR]).value, results=[result.type for result in op.results],
                                   operands=list(op.operands), attributes=held)
    _exchange_operations(module, lambda op: STANDS_FOR in op.attributes, build)


def _is_sum(op):
    """Whether a reduction has one operand and adds."""
    body = list(op.regions[0].blocks[0].operations)
    return len(op.operands) == 2 and [one.name for one in body] == ["stablehlo.add", "stablehlo.return"]


def _integers(op, name):
    return [int(one) for one in op.attributes[name]]


def _changed(op):
    """The dimensions whose size is another one in an operand or result."""
    rank = len(op.results[0].type.shape)
    shapes = [list(value.type.shape) for value in [*op.operands, *op.results] if len(value.type.shape) == rank]
    return {dim for dim in range(rank) if len({shape[dim] for shape in shapes}) > 1}


def _shifted(op):
    """The dimensions that a window pads. Padding and cropping may leave the size, and move the elements."""
    if "padding" not in op.attributes:
        return set()
    return {number // 2 for number, size in enumerate(op.attributes["padding"]) if int(size)}


def _whole(op):
    """The dimensions that have to stay whole, of operands and results of the first operand's rank; None: all of them."""
    if op.name == "stablehlo.sort":
        return {int(op.attributes["dimension"])}
    if op.name == "stablehlo.reduce_window":
        names = [name for name in ("window_dimensions", "window_strides", "base_dilations", "window_dilations") if name in op.attributes]
        return {dim for name in names for dim, size in enumerate(_integers(op, name)) if size != 1} | _changed(op) | _shifted(op)
    if op.name == "stablehlo.pad":
        names = ("edge_padding_low", "edge_padding_high", "interior_padding")
        return {dim for name in names for dim, size in enumerate(_integers(op, name)) if size}
    if op.name in ("stablehlo.slice", "stablehlo.concatenate", "stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice"):
        return _changed(op)
    if op.name == "stablehlo.reverse":
        return set(_integers(op, "dimensions"))
    return None


def _kept(op):
    """For each operand and result the dimensions that devices may share."""
    values = [*op.operands, *op.results]
    ranks = [len(value.type.shape) for value in values]
    if op.name == "stablehlo.reduce":
        reduced = _integers(op, "dimensions")
        outer = [dim for dim in range(ranks[0]) if dim not in reduced]
        return [set(outer) if rank == ranks[0] else set() for rank in ranks[:len(op.operands)]] + \
            [set(range(rank)) for rank in ranks[len(op.operands):]]
    if op.name == "stablehlo.convolution" and int(op.attributes["batch_group_count"]) == 1:
        from jaxlib.mlir.dialects import stablehlo
        numbers = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
        return [{numbers.input_batch_dimension}, set(), {numbers.output_batch_dimension}]
    whole = _whole(op)
    return [set() if whole is None or rank != ranks[0] else set(range(rank)) - whole for rank in ranks]


def _sharding_of(value):
    """The sharding of a value; None: all devices have it; False: it is not known."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy
    owner = value.owner
    if not isinstance(owner, ir.Block):
        owner, number = owner.operation, ir.OpResult(value).result_number
    else:
        number, owner = ir.BlockArgument(value).arg_number, owner.owner.operation
        if owner.name == "func.func":
            attributes = ir.DictAttr(owner.attributes["arg_attrs"][number]) if "arg_attrs" in owner.attributes else {}
            return sdy.TensorShardingAttr(attributes["sdy.sharding"]) if "sdy.sharding" in attributes else None
        if owner.name != "stablehlo.while":
            return False
    if "sdy.sharding" not in owner.attributes:
        return None if owner.name.startswith(("stablehlo.", "sdy.constant")) else False
    return sdy.TensorShardingAttr(list(sdy.TensorShardingPerValueAttr(owner.attributes["sdy.sharding"]).shardings)[number])


#: More parts than a dimension has elements.
MANY = 1 << 62


def _parts(dim, sizes):
    """In how many parts a dimension is split. `sizes`: of the axes of the mesh. Axes are used whole or not at all."""
    from jaxlib.mlir.dialects import sdy
    count = 1
    for axis in map(sdy.AxisRefAttr, sdy.DimensionShardingAttr(dim).axes):
        count *= MANY if axis.sub_axis_info is not None else sizes[axis.name]
    return count


def _is_left(size, dim, sizes):
    """Whether a dimension stays whole: its axes do not divide its size, or it is empty."""
    count = _parts(dim, sizes)
    return count > 1 and (size == 0 or size % count != 0)


def _restricted(sharding, mesh, shape, kept, sizes):
    """`sharding` without the axes of dimensions that are not in `kept`, or that the axes do not divide."""
    from jaxlib.mlir.dialects import sdy
    dims = list(sharding.dimension_shardings) if sharding else []
    axes = [list(sdy.DimensionShardingAttr(dims[dim]).axes) if dims and dim in kept and not _is_left(size, dims[dim], sizes) else []
            for dim, size in enumerate(shape)]
    return sdy.TensorShardingAttr.get(mesh, [sdy.DimensionShardingAttr.get(one, True) for one in axes])


def _divide(op, mesh, sizes):
    """Leaves those dimensions of results whole that the axes do not divide."""
    from jaxlib.mlir.dialects import sdy
    shardings = [sdy.TensorShardingAttr(one) for one in sdy.TensorShardingPerValueAttr(op.attributes["sdy.sharding"]).shardings]
    shapes = [list(getattr(result.type, "shape", ())) for result in op.results]
    if any(_is_left(size, dim, sizes) for one, shape in zip(shardings, shapes) for dim, size in zip(one.dimension_shardings, shape)):
        op.attributes["sdy.sharding"] = sdy.TensorShardingPerValueAttr.get(
            [_restricted(one, mesh, shape, range(len(shape)), sizes) for one, shape in zip(shardings, shapes)])


def _divide_function(function, mesh, sizes):
    """The same for arguments and results of a function."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    for name, types in (("arg_attrs", kind.inputs), ("res_attrs", kind.results)):
        if name not in function.attributes:
            continue
        made = []
        for one, found in zip(types, function.attributes[name]):
            held = {entry.name: entry.attr for entry in ir.DictAttr(found)}
            if "sdy.sharding" in held:
                shape = list(getattr(one, "shape", ()))
                held["sdy.sharding"] = _restricted(sdy.TensorShardingAttr(held["sdy.sharding"]), mesh, shape, range(len(shape)), sizes)
            made.append(ir.DictAttr.get(held))
        function.attributes[name] = ir.ArrayAttr.get(made)


def _gather(op, mesh, sizes):
    """Reshards the operands of an operation before it, and its results behind it."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy
    kept = _kept(op)
    shardings = [_sharding_of(value) for value in [*op.operands, *op.results]]
    if all(sharding is None for sharding in shardings):
        return
    count = len(op.operands)
    with op.location, ir.InsertionPoint(op):
        for number, operand in enumerate(list(op.operands)):
            if shardings[number] is not None:
                sharding = _restricted(shardings[number], mesh, operand.type.shape, kept[number], sizes)
                op.operands[number] = sdy.ReshardOp(operand, sharding).result
    results = [_restricted(shardings[count + i], mesh, result.type.shape, kept[count + i], sizes) for i, result in enumerate(op.results)]
    op.attributes["sdy.sharding"] = sdy.TensorShardingPerValueAttr.get(results)
    for number, result in enumerate(op.results):
        wanted = shardings[count + number]
        if not wanted or wanted == results[number]:
            continue
        uses = list(result.uses)
        with op.location, ir.InsertionPoint.after(op):
            made = sdy.ReshardOp(result, wanted).result
        for use in uses:
            use.owner.operands[use.operand_number] = made


def keep_whole(module):
    """Inserts reshards around operations along dimensions that have to stay whole. `module`: after propagation."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy
    found, spread = [], []

    def visit(op):
        if "sdy.sharding" in op.attributes and len(op.results):
            spread.append(op)
        # Within a manual computation operations work on the elements of one device.
        if op.name == "sdy.manual_computation":
            return ir.WalkResult.SKIP
        if op.name.startswith("stablehlo.") and op.name not in WHOLE and len(op.results):
            if op.name != "stablehlo.reduce" or not _is_sum(op):
                found.append(op)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE
    meshes = [op for op in module.body.operations if op.operation.name == "sdy.mesh"]
    if not meshes:
        return
    mesh = ir.StringAttr(meshes[0].attributes["sym_name"]).value
    sizes = {axis.name: axis.size for axis in map(sdy.MeshAxisAttr, sdy.MeshAttr(meshes[0].attributes["mesh"]).axes)}
    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    for op in module.body.operations:
        if op.operation.name == "func.func":
            _divide_function(op, mesh, sizes)
    for op in spread:
        _divide(op, mesh, sizes)
    for op in found:
        _gather(op, mesh, sizes)
