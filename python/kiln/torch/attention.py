# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional.scaled_dot_product_attention on a GPU. torch chooses one of several operations there, by the library that is
fast on its card. Kiln has one of its own for all targets, which is torch's operation for the CPU: that is chosen here, by the rules
by which torch chooses it on a CPU."""
import types

import torch

from . import heads, nested

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def _is_whole(query, key, value, mask, dropout):
    """Whether the operation for the CPU takes it. The others are a product, a softmax and a product."""
    given = (query, key, value)
    if dropout or any(one.dim() != 4 or one.dtype not in FLOATS or one.dtype != query.dtype for one in given):
        return False
    if any(one.shape[-1] != query.shape[-1] for one in given) or any(isinstance(n, int) and n == 0 for one in given for n in one.shape):
        return False
    return mask is None or (mask.dim() in (2, 4) and not mask.requires_grad)


def _cast(tensor):
    """As autocast gives it to torch's operation."""
    if tensor is None or not tensor.is_floating_point() or tensor.dtype == torch.float64:
        return tensor
    kind = tensor.device.type
    return tensor.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else tensor


def scaled_dot_product(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    query, key, value, attn_mask = map(_cast, (query, key, value, attn_mask))
    if not _is_whole(query, key, value, attn_mask, dropout_p):
        return torch.ops.aten._scaled_dot_product_attention_math(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)[0]
    if enable_gqa and query.shape[-3] != key.shape[-3]:
        key, value = (one.repeat_interleave(query.shape[-3] // one.shape[-3], -3) for one in (key, value))
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(~attn_mask, float("-inf"))
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query, key, value, 0.0, is_causal, attn_mask=attn_mask, scale=scale)[0]


CALLED = "scaled_dot_product_attention"


def _calls_it(function):
    """Whether a function written in Python, such as torch.nn.functional.multi_head_attention_forward, calls torch's attention by its name."""
    return isinstance(function, types.FunctionType) and CALLED in function.__code__.co_names \
        and function.__globals__.get(CALLED) is torch._C._nn.scaled_dot_product_attention


def _calling_own(function):
    """The same function that calls `scaled_dot_product` instead."""
    names = {**function.__globals__, CALLED: scaled_dot_product}
    made = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    names[function.__name__] = made  # a mode of torch functions is given what it calls again by this name
    if function is torch.nn.functional.multi_head_attention_forward:
        made = heads.attention_of(scaled_dot_product, made)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = __name__  # else the code of a graph calls what torch has by this name
    return made


def chosen(graph_module):
    """Puts that into a graph of Dynamo, whose nodes call attention or a function of Python that calls it."""
    for module in nested.graphs(graph_module):
        nodes = [node for node in module.graph.nodes if node.op == "call_function"]
        changed = False
        for node in nodes:
            if node.target is torch._C._nn.scaled_dot_product_attention:
                node.target, changed = scaled_dot_product, True
            elif _calls_it(node.target):
                node.target, changed = _calling_own(node.target), True
        if changed:
            module.recompile()


WHOLE = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default


def _without_draws(*arguments, **options):
    return WHOLE(*arguments, **options)


def partitioned(graph_module, partition):
    """What `partition` makes of a graph of forward and backward. Of what a checkpoint runs again it keeps the state of random numbers,
    for all operations that torch's tags say may draw some. Attention without dropout draws none: it is another function meanwhile."""
    def draws_none(node):
        return node.target is WHOLE and "recompute" in node.meta and not (
            node.args[3] if len(node.args) > 3 else node.kwargs.get("dropout_p", 0.0))

    for node in filter(draws_none, graph_module.graph.nodes):
        node.target = _without_draws
    made = ()
    try:
        made = partition()
    finally:
        for module in (graph_module, *made):
            nodes = [node for node in module.graph.nodes if node.target is _without_draws]
            for node in nodes:
                node.target = WHOLE
            if nodes:
                module.recompile()
    return made
