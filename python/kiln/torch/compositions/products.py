# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and distances."""
import torch

from . import composes


@composes("addbmm.default")
def addbmm(x, a, b, *, beta=1, alpha=1):
    if not x.dtype.is_floating_point:
        beta, alpha = int(beta), int(alpha)
    made = torch.bmm(a, b).sum(0) if not a.dtype.is_floating_point else \
        a.transpose(0, 1).flatten(1) @ b.flatten(0, 1)
    made = made if alpha == 1 else made * alpha
    return (made if beta == 0 else x * beta + made if beta != 1 else x + made).to(x.dtype)


@composes("_trilinear.default")
def trilinear(a, b, c, expand1, expand2, expand3, sumdim, unroll_dim=1):
    for dims, put in ((expand1, "a"), (expand2, "b"), (expand3, "c")):
        for d in sorted(dims):
            if put == "a":
                a = a.unsqueeze(d)
            elif put == "b":
                b = b.unsqueeze(d)
            else:
                c = c.unsqueeze(d)
    made = a * b * c
    return made.sum(sorted(sumdim)) if sumdim else made


def _power_distance(d, p, dim):
    if p == 0:
        return (d != 0).to(d.dtype).sum(dim)
    if p == 1:
        return d.abs().sum(dim)
    if p == 2:
        return (d * d).sum(dim).sqrt()
    if p == float("inf"):
        return d.abs().amax(dim)
    return d.abs().pow(p).sum(dim).pow(1 / p)


@composes("_cdist_forward.default")
def cdist(a, b, p, mode=None):
    shape = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not a.shape[-1]:
        return torch.zeros([*shape, a.shape[-2], b.shape[-2]], dtype=a.dtype)
    if 0 in (a.shape[-2], b.shape[-2], *shape):
        return torch.empty([*shape, a.shape[-2], b.shape[-2]], dtype=a.dtype)
    return _power_distance(a.unsqueeze(-2) - b.unsqueeze(-3), p, -1)


def _distance_gradient(grad, d, p, distance):
    """Of |d|^p summed and its root: what comes to d. grad and distance have a last dimension of 1."""
    if p == 0:
        return torch.zeros_like(d)
    if p == 1:
        return grad * torch.sign(d)
    if p == float("inf"):
        return torch.where(d.abs() == distance, torch.sign(d) * grad, 0)
    if p == 2:
        return torch.where(distance == 0, 0, grad * d / distance)
    if p < 1:
        made = torch.sign(d) * d.abs().pow(p - 1) * grad / distance.pow(p - 1)
        return torch.where((distance == 0) | (d == 0), 0, made)
    made = torch.sign(d) * d.abs().pow(p - 1) * (grad / distance.pow(p - 1))
    return torch.where(distance == 0, 0, made)


@composes("_cdist_backward.default")
def cdist_backward(grad, a, b, p, distance):
    if 0 in (*a.shape, *b.shape):
        return torch.zeros_like(a)
    made = _distance_gradient(grad.unsqueeze(-1), a.unsqueeze(-2) - b.unsqueeze(-3), p, distance.unsqueeze(-1))
    made = made.sum(-2)
    return made if made.shape == a.shape else made.sum_to_size(a.shape)


def _pairs(n):
    """Rows of the pairs i < j, in order."""
    row = torch.cat([torch.full((n - 1 - i,), i, dtype=torch.int64) for i in range(n - 1)])
    return row, torch.cat([torch.arange(i + 1, n) for i in range(n - 1)])


def _listed(numbers, dtype=torch.int64):
    return torch.cat([torch.full((1,), n, dtype=dtype) for n in numbers])


@composes("_pdist_forward.default")
def pdist(x, p=2.0):
    if x.shape[0] < 2:
        return torch.zeros(0, dtype=x.dtype)
    row, column = _pairs(x.shape[0])
    return _power_distance(x[row] - x[column], p, -1)


@composes("_pdist_backward.default")
def pdist_backward(grad, x, p, distance):
    if x.shape[0] < 2:
        return torch.zeros_like(x)
    row, column = _pairs(x.shape[0])
    made = _distance_gradient(grad.unsqueeze(-1), x[row] - x[column], p, distance.unsqueeze(-1))
    return torch.zeros_like(x).index_add(0, row, made).index_add(0, column, -made)


@composes("_ctc_loss.default", "_ctc_loss.Tensor")
def ctc_loss(scores, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    """The forward recursion over padded targets; scores are [time, batch, classes]."""
    if not isinstance(input_lengths, (list, tuple)) or targets.dim() != 2 or scores.shape[0] > 128:
        return NotImplemented
    steps, batch, _ = scores.shape
    states = 2 * max(target_lengths, default=0) + 1
    lengths = _listed(target_lengths)
    place = torch.arange(states)
    label = torch.where(place % 2 == 1, targets[:, torch.clamp(place // 2, max=max(targets.shape[1] - 1, 0))], blank) \
        if targets.shape[1] else torch.full((batch, states), blank, dtype=torch.int64)
    none = float("-inf")
    before = torch.cat([torch.full((batch, min(2, states)), blank, dtype=label.dtype), label[:, :-2]], 1)
    skips = (place % 2 == 1) & (label != before) & (place >= 2)
    here = scores[0].gather(1, label)
    alpha = torch.where((place < 2) & (place < 2 * lengths.unsqueeze(1) + 1), here, none)
    made = [alpha]
    shift = lambda v, k: torch.cat([torch.full((batch, min(k, states)), none, dtype=v.dtype), v[:, :states - k]], 1) \
        if k < states else torch.full_like(v, none)  # noqa: E731
    for t in range(1, steps):
        parts = torch.stack([alpha, shift(alpha, 1), torch.where(skips, shift(alpha, 2), none)])
        next = torch.logsumexp(parts, 0) + scores[t].gather(1, label)
        inside = _listed([t < n for n in input_lengths], torch.bool).unsqueeze(1) & (place < 2 * lengths.unsqueeze(1) + 1)
        alpha = torch.where(inside, next, none)
        made.append(alpha)
    all_ = torch.stack(made, 1)
    at = _listed([max(n - 1, 0) for n in input_lengths]).reshape(-1, 1, 1).expand(-1, 1, states)
    final = all_.gather(1, at).squeeze(1)
    last = final.gather(1, (2 * lengths).unsqueeze(1)).squeeze(1)
    other = torch.where(lengths > 0, final.gather(1, torch.clamp(2 * lengths - 1, min=0).unsqueeze(1)).squeeze(1), none)
    loss = -torch.logsumexp(torch.stack([last, other]), 0)
    return loss, all_
