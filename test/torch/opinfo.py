# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's own samples of its operations, forward: right, wrong or unsupported on Kiln.

opinfo.py [--dtypes=f32,bf16,i64] [--samples=N] [--filter=REGEX] [--report=FILE] [--target=SPEC] [--part=I/N]

Each sample is traced to ATen, lowered, compiled, run, and compared with eager. Where they
differ the result in f64 decides: Kiln's may be as far from it as eager's, twice. Exit status 1 if a sample is wrong."""
import argparse
import collections
import json
import re
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: E402

from kiln import Error  # noqa: E402
from kiln.torch import decompositions  # noqa: E402
from kiln.torch.cache import CompileError  # noqa: E402
from kiln.torch.compiled import Compiled  # noqa: E402
from kiln.torch.graph import UnsupportedNode  # noqa: E402

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "i64": torch.int64, "f64": torch.float64, "bool": torch.bool,
          "f16": torch.float16, "u8": torch.uint8, "i32": torch.int32}
#: Results that are not determined: drawn at random, memory that was not written, signs that are free.
UNDETERMINED = re.compile(r"^(empty|new_empty|rand|normal|bernoulli|multinomial|uniform|cauchy|exponential|geometric|log_normal|"
                          r"nn\.functional\.(dropout|alpha_dropout|feature_alpha_dropout|rrelu|fractional_max_pool|"
                          r"scaled_dot_product_attention_dropout)|svd|pca_lowrank|svd_lowrank|linalg\.(svd|eig|eigh|qr)|qr|geqrf)")


class Skipped(Exception):
    """A sample that says nothing about Kiln."""


def tensors_of(sample):
    leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    return leaves, spec, places


def settled(op, sample):
    """Without `stable` the order of equal elements is free: asks for it."""
    if op.name in ("sort", "argsort"):
        sample.kwargs = {**dict(zip(("dim", "descending"), sample.args)), **sample.kwargs, "stable": True}
        sample.args = ()


def run(op, sample, target):
    """Compares one sample; raises what went wrong."""
    settled(op, sample)
    leaves, spec, places = tensors_of(sample)
    given = [leaves[i] for i in places]
    if any(t.layout != torch.strided or t.is_complex() for t in given):
        raise Skipped("sparse or complex")

    def function(*tensors):
        mine = list(leaves)
        for i, tensor in zip(places, tensors):
            mine[i] = tensor
        first, args, kwargs = tree_unflatten(mine, spec)
        made = op(first, *args, **kwargs)
        return [one for one in tree_flatten(made)[0] if isinstance(one, torch.Tensor)]

    try:
        copies = [t.clone(memory_format=torch.preserve_format) for t in given]
        want = function(*copies)
    except Exception as error:
        raise Skipped(f"eager: {error}") from None
    if any(t.is_complex() or t.layout != torch.strided for t in want):
        raise Skipped("sparse or complex")
    if not want:
        raise Skipped("no tensors")
    with torch.no_grad():
        module = make_fx(torch.func.functionalize(function, remove="mutations"), tracing_mode="fake",
                         decomposition_table=decompositions.table(), _allow_non_fake_inputs=True)(*given)
    for node in module.graph.nodes:  # what an operation has written into its arguments is not looked at here
        if node.target is torch.ops.aten.copy_.default:
            node.replace_all_uses_with(node.args[1])
            module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    got = Compiled(module, target)(*given)
    if op.name == "topk" and sample.input.dim():  # which of equal elements is free: what stands there is not
        dim = sample.args[1] if len(sample.args) > 1 else sample.kwargs.get("dim", -1)
        got[1], want[1] = (sample.input.gather(dim, places[1]) for places in (got, want))
    for number, (a, b) in enumerate(zip(got, want)):
        try:
            torch.testing.assert_close(a, b, equal_nan=True, check_stride=False)
        except AssertionError:
            if not b.dtype.is_floating_point or b.dtype == torch.float64 or a.shape != b.shape:
                raise
            widened = [t.double() if t.is_floating_point() else t for t in given]
            exact = function(*widened)[number]
            far = lambda x: float((x.double() - exact).abs().nan_to_num(float("inf")).max())  # noqa: E731
            if exact.dtype != torch.float64 or not far(a) <= 2 * far(b):
                raise


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtypes", default="f32,bf16,i64")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--filter", default="")
    parser.add_argument("--report")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    results = {}
    for number, op in enumerate(op_db):
        name = name_of(op)
        if number % parts != part or not re.search(options.filter, name) or UNDETERMINED.match(name):
            continue
        for dtype in options.dtypes.split(","):
            if DTYPES[dtype] not in op.dtypes:
                continue
            torch.manual_seed(0)
            states, reason, start = collections.Counter(), "", time.time()
            try:
                samples = list(op.sample_inputs("cpu", DTYPES[dtype], requires_grad=False))
            except Exception as error:
                continue
            # The first, the last and some between.
            count = len(samples)
            chosen = sorted({round(i * (count - 1) / max(1, options.samples - 1)) for i in range(options.samples)}) if count else []
            for i in chosen:
                try:
                    run(op, samples[i], options.target)
                    states["right"] += 1
                    continue
                except Skipped:
                    states["skipped"] += 1
                    continue
                except UnsupportedNode as error:
                    state, why = "unsupported", f"{error.node.target}: {error.reason}"
                except CompileError as error:
                    state, why = "refused", str(error).splitlines()[0]
                except Error as error:
                    state, why = "failed", str(error)
                except AssertionError as error:
                    state, why = "wrong", " ".join(str(error).split())[:300]
                except Exception as error:
                    state, why = "untraced", f"{type(error).__name__}: {error}".splitlines()[0][:200]
                states[state] += 1
                order = ["untraced", "unsupported", "refused", "failed", "wrong"]
                if not reason or order.index(state) > order.index(reason.split(": ")[0]):
                    reason = f"{state}: sample {i}: {why}"
            state = reason.split(": ")[0] or ("right" if states["right"] else "skipped")
            results[f"{name} {dtype}"] = {"state": state, "samples": dict(states), "reason": reason.partition(": ")[2]}
            if options.verbose or state in ("wrong", "failed"):
                print(f"{state:12} {name} {dtype} {dict(states)} {reason}  {time.time() - start:.1f}s", flush=True)
    totals = collections.Counter(one["state"] for one in results.values())
    for dtype in options.dtypes.split(","):
        here = collections.Counter(one["state"] for key, one in results.items() if key.endswith(" " + dtype))
        counted = sum(here.values()) - here["skipped"]
        print(f"{dtype}: {here['right']} of {counted} right, {here['wrong'] + here['failed']} wrong, "
              f"{here['unsupported'] + here['untraced']} unsupported, {here['refused']} refused by the compiler")
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 1 if totals["wrong"] or totals["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
