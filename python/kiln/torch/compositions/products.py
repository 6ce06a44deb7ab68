# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and distances."""
import torch

from . import composes


@composes("addbmm.default")
def addbmm(x, a, b, *, beta=1, alpha=1):
    if not x.dtype.is_floating_point and not x.is_complex():
        beta, alpha = int(beta), int(alpha)
    if alpha == 0:  # nothing of the factors is read
        a, b = torch.zeros_like(a), torch.zeros_like(b)
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
    return made.sum(sorted(sumdim), dtype=made.dtype) if sumdim else made


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


#: As many times are written out; more, or a number that is not known, are a loop.
WRITTEN_OUT = 64


class _Alignment:
    """The states that a sequence goes through, a blank before and behind each label; scores are [time, batch, classes]."""
    NONE = float("-inf")

    def __init__(self, scores, targets, input_lengths, target_lengths, blank):
        self.scores, self.batch = scores, scores.shape[1]
        listed = isinstance(target_lengths, (list, tuple))
        self.states = 2 * (max(target_lengths, default=0) if listed else targets.shape[1]) + 1
        self.inputs = _listed(input_lengths) if listed else input_lengths.to(torch.int64)
        self.lengths = (_listed(target_lengths) if listed else target_lengths.to(torch.int64)).unsqueeze(1)
        self.place = torch.arange(self.states)
        at = torch.clamp(self.place // 2, max=max(targets.shape[1] - 1, 0))
        self.label = torch.where(self.place % 2 == 1, targets[:, at], blank) if targets.shape[1] else \
            torch.full((self.batch, self.states), blank, dtype=torch.int64)
        before = torch.cat([torch.full((self.batch, min(2, self.states)), blank, dtype=self.label.dtype), self.label[:, :-2]], 1)
        #: Labels that may follow the label before them without the blank in between.
        self.skips = (self.place % 2 == 1) & (self.label != before) & (self.place >= 2)

    def emissions(self):
        """What the scores say of each state, at each time."""
        return self.scores.gather(2, self.label.expand(self.scores.shape[0], *self.label.shape))

    def _shift(self, v, k):
        if abs(k) >= self.states:
            return torch.full_like(v, self.NONE if v.is_floating_point() else 0)
        fill = torch.full((v.shape[0], abs(k)), self.NONE if v.is_floating_point() else 0, dtype=v.dtype, device=v.device)
        return torch.cat([fill, v[:, :v.shape[1] - k]] if k > 0 else [v[:, -k:], fill], 1)

    def _sums(self, step, is_reversed, *extra):
        """Of each time, [batch, time, states]; `step` makes them of those before, what the scores say, the time and `extra`."""
        emitted = self.emissions()
        made = torch.full((self.batch, self.states), self.NONE, dtype=self.scores.dtype)
        if isinstance(emitted.shape[0], int) and emitted.shape[0] <= WRITTEN_OUT:
            found = []
            for t in range(emitted.shape[0])[::-1 if is_reversed else 1]:
                made = step(made, emitted[t], t, *extra)
                found.append(made)
            return torch.stack(found[::-1] if is_reversed else found, 1)

        def one(*given):
            made = step(*given)
            return made, made.clone()
        order = (lambda x: x.flip(0)) if is_reversed else lambda x: x
        found = torch.ops.higher_order.scan(one, [made], [order(emitted), order(torch.arange(emitted.shape[0]))], extra)[1]
        return order(found).transpose(0, 1)

    def forward(self):
        """Sums over all ways to each state, as logarithms."""
        inside = self.place < 2 * self.lengths + 1

        def step(alpha, emitted, t, begins, inside, skips, inputs):
            parts = torch.stack([alpha, self._shift(alpha, 1), torch.where(skips, self._shift(alpha, 2), self.NONE)])
            next = torch.logsumexp(parts, 0) + emitted
            next = torch.where((t < inputs).unsqueeze(1) & inside, next, self.NONE)
            return torch.where(begins & (t == 0), emitted, next)
        return self._sums(step, False, (self.place < 2) & inside, inside, self.skips, self.inputs)

    def backward(self):
        """The same from each state to the end."""
        last = (self.place == 2 * self.lengths) | (self.place == 2 * self.lengths - 1)

        def step(beta, emitted, t, last, leaves, inputs):
            parts = torch.stack([beta, self._shift(beta, -1), torch.where(leaves, self._shift(beta, -2), self.NONE)])
            next = torch.where((t < inputs - 1).unsqueeze(1), torch.logsumexp(parts, 0) + emitted, self.NONE)
            return torch.where((t == inputs - 1).unsqueeze(1) & last, emitted, next)
        return self._sums(step, True, last, self._shift(self.skips, -2), self.inputs)


def _is_aligned(scores, targets):
    return targets.dim() == 2 and scores.dim() == 3


@composes("_ctc_loss.default", "_ctc_loss.Tensor")
def ctc_loss(scores, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    if not _is_aligned(scores, targets):
        return NotImplemented
    ways = _Alignment(scores, targets, input_lengths, target_lengths, blank)
    alpha = ways.forward()
    at = torch.clamp(ways.inputs - 1, min=0).reshape(-1, 1, 1).expand(-1, 1, ways.states)
    final = alpha.gather(1, at).squeeze(1)
    last = final.gather(1, 2 * ways.lengths)
    other = torch.where(ways.lengths > 0, final.gather(1, torch.clamp(2 * ways.lengths - 1, min=0)), ways.NONE)
    return -torch.logsumexp(torch.cat([last, other], 1), 1), alpha


@composes("_ctc_loss_backward.default", "_ctc_loss_backward.Tensor")
def ctc_loss_backward(grad, scores, targets, input_lengths, target_lengths, loss, alpha, blank, zero_infinity=False):
    """What each class has of all ways at each time."""
    if not _is_aligned(scores, targets):
        return NotImplemented
    ways = _Alignment(scores, targets, input_lengths, target_lengths, blank)
    both = alpha + ways.backward()
    label = ways.label.unsqueeze(1).expand(both.shape)
    rows = scores.transpose(0, 1)  # [batch, time, classes]
    impossible = torch.isinf(loss).reshape(-1, 1, 1)
    share = torch.exp(both - rows.gather(2, label) + loss.reshape(-1, 1, 1))
    share = torch.where(torch.isneginf(both) | impossible, 0.0, share)
    made = rows.exp() - torch.zeros_like(rows).scatter_add(2, label, share)
    made = torch.where(impossible, 0.0 if zero_infinity else float("nan"), made * grad.reshape(-1, 1, 1))
    inside = torch.arange(scores.shape[0]) < ways.inputs.unsqueeze(1)
    return torch.where(inside.unsqueeze(2), made, 0.0).transpose(0, 1).contiguous()


@composes("_weight_norm_interface_backward.default")
def weight_norm_backward(grad, v, g, norms, dim=0):
    """Of the direction and of the length; the norms are those that the forward pass has kept, one for each index of the dimension."""
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    along = (grad * v).sum(others, keepdim=True)
    kept = norms.reshape(along.shape)
    made = (g.reshape(along.shape) / kept) * (grad - v * (along / (kept * kept)))
    return made, (along / kept).to(g.dtype).reshape(g.shape)


@composes("conv_tbc.default")
def conv_tbc(x, weight, bias, pad=0):
    """A convolution along the first dimension: x [time, batch, channels], weight [window, channels, results]."""
    made = torch.conv1d(x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return made.permute(2, 0, 1).contiguous()


@composes("conv_tbc_backward.default")
def conv_tbc_backward(grad, x, weight, bias, pad):
    of_x, of_weight, of_bias = torch.ops.aten.convolution_backward.default(
        grad.permute(1, 2, 0), x.permute(1, 2, 0), weight.permute(2, 1, 0), [bias.shape[0]], [1], [pad], [1], False, [0], 1, [True] * 3)
    return of_x.permute(2, 0, 1).contiguous(), of_weight.permute(2, 1, 0).contiguous(), of_bias
