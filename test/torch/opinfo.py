# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's own samples of its operations, forward and gradient: right, wrong or unsupported on Kiln.

opinfo.py [--kinds=f32,bf16,i64,grad] [--samples=N] [--filter=REGEX] [--report=FILE] [--target=SPEC] [--jobs=N]
          [--device=cuda] [--limit=SECONDS] [--only=STATE,...] [--expected=FILE] [--lower] [--dynamic]

Each sample is traced to ATen, lowered, compiled, run, and compared with eager at the tolerances of
torch.testing.assert_close, or the wider ones that torch's tests give the operation. Where they differ the result in
f64 decides: Kiln's may be as far from it as eager's, twice, by four units of the largest element, or by what that result moves
where each number of the arguments moves by at most two units in its last place (as the result of a stable algorithm may: Higham,
Accuracy and Stability of Numerical Algorithms, section 1.5; softmax of scores of hundreds multiplies the rounding of these). So are the
numbers that the backward pass takes from the forward one, which that rounds. What f64 itself is off by, SciPy decides where torch
names its function as the reference. `grad` is f32,
forward and backward through AOTAutograd, `grad-TYPE` the same of another type. An operation is right if all samples that were tried are. They run in
processes of their own, some for each, and have a time limit. The report is JSON and written as it grows; operations
that are in it already are not run again, or with --only those that are in one of these states. With --dynamic every
size of the arguments but 0 and 1 is a symbol. --expected names
those that are known not to be supported, each with its reason. --lower stops before the compiler. Exit status 1 if
a sample is wrong, or an operation not supported without being expected."""
import argparse
import collections
import functools
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import numpy  # noqa: E402
import torch  # noqa: E402
from functorch.compile import aot_function, make_boxed_func, min_cut_rematerialization_partition  # noqa: E402
from torch._dispatch.python import enable_python_dispatcher  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402
from torch.testing._internal.common_device_type import toleranceOverride  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: E402

from kiln import Error  # noqa: E402
from kiln.torch import decompositions, shapes  # noqa: E402, F401
from kiln.torch.cache import CompileError  # noqa: E402
from kiln.torch.compiled import Compiled, lower  # noqa: E402
from kiln.torch.graph import UnsupportedNode  # noqa: E402

KINDS = {"f32": torch.float32, "bf16": torch.bfloat16, "f64": torch.float64, "f16": torch.float16, "c64": torch.complex64,
         "c128": torch.complex128, "bool": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64, "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
         "grad": torch.float32, "grad-bf16": torch.bfloat16, "grad-f64": torch.float64, "grad-c64": torch.complex64}
#: Results that are not determined: drawn at random, or memory that was not written.
UNDETERMINED = re.compile(r"^(empty|new_empty|rand|normal|bernoulli|multinomial|uniform|cauchy|exponential|geometric|log_normal|"
                          r"nn\.functional\.(dropout|alpha_dropout|feature_alpha_dropout|rrelu|fractional_max_pool)|"
                          r"pca_lowrank|svd_lowrank)")
#: Code of CUDA's own, which is no graph.
OF_CUDA = "jiterator_"
#: Bytes that eager mode resamples with weights of 16 bits or exactly, as the processor has it: the bytes next to the exact value are right.
RESAMPLED = re.compile(r"interpolate|upsample")
#: From the best to the worst: the worst sample of an operation is its state.
STATES = ["skipped", "right", "slow", "untraced", "unsupported", "refused", "failed", "wrong"]


#: In what the result that decides is computed.
WIDER = {torch.float32: torch.float64, torch.bfloat16: torch.float64, torch.float16: torch.float64,
         torch.complex64: torch.complex128}
#: What functions of floats take, too. Asked for where the result is a float and in doubt alone.
INTEGERS = {torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64}
#: How often arguments are moved, and by how many units in the last place.
MOVES, UNITS = 8, 2
#: Operations for each process.
CHUNK = 16


class Skipped(Exception):
    """A sample that says nothing about Kiln."""


class Slow(Exception):
    """The time for one operation is over."""


def settled(op, sample):
    """Without `stable` the order of equal elements is free: asks for it. Attention drops nothing at random."""
    if op.name == "nn.functional.multi_head_attention_forward":
        sample.args = (*sample.args[:9], 0.0, *sample.args[10:])
    if op.name in ("sort", "argsort"):
        sample.kwargs = {**dict(zip(("dim", "descending"), sample.args)), **sample.kwargs, "stable": True}
        sample.args = ()


def determined(op, sample, made):
    """What of the results is determined: signs of eigenvectors and which of equal elements stands first are not."""
    if op.name == "topk" and sample.input.dim():
        dim = sample.args[1] if len(sample.args) > 1 else sample.kwargs.get("dim", -1)
        return [made[0], sample.input.gather(dim, made[1])]
    if op.name in ("median", "nanmedian", "mode", "kthvalue") and len(made) > 1:  # any place of that value
        return made[:1]
    if re.match(r"(linalg\.)?(svd|eigh?|qr)$", op.name):
        return [one.abs() for one in made]
    return made


def tolerances(op, dtype):
    """Those that torch's tests have for the operation, where they are its own."""
    found = [one.d[dtype] for decorator in op.decorators for one in getattr(decorator, "decorators", [decorator])
             if isinstance(one, toleranceOverride) and dtype in one.d]
    return {"atol": max(one.atol for one in found), "rtol": max(one.rtol for one in found)} if found else {}


def check(op, sample, got, want, exactly):
    """Raises AssertionError. `exactly(change)` gives the results for arguments that `change` has replaced by wider ones."""
    got, want = determined(op, sample, got), determined(op, sample, want)
    assert len(got) == len(want), f"{len(got)} results for {len(want)}"
    for number, (a, b) in enumerate(zip(got, want)):
        if a is None or b is None:
            assert a is None and b is None, "a gradient that is missing"
            continue
        try:
            torch.testing.assert_close(a, b, equal_nan=True, check_stride=False, **tolerances(op, b.dtype))
        except AssertionError:
            if a.shape != b.shape:
                raise
            if b.dtype == torch.uint8 and RESAMPLED.search(op.name):
                exact = exactly(lambda t: t.to(torch.float64) if t.dtype == torch.uint8 else t)[number].clamp(0, 255)
                is_near = ((a - exact).abs() < 1) | (a == b)
                assert is_near.all(), "neither of the bytes next to the exact value"
                continue
            if b.dtype not in WIDER:
                exact = referred(op, sample)
                if exact is None or exact.shape != a.shape or exact.dtype != b.dtype:
                    raise
                torch.testing.assert_close(a, exact, equal_nan=True, check_stride=False)
                continue
            exact = determined(op, sample, exactly(widened))[number]
            if exact.dtype != WIDER[b.dtype]:
                raise
            far = lambda x: float((x.to(exact.dtype) - exact).abs().nan_to_num(float("inf")).max())  # noqa: E731
            units = 4 * torch.finfo(b.dtype).eps * float(exact.abs().nan_to_num(0, 0, 0).max())
            if far(a) <= max(2 * far(b), units):
                continue
            generator = torch.Generator().manual_seed(5)
            moves = (determined(op, sample, exactly(Moved(b.dtype, generator)))[number] for _ in range(MOVES))
            if not any(far(a) <= far(one) for one in moves):
                raise


def referred(op, sample):
    """What SciPy's function gives, if torch names one of one argument as the reference."""
    function = getattr(op, "ref", None)
    if not isinstance(function, numpy.ufunc) or function.nin != 1 or sample.args or sample.kwargs:
        return None
    return torch.as_tensor(function(sample.input.detach().cpu().numpy())).to(sample.input.device)


def widened(t):
    """An argument in the type that decides."""
    return t.to(WIDER.get(t.dtype, t.dtype))


class Moved:
    """Arguments in the type that decides for `dtype`, each number moved by at most UNITS of `dtype`."""

    def __init__(self, dtype, generator):
        self.eps, self.generator = torch.finfo(dtype).eps, generator

    def shaken(self, t):
        if t.dtype not in WIDER.values():
            return t
        parts = torch.view_as_real(t) if t.is_complex() else t
        factors = 2 * torch.rand(parts.shape, dtype=parts.dtype, generator=self.generator).to(parts.device) - 1
        parts = parts * (1 + UNITS * self.eps * factors)
        return torch.view_as_complex(parts) if t.is_complex() else parts

    def __call__(self, t):
        return self.shaken(widened(t)) if t.dtype in WIDER else t


class Sample:
    """One sample as a function of its tensors."""

    def __init__(self, op, sample):
        settled(op, sample)
        self.op, self.sample = op, sample
        self.leaves, self.spec = tree_flatten((sample.input, sample.args, sample.kwargs))
        self.places = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, torch.Tensor)]
        self.given = [self.leaves[i] for i in self.places]
        if any(t.layout != torch.strided for t in self.given):
            raise Skipped("sparse")

    def __call__(self, *tensors):
        mine = list(self.leaves)
        for i, tensor in zip(self.places, tensors):
            mine[i] = tensor
        first, args, kwargs = tree_unflatten(mine, self.spec)
        made = self.op(first, *args, **kwargs)
        if any(t.requires_grad for t in self.given):  # what is free taken away
            made = self.sample.output_process_fn_grad(made)
        return [one for one in tree_flatten(made)[0] if isinstance(one, torch.Tensor)]

    def copies(self, change=None):
        made = []
        for t in self.given:
            copy = t.detach().clone(memory_format=torch.preserve_format)
            copy = change(copy) if change else copy
            if change and t is self.sample.input and t.dtype in INTEGERS:  # a function of floats, of which these are some
                copy = copy.to(torch.float64)
            made.append(copy.requires_grad_(t.requires_grad))
        return made

    def eager(self, function, *arguments):
        try:
            want = function(*arguments)
        except Exception as error:
            raise Skipped(f"eager: {error}") from None
        if not want:
            raise Skipped("no tensors")
        if any(t is not None and t.layout != torch.strided for t in want):
            raise Skipped("sparse")
        return want


def traced(function, given):
    with enable_python_dispatcher():  # as torch.compile traces
        module = make_fx(torch.func.functionalize(function, remove="mutations"), tracing_mode="fake",
                         decomposition_table=decompositions.table(), _allow_non_fake_inputs=True)(*given)
    order = {node: number for number, node in enumerate(module.graph.nodes)}
    for node in module.graph.nodes:  # a tensor that is written is the new one from there on
        if node.target is torch.ops.aten.copy_.default and str(node.args[0].target).split(".")[-2:][0] not in VIEWS:
            written, source = node.args[:2]
            if source.meta["val"].shape != written.meta["val"].shape or source.meta["val"].dtype != written.meta["val"].dtype:
                continue
            node.replace_all_uses_with(source)
            written.replace_all_uses_with(source, delete_user_cb=lambda user, at=node: order[user] > order[at])
            module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    return module


#: What is written through these is memory of another tensor.
VIEWS = {"select", "slice", "view", "view_as_real", "as_strided", "permute", "transpose", "t", "expand", "unsqueeze", "squeeze",
         "alias", "detach", "diagonal", "real", "imag"}


def joined(cases, given):
    """The results of each case, for the tensors of them all."""
    given = list(given)
    made = []
    for case in cases:
        made.append(case(*given[:len(case.places)]))
        del given[:len(case.places)]
    return made


def flat(lists):
    return [one for part in lists for one in part]


def forward(op, samples, compiled, is_dynamic=False):
    """Compares samples, all in one program."""
    cases = [Sample(op, sample) for sample in samples]
    with torch.no_grad():
        want = [case.eager(case, *case.copies()) for case in cases]
        given = flat(case.given for case in cases)
        program = lambda *tensors: flat(joined(cases, tensors))  # noqa: E731
        module = None if is_dynamic else traced(program, given)
        # Writes into views of what is the program's own are left to AOTAutograd.
        if is_dynamic or any(node.target is torch.ops.aten.copy_.default for node in module.graph.nodes):
            compiler = lambda module, _: make_boxed_func(compiled(module))  # noqa: E731
            got = list(aot_function(program, fw_compiler=compiler, decompositions=decompositions.table(), dynamic=True,
                                    num_params_buffers=0 if is_dynamic else len(given))(*given))
        else:
            got = compiled(module)(*given)
        for case, one in zip(cases, want):
            check(op, case.sample, got[:len(one)], one, lambda change, case=case: case(*case.copies(change)))
            del got[:len(one)]


def is_differentiable(one):
    return one.requires_grad and (one.is_floating_point() or one.is_complex())


def gradient(op, samples, compiled, is_dynamic=False):
    cases = [Sample(op, sample) for sample in samples]

    def weights_of(made):
        torch.manual_seed(1)
        return [torch.randn(one.shape, dtype=torch.float64, device="cpu").to(one.device, one.dtype) for one in made]

    def plain(case):
        """Results that have a gradient, then gradients of them all, weighted."""
        def run(*tensors):
            made = [one for one in case(*tensors) if is_differentiable(one)]
            if not made:
                raise Skipped("nothing to differentiate")
            inputs = [t for t in tensors if t.requires_grad]
            return [one.detach() for one in made] + list(torch.autograd.grad(made, inputs, weights_of(made), allow_unused=True))
        return run

    want = [case.eager(plain(case), *case.copies()) for case in cases]
    counts = []

    def program(*tensors):
        made = joined(cases, tensors)
        counts[:] = [len(one) for one in made]
        return tuple(flat(made))

    def compiler(module, _):
        return make_boxed_func(compiled(module))

    tensors = [case.copies() for case in cases]
    # With symbols, as torch.compile has them, and sizes that are none: loops ask for that.
    function = aot_function(program, fw_compiler=compiler, bw_compiler=compiler, decompositions=decompositions.table(),
                            partition_fn=min_cut_rematerialization_partition, dynamic=True,
                            num_params_buffers=0 if is_dynamic else len(flat(tensors)))
    made = list(function(*flat(tensors)))
    parts, weights, at = [], [], 0
    for count in counts:
        parts.append([one for one in made[at:at + count] if is_differentiable(one)])
        weights += weights_of(parts[-1])
        at += count
    inputs = [[t for t in mine if t.requires_grad] for mine in tensors]
    grads = list(torch.autograd.grad(flat(parts), flat(inputs), weights, allow_unused=True))  # one pass for all
    for case, part, mine, one in zip(cases, parts, inputs, want):
        got = [v.detach() for v in part] + grads[:len(mine)]
        del grads[:len(mine)]
        check(Gradient(op), case.sample, got, one, lambda change, case=case: with_saved(change, plain(case), case.copies(change)))


def with_saved(change, function, tensors):
    """The results of a function whose backward pass takes the numbers of the forward one that `change` has moved."""
    if not isinstance(change, Moved):
        return function(*tensors)
    with torch.autograd.graph.saved_tensors_hooks(change.shaken, lambda t: t):
        return function(*tensors)


class Gradient:
    """Results of which nothing is free."""
    name = "gradient"

    def __init__(self, op):
        self.decorators = op.decorators


def one_sample(run, options):
    """(state, reason)"""
    try:
        run()
        return "right", ""
    except Skipped as error:
        return "skipped", str(error)
    except UnsupportedNode as error:
        return "unsupported", f"{error.node.target}: {error.reason}"
    except CompileError as error:
        return "refused", str(error).splitlines()[0]
    except Error as error:
        return "failed", str(error)
    except Slow:
        return "slow", "the time limit"
    except AssertionError as error:
        if options.lower:
            return "right", ""
        return "wrong", " ".join(str(error).split())[:300]
    except Exception as error:
        return "untraced", f"{type(error).__name__}: {error}".splitlines()[0][:200]


def one_kind(op, kind, options):
    """The state of an operation for one kind, how many samples are in which state, the first reason of the worst."""
    torch.manual_seed(0)
    grad = is_gradient(kind)
    try:
        samples = list(op.sample_inputs(options.device, KINDS[kind], requires_grad=grad))
    except Exception as error:
        return {"state": "skipped", "samples": {}, "reason": f"samples: {error}"[:200]}
    count = len(samples)  # the first, the last and some between
    chosen = sorted({round(i * (count - 1) / max(1, options.samples - 1)) for i in range(options.samples)}) if count else []
    run = functools.partial(gradient if grad else forward, is_dynamic=options.dynamic)
    compiled = (lambda module: lower(module) and (lambda *_: [])) if options.lower else (lambda module: Compiled(module, options.target))
    counts, state, reason = collections.Counter(), "skipped", ""
    if len(chosen) > 1 and not options.lower:
        try:  # all at once, which takes one compilation
            run(op, [samples[i] for i in chosen], compiled)
            return {"state": "right", "samples": {"right": len(chosen)}, "reason": ""}
        except Slow:
            raise
        except Exception:  # one by one
            torch.manual_seed(0)
            samples = list(op.sample_inputs(options.device, KINDS[kind], requires_grad=grad))
    for i in chosen:
        mine, why = one_sample(lambda i=i: run(op, [samples[i]], compiled), options)
        counts[mine] += 1
        if STATES.index(mine) > STATES.index(state):
            state, reason = mine, f"sample {i}: {why}" if why else ""
        if mine == "slow":
            break
    return {"state": state, "samples": dict(counts), "reason": reason}


def operations(work, options, pipe):
    """Several operations, in a process of their own."""
    os.setsid()
    torch.set_num_threads(1)

    def over(*_):
        raise Slow()

    signal.signal(signal.SIGALRM, over)
    for number, kind in work:
        pipe.send((number, kind, None))
        signal.alarm(options.limit)
        start = time.time()
        try:
            with torch.backends.cudnn.flags(allow_tf32=False):
                made = one_kind(op_db[number], kind, options)
        except Slow:
            made = {"state": "slow", "samples": {}, "reason": "the time limit"}
        signal.alarm(0)
        made["asked"] = options.samples
        made["seconds"] = round(time.time() - start, 1)
        pipe.send((number, kind, made))


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def is_gradient(kind):
    return kind.partition("-")[0] == "grad"


def kinds_of(op, asked):
    for kind in asked:
        if KINDS[kind] in op.dtypes and (not is_gradient(kind) or op.supports_autograd and KINDS[kind] in op.backward_dtypes):
            yield kind


class Worker:
    """A process and what it still has to do."""

    def __init__(self, work, options):
        self.work, self.since = list(work), time.time()
        # To ask for a GPU starts CUDA, as torch's tests do; then no process can be forked.
        context = multiprocessing.get_context("fork" if options.device == "cpu" else "spawn")
        self.pipe, theirs = context.Pipe(False)
        self.process = context.Process(target=operations, args=(work, options, theirs))
        self.process.start()
        theirs.close()

    def news(self):
        """[(number, kind, state)] that have come, and whether it has ended."""
        found = []
        try:
            while self.pipe.poll():
                number, kind, made = self.pipe.recv()
                self.since = time.time()
                if made:
                    self.work.remove((number, kind))
                    found.append((number, kind, made))
        except EOFError:
            return found, True
        return found, False

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.join()


def collect(work, options, results, save):
    """Runs [(number, kind)], some at a time in each process."""
    running, work = [], list(work)
    chunk = CHUNK if options.device == "cpu" else 3 * CHUNK  # a process that is not forked takes seconds to start

    def note(number, kind, made):
        key = f"{name_of(op_db[number])} {kind}"
        results[key] = made
        if options.verbose or made["state"] in ("wrong", "failed"):
            print(f"{made['state']:12} {key} {made['samples']} {made['reason']}  {made.get('seconds', 0)}s", flush=True)

    while work or running:
        while work and len(running) < options.jobs:
            running.append(Worker(work[:chunk], options))
            del work[:chunk]
        multiprocessing.connection.wait([one.pipe for one in running], timeout=5)
        for one in list(running):
            found, ended = one.news()
            for news in found:
                note(*news)
            if found:
                save()
            slow = not ended and time.time() - one.since > 2 * options.limit + 10  # the alarm was not heard
            if ended or slow:
                one.end()
                running.remove(one)
                if one.work:  # the first one has ended it
                    state = ("slow", "the time limit") if slow else ("failed", "the process died")
                    note(*one.work[0], {"state": state[0], "samples": {}, "reason": state[1], "asked": options.samples})
                    work[:0] = one.work[1:]
                    save()


def summary(results, kinds):
    for kind in kinds:
        here = collections.Counter(one["state"] for key, one in results.items() if key.endswith(" " + kind))
        counted = sum(here.values()) - here["skipped"]
        print(f"{kind}: {here['right']} of {counted} right ({100 * here['right'] / max(1, counted):.1f}%), "
              f"{here['wrong'] + here['failed']} wrong, {here['unsupported'] + here['untraced']} unsupported, "
              f"{here['refused']} refused by the compiler, {here['slow']} too slow; {here['skipped']} have no answer to compare")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinds", "--dtypes", default="f32,bf16,i64,grad")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--filter", default="")
    parser.add_argument("--report")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--device", default="cpu", help="where the samples are: cpu, or cuda with a target that computes there")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--expected")
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    asked, results = options.kinds.split(","), {}
    if options.report and os.path.exists(options.report):
        with open(options.report, encoding="utf-8") as file:
            results = json.load(file)

    def save():
        if options.report:
            with open(options.report + ".new", "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
            os.replace(options.report + ".new", options.report)

    again = set(filter(None, options.only.split(",")))

    def is_open(key):
        one = results.get(key)
        return one is None or one.get("asked", options.samples) < options.samples or one["state"] in again

    work = []
    for number, op in enumerate(op_db):
        name = name_of(op)
        if not re.search(options.filter, name) or UNDETERMINED.match(name) or name.startswith(OF_CUDA):
            continue
        work += [(number, kind) for kind in kinds_of(op, asked) if is_open(f"{name} {kind}")]
    work.sort(key=lambda one: asked.index(one[1]))
    decompositions.table()
    make_fx(torch.sin, tracing_mode="fake")(torch.zeros(1))
    torch.set_num_threads(1)
    collect(work, options, results, save)
    summary(results, asked)
    unexpected = []
    if options.expected:
        with open(options.expected, encoding="utf-8") as file:
            known = {line.split(":")[0] for line in file if not line.startswith("#")}
        unexpected = [key for key, one in results.items() if one["state"] not in ("right", "skipped") and key not in known]
        print(f"not right, and not expected: {', '.join(unexpected) or 'none'}")
    return 1 if unexpected or any(one["state"] in ("wrong", "failed") for one in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
