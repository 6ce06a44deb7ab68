# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations, reports and timings as objects: `kiln.compile`, `kiln.opt`, `kiln.measure`."""
import collections
import contextlib
import json
import os
import subprocess
import tempfile
import time

from . import _runtime
from .progress import run

#: Why something did not take an operation.
Decline = collections.namedtuple("Decline", "name reason")

#: One row of a report: what was lowered by what, and who declined it before.
ReportRow = collections.namedtuple(
    "ReportRow", "stage function kernel subject target chosen detail location count declines")


class CompileError(RuntimeError):
    """The compiler refused the input. `diagnostics` are its lines, `FILE:LINE:COLUMN: error: ...`."""

    def __init__(self, text):
        super().__init__(text)
        self.diagnostics = text.splitlines()


def _row(entry):
    declines = tuple(Decline(one["name"], one["reason"]) for one in entry.get("declines", ()))
    texts = [entry.get(field, "") for field in ReportRow._fields[:-2]]
    return ReportRow(*texts, entry.get("count", 1), declines)


class Compiled:
    """A program that was compiled, as `kiln.compile` returns it. Calling it calls the program.

    `program` is the loaded `kiln.Program`, `package` its bytes, `report` a tuple of `ReportRow`, and `diagnostics` the warnings
    and notes of the compiler."""

    def __init__(self, package, target, report, diagnostics):
        self.package, self.target, self.report, self.diagnostics = package, target, report, diagnostics
        self._program = None

    @property
    def program(self):
        """The loaded `kiln.Program`; loads it at the first use."""
        if self._program is None:
            from . import Program
            self._program = Program(_runtime.Package(self.package), self.target)
        return self._program

    def __call__(self, *arguments, **options):
        return self.program(*arguments, **options)

    def __getitem__(self, name):
        return self.program[name]

    def __repr__(self):
        return f"<kiln compiled for {self.target}, {len(self.package)} bytes, {len(self.report)} rows of report>"

    def rows(self, stage=None, kernel=None):
        """The rows of the report of one stage ("schedule", "lowering", "script", ...) or kernel."""
        return tuple(row for row in self.report
                     if (stage is None or row.stage == stage) and (kernel is None or row.kernel == kernel))

    def save(self, path):
        """Writes the package to a file."""
        with open(path, "wb") as file:
            file.write(self.package)


def _tool(name):
    try:
        from .compiler import program
    except ImportError:
        raise _runtime.Error(f"expected the wheel kiln-compiler, which brings {name}; only the runtime is installed") from None
    return program(name)


@contextlib.contextmanager
def _as_file(source, name):
    """A path for a program or a script: one that was given, or that of a file with this text. Text has several lines."""
    if isinstance(source, os.PathLike) or "\n" not in source:
        yield os.fspath(source)
        return
    with tempfile.TemporaryDirectory(prefix="kiln-") as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        yield path


def _run(arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr.strip())
    return done


def compile(source, target="cpu", *, schedule=None, options=(), quiet=False):  # as kiln-compile has it
    """Compiles `source`, a path or MLIR as text, for a target specification. Returns `Compiled`. Text has a newline.

    `schedule` is a schedule script, a path or text; `options` are flags of kiln-compile. Raises `CompileError`. What takes
    more than two seconds shows a progress bar on a terminal, with tqdm and unless `quiet`."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kiln-"))
        path = stack.enter_context(_as_file(source, "program.mlir"))
        package, report = os.path.join(folder, "program.kiln"), os.path.join(folder, "report.json")
        words = [_tool("kiln-compile"), path, f"--target={target}", "-o", package, f"--explain={report}"]
        if schedule is not None:
            words.append("--schedule=" + stack.enter_context(_as_file(schedule, "schedule.mlir")))
        status, said = run([*words, *options], quiet)
        if status:
            raise CompileError(said.strip())
        with open(report, encoding="utf-8") as file:
            rows = tuple(_row(entry) for entry in json.load(file))
        with open(package, "rb") as file:
            return Compiled(file.read(), target, rows, tuple(said.splitlines()))


def opt(source, passes, *, target=None, schedule=None, options=()):
    """Runs passes on `source`, a path or MLIR as text, and returns the IR as text. Text has a newline.

    `passes` is a pipeline on the module, such as "tile-choose-blocks,canonicalize". `target` binds the module to a target
    specification first, `schedule` (a path or text) is applied before the passes. Raises `CompileError`."""
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(_as_file(source, "program.mlir"))
        steps = [passes] if passes else []
        if schedule is not None:
            script = stack.enter_context(_as_file(schedule, "schedule.mlir"))
            steps.insert(0, "kiln-apply-schedule{file=" + script + "}")
        if target is not None:
            steps.insert(0, "kiln-set-target{spec=" + target + "}")
        pipeline = f"--pass-pipeline=builtin.module({','.join(steps)})"
        return _run([_tool("kiln-opt"), path, pipeline, *options]).stdout


class Timing:
    """The times of calls: `seconds` has one for each call, in order."""

    def __init__(self, seconds):
        self.seconds = tuple(seconds)

    @property
    def least(self):
        """The shortest time, in seconds."""
        return min(self.seconds)

    @property
    def median(self):
        """The median time, in seconds."""
        ordered = sorted(self.seconds)
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

    def __len__(self):
        return len(self.seconds)

    def __repr__(self):
        return f"<{len(self)} calls, median {self.median * 1e6:.3f} us, least {self.least * 1e6:.3f} us>"


def _once(function, arguments, options):
    begin = time.perf_counter()
    function(*arguments, **options)
    return time.perf_counter() - begin


def measure(functions, *arguments, calls=20, warmup=2, **options):
    """Times calls of a program, an entry or any function: returns a `Timing`.

    A list of functions is called in turns, so that other load of the machine hurts all, and gives a list of timings. Work
    that calls with `wait=False` leave behind is not counted. `options` go to each call, such as `grid=(8, 4)`."""
    many = list(functions) if isinstance(functions, (list, tuple)) else [functions]
    seconds = [[] for _ in many]
    for turn in range(warmup + calls):
        for function, own in zip(many, seconds):
            took = _once(function, arguments, options)
            if turn >= warmup:
                own.append(took)
    timings = [Timing(own) for own in seconds]
    return timings if isinstance(functions, (list, tuple)) else timings[0]
