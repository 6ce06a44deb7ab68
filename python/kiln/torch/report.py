# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of each graph: compiled whole, in parts, or left to torch, and why."""
import dataclasses


class CompileFailed(RuntimeError):
    """A graph that has to be compiled whole cannot be."""


@dataclasses.dataclass
class Fallback:
    """An operation that torch runs."""
    operation: str
    place: str
    reason: str

    def __str__(self):
        return f"{self.place}: {self.operation}: {self.reason}"


@dataclasses.dataclass
class Graph:
    """One graph that torch handed over."""
    kind: str  # forward, backward, inference, export
    nodes: int
    seconds: float = 0.0
    packages: int = 0
    fallbacks: list = dataclasses.field(default_factory=list)
    not_recorded: str | None = None  # why no graph of CUDA records its calls, where the mode asks for that

    def __str__(self):
        many = "" if self.packages == 1 else "s"
        lines = [f"{self.kind} graph of {self.nodes} operations: {self.packages} package{many}, {self.seconds:.2f} s"]
        if self.not_recorded:
            lines.append(f"  its calls are not recorded: {self.not_recorded}")
        return "\n".join(lines + [f"  torch runs {one}" for one in self.fallbacks])


class Report(list):
    """All graphs since the start, or since `clear`."""

    @property
    def fallbacks(self):
        return [one for graph in self for one in graph.fallbacks]

    def __str__(self):
        return "\n".join(map(str, self)) or "nothing was compiled"


report = Report()
