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


def vision(library, name, batch=16, size=224, last=True, kind="inference", dtype=torch.bfloat16):
    """Registers a model of torchvision or timm by its name there."""
    def make(device, dtype):
        if library == "timm":
            import timm
            module = timm.create_model(name)
        else:
            import torchvision
            module = getattr(torchvision.models, name)()
        return module.to(memory_format=torch.channels_last) if last else module, (images(device, dtype, batch, size, last),)
    make.__name__ = name
    model(kind, dtype)(make)


vision("torchvision", "regnet_y_3_2gf")
vision("torchvision", "densenet121")
vision("torchvision", "resnext50_32x4d", dtype=torch.float16)
vision("torchvision", "efficientnet_v2_s")
vision("torchvision", "shufflenet_v2_x1_0", 32)
vision("torchvision", "vgg16")
vision("torchvision", "resnet18", 32, kind="training")
vision("torchvision", "convnext_tiny", kind="training")
vision("torchvision", "vit_b_16", last=False, kind="training")
vision("timm", "deit_small_patch16_224", 32, last=False)
vision("timm", "maxvit_tiny_tf_224", 8, last=False)
vision("timm", "res2net50_26w_4s")
vision("timm", "mobilevit_s", 16, 256, last=False)


@model("inference")
def qwen3(device, dtype):
    from transformers import Qwen3Config, Qwen3ForCausalLM
    config = Qwen3Config(hidden_size=1024, intermediate_size=3072, num_hidden_layers=8, num_attention_heads=16,
                         num_key_value_heads=8, head_dim=128, vocab_size=32000)
    return Language(Qwen3ForCausalLM(config)), (words(device, 2, 1024),)


@both
def gemma2(device, dtype):
    from transformers import Gemma2Config, Gemma2ForCausalLM
    config = Gemma2Config(hidden_size=1024, intermediate_size=4096, num_hidden_layers=6, num_attention_heads=8,
                          num_key_value_heads=4, head_dim=128, vocab_size=32000, sliding_window=256)
    return Language(Gemma2ForCausalLM(config)), (words(device, 2, 512),)


@model("inference")
def modernbert(device, dtype):
    from transformers import ModernBertConfig, ModernBertModel
    config = ModernBertConfig(num_hidden_layers=8, vocab_size=30000, pad_token_id=0, attn_implementation="sdpa")
    return Hidden(ModernBertModel(config)), (words(device, 8, 512),)


@model("inference", torch.float16)
def whisper_encoder(device, dtype):
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    config = WhisperConfig(d_model=512, encoder_layers=6, encoder_attention_heads=8, encoder_ffn_dim=2048)
    return Hidden(WhisperEncoder(config)), (torch.randn(4, 80, 3000, device=device, dtype=dtype),)


@model("inference", torch.float16)
def clip_vision(device, dtype):
    from transformers import CLIPVisionConfig, CLIPVisionModel
    config = CLIPVisionConfig(hidden_size=768, intermediate_size=3072, num_hidden_layers=8, num_attention_heads=12,
                              patch_size=16)
    return Hidden(CLIPVisionModel(config)), (images(device, dtype, 16, last=False),)


@model("inference")
def mamba(device, dtype):
    from transformers import MambaConfig, MambaModel
    return Hidden(MambaModel(MambaConfig(hidden_size=512, num_hidden_layers=4, vocab_size=32000, use_cache=False))), (
        words(device, 2, 64),)


@model("inference")
def olmoe(device, dtype):
    from transformers import OlmoeConfig, OlmoeModel
    config = OlmoeConfig(hidden_size=512, intermediate_size=512, num_hidden_layers=4, num_attention_heads=8,
                         num_key_value_heads=8, num_experts=16, num_experts_per_tok=4, vocab_size=32000, use_cache=False)
    return Hidden(OlmoeModel(config)), (words(device, 2, 256),)


class Residual(torch.nn.Module):
    """A block of a diffusion model: group norms, SiLU, convolutions, and the embedding of a time."""

    def __init__(self, channels, out, time):
        super().__init__()
        nn = torch.nn
        self.first, self.second = nn.GroupNorm(32, channels), nn.GroupNorm(32, out)
        self.into, self.onto = nn.Conv2d(channels, out, 3, padding=1), nn.Conv2d(out, out, 3, padding=1)
        self.time = nn.Linear(time, out)
        self.skip = nn.Conv2d(channels, out, 1) if channels != out else nn.Identity()

    def forward(self, x, time):
        silu = torch.nn.functional.silu
        hidden = self.into(silu(self.first(x))) + self.time(silu(time))[:, :, None, None]
        return self.skip(x) + self.onto(silu(self.second(hidden)))


class SmallUNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.begin, self.end = nn.Conv2d(4, 192, 3, padding=1), nn.Conv2d(192, 4, 3, padding=1)
        self.above, self.below, self.joined = Residual(192, 192, 512), Residual(384, 384, 512), Residual(384, 192, 512)
        self.down, self.up = nn.Conv2d(192, 384, 3, 2, 1), nn.ConvTranspose2d(384, 192, 2, 2)

    def forward(self, x, time):
        above = self.above(self.begin(x), time)
        below = self.below(self.down(above), time)
        return self.end(self.joined(torch.cat([self.up(below), above], 1), time))


@both
def small_unet(device, dtype):
    x = torch.randn(4, 4, 64, 64, device=device, dtype=dtype).to(memory_format=torch.channels_last)
    return SmallUNet().to(memory_format=torch.channels_last), (x, torch.randn(4, 512, device=device, dtype=dtype))


class Messages(torch.nn.Module):
    """A layer of a graph network: messages along edges, summed at the nodes that they lead to."""

    def __init__(self, edges, width):
        super().__init__()
        self.edges = edges
        self.message, self.update = torch.nn.Linear(2 * width, width), torch.nn.Linear(2 * width, width)

    def forward(self, x):
        source, target = self.edges
        message = torch.relu(self.message(torch.cat([x[source], x[target]], 1)))
        sums = torch.zeros_like(x).index_add(0, target, message)
        return torch.relu(self.update(torch.cat([x, sums], 1)))


@model("training")
def graph_network(device, dtype):
    nodes = 20000
    edges = torch.randint(nodes, (2, 200000), device=device)
    return torch.nn.Sequential(Messages(edges, 64), Messages(edges, 64), torch.nn.Linear(64, 16)), (
        torch.randn(nodes, 64, device=device, dtype=dtype),)


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
