# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results look like of operations that torch says nothing of while it traces, as far as data do not decide."""
import functools

import torch
from torch import _meta_registrations as torch_says
from torch._subclasses.fake_tensor import DynamicOutputShapeException
from torch.fx.experimental.symbolic_shapes import guard_or_false

from .compositions import linear


def _lstsq(a, b, rcond=None, *, driver=None):
    driver = driver or "gelsy"
    if not linear.has_known_shapes(a, b, driver):
        raise DynamicOutputShapeException(torch.ops.aten.linalg_lstsq.default)
    (m, n), count = a.shape[-2:], b.shape[-1]
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rest = [*lead, count] if driver == "gels" and m > n else [0]
    rank = [0] if driver == "gels" else lead
    size = [*lead, min(m, n)] if driver in ("gelss", "gelsd") else [0]
    solution = a.new_empty([*lead, n, count])
    if a.device.type == "cpu":  # columns, as LAPACK has them, of which the residuals take the rest
        solution = a.new_empty([*lead, count, torch.sym_max(m, n)]).mT.narrow(-2, 0, n)
    return solution, a.new_empty(rest), a.new_empty(rank, dtype=torch.int64), a.new_empty(size)


def _ctc_loss(scores, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    if isinstance(target_lengths, (list, tuple)):
        longest = max(target_lengths, default=0)
    elif targets.dim() == 2:
        longest = targets.shape[1]  # of as many labels as a row has room for
    else:
        raise DynamicOutputShapeException(torch.ops.aten._ctc_loss.Tensor)
    steps, batch = scores.shape[:2]
    return scores.new_empty([batch]), scores.new_empty([batch, steps, 2 * longest + 1])


def _ctc_loss_backward(grad, scores, *rest):
    return torch.empty_like(scores, memory_format=torch.contiguous_format)


def _unique(x, sorted=True, return_inverse=False):
    """As many as the data have: else torch would ask the operation itself, about zeros."""
    many = torch.library.get_ctx().new_dynamic_size()
    return x.new_empty([many]), x.new_empty(x.shape if return_inverse else [0], dtype=torch.int64)


def _like(x, *rest):
    return torch.empty_like(x)


def _fake_quantized(x, *rest):
    return torch.empty_like(x), torch.empty_like(x, dtype=torch.bool)


def _multi_head_attention(query, key, value, width, heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None,
                          need_weights=True, average_attn_weights=True, mask_type=None):
    batch, rows = query.shape[:2]
    weights = [batch, rows, key.shape[1]] if average_attn_weights else [batch, heads, rows, key.shape[1]]
    return query.new_empty(query.shape), query.new_empty(weights) if need_weights else None


def _geqrf(a):
    made = a.new_empty([*a.shape[:-2], a.shape[-1], a.shape[-2]]).mT if a.device.type == "cpu" else a.new_empty(a.shape)
    return made, a.new_empty([*a.shape[:-2], torch.sym_min(*a.shape[-2:])])


def _histogram(x, bins=100, *, range=None, weight=None, density=False):
    return x.new_empty([bins]), x.new_empty([bins + 1])


def _histogram_of(x, bins, *, weight=None, density=False):
    return x.new_empty([bins.shape[0] - 1]), x.new_empty(bins.shape)


def _histogramdd_bin_edges(x, bins, *, range=None, weight=None, density=False):
    return [x.new_empty([count + 1]) for count in bins]


def _histogramdd(x, bins, *, range=None, weight=None, density=False):
    return x.new_empty([one.shape[0] - 1 if isinstance(one, torch.Tensor) else one for one in bins])


def _by_stride(x, dims):
    """Dimensions from the largest stride on; sizes that are data tell nothing of their order."""
    strides = x.stride()

    def compared(a, b):
        return -1 if guard_or_false(strides[a] > strides[b]) else int(guard_or_false(strides[a] < strides[b]))

    return sorted(dims, key=functools.cmp_to_key(compared))


def _transformed(x, sizes, dims, dtype):
    """The result of a Fourier transform on the host, as the library that torch calls lays it out: the transformed dimensions last."""
    order = _by_stride(x, [d for d in range(x.dim()) if d not in dims]) + dims
    return x.new_empty([sizes[d] for d in order], dtype=dtype).permute([order.index(d) for d in range(x.dim())])


def _is_laid_by_mkl(x):
    return x.device.type == "cpu" and torch.backends.mkl.is_available()


def _fft_r2c(x, dim, normalization, onesided):
    if not _is_laid_by_mkl(x):
        return torch_says.meta_fft_r2c(x, dim, normalization, onesided)
    sizes = list(x.shape)
    if onesided:
        sizes[dim[-1]] = sizes[dim[-1]] // 2 + 1
    return _transformed(x, sizes, [*_by_stride(x, dim[:-1]), dim[-1]], x.dtype.to_complex())


def _fft_c2c(x, dim, normalization, forward):
    if not _is_laid_by_mkl(x) or not dim:
        return torch_says.meta_fft_c2c(x, dim, normalization, forward)
    return _transformed(x, x.shape, _by_stride(x, dim), x.dtype)


def _fft_c2r(x, dim, normalization, size):
    if not _is_laid_by_mkl(x):
        return torch_says.meta_fft_c2r(x, dim, normalization, size)
    if len(dim) > 1:
        x = _fft_c2c(x, dim[:-1], 0, False)
    sizes = list(x.shape)
    sizes[dim[-1]] = size
    return _transformed(x, sizes, dim[-1:], x.dtype.to_real())


def _roll(x, shifts, dims=()):
    """On the host torch joins two parts along each dimension: the result is an image with its channels last if both are."""
    kept = _format(x) if dims else torch.contiguous_format
    if kept != torch.contiguous_format and not all(guard_or_false(shift % x.shape[dim] != 0) for shift, dim in zip(shifts, dims)):
        kept = torch.contiguous_format
    return torch.empty_like(x, memory_format=kept)


def _angle(x):
    """On the host angles of complex numbers are row-major, however these lie."""
    if x.is_complex() and x.device.type == "cpu":
        return x.new_empty(x.shape, dtype=x.dtype.to_real())
    return torch_says.meta_angle(x)


def _channel_shuffle(x, groups):
    return torch.empty_like(x, memory_format=_format(x))


def _format(x):
    """How an operation on the host that knows images lays out its result, as far as the sizes are known: with the channels last
    if those of its argument are, else row-major."""
    if x.device.type != "cpu" or x.dim() not in (4, 5):
        return torch.contiguous_format
    least = 0
    for dim in (1, *range(x.dim() - 1, 1, -1), 0):
        size, stride = x.shape[dim], x.stride(dim)
        if guard_or_false(size == 0) or guard_or_false(stride < least) or (dim == 0 and guard_or_false(least == x.stride(1))):
            return torch.contiguous_format
        least = stride * size
    return torch.channels_last if x.dim() == 4 else torch.channels_last_3d


def _padded_image(says):
    """Of a padded image, where torch itself forgets that its channels are last."""
    def padded(x, padding):
        made = says(x, padding)
        return made.contiguous(memory_format=_format(x)) if x.dim() == len(padding) // 2 + 2 else made
    return padded


def _pooled(size, kernel, before, behind, stride, dilation, ceil_mode):
    """How many windows pooling takes of a dimension. torch's own function asks whether a size is divisible, and with `ceil_mode`
    whether the last window begins within the dimension; each answer would be a graph."""
    room = size + before + behind - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    begins_within = -(-(size + before) // stride)
    return torch.sym_min((room + stride - 1) // stride + 1, begins_within)


def _as_in_this_call(tensor):
    """A tensor that looks as this one does in the call for which torch traces, if that is known."""
    numbers = [*tensor.shape, *tensor.stride()]
    symbols = [one for one in numbers if isinstance(one, torch.SymInt)]
    if not symbols or not all(one.node.has_hint() for one in symbols):
        return tensor
    numbers = [one.node.hint if isinstance(one, torch.SymInt) else one for one in numbers]
    return tensor.new_empty_strided(numbers[:tensor.dim()], numbers[tensor.dim():])


def _chooses_without_guards(choose):
    """The choice of torch's library for a convolution, of which torch only asks how it lays out the result. It depends on the batch
    and on the number of elements; each answer would be a graph. Over images those make no difference to the layout, over volumes they do."""
    @functools.wraps(choose)
    def chosen(input, weight, *rest, **options):
        if weight.dim() < 5:
            input, weight = _as_in_this_call(input), _as_in_this_call(weight)
        return choose(input, weight, *rest, **options)
    return chosen


def register():
    library = torch.library.Library("aten", "FRAGMENT")
    for name, shapes in {"linalg_lstsq": _lstsq, "_ctc_loss": _ctc_loss, "_ctc_loss.Tensor": _ctc_loss,
                         "_ctc_loss_backward": _ctc_loss_backward, "_ctc_loss_backward.Tensor": _ctc_loss_backward,
                         "_unique": _unique, "_standard_gamma": _like, "_standard_gamma_grad": _like, "_sample_dirichlet": _like,
                         "_dirichlet_grad": _like, "_native_multi_head_attention": _multi_head_attention,
                         "_transformer_encoder_layer_fwd": _like, "geqrf": _geqrf, "histogram.bin_ct": _histogram,
                         "histogram.bins_tensor": _histogram_of, "_histogramdd_bin_edges": _histogramdd_bin_edges,
                         "_histogramdd_from_bin_cts": _histogramdd, "_histogramdd_from_bin_tensors": _histogramdd,
                         "fake_quantize_per_tensor_affine_cachemask": _fake_quantized, "fake_quantize_per_channel_affine_cachemask": _fake_quantized,
                         "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams": _fake_quantized}.items():
        try:
            torch.library.register_fake(f"aten::{name}", shapes, lib=library)
        except RuntimeError:  # torch knows, but what it calls dynamic it does not ask itself for
            if torch.Tag.dynamic_output_shape in getattr(torch.ops.aten, name.partition(".")[0]).default.tags:
                _replace(name, shapes)
    for name, shapes in {"_fft_r2c": _fft_r2c, "_fft_c2c": _fft_c2c, "_fft_c2r": _fft_c2r}.items():
        if hasattr(torch_says, f"meta{name}"):
            _replace(name, shapes)
    _replace("roll", _roll)
    _replace("channel_shuffle", _channel_shuffle)
    if hasattr(torch_says, "meta_angle"):
        _replace("angle", _angle)
    for name in ("reflection_pad2d", "reflection_pad3d", "replication_pad2d", "replication_pad3d"):
        if hasattr(torch_says, f"meta_{name}"):
            _replace(name, _padded_image(getattr(torch_says, f"meta_{name}")))
    if hasattr(torch._C, "_select_conv_backend"):
        torch._C._select_conv_backend = _chooses_without_guards(torch._C._select_conv_backend)
    if hasattr(torch_says, "pooling_output_shape_pad_lr"):
        torch_says.pooling_output_shape_pad_lr = _pooled
    return library


def _replace(name, shapes):
    """Lets this say what results look like, in place of torch's own function, if this version of torch can be told so."""
    try:
        from torch._library.utils import Kernel
        torch._library.simple_registry.singleton.find(f"aten::{name}").fake_impl.kernels.append(Kernel(shapes, __name__))
    except (ImportError, AttributeError):
        pass


#: Registered as long as it is there.
LIBRARY = register()
