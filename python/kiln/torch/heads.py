# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional.multi_head_attention_forward on a GPU, for nn.MultiheadAttention and nn.Transformer.

torch's function takes sequences before batches, (L, N, E). With batch_first=True its arguments are transposed views, and torch goes
through their rows in the order (L, N): each product then has rows that lie far apart, and results are transposed again. The
function here multiplies the rows in the order in which they lie in memory."""
import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true


def projected(rows, weight, bias):
    """A linear layer of (L, N, E), computed in the order of memory."""
    linear = torch.nn.functional.linear
    if statically_known_true(rows.stride(0) < rows.stride(1)):
        return linear(rows.transpose(0, 1), weight, bias).transpose(0, 1)
    return linear(rows, weight, bias)


def _split(rows, count):
    """(L, N, count * E) as `count` tensors (L, N, E), which are views."""
    return rows.unflatten(-1, (count, -1)).unbind(-2)


def _packed(query, key, value, weight, bias):
    """The three projections. Those of one argument are one product."""
    size = query.shape[-1]
    if key is not value:
        return [projected(*one) for one in zip((query, key, value), weight.chunk(3), bias.chunk(3) if bias is not None else [None] * 3)]
    if query is key:
        return _split(projected(query, weight, bias), 3)
    first, rest = (None, None) if bias is None else bias.split([size, 2 * size])
    of_query, of_both = weight.split([size, 2 * size])
    return [projected(query, of_query, first), *_split(projected(key, of_both, rest), 2)]


def _additive(mask, dtype):
    """A mask that is added to the scores. In torch's masks of bool, True leaves a key out."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, float("-inf"))


def _mask_of(attn_mask, key_padding_mask, heads, dtype):
    """Both masks as one of (N or 1, heads or 1, L or 1, S)."""
    attn_mask, padding = _additive(attn_mask, dtype), _additive(key_padding_mask, dtype)
    if attn_mask is not None:
        attn_mask = attn_mask[None, None] if attn_mask.dim() == 2 else attn_mask.unflatten(0, (-1, heads))
    if padding is None:
        return attn_mask
    padding = padding[:, None, None, :]
    return padding if attn_mask is None else attn_mask + padding


def attention_of(attend, otherwise):
    """The function for graphs. `attend` computes attention; `otherwise` is torch's function, for what is not computed here: weights as
    a result, added keys, and what torch refuses."""
    def multi_head_attention(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                             add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                             need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,
                             k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                             is_causal=False):
        masks = attn_mask, key_padding_mask
        is_usual = not (need_weights or add_zero_attn) and all(one is None for one in (bias_k, bias_v, static_k, static_v)) \
            and query.dim() == 3 and query.shape[-1] == embed_dim_to_check and embed_dim_to_check % num_heads == 0 \
            and key.shape[:2] == value.shape[:2] and key.shape[1] == query.shape[1] \
            and all(one is None or one.dtype in (torch.bool, query.dtype) for one in masks) \
            and (use_separate_proj_weight or key.shape[2] == value.shape[2] == embed_dim_to_check) \
            and not (is_causal and attn_mask is None)
        if key_padding_mask is not None:
            is_usual = is_usual and tuple(key_padding_mask.shape) == (key.shape[1], key.shape[0])
        shapes = (query.shape[0], key.shape[0]), (query.shape[1] * num_heads, query.shape[0], key.shape[0])
        if not is_usual or (attn_mask is not None and tuple(attn_mask.shape) not in shapes):
            return otherwise(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                             add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training, key_padding_mask, need_weights,
                             attn_mask, use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v,
                             average_attn_weights, is_causal)
        if use_separate_proj_weight:
            biases = in_proj_bias.chunk(3) if in_proj_bias is not None else [None] * 3
            given = zip((query, key, value), (q_proj_weight, k_proj_weight, v_proj_weight), biases)
            factors = [projected(*one) for one in given]
        else:
            factors = _packed(query, key, value, in_proj_weight, in_proj_bias)
        factors = [one.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3) for one in factors]
        is_causal = is_causal and key_padding_mask is None
        mask = None if is_causal else _mask_of(attn_mask, key_padding_mask, num_heads, query.dtype)
        made = attend(*factors, mask, dropout_p if training else 0.0, is_causal)
        made = made.permute(2, 0, 1, 3)  # (L, N, heads, E / heads), which lies in memory batch by batch
        rows = made.transpose(0, 1).flatten(2).transpose(0, 1)
        # torch has traced what reads this: it lies in memory as the result of torch's function.
        return projected(rows, out_proj_weight, out_proj_bias).contiguous(), None

    return multi_head_attention
