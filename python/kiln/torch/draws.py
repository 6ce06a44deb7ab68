# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: operations whose elements follow from torch's generator alone, and those of Philox.

With `options={"random": "torch"}`, which is what is done unless said otherwise, torch fills a tensor for each such
operation as eager mode does, in the same order, before it calls the package, which takes the tensor as an argument: the
same seed gives the same numbers as eager mode.

With `options={"random": "philox"}` the package draws them: each operation takes one number of torch's generator as its
seed and Philox4x32-10 makes the elements of that, which is `random_bits` below. `same()` lets eager mode draw those."""
import contextlib
import math

import torch
from torch._guards import detect_fake_mode
from torch._prims.rng_prims import run_and_save_rng_state as RUN_AND_SAVE, run_with_rng_state as RUN_WITH
from torch.utils._python_dispatch import TorchDispatchMode

#: What fills a tensor in place with what an operation draws.
FILLS = {"uniform": "uniform_", "normal_functional": "normal_", "exponential": "exponential_", "geometric": "geometric_",
         "cauchy": "cauchy_", "log_normal": "log_normal_", "bernoulli": "bernoulli_", "normal": "normal_", "randint": "random_", "randint_like": "random_"}
#: Those of them that read nothing but sizes and numbers.
PLAIN = {"rand.default", "rand.generator", "rand_like.default", "randn.default", "randn.generator", "randn_like.default", "uniform.default",
         "normal_functional.default", "exponential.default", "geometric.default", "cauchy.default", "log_normal.default", "bernoulli.p",
         "randint.default", "randint.low", "randint.generator", "randint.low_generator", "randint_like.default", "randint_like.low_dtype",
         "randperm.default", "randperm.generator", "normal.float_float"}
#: The state of a package of torch.export: the seed, and how many operations have drawn since.
STATE = "kiln.random"
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
#: The defaults of what is not given.
DEFAULTS = {"uniform": (0.0, 1.0), "normal_functional": (0.0, 1.0), "exponential": (1.0,), "cauchy": (0.0, 1.0), "log_normal": (1.0, 2.0),
            "bernoulli": (0.5,)}

_LIBRARY = torch.library.Library("kiln", "FRAGMENT")


def parameters(name, arguments):
    """What an operation of PLAIN is given beside sizes, with its defaults."""
    packet = name.partition(".")[0]
    if packet in ("rand", "rand_like", "randn", "randn_like", "randperm"):
        return ()
    if packet == "randint":
        return (0, arguments[0]) if name in ("randint.default", "randint.generator") else tuple(arguments[:2])
    if packet == "normal":
        return tuple(arguments[:2])
    if packet == "randint_like":
        return (0, arguments[1]) if name == "randint_like.default" else tuple(arguments[1:3])
    given = tuple(arguments[1:])
    return given + DEFAULTS.get(packet, ())[len(given):]


class Saved:
    """The state of torch's generator before a draw, which a graph gives away for the one that draws the same again."""

    def __init__(self, node):
        self.node = node


def call_of(node):
    """(operation, arguments, options, result, state) of a node of which the elements follow from torch's generator alone,
    else None. `state`: the node with the state of the generator that is drawn from, for what a checkpoint draws again."""
    target, arguments, state = node.target, node.args, None
    made = node.meta.get("val")
    if target is RUN_AND_SAVE:
        target, *arguments = arguments
        made = next((user.meta["val"] for user in node.users if user.args[1] == 1), None)
    elif target is RUN_WITH:
        state, target, *arguments = arguments
    if not isinstance(target, torch._ops.OpOverload):
        return None
    name = str(target).partition(".")[2]
    if target.namespace != "aten" or name not in PLAIN:
        return None
    if made is None:  # of the second draw torch says nothing
        with detect_fake_mode([one.meta.get("val") for one in node.all_input_nodes]) or contextlib.nullcontext():
            made = target(*(_values_of(arguments)), **node.kwargs)
    return name, arguments, node.kwargs, made, state


def _values_of(arguments):
    return torch.fx.node.map_arg(tuple(arguments), lambda one: one.meta["val"])


@contextlib.contextmanager
def _generator_at(state, device):
    """Lets torch draw from a state of the generator of a device, and go on afterwards from where it was."""
    of_device = torch if device.type == "cpu" else torch.get_device_module(device)
    now = of_device.get_rng_state()
    of_device.set_rng_state(state.cpu())
    try:
        yield
    finally:
        of_device.set_rng_state(now)


def state_of(device):
    """The state of the generator of a device, which is a tensor of the host."""
    return (torch if device.type == "cpu" else torch.get_device_module(device)).get_rng_state()


def draw(name, shape, strides, dtype, numbers, generator=None, device=None, state=None):
    """A tensor with what eager mode would draw now, or from a state of the generator."""
    if state is not None:
        with _generator_at(state, torch.device(device)):
            return draw(name, shape, strides, dtype, numbers, device=device)
    packet = name.partition(".")[0]
    if packet == "randperm":
        return torch.randperm(shape[0], dtype=dtype, generator=generator, device=device)
    made = torch.empty_strided(shape, strides, dtype=dtype, device=device)
    if packet in ("rand", "rand_like"):
        return made.uniform_(generator=generator)
    if packet in ("randn", "randn_like"):
        return made.normal_(generator=generator)
    return getattr(made, FILLS[packet])(*numbers, generator=generator)


def _place():
    """Where new tensors are made; torch.get_default_device() would make one that stays in the graph."""
    return torch.empty(0).device


# Philox.
def seed():
    """A number of torch's generator: an operation that torch, too, knows to give another number each time."""
    return torch.ops.aten.randint.low_generator(LOWEST, HIGHEST, [], generator=None, device=_place())


def is_seed(name, arguments, options):
    return name == "randint.low_generator" and tuple(arguments[:2]) == (LOWEST, HIGHEST) and not arguments[2] and options.get("generator") is None


def _words(seed):
    """The low and the high word of an integer of 64 bits, as numbers of 64 bits."""
    return seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF


def _product(factor, x):
    """High and low word of factor * x, both below 2^32, in signed numbers of 64 bits."""
    low, high = factor * (x & 0xFFFF), factor * (x >> 16)
    high = high + (low >> 16)
    return (high >> 16) & 0xFFFFFFFF, ((high & 0xFFFF) << 16) | (low & 0xFFFF)


def philox(key, counter):
    """Philox4x32 with 10 rounds (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): the four words of
    each block, of two words of a key and four of a counter."""
    (k0, k1), (c0, c1, c2, c3) = key, counter
    for _ in range(10):
        high0, low0 = _product(0xD2511F53, c0)
        high1, low1 = _product(0xCD9E8D57, c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def random_bits_eager(seed, offset, shape, bits):
    """`prim.random_bits philox`: element n is word n mod 4 of block n / 4, of 64 bits the words 2n and 2n + 1. The counter of
    the first block is 2^64 * offset, and the key is the seed."""
    count = math.prod(shape) * (bits // 32)
    blocks = torch.arange(-(-count // 4), dtype=torch.int64, device=seed.device)
    words = philox(_words(seed), (blocks & 0xFFFFFFFF, blocks >> 32, *(one.expand(blocks.shape) for one in _words(offset))))
    words = torch.stack(words, 1).reshape(-1)[:count]
    if bits == 64:
        low, high = words.reshape(-1, 2).unbind(1)
        return (low | (high << 32)).reshape(shape)
    return words.to(torch.int32).reshape(shape)


_LIBRARY.define("random_bits(Tensor seed, Tensor offset, SymInt[] shape, int bits) -> Tensor", tags=torch.Tag.pt2_compliant_tag)
_LIBRARY.impl("random_bits", random_bits_eager, "CompositeExplicitAutograd")


@torch.library.register_fake("kiln::random_bits", lib=_LIBRARY)
def _bits_shape(seed, offset, shape, bits):
    return seed.new_empty(shape, dtype=torch.int64 if bits == 64 else torch.int32)


def _bits(shape, bits):
    return torch.ops.kiln.random_bits(seed(), torch.zeros((), dtype=torch.int64), list(shape), bits)


def _fraction(word, digits, dtype, low=0):
    """The first bits of words of 32 or 64 bits as a number in [0, 1), or from the least above 0 on up to 1 with `low` 1."""
    width = 64 if word.dtype == torch.int64 else 32
    top = (word >> (width - digits)) & ((1 << digits) - 1)
    return (top + low).to(dtype) * 2.0 ** -digits


def uniform(shape, dtype, low=0):
    """As many bits as the element type has digits; of f16 and bf16 those of f32, rounded down."""
    if dtype == torch.float64:
        return _fraction(_bits(shape, 64), 53, dtype, low)
    digits = {torch.float16: 11, torch.bfloat16: 8}.get(dtype, 24)
    return _fraction(_bits(shape, 32), digits, torch.float32, low).to(dtype)


def normal(shape, dtype):
    """Box and Muller's method, in f32 of the two words of 64 bits."""
    if dtype == torch.float64:
        radius, angle = uniform(shape, dtype, 1), uniform(shape, dtype)
    else:
        words = _bits(shape, 64)
        radius = _fraction(words.to(torch.int32), 24, torch.float32, 1)
        angle = _fraction((words >> 32).to(torch.int32), 24, torch.float32)
    return (torch.sqrt(-2 * torch.log(radius)) * torch.cos(2 * math.pi * angle)).to(dtype)


def _integers(shape, dtype, low, high):
    if high - low > HIGHEST:
        return _bits(shape, 64).to(dtype)
    return (low + torch.remainder(_bits(shape, 64) & HIGHEST, high - low)).to(dtype)


def made_by_philox(name, shape, dtype, numbers):
    """The elements of an operation of PLAIN. Both parts of complex numbers are drawn, those of normal ones with half of the variance."""
    packet = name.partition(".")[0]
    if dtype.is_complex:
        draw_parts = uniform if packet in ("rand", "rand_like") else normal
        parts = torch.view_as_complex(draw_parts([*shape, 2], dtype.to_real()))
        mean, deviation = numbers or (0.0, 1.0)
        return parts if draw_parts is uniform else mean + deviation * math.sqrt(0.5) * parts
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    if packet in ("rand", "rand_like"):
        return uniform(shape, dtype)
    if packet in ("randn", "randn_like"):
        return normal(shape, dtype)
    if packet == "uniform":
        return (numbers[0] + (numbers[1] - numbers[0]) * uniform(shape, wide)).to(dtype)
    if packet in ("normal_functional", "normal", "log_normal"):
        made = numbers[0] + numbers[1] * normal(shape, wide)
        return (torch.exp(made) if packet == "log_normal" else made).to(dtype)
    if packet == "exponential":
        return (-torch.log(uniform(shape, wide, 1)) / numbers[0]).to(dtype)
    if packet == "geometric":
        return torch.ceil(torch.log(uniform(shape, wide, 1)) / math.log1p(-numbers[0])).clamp(min=1).to(dtype)
    if packet == "cauchy":
        return (numbers[0] + numbers[1] * torch.tan(math.pi * (uniform(shape, wide) - 0.5))).to(dtype)
    if packet == "bernoulli":
        return (uniform(shape, torch.float32) < numbers[0]).to(dtype)
    if packet == "randperm":
        return torch.argsort(_bits(shape, 64), stable=True).to(dtype)
    return _integers(shape, dtype, *numbers)


def _type_of(packet, arguments, options):
    if options.get("dtype") is not None:
        return options["dtype"]
    if arguments and isinstance(arguments[0], torch.Tensor):
        return arguments[0].dtype
    return torch.int64 if packet in ("randint", "randperm") else torch.get_default_dtype()


def _shape_of(name, arguments):
    packet = name.partition(".")[0]
    if isinstance(arguments[0], torch.Tensor):
        return list(arguments[0].shape)
    if packet == "randperm":
        return [arguments[0]]
    return list(arguments[{"randint": 1 if name in ("randint.default", "randint.generator") else 2, "normal": 2}.get(packet, 0)])


def _by_philox(name):
    def compose(*arguments, **options):
        if options.get("generator") is not None:
            return NotImplemented
        packet = name.partition(".")[0]
        tensor = arguments[0] if arguments and isinstance(arguments[0], torch.Tensor) else None
        device = options.get("device") or (tensor.device if tensor is not None else _place())
        if torch.device(device).type != "cpu":
            with torch.device(device):
                return made_by_philox(name, _shape_of(name, arguments), _type_of(packet, arguments, options), parameters(name, arguments))
        return made_by_philox(name, _shape_of(name, arguments), _type_of(packet, arguments, options), parameters(name, arguments))
    return compose


def _overloads(names):
    for name in names:
        packet, _, overload = name.partition(".")
        found = getattr(getattr(torch.ops.aten, packet, None), overload, None)
        if found is not None:
            yield name, found


#: {operation of torch: how Philox makes it}, for AOTAutograd.
PHILOX = {operation: _by_philox(name) for name, operation in _overloads(sorted(PLAIN - {"randint.low_generator"}))}
#: Operations that write into their first argument: the name of the same one that gives a tensor.
IN_PLACE = {"bernoulli_.float": "bernoulli.p", "uniform_.default": "uniform.default", "normal_.default": "normal_functional.default",
            "exponential_.default": "exponential.default", "geometric_.default": "geometric.default", "cauchy_.default": "cauchy.default",
            "log_normal_.default": "log_normal.default", "random_.from": "randint_like.low_dtype", "random_.to": "randint_like.default"}


class _Same(TorchDispatchMode):
    """Eager mode with the numbers that packages draw."""

    def __init__(self):
        super().__init__()
        from .compositions import TABLE, gamma, random
        drawing = random.__name__, gamma.__name__
        self.composed = {operation: function for operation, function in TABLE.items() if function.__module__ in drawing}
        self.in_place = {operation: PHILOX[one] for name, operation in _overloads(IN_PLACE)
                         for other, one in _overloads([IN_PLACE[name]])}

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        options = options or {}
        made = NotImplemented
        if function in self.in_place:
            with self:
                made = self.in_place[function](*arguments, **options)
            if made is not NotImplemented:
                return arguments[0].copy_(made)
        for table in (PHILOX, self.composed):
            if function in table and made is NotImplemented:
                with self:
                    made = table[function](*arguments, **options)
        return function(*arguments, **options) if made is NotImplemented else made


def same():
    """A context in which eager mode draws what graphs that are compiled with `options={"random": "philox"}` draw."""
    return _Same()
