# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Kiln does not compile: fallback and its report, errors, and what is left to torch."""
import sys
import threading

import torch

import kiln
import kiln.torch

from behaviours import fast, main, same, test


@test
def parts_fall_back_and_say_why():
    kiln.torch.report.clear()
    function = lambda x: torch.linalg.ldl_factor(x * 2)[0] + x.sum()  # noqa: E731
    x = torch.eye(40) / 2 + torch.randn(40, 40) / 100
    same(fast(function)(x), function(x))
    text = str(kiln.torch.report)
    assert kiln.torch.report.fallbacks and "behaviour_fallback.py" in text and "no lowering" in text, text
    assert kiln.torch.report[0].packages >= 1, text


@test
def fullgraph_falls_back_never():
    try:
        fast(lambda x: torch.linalg.ldl_factor(x)[0], fullgraph=True)(torch.randn(40, 40))
    except Exception as error:
        assert "behaviour_fallback.py:" in str(error) and "unsupported" in str(error), error
    else:
        raise AssertionError("no error")


@test
def what_the_dispatcher_takes_apart_is_left_to_it():
    from kiln.torch import decompositions
    from torch._decomp import core_aten_decompositions
    table, whole = decompositions.table(), dict(core_aten_decompositions().items())
    for operation, function in whole.items():
        if operation in table:
            assert table[operation] is function or operation in decompositions.TABLE, operation
        elif isinstance(operation, torch._ops.OpOverload) and not decompositions.kept(operation):
            assert operation.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd), operation


@test
def numbers_drawn_at_random_are_torchs():
    function = lambda x: x + torch.rand_like(x)  # noqa: E731
    x = torch.zeros(8)
    torch.manual_seed(1)
    want = function(x)
    torch.manual_seed(1)
    same(fast(function)(x), want)


@torch.library.custom_op("behaviour::shifted", mutates_args=())
def shifted(x: torch.Tensor, by: float) -> torch.Tensor:
    return x.sin() + by


@shifted.register_fake
def _shape_of_shifted(x, by):
    return torch.empty_like(x)


@test
def operators_of_a_program():
    x, function = torch.randn(4), lambda x: shifted(x * 2, 3.0) + x  # noqa: E731
    same(fast(function)(x), function(x))
    torch._dynamo.reset()
    try:
        fast(function, fullgraph=True)(x)
    except Exception as error:
        assert "shifted.default: no lowering to prim, as torch.library defines it; with options={'fallback': True}" in str(error), error
    else:
        raise AssertionError("a whole graph was cut")
    torch._dynamo.reset()
    kiln.torch.report.clear()
    same(fast(function, fullgraph=True, options={"fallback": True})(x), function(x))
    assert len(kiln.torch.report.fallbacks) == 1 and kiln.torch.report[-1].packages == 2, kiln.torch.report


@torch.library.custom_op("behaviour::asked", mutates_args=())
def asked(x: torch.Tensor) -> torch.Tensor:
    found = [x.clone()]
    if x[0] > 1:
        other = threading.Thread(target=lambda: found.append(ASKS[0](x - 1)))
        other.start()
        other.join(60)
        assert not other.is_alive(), "the other thread waits for this call"
    return found[-1].clone()


@asked.register_fake
def _shape_of_asked(x):
    return torch.empty_like(x)


ASKS = []


@test
def operators_whose_threads_call_their_own_function():
    ASKS[:] = [fast(lambda x: asked(x * 1) + 1, fullgraph=True, options={"fallback": True})]
    same(ASKS[0](torch.ones(3)), torch.full((3,), 2.0))
    same(ASKS[0](torch.full((3,), 3.0)), torch.full((3,), 4.0))


@torch.library.custom_op("behaviour::summed_into", mutates_args={"to"})
def summed_into(x: torch.Tensor, to: torch.Tensor) -> None:
    to.copy_(x.cumsum(0))


@test
def operators_that_write_are_named():
    def function(x):
        made = torch.empty_like(x)
        summed_into(x * 2, made)
        return made.t() + 1, (x + made).t()[1:], made[0]
    x = torch.randn(3, 4)
    kiln.torch.report.clear()
    got, want = fast(function, fullgraph=True, options={"fallback": True})(x), function(x)
    same(got, want)
    assert [one.stride() for one in got] == [one.stride() for one in want], [one.stride() for one in got]
    text = str(kiln.torch.report)
    assert "behaviour.summed_into.default" in text and "functionalized" not in text, text
    torch._dynamo.reset()
    try:
        fast(function, fullgraph=True)(x)
    except Exception as error:
        assert "summed_into.default: no lowering to prim, as torch.library defines it; with options={'fallback': True}" in str(error), error
    else:
        raise AssertionError("a whole graph was cut")


@test
def what_the_call_got_wrong_is_said():
    def failure(**options):
        try:
            fast(lambda x: x * 2, options=options)(torch.ones(3))
        except Exception as error:  # torch wraps it
            return str(error)
        return "nothing"
    assert "unknown target 'nosuch', expected one of: " in failure(target="nosuch"), failure(target="nosuch")
    assert "backend 'kiln' has no option 'tarket', expected target, fallback or random" in failure(tarket="cpu")
    for mode in ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"):  # no GPU, no graphs of CUDA
        same(fast(lambda x: x * 2, mode=mode)(torch.ones(3)), torch.full((3,), 2.0))
    try:
        fast(lambda x: x * 2, mode="fastest")(torch.ones(3))
    except Exception as error:
        assert "mode" in str(error) and "fastest" in str(error), error
    else:
        raise AssertionError("a mode that is not there was accepted")
    try:
        kiln.export(torch.nn.Linear(2, 2), "never.kiln")
    except TypeError as error:
        assert "torch.export.export" in str(error), error
    else:
        raise AssertionError("a module was exported")


@test
def indices_are_judged_each():
    """Outside of its dimension, where the position in memory would be inside, one reads zero, and is an error on reference."""
    x, one = torch.arange(1., 31).view(6, 5), torch.tensor([1, 2])
    read, chosen = lambda x, i, j: x[i, j], lambda x, i, j: torch.where(j < 5, x[i, j], -1.)  # noqa: E731
    for j in (7, -7):
        place = torch.tensor([j, 3])
        on = lambda target, function: fast(function, fullgraph=True, options={"target": target})(x, one, place)  # noqa: E731
        same(on("cpu", read), torch.tensor([0., 14]))
        try:
            on("reference", read)
        except Exception as error:
            assert "expected indices in [0, 30), found -1" in str(error)
        else:
            raise AssertionError("no error on reference")
        if j > 0:
            for target in ("cpu", "reference"):
                same(on(target, chosen), torch.tensor([-1., 14]))


if __name__ == "__main__":
    sys.exit(main())
