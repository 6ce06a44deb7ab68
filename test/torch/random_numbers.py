# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers in graphs that are compiled whole: those of eager mode with the same seed, or Philox's inside of the package."""
import math
import os
import sys
import tempfile

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import kiln
import kiln.torch
from kiln.torch import draws
from kiln.torch.compositions import gamma

from behaviours import main, same, test

X = torch.randn(5, 300, generator=torch.Generator().manual_seed(0))
CASES = {
    "dropout": lambda x: F.dropout(x, 0.3),
    "uniform and normal numbers": lambda x: torch.rand_like(x) + torch.randn(5, 300) * x,
    "in f64": lambda x: torch.rand(7, dtype=torch.float64) + torch.randn(7, dtype=torch.float64),
    "complex numbers": lambda x: (torch.randn(3, 4, dtype=torch.complex64) * 2, torch.rand(5, dtype=torch.complex64),
                                  torch.randn_like(x[:2, :6].to(torch.complex128))),
    "probabilities in a tensor": lambda x: torch.bernoulli(torch.sigmoid(x)),
    "integers, an order": lambda x: (torch.randint(-3, 50, (40,)), torch.randperm(50)),
    "other distributions": lambda x: (torch.empty_like(x).exponential_(2.0), torch.normal(2.0, 3.0, (50,)), torch.empty_like(x).uniform_(-2, 3)),
    "samples": lambda x: (torch.multinomial(torch.softmax(x, -1), 3), torch.multinomial(torch.softmax(x, -1), 9, True)),
    "attention": lambda x: F.scaled_dot_product_attention(*[x.reshape(1, 5, 30, 10)] * 3, dropout_p=0.2),
    "channels": lambda x: F.dropout2d(x[None, :, :, None], 0.5),
}
#: Eager mode draws as often as data say for these: the distribution is the same, the numbers are not.
REJECTED = {
    "gamma": lambda x: torch._standard_gamma(x.abs() * 3 + 0.1),
    "Poisson": lambda x: torch.poisson(x.abs() * 9),
    "Dirichlet": lambda x: torch._sample_dirichlet(x[:, :6].abs() + 0.2),
    "beta": lambda x: torch.distributions.Beta(x.abs() + 0.5, x.exp(), validate_args=False).rsample(),
}


def both(function, context, option):
    fast = torch.compile(function, backend="kiln", fullgraph=True, options={"random": option})
    torch.manual_seed(7)
    got = [fast(X), fast(X)]
    torch.manual_seed(7)
    with context:
        want = [function(X), function(X)]
    for made, wanted in zip(got, want):
        for one, other in zip(made if isinstance(made, tuple) else [made], wanted if isinstance(wanted, tuple) else [wanted]):
            same(one, other)


@test
def the_same_seed_draws_the_same_as_eager():
    for function in CASES.values():
        both(function, torch.no_grad(), "torch")


@test
def philox_draws_the_same_in_packages_and_in_eager():
    for function in (*CASES.values(), *REJECTED.values()):
        both(function, draws.same(), "philox")


class Checkpointed(torch.nn.Module):
    """Dropout whose forward pass runs again in the backward pass, before other dropout."""

    def __init__(self):
        super().__init__()
        self.one, self.other = torch.nn.Linear(300, 300), torch.nn.Linear(300, 4)

    def inner(self, x):
        return F.dropout(torch.relu(self.one(F.dropout(x, 0.3))), 0.2)

    def forward(self, x):
        x = checkpoint(self.inner, x, use_reentrant=False) + checkpoint(self.inner, x.sin(), use_reentrant=False)
        return F.dropout(self.other(x), 0.5)


@test
def a_checkpoint_draws_the_same_again():
    torch.manual_seed(0)
    model = Checkpointed()

    def step(function, x):
        torch.manual_seed(7)
        made = function(x)
        return [made, *torch.autograd.grad((made * made).sum(), [x, *model.parameters()]), torch.rand(3)]
    for option, context in (("torch", torch.enable_grad()), ("philox", draws.same())):
        fast = torch.compile(model, backend="kiln", fullgraph=True, options={"random": option})
        x = X.clone().requires_grad_()
        kiln.torch.report.clear()
        got = step(fast, x)
        assert [graph.packages for graph in kiln.torch.report] == [1, 1], kiln.torch.report
        with context:
            want = step(model, x)
        for one, other in zip(got[:None if option == "torch" else -1], want):
            same(one, other, 1e-4)


@test
def rectifiers_draw_slopes_of_what_is_not_above_zero():
    for dtype in (torch.float32, torch.float64):
        x = X.to(dtype).requires_grad_()
        for function in (lambda x: F.rrelu(x, training=True), lambda x: F.rrelu(x, -0.5, 0.75, training=True)):
            fast = torch.compile(function, backend="kiln", fullgraph=True)
            made = []
            for one in (function, fast):
                torch.manual_seed(7)
                result = one(x)
                made.append((result, *torch.autograd.grad((result * X).sum(), x)))
            for one, other in zip(*made):
                same(one, other)


@test
def philox_is_as_published():
    # The known answers of its authors (Random123, kat_vectors).
    words = draws.philox([torch.tensor(0)] * 2, [torch.tensor(0)] * 4)
    assert [int(one) for one in words] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    words = draws.philox([torch.tensor(0xFFFFFFFF)] * 2, [torch.tensor(0xFFFFFFFF)] * 4)
    assert [int(one) for one in words] == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@test
def numbers_have_their_distribution():
    torch.manual_seed(1)
    with draws.same():
        uniform, normal, kept = torch.rand(100000), torch.randn(100000), torch.empty(100000).bernoulli_(0.3)
    assert abs(uniform.mean() - 0.5) < 0.005 and abs(uniform.var() - 1 / 12) < 0.002 and 0 <= uniform.min() and uniform.max() < 1
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
    assert abs((normal.abs() < 1).float().mean() - math.erf(math.sqrt(0.5))) < 0.01 and abs(kept.mean() - 0.3) < 0.01


@test
def numbers_by_rejection_have_their_distribution():
    torch.manual_seed(2)
    shapes, means = torch.tensor([0.3, 1.0, 2.5, 40.0]), torch.tensor([0.5, 6.0, 12.0, 900.0])
    for dynamic in (False, True):
        torch._dynamo.reset()
        fast = torch.compile(lambda a, m, n: (torch._standard_gamma(a.expand(n, 4)), torch.poisson(m.expand(n, 4)),
                                              torch._sample_dirichlet(a.expand(n, 4))), backend="kiln", fullgraph=True, dynamic=dynamic)
        drawn, counted, parts = fast(shapes, means, 30000)
        for made, mean, variance in ((drawn, shapes, shapes), (counted, means, means),
                                     (parts, shapes / shapes.sum(), shapes * (shapes.sum() - shapes) / shapes.sum() ** 2 / (shapes.sum() + 1))):
            assert ((made.mean(0) - mean).abs() < 5 * (variance / 30000).sqrt()).all(), (made.mean(0), mean)
            same(made.var(0), variance, 0.08)
        assert (counted == counted.round()).all()
        same(torch.exp(torch.log(drawn).mean(0)), torch.exp(torch.digamma(shapes)), 0.05)


@test
def dirichlet_numbers_of_small_shapes_do_not_meet():
    torch.manual_seed(4)
    shapes = torch.full((20000, 3), 0.01)
    for dtype in (torch.float32, torch.float64, torch.float16):
        made = torch.compile(torch._sample_dirichlet, backend="kiln", fullgraph=True)(shapes.to(dtype))
        most = made.double().amax(-1)
        assert made.dtype == dtype and 0 < made.min() and made.max() < 1 and (most < 0.6).double().mean() < 0.01
        same(most.mean(), torch._sample_dirichlet(shapes.double()).amax(-1).mean(), 0.003)
    ends, a, total = torch.tensor([0, 1e-45, 1e-38, 0.5, 1]), torch.full((5,), 0.01), torch.full((5,), 0.03)
    same(torch.compile(torch._dirichlet_grad, backend="kiln", fullgraph=True)(ends, a, total), torch._dirichlet_grad(ends, a, total), 1e-3)


@test
def poisson_numbers_of_f32_have_their_distribution():
    """As devices draw them: on the CPU the numbers are of f64."""
    torch.manual_seed(5)
    counted = gamma._counted(torch.linspace(0, 9.99, 3000), torch.tensor(1 - 2**-24).expand(3000))
    assert counted.max() < 35 and counted[0] == 0, counted.max()
    k, mean = torch.meshgrid(torch.arange(60.), torch.tensor([10.0, 12.0, 30.0]), indexing="ij")
    same(gamma._log_of_chance(k, mean), torch.distributions.Poisson(mean).log_prob(k), 1e-4)
    for mean in (10.0, 1e3, 1e6, 1e8, 1e11):
        z = (gamma._many(torch.full((50000,), mean)).double() - mean) / mean**0.5
        assert abs(z.mean()) < 0.03 and abs(z.var() - 1) < 0.04 and abs((z**4).mean() - 3 - 1 / mean) < 0.25, (mean, z.mean(), z.var())


@test
def binomial_numbers_have_their_distribution():
    torch.manual_seed(6)
    counts = torch.tensor([0.0, 1, 7, 40, 40, 1000, 1000, 1e6, 9, 9, 12.0])
    chances = torch.tensor([0.5, 0.3, 0.9, 0.2, 0.6, 0.004, 0.99, 0.3, 0.0, 1.0, 0.5])
    made = torch.compile(lambda c, p: torch.binomial(c.expand(20000, 11), p.expand(20000, 11)), backend="kiln", fullgraph=True)(counts, chances)
    variance = counts * chances * (1 - chances)
    assert ((made.mean(0) - counts * chances).abs() <= 5 * (variance / 20000).sqrt()).all(), made.mean(0)
    same(made.var(0), variance, 0.08)
    assert (made == made.round()).all() and (made >= 0).all() and (made <= counts).all()
    share = torch.stack([(made[:, 10] == k).float().mean() for k in range(13)])
    same(share, torch.distributions.Binomial(12, 0.5).log_prob(torch.arange(13.0)).exp(), 0.012)
    # As devices draw them, in f32.
    for count, chance in ((30.0, 0.4), (1e4, 0.01), (1e7, 0.3)):
        count, chance = torch.tensor(count), torch.tensor(chance)
        k = (count * chance + torch.arange(-8.0, 9) * (count * chance * (1 - chance)).sqrt()).round().clamp(min=0).minimum(count)
        exact = torch.distributions.Binomial(count.double(), chance.double()).log_prob(k.double())
        same(gamma._log_of_chance_of(k, count, chance).double(), exact, 1e-4)


@test
def gradients_go_through_gamma_and_beta_numbers():
    """The same number of the same distribution function, as torch approximates it."""
    torch.manual_seed(3)
    shapes, other = torch.rand(200) * 20 + 0.05, torch.rand(200) * 5 + 0.1
    drawn, part = torch._standard_gamma(shapes), torch.distributions.Beta(shapes, other).sample().clamp(1e-4, 1 - 1e-4)
    function = lambda a, x, b, y: (torch._standard_gamma_grad(a, x), torch._dirichlet_grad(y, a, a + b))  # noqa: E731
    same(torch.compile(function, backend="kiln", fullgraph=True)(shapes, drawn, other, part), function(shapes, drawn, other, part), 3e-3)
    fast = torch.compile(lambda a, b: torch.distributions.Beta(a, b, validate_args=False).rsample().sum() + torch._standard_gamma(a).sum(),
                         backend="kiln", fullgraph=True)
    a, b = (torch.full((20000,), n, requires_grad=True) for n in (2.0, 3.0))
    fast(a, b).backward()  # of the mean, a / (a + b) + a
    assert abs(a.grad.mean() - (3 / 25 + 1)) < 0.03 and abs(b.grad.mean() + 2 / 25) < 0.01, (a.grad.mean(), b.grad.mean())


class Block(torch.nn.Module):
    """An encoder layer with dropout, over any number of rows."""

    def __init__(self):
        super().__init__()
        self.layer, self.out = torch.nn.TransformerEncoderLayer(16, 2, 32, 0.1, batch_first=True), torch.nn.Linear(16, 4)

    def forward(self, x):
        return F.cross_entropy(self.out(self.layer(x)).flatten(0, 1), torch.zeros(x.shape[0] * x.shape[1], dtype=torch.int64))


def losses(model, step, lengths):
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    found = []
    for number, length in enumerate(lengths):
        torch.manual_seed(number)
        loss = step(torch.randn(2, length, 16, generator=torch.Generator().manual_seed(number)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        found.append(loss.item())
    return found


@test
def training_with_dropout_has_eager_losses():
    for option in ("torch", "philox"):
        torch.manual_seed(0)
        one, other = Block(), Block()
        other.load_state_dict(one.state_dict())
        kiln.torch.report.clear()
        step = torch.compile(one, backend="kiln", fullgraph=True, dynamic=True, options={"random": option})
        lengths = [5, 9, 12, 7] * 3
        got = losses(one, step, lengths)
        assert not kiln.torch.report.fallbacks and len(kiln.torch.report) == 2, kiln.torch.report
        with draws.same() if option == "philox" else torch.enable_grad():
            want = losses(other, other, lengths)
        assert max(abs(a - b) for a, b in zip(got, want)) < 1e-4, (got, want)


@test
def an_exported_package_keeps_its_state():
    model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Dropout(0.5)).train()
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.kiln")
        kiln.export(torch.export.export(model, (torch.ones(4, 8),)), path)
        first, second = kiln.load(path), kiln.load(path)
        made = [torch.from_dlpack(one(torch.ones(4, 8))) for one in (first, first, second, second)]
        assert torch.equal(made[0], made[2]) and torch.equal(made[1], made[3]) and not torch.equal(made[0], made[1])
        assert all(0.3 < (one == 0).float().mean() < 0.7 for one in made)
        assert torch.from_dlpack(first.weights[draws.STATE]).tolist() == [3, 2]
        again = kiln.load(path, weights={draws.STATE: torch.tensor([3, 1])})
        same(torch.from_dlpack(again(torch.ones(4, 8))), made[1])


if __name__ == "__main__":
    sys.exit(main())
