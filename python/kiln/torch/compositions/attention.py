# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and encoder layers that torch.nn calls as one operation when nothing needs a gradient."""
import torch
from torch.nn import functional as F

from ..attention import scaled_dot_product
from . import composes


def _heads(x, count):
    """(batch, rows, heads * columns) as (batch, heads, rows, columns)."""
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


def _mask_of(mask, kind):
    """What is left out, as it broadcasts to (batch, heads, rows, columns). `kind`: 0 is (rows, columns), 1 is
    (batch, columns), 2 has all four. Anything but zero leaves out."""
    if mask is None:
        return None
    mask = mask.to(torch.bool)
    return mask[:, None, None, :] if kind == 1 else mask


@composes("_native_multi_head_attention.default")
def multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask=None,
                         need_weights=True, average_attn_weights=True, mask_type=None):
    if query.is_nested or key.is_nested or value.is_nested:
        return NotImplemented
    parts = zip((query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3))
    q, k, v = (_heads(F.linear(x, weight, bias), num_head) for x, weight, bias in parts)
    out = _mask_of(mask, mask_type)
    weights = None
    if need_weights:
        scores = (q / (embed_dim // num_head) ** 0.5) @ k.transpose(-2, -1)
        weights = torch.softmax(scores if out is None else scores.masked_fill(out, float("-inf")), -1)
        made = weights @ v
        weights = weights.mean(1) if average_attn_weights else weights
    else:
        attend = F.scaled_dot_product_attention if q.device.type == "cpu" else scaled_dot_product
        made = attend(q, k, v, None if out is None else ~out)
    return F.linear(made.transpose(1, 2).reshape(query.shape), proj_weight, proj_bias), weights


@composes("_transformer_encoder_layer_fwd.default")
def encoder_layer(x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps,
                  norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2,
                  ffn_bias_2, mask=None, mask_type=None):
    if x.is_nested:
        return NotImplemented

    def attend(y):
        return multi_head_attention(y, y, y, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask,
                                    need_weights=False, mask_type=mask_type)[0]

    def feed(y):
        y = F.linear(y, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(y) if use_gelu else torch.relu(y), ffn_weight_2, ffn_bias_2)

    first = (norm_weight_1.shape, norm_weight_1, norm_bias_1, eps)
    second = (norm_weight_2.shape, norm_weight_2, norm_bias_2, eps)
    if norm_first:
        x = x + attend(F.layer_norm(x, *first))
        return x + feed(F.layer_norm(x, *second))
    x = F.layer_norm(x + attend(x), *first)
    return F.layer_norm(x + feed(x), *second)
