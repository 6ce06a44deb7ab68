#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models of transformers, timm and torchvision as a user runs them: torch.compile(model, backend=...), a call, and
for training the loss, its gradients and a step of AdamW (PyTorch's own fused one, for every side). Sides: kiln, kiln with
mode="reduce-overhead", Inductor, Inductor with mode="reduce-overhead", and eager mode, by turns in one process. The models
have their published sizes and random weights; results are compared with eager mode's in f32.

Usage: torch_models.py [--device=cuda] [--only=NAME,…] [--sides=kiln,…] [--rounds=N] [--warm=I/N]

A time is the least, over the rounds, of CALLS calls and of the wait for their end, by the clock of the host, divided by
CALLS. The ratio is (the best other side / the best side of kiln): above 1, Kiln is faster. `first` is the seconds of the
first call, which compiles. `--warm=I/N` compiles every N-th model and times nothing: it fills the caches of both
compilers, so that N processes share the work.
"""
import argparse
import copy
import os
import sys
import time

os.environ["KILN_NO_FALLBACK"] = "1"  # what is measured is the target, or nothing

import torch  # noqa: E402

import kiln.torch  # noqa: E402, F401

CALLS = 10
SIDES = {"kiln": {"backend": "kiln"}, "kiln-graphs": {"backend": "kiln", "mode": "reduce-overhead"},
         "inductor": {"backend": "inductor"}, "inductor-graphs": {"backend": "inductor", "mode": "reduce-overhead"},
         "eager": None}
MODELS = {}


def model(kind, dtype=torch.bfloat16):
    """Registers a function that makes a module and its arguments; `kind` is inference or training."""
    def add(make):
        MODELS[make.__name__ + ("_training" if kind == "training" else "")] = (make, kind, dtype)
        return make
    return add


def both(make):
    return model("training")(model("inference")(make))


def words(device, batch, length, count=30000):
    return torch.randint(count, (batch, length), device=device)


def images(device, dtype, batch, size=224, last=True):
    made = torch.randn(batch, 3, size, size, device=device, dtype=dtype)
    return made.to(memory_format=torch.channels_last) if last else made


class Language(torch.nn.Module):
    """A causal language model's scores for given words."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, ids):
        return self.inner(input_ids=ids, use_cache=False).logits


@both
def llama(device, dtype):
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16,
                         num_key_value_heads=4, vocab_size=32000, max_position_embeddings=2048)
    return Language(LlamaForCausalLM(config)), (words(device, 4, 512),)


@both
def gpt2(device, dtype):
    from transformers import GPT2Config, GPT2LMHeadModel
    return Language(GPT2LMHeadModel(GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))), (words(device, 4, 512),)


class Hidden(torch.nn.Module):
    """The last hidden states of an encoder."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, given):
        return self.inner(given).last_hidden_state


@both
def bert(device, dtype):
    from transformers import BertConfig, BertModel
    config = BertConfig(hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    return Hidden(BertModel(config, add_pooling_layer=False)), (words(device, 16, 128),)


@model("inference")
def vit(device, dtype):
    from transformers import ViTConfig, ViTModel
    return Hidden(ViTModel(ViTConfig(), add_pooling_layer=False)), (images(device, dtype, 16, last=False),)


@both
def resnet50(device, dtype):
    import torchvision
    return torchvision.models.resnet50().to(memory_format=torch.channels_last), (images(device, dtype, 32),)


@model("inference")
def resnet50_contiguous(device, dtype):
    import torchvision
    return torchvision.models.resnet50(), (images(device, dtype, 32, last=False),)


@model("inference")
def convnext(device, dtype):
    import torchvision
    return torchvision.models.convnext_tiny().to(memory_format=torch.channels_last), (images(device, dtype, 16),)


@model("inference")
def mobilenet(device, dtype):
    import torchvision
    return torchvision.models.mobilenet_v3_large().to(memory_format=torch.channels_last), (images(device, dtype, 32),)


@model("inference")
def efficientnet(device, dtype):
    import torchvision
    return torchvision.models.efficientnet_b0().to(memory_format=torch.channels_last), (images(device, dtype, 32),)


@model("inference")
def swin(device, dtype):
    import torchvision
    return torchvision.models.swin_t(), (images(device, dtype, 16, last=False),)


@model("inference")
def t5_encoder(device, dtype):
    from transformers import T5Config, T5EncoderModel
    return Hidden(T5EncoderModel(T5Config(dropout_rate=0))), (words(device, 8, 256),)


@model("inference")
def mixer(device, dtype):
    import timm
    return timm.create_model("mixer_b16_224"), (images(device, dtype, 16, last=False),)


def made(name, device):
    """The module, its arguments, and what eager mode computes in f32."""
    make, kind, dtype = MODELS[name]
    torch.manual_seed(1)
    module, arguments = make(device, dtype)
    module = module.to(device).train(kind == "training")
    with torch.no_grad():
        wide = [a.float() if a.is_floating_point() else a for a in arguments]
        exact = copy.deepcopy(module).float()(*wide) if kind == "inference" else None
    return module.to(dtype), arguments, exact, kind


def side(name, module, arguments, kind):
    """A call of one side, and the module that it calls."""
    options = SIDES[name]
    if kind == "inference":
        compiled = torch.compile(module, **options) if options else module

        def call():
            with torch.no_grad():
                return compiled(*arguments)
        return call
    module = copy.deepcopy(module)
    compiled = torch.compile(module, **options) if options else module
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-4, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = compiled(*arguments).float().square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()
    return step


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(call, device):
    wait(device)
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    wait(device)
    return (time.perf_counter() - start) / CALLS * 1e3


def measure(name, options):
    module, arguments, exact, kind = made(name, options.device)
    calls, first, errors = {}, {}, {}
    torch._dynamo.reset()
    for key in options.sides:
        try:
            calls[key] = side(key, module, arguments, kind)
            start = time.perf_counter()
            result = calls[key]()
            wait(options.device)
            first[key] = time.perf_counter() - start
            if kind == "inference":
                errors[key] = float((result.float() - exact).norm() / exact.norm())
            else:
                errors[key] = float(calls[key]())
            for _ in range(0 if options.warm else 3):
                calls[key]()
        except Exception as error:  # what a side lacks is of many kinds
            print(f"{name}: {key} failed: {type(error).__name__}: {str(error)[:300]}".replace("\n", " "), flush=True)
            calls.pop(key, None)
    if options.warm:
        return
    times = {key: [] for key in calls}
    for _ in range(options.rounds):
        for key, call in calls.items():
            times[key].append(timed(call, options.device))
    least = {key: min(values) for key, values in times.items()}
    ours = [t for key, t in least.items() if key.startswith("kiln")]
    theirs = [t for key, t in least.items() if not key.startswith("kiln")]
    ratio = f" ratio {min(theirs) / min(ours):.2f}" if ours and theirs else ""
    parts = " ".join(f"{key} {least[key]:.3f} ms (first {first[key]:.1f} s, {'error' if exact is not None else 'loss'} "
                     f"{errors[key]:.2g})" for key in calls)
    print(f"{name}:{ratio} {parts}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--only", default="")
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", default="")
    options = parser.parse_args()
    options.sides = [name for name in options.sides.split(",") if name in SIDES]
    names = [name for name in MODELS if not options.only or name in options.only.split(",")]
    if not names or not options.sides:
        sys.exit(f"torch_models.py: the models are {', '.join(MODELS)}; the sides {', '.join(SIDES)}")
    if options.warm:
        first, step = map(int, options.warm.split("/"))
        names = names[first::step]
    for name in names:
        measure(name, options)


if __name__ == "__main__":
    main()
