# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls with images that have channels innermost: nothing but the call of the package happens, without Python between."""
import struct
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln.torch  # noqa: E402
from kiln._runtime import exchange  # noqa: E402
from kiln.torch import compiled  # noqa: E402
from kiln.torch.calls import EXCHANGE  # noqa: E402

MADE = []


def remembered(self, *arguments, init=compiled.Compiled.__init__, **named):
    init(self, *arguments, **named)
    MADE.append(self)


compiled.Compiled.__init__ = remembered


def compiled_graph(function, *given):
    """The compiled function, after a call whose results are compared with eager mode's, and its graph."""
    torch._dynamo.reset()
    MADE.clear()
    run = torch.compile(function, backend=kiln.torch.kiln, fullgraph=True, options={"target": "cpu"})
    with torch.no_grad():
        compare(run(*given), function(*given))
    return run, MADE[-1]


def compare(got, want):
    for one, other in zip(*((x,) if isinstance(x, torch.Tensor) else x for x in (got, want)), strict=True):
        assert one.shape == other.shape and one.stride() == other.stride(), (one.stride(), other.stride())
        assert torch.allclose(one, other, atol=1e-5), (one - other).abs().max()
        assert not one._is_view()


def raises(call):
    try:
        call()
    except TypeError:
        return True
    return False


def main():
    torch.manual_seed(0)
    last = dict(memory_format=torch.channels_last)
    double = lambda x: x * 2  # noqa: E731
    for shape in ((2, 4, 6, 5), (1, 4, 6, 5), (2, 1, 6, 5), (2, 4, 1, 5), (2, 4, 1, 1), (0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 4, 5, 6)):
        x = torch.randn(shape).to(memory_format=torch.channels_last_3d if len(shape) > 4 else torch.channels_last)
        _, graph = compiled_graph(double, x)
        assert graph.direct, shape
        _, graph = compiled_graph(lambda x: (x + 1, x.sum((2, 3)), x * 3), x)
        assert graph.direct, shape

    # Arguments in different orders, and a call in another order than the one that was compiled for.
    convolution = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False).to(**last)
    x, y = torch.randn(2, 8, 6, 6).to(**last), torch.randn(2, 8, 6, 6)
    function = lambda x, y: convolution(x) + y  # noqa: E731
    run, graph = compiled_graph(function, x, y)
    assert graph.direct and graph.forms[0].count(bytes([0, 2, 3, 1])) == 1, graph.forms
    with torch.no_grad():
        compare(run(y, x), function(y, x))
        compare(run(x[:, :, ::2, ::2], y[:, :, ::2, ::2]), function(x[:, :, ::2, ::2], y[:, :, ::2, ::2]))

    # Open sizes.
    run, _ = compiled_graph(double, torch.randn(2, 3, 4, 5).to(**last))
    for shape in ((3, 3, 6, 7), (2, 3, 8, 5)):
        image = torch.randn(shape).to(**last)
        compare(run(image), double(image))

    # What a package is handed by itself: other strides are no error, but not taken.
    _, graph = compiled_graph(double, x)
    call = lambda given, forms: exchange(graph.session, graph.entry, EXCHANGE, [given], b"", forms)  # noqa: E731
    compare(call(x, graph.forms), [x * 2])
    compare(call(x, (graph.forms[0], ())), [(x * 2).permute(0, 2, 3, 1)])
    assert call(y, graph.forms) is None and call(x, None) is None
    for order in (b"\0\1\2", b"\0\2\3\4", b"\0\2\3\2", "0231"):
        assert call(x, ((order,), ())) is None, order
    for layout in (b"", struct.pack("=7q", *range(7)), "layout"):
        assert raises(lambda: call(x, (graph.forms[0], (layout,)))), layout
    print("all right")


if __name__ == "__main__":
    main()
