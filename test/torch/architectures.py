# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of transformers, timm, torchvision and diffusers in small random configurations: torch.compile with
fullgraph=True, without fallback, compared with eager.

architectures.py [FAMILY[:NAME]...] [--dynamic] [--lengths=N,...] [--device=cuda] [--dtype=bfloat16] [--limit=SECONDS] [--jobs=N]
                 [--report=FILE] [--list]

Each model runs in a process of its own under a time limit. With --dynamic one torch.compile(dynamic=True) is called at
five lengths with as many batches, and the number of packages is printed. A length that eager refuses is left out. A family whose package is not installed is skipped. With
--device=cuda models and arguments lie on the GPU, and eager mode computes there, without TF32.

A result is right if its largest difference, over the largest value, is at most 1e-5 (two units in the last place for bf16 and
f16), or if it is no farther from the result in f64 than twice eager's own distance, with or without oneDNN and cuDNN, which
sum in another order. Where a model takes another way when torch.compile traces it, the result of that trace in eager mode
counts. "untraced" is a model of which PyTorch itself makes no single graph (with the backend "eager"), "no model" one that eager does not run in this configuration."""
import argparse
import copy
import importlib
import os
import pickle
import select
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln.torch  # noqa: E402

FAMILIES = ("transformers", "timm", "torchvision", "diffusers")
#: Of the largest value: for narrow types two units in its last place.
TOLERANCES = {torch.float32: 1e-5, torch.bfloat16: 2.0**-6, torch.float16: 2.0**-9}
DTYPES = {name: getattr(torch, name) for name in ("float32", "bfloat16", "float16")}


def tensors(made):
    """The tensors of a result, in order."""
    if isinstance(made, torch.Tensor):
        return [made]
    if isinstance(made, dict):
        made = list(made.values())
    return [one for part in made for one in tensors(part)] if isinstance(made, (list, tuple)) else []


def distance(got, want):
    """The largest difference of two lists of tensors, over the largest value of each."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        if a.shape != b.shape:
            return float("inf")
        if not b.numel() or b.dtype == torch.bool:
            worst = max(worst, 0.0 if torch.equal(a, b) else float("inf"))
            continue
        a, b = (one.to(torch.complex128 if one.is_complex() else torch.float64) for one in (a, b))
        known = torch.isfinite(b)
        if not torch.equal(a[~known].nan_to_num(), b[~known].nan_to_num()) or not torch.isfinite(a[known]).all():
            return float("inf")
        if known.any():
            worst = max(worst, float((a[known] - b[known]).abs().max() / b[known].abs().max().clamp(min=1e-30)))
    return worst


def changed(given, change):
    """Arguments whose tensors are changed."""
    if isinstance(given, torch.Tensor):
        return change(given)
    if isinstance(given, dict):
        return {name: changed(one, change) for name, one in given.items()}
    return type(given)(changed(one, change) for one in given) if isinstance(given, (list, tuple)) else given


def doubled(given):
    """Arguments with f64 in place of narrower floats."""
    return changed(given, lambda one: one.double() if one.dtype in DTYPES.values() else one)


def judged(model, fast, given, tolerance):
    """(whether the compiled model's result is right, its error)"""
    torch.manual_seed(1)
    want = tensors(copy.deepcopy(model)(**given))
    torch.manual_seed(1)
    got = tensors(fast(**given))
    error = distance(got, want)
    if error <= tolerance:
        return True, error
    try:
        torch.manual_seed(1)
        exact = tensors(copy.deepcopy(model).double()(**doubled(given)))
        torch.manual_seed(1)
        with torch.backends.mkldnn.flags(enabled=False), torch.backends.cudnn.flags(enabled=False):
            other = tensors(copy.deepcopy(model)(**given))
        if distance(got, exact) <= 2 * max(distance(want, exact), distance(other, exact)):
            return True, error
    except Exception:  # a model that f32 is written into
        pass
    # Some models take another way where torch.compile traces them.
    torch.manual_seed(1)
    error = distance(got, tensors(torch.compile(copy.deepcopy(model), backend="eager", fullgraph=True)(**given)))
    return error <= tolerance, error


def is_traced(model, given, is_dynamic):
    """Whether PyTorch makes one graph of a model at all."""
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            whole = torch.compile(model, backend="eager", fullgraph=True, dynamic=True if is_dynamic else None)
            for one in given:
                whole(**one)
    except Exception:
        return False
    return True


def batch_of(make, length):
    """Arguments of a length, with a batch that grows with it."""
    torch.manual_seed(length)
    parts, rows = [], length // 4 + 2
    while not parts or len(parts) * len(next(iter(parts[0].values()))) < rows:
        parts.append(make(length))
    many = len(next(iter(parts[0].values())))
    return {name: torch.cat([part[name] for part in parts])[:rows].clone() if isinstance(one, torch.Tensor) and one.dim() and len(one) == many
            else one for name, one in parts[0].items()}


def taken(model, make, lengths):
    """The lengths that eager takes, and those that it refuses."""
    good, bad = [], []
    for length in lengths:
        try:
            copy.deepcopy(model)(**make(length))
            good.append(length)
        except Exception:
            bad.append(length)
    return good, bad


def check(family, name, lengths, target, device, dtype):
    """What one model gives: (state, note). `lengths`: those at which one compiled model is called, or None for one of fixed sizes."""
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = False
    dtype = DTYPES[dtype]

    def placed(given):
        return changed(given, lambda one: one.to(device, dtype if one.dtype == torch.float32 else one.dtype))

    torch.manual_seed(0)
    source = importlib.import_module(f"architecture_{family}")
    try:
        model, make = source.make(name)
        model = model.eval()
        for parameter in model.parameters():
            parameter.requires_grad_(False)
            if parameter.is_floating_point() and parameter.numel() > 1 and parameter.min() == parameter.max():
                parameter.add_(torch.randn_like(parameter) * 0.1)  # what begins as zeros would hide what comes before
        model = model.to(device, dtype)
        is_dynamic = lengths is not None
        given = lambda length: placed(batch_of(make, length) if is_dynamic and family == "transformers" else make(length))  # noqa: E731
        with torch.no_grad():
            lengths, left = taken(model, given, (lengths or source.LENGTHS) if is_dynamic else source.LENGTHS[:1])
            if not lengths:
                copy.deepcopy(model)(**given(left[0]))
    except Exception as error:
        return "no model", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    kiln.torch.report.clear()
    worst, wrong = 0.0, []
    try:
        with torch.no_grad():
            fast = torch.compile(model, backend=kiln.torch.kiln, fullgraph=True, dynamic=True if is_dynamic else None,
                                 options={"target": target} if target else {})
            for length in lengths:
                is_right, error = judged(model, fast, given(length), TOLERANCES[dtype])
                worst = max(worst, error)
                if not is_right:
                    wrong.append(length)
    except Exception as error:
        traced = is_traced(model, [given(length) for length in lengths], is_dynamic)
        return "refused" if traced else "untraced", f"{type(error).__name__}: {' '.join(str(error).split())[:900]}"
    packages = sum(one.packages for one in kiln.torch.report)
    where = (f" at {wrong}" if is_dynamic and wrong else "") + (f", eager refuses {left}" if left else "")
    return "WRONG" if wrong else "right", f"error {worst:.1e}{where}, {packages} package{'s' if packages != 1 else ''}"


def limited(limit, check, *arguments):
    """check(*arguments) in a process of its own."""
    start = time.time()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        os.close(reader)
        if not os.environ.get("KILN_VERBOSE"):
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
        try:
            made = check(*arguments)
        except BaseException as error:
            made = "crash", f"{type(error).__name__}: {error}"[:500]
        with os.fdopen(writer, "wb") as file:
            pickle.dump(made, file)
        os._exit(0)
    os.close(writer)
    found = None
    with os.fdopen(reader, "rb") as file:
        if select.select([file], [], [], limit)[0]:
            try:
                found = pickle.load(file)
            except EOFError:
                found = "crash", "the process ended"
    if found is None:
        found = "late", f"not done after {limit} s"
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    os.waitpid(child, 0)
    return (*found, time.time() - start)


def lines_of(models, options):
    """A line for each model, as they end; --jobs processes take them by turns."""
    reader, writer = os.pipe()
    children = []
    for first in range(options.jobs):
        children.append(os.fork())
        if children[-1]:
            continue
        os.close(reader)
        for family, name in models[first::options.jobs]:
            state, note, seconds = limited(options.limit, check, family, name, options.lengths if options.dynamic else None, options.target, options.device, options.dtype)
            os.write(writer, f"{state:9} {family}:{name}: {note}, {seconds:.0f} s\n".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        yield from (line.rstrip("\n") for line in file)
    for child in children:
        os.waitpid(child, 0)


def chosen(wanted):
    """(family, name) of each model that is wanted and whose family is installed."""
    found = []
    for family in FAMILIES:
        names = [one.partition(":")[2] for one in wanted if one.partition(":")[0] == family]
        if wanted and not names:
            continue
        try:
            importlib.import_module(family)
        except ImportError:
            print(f"skipped {family}: it is not installed")
            continue
        known = importlib.import_module(f"architecture_{family}").NAMES
        found += [(family, one) for one in (known if not names or "" in names else names)]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", metavar="FAMILY[:NAME]")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--lengths", type=lambda text: tuple(map(int, text.split(","))), default=(), help="those of the family, if not given")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--report")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--target", help="where the tensors are, if not given")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32", choices=DTYPES)
    parser.add_argument("--jobs", type=int, default=1, help="models at a time")
    options = parser.parse_args()
    models = chosen(options.models)
    if options.list:
        print(*(f"{family}:{name}" for family, name in models), sep="\n")
        return 0
    count = {}
    for line in lines_of(models, options):
        print(line, flush=True)
        state = line.split()[0]
        count[state] = count.get(state, 0) + 1
        if options.report:
            with open(options.report, "a") as file:
                file.write(line + "\n")
    print(", ".join(f"{n} {state}" for state, n in count.items()) or "no model")
    return 1 if set(count) - {"right", "untraced"} else 0


if __name__ == "__main__":
    sys.exit(main())
