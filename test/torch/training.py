# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training with AdamW, forward, backward and the optimiser's step compiled: losses beside eager's.

training.py [NAME...] [--steps=50] [--tolerance=1e-4]"""
import argparse
import copy
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import kiln.torch  # noqa: E402
import model_zoo  # noqa: E402


def language(name):
    """A model of tokens, to predict the next."""
    model, (tokens, *_), _ = model_zoo.make(name)

    def loss(run):
        made = run(tokens)
        return F.cross_entropy(made[:, :-1].reshape(-1, made.shape[-1]), tokens[:, 1:].reshape(-1))
    return model, loss


def dropping(task):
    """A task whose model drops a tenth of what its modules drop and of its weights of attention."""
    model, loss = task
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.1
        for name in ("attention_dropout", "dropout_prob", "attention_dropout_prob"):
            if isinstance(getattr(part, name, None), float):
                setattr(part, name, 0.1)
    return model, loss


def pictures(name):
    """A model of images, to tell ten classes apart."""
    model, (images, *_), _ = model_zoo.make(name)
    images = torch.randn(4, *images.shape[1:])
    classes = torch.arange(4)
    return model, lambda run: F.cross_entropy(run(images), classes)


def regression(name, shape=None):
    """A model that is to give back numbers drawn at random."""
    model, args, _ = model_zoo.make(name)
    with torch.no_grad():
        goal = torch.randn_like(model(*args))
    return model, lambda run: F.mse_loss(run(*args), goal)


TASKS = {"gpt2": lambda: language("gpt2"), "llama": lambda: language("llama"), "vit": lambda: pictures("vit"),
         "resnet18": lambda: pictures("resnet18"), "lstm": lambda: regression("lstm"), "mamba": lambda: regression("mamba"),
         "gpt2_dropout": lambda: dropping(language("gpt2")), "llama_dropout": lambda: dropping(language("llama")),
         "vit_dropout": lambda: dropping(pictures("vit")), "dynamic_mlp": lambda: regression("dynamic_mlp"), "unet": lambda: regression("unet")}


def losses(model, loss, steps, run, step):
    made = []
    for number in range(steps):
        torch.manual_seed(number)  # of dropout
        value = loss(run)
        value.backward()
        step()
        made.append(float(value))
    return made


def train(name, steps, target):
    torch._dynamo.reset()
    kiln.torch.report.clear()
    model, loss = TASKS[name]()
    model.train()
    twin = copy.deepcopy(model)
    options = {"target": target}

    def stepper(parameters, compiled):
        optimiser = torch.optim.AdamW(parameters, lr=torch.tensor(1e-3), capturable=False)

        def step():
            optimiser.step()
        run = torch.compile(step, backend=kiln.torch.kiln, options=options) if compiled else step

        def both():
            run()
            optimiser.zero_grad(set_to_none=True)
        return both

    want = losses(twin, loss, steps, twin, stepper(list(twin.parameters()), False))
    start = time.time()
    fast = torch.compile(model, backend=kiln.torch.kiln, fullgraph=True, options=options)
    got = losses(model, loss, steps, fast, stepper(list(model.parameters()), True))
    worst = max(abs(a - b) for a, b in zip(want, got))
    return worst, want, got, time.time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    bad = []
    for name in options.names or TASKS:
        try:
            worst, want, got, seconds = train(name, options.steps, options.target)
            state = "right" if worst <= options.tolerance else "WRONG"
            note = f"{want[0]:.4f} to {want[-1]:.4f}, largest difference {worst:.1e}, {seconds:.1f} s"
            if kiln.torch.report.fallbacks:
                note += f"; torch ran {sorted({one.operation for one in kiln.torch.report.fallbacks})}"
        except Exception as failure:
            state, note = "not compiled", f"{type(failure).__name__}: {' '.join(str(failure).split())[:500]}"
        if state != "right":
            bad.append(name)
        print(f"{state:12} {name}: {note}", flush=True)
    print(f"{'all right' if not bad else 'not right: ' + ', '.join(bad)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
