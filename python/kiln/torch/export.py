# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kiln.export: a program of torch.export as a package, its weights beside it.

The package takes the weights as arguments under their names; they are written as safetensors, which
kiln.load maps into memory. What the program writes into its buffers comes out as further results, in the
memory of these buffers where the compiler finds no read of the old values behind the first write."""
import json
import math
import os

import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind

from kiln import files

from . import cache, checks, decompositions, draws, sizes
from .compiled import lower
from .dtypes import name_of
from .graph import UnsupportedNode
from .lower import pairs
from .text import Unsupported, Value

#: safetensors' names of element types.
SAFE = {"i1": "BOOL", "i8": "I8", "u8": "U8", "i16": "I16", "u16": "U16", "i32": "I32", "u32": "U32", "i64": "I64",
        "u64": "U64", "f16": "F16", "bf16": "BF16", "f32": "F32", "f64": "F64", "f8E4M3FN": "F8_E4M3",
        "f8E5M2": "F8_E5M2", "f8E4M3FNUZ": "F8_E4M3FNUZ", "f8E5M2FNUZ": "F8_E5M2FNUZ", "f8E8M0FNU": "F8_E8M0"}
WEIGHTS = {InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR}


def export(program, path, target="cpu", options=(), weights=True):
    """Writes PATH, and PATH with the suffix .safetensors: the weights, or the constants alone."""
    if not isinstance(program, torch.export.ExportedProgram):
        raise TypeError(f"expected what torch.export.export(model, arguments) returns, found {type(program).__name__}")
    ranges, conditions = checks.split(*checks.of_numbers(program))
    with torch.no_grad():
        program = program.run_decompositions(decompositions.whole_table())
    module, signature = program.graph_module, program.graph_signature
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    label = lambda node: specs[node.name].target or node.name  # noqa: E731
    numbers = []
    lowering, results = lower(module, label, numbers, keeps_state=True)
    about, kept = _inputs(program, module, specs, lowering, numbers)
    if not weights:
        kept = {name: tensor for name, tensor in kept.items() if name not in program.state_dict or name == draws.STATE}
    values, about["results"] = [], []
    output = next(node for node in module.graph.nodes if node.op == "output").args[0]
    for node, spec, value in zip(output, signature.output_specs, results):
        kind, name = _result(node, spec, value)
        about["results"].append([kind, name])
        if isinstance(value, pairs.Pair):
            values.append(pairs.as_last(lowering, value))
        elif kind != "constant":
            values.append(value if isinstance(value, Value) else lowering.number_tensor(value))
    about["structure"], about["ranges"] = _structures(program), ranges
    if lowering.state is not None:
        about["results"].append(["state", draws.STATE])
        values.append(lowering.next_state())
    for condition, message in checks.of(lowering, module.graph) + checks.truths(lowering, conditions):
        about["results"].append(["check", message])
        values.append(condition)
    _donate(lowering, about)
    lowering.returns(values)
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise ValueError("expected a target or several, found none")
    others = [f"--target={other}" for other in targets[1:]]
    made = cache.package(lowering, targets[0], [*others, *options])
    with files.replacing(path) as file:
        file.write(made)
    write_safetensors(os.path.splitext(path)[0] + ".safetensors", kept, {"kiln": json.dumps(about)})


def _result(node, spec, value):
    """What the loader has to know of a result: its kind, and a name."""
    if isinstance(value, (Value, pairs.Pair)):
        kinds = {OutputKind.BUFFER_MUTATION: ("state", spec.target), OutputKind.USER_OUTPUT: ("result", value.dtype),
                 OutputKind.USER_INPUT_MUTATION: ("input", spec.target)}
        if spec.kind in kinds:
            return kinds[spec.kind]
    elif spec.kind == OutputKind.USER_OUTPUT and (value is None or isinstance(value, (bool, int, float, str))):
        return "constant", json.dumps(value)
    elif spec.kind == OutputKind.USER_OUTPUT and sizes.is_size(value):
        return "number", "i64" if value.is_integer else "f64"
    else:
        raise Unsupported(f"a result that is no tensor: {value}")
    raise UnsupportedNode(node, f"a result of kind {spec.kind.name.lower()}")


def _donate(lowering, about):
    """Donates the memory of what the program writes, the buffers and arguments whose new values are results, so that an update
    of a few elements copies no others. A program with checks keeps them: a call that fails leaves them as they were."""
    written = {name for kind, name in about["results"] if kind in ("state", "input")}
    if any(kind == "check" for kind, _ in about["results"]):
        return
    named = [name for kind, name in about["arguments"] if kind != "ignored"]
    for (value, _), name in zip(lowering.arguments, named, strict=True):
        if name in written:
            lowering.donated.add(value.name)


def _structures(program):
    """How the arguments, those with keywords and the results are nested, or None where a class of Python says that."""
    def structure(spec):
        if spec.is_leaf():
            return None
        inner = [structure(part) for part in spec.children()]
        if spec.type in (tuple, list):
            return {spec.type.__name__: inner}
        # Dictionaries, and the results of transformers' models.
        if isinstance(spec.context, (list, tuple)) and len(spec.context) == len(inner) and all(
                isinstance(key, (str, int)) for key in spec.context) and issubclass(spec.type, dict):
            return {"dict": [list(pair) for pair in zip(spec.context, inner)]}
        raise Unsupported(f"a structure of type {spec.type.__name__}")

    found = []
    for spec in (*program.call_spec.in_spec.children(), program.call_spec.out_spec):
        try:
            found.append(structure(spec))
        except Unsupported:
            found.append(False)
    return found


def _inputs(program, module, specs, lowering, numbers):
    """What the loader has to know of the arguments, and the weights by name. `numbers`: the arguments that are integers and that
    the package takes, behind all tensors of the program."""
    arguments, weights, fixed = [], {}, {}
    for node in module.graph.nodes:
        if node.op != "placeholder":
            continue
        spec = specs[node.name]
        if spec.kind in WEIGHTS:
            source = program.state_dict if spec.target in program.state_dict else program.constants
            weights[spec.target] = source[spec.target]
            arguments.append(["weight", spec.target])
        elif spec.kind == InputKind.USER_INPUT:
            if isinstance(node.meta.get("val"), torch.Tensor):
                arguments.append(["input", node.name])
            else:
                arguments.append(["ignored", node.name])
                if isinstance(spec.arg, ConstantArgument) and isinstance(spec.arg.value, (bool, int, float, str)):
                    fixed[node.name] = spec.arg.value
        else:
            raise UnsupportedNode(node, f"an argument of kind {spec.kind.name.lower()}")
    arguments += [["number", node.name] for node in numbers]
    for number, tensor in enumerate(lowering.added):
        name = draws.STATE if tensor is draws.STATE else f"constant.{number}"
        weights[name] = torch.tensor([torch.initial_seed() & draws.HIGHEST, 0]) if name == draws.STATE else tensor
        arguments.append(["weight", name])
    return {"arguments": arguments, "fixed": fixed}, weights


def write_safetensors(path, tensors, metadata):
    """Tensors one after the other, without gaps; complex numbers as a last dimension of their two parts. Those whose sizes are
    multiples of 64 bytes come first, so that they begin at such multiples; each begins at a multiple of the largest power of
    two up to 64 that divides its size."""
    tensors = {name: one.resolve_conj().resolve_neg() for name, one in tensors.items()}
    tensors = {name: torch.view_as_real(one) if one.is_complex() else one for name, one in tensors.items()}
    bytes_of = lambda tensor: tensor.numel() * tensor.element_size()  # noqa: E731
    order = sorted(tensors, key=lambda name: -math.gcd(bytes_of(tensors[name]), 64))
    header, offset = {"__metadata__": metadata}, 0
    for name in order:
        tensor = tensors[name]
        end = offset + bytes_of(tensor)
        header[name] = {"dtype": SAFE[name_of(tensor.dtype)], "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    with files.replacing(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            flat = tensors[name].detach().cpu().contiguous().reshape(-1)
            if flat.numel():
                file.write(memoryview(flat.view(torch.uint8).numpy()))
