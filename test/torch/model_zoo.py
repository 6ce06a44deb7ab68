# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in small: a function that makes each, with random weights, and its arguments."""
import torch
from torch import nn
from torch.nn import functional as F

ZOO = {}


def model(function):
    ZOO[function.__name__] = function
    return function


class Logits(nn.Module):
    """A model of transformers, from tensors to one tensor or several."""

    def __init__(self, inner, *fields, **fixed):
        super().__init__()
        self.inner, self.fields, self.fixed = inner, fields or ("logits",), fixed

    def forward(self, *args, **kwargs):
        made = self.inner(*args, **kwargs, **self.fixed)
        found = tuple(getattr(made, name) for name in self.fields)
        return found if len(found) > 1 else found[0]


def ids(batch, length, vocabulary=128):
    return torch.randint(0, vocabulary, (batch, length))


@model
def llama():
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
                         num_key_value_heads=2, max_position_embeddings=64, use_cache=False)
    return Logits(LlamaForCausalLM(config)), (ids(2, 16),)


@model
def mixtral():
    from transformers import MixtralConfig, MixtralForCausalLM
    config = MixtralConfig(vocab_size=128, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
                           num_key_value_heads=2, max_position_embeddings=64, num_local_experts=4, use_cache=False)
    return Logits(MixtralForCausalLM(config)), (ids(2, 12),)


@model
def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(vocab_size=128, n_positions=64, n_embd=64, n_layer=2, n_head=4, use_cache=False, resid_pdrop=0.0,
                        embd_pdrop=0.0, attn_pdrop=0.0)
    return Logits(GPT2LMHeadModel(config)), (ids(2, 16),)


@model
def bert():
    from transformers import BertConfig, BertModel
    config = BertConfig(vocab_size=128, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                        max_position_embeddings=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    mask = torch.ones(2, 16, dtype=torch.int64)
    mask[1, 10:] = 0
    return Logits(BertModel(config), "last_hidden_state", "pooler_output"), (ids(2, 16), mask)


@model
def t5():
    from transformers import T5Config, T5ForConditionalGeneration

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = T5ForConditionalGeneration(T5Config(
                vocab_size=128, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, dropout_rate=0.0, use_cache=False))

        def forward(self, source, target):
            return self.inner(input_ids=source, decoder_input_ids=target).logits
    return Both(), (ids(2, 12), ids(2, 8))


@model
def whisper():
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = WhisperForConditionalGeneration(WhisperConfig(
                vocab_size=128, num_mel_bins=16, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_source_positions=32,
                max_target_positions=32, use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                decoder_start_token_id=1))

        def forward(self, sound, target):
            return self.inner(input_features=sound, decoder_input_ids=target).logits
    return Both(), (torch.randn(1, 16, 64), ids(1, 8))


@model
def vit():
    from transformers import ViTConfig, ViTForImageClassification
    config = ViTConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=32,
                       patch_size=8, num_labels=10, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    return Logits(ViTForImageClassification(config)), (torch.randn(2, 3, 32, 32),)


@model
def resnet18():
    import torchvision
    return torchvision.models.resnet18(num_classes=10), (torch.randn(1, 3, 64, 64),)


@model
def mobilenet_v3():
    import torchvision
    return torchvision.models.mobilenet_v3_small(num_classes=10), (torch.randn(1, 3, 64, 64),)


class ResBlock(nn.Module):
    def __init__(self, few, many, time):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(8, few), nn.GroupNorm(8, many)
        self.conv1, self.conv2 = nn.Conv2d(few, many, 3, padding=1), nn.Conv2d(many, many, 3, padding=1)
        self.time = nn.Linear(time, many)
        self.skip = nn.Conv2d(few, many, 1) if few != many else nn.Identity()

    def forward(self, x, time):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))


class SpatialAttention(nn.Module):
    def __init__(self, width, context=None):
        super().__init__()
        self.norm = nn.GroupNorm(8, width)
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(context or width, width), nn.Linear(context or width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x, context=None):
        n, c, h, w = x.shape
        seq = self.norm(x).flatten(2).transpose(1, 2)
        context = seq if context is None else context
        heads = lambda t: t.unflatten(-1, (4, -1)).transpose(1, 2)  # noqa: E731
        made = F.scaled_dot_product_attention(heads(self.q(seq)), heads(self.k(context)), heads(self.v(context)))
        return x + self.out(made.transpose(1, 2).flatten(2)).transpose(1, 2).reshape(n, c, h, w)


class UNet(nn.Module):
    """The denoiser of latent diffusion: time embedding, residual blocks, cross attention, skips."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 64))
        self.first = nn.Conv2d(4, 32, 3, padding=1)
        self.down1, self.pool = ResBlock(32, 32, 64), nn.Conv2d(32, 32, 3, stride=2, padding=1)
        self.down2, self.cross = ResBlock(32, 64, 64), SpatialAttention(64, 24)
        self.up1, self.up2 = ResBlock(64, 32, 64), ResBlock(64, 32, 64)
        self.norm, self.last = nn.GroupNorm(8, 32), nn.Conv2d(32, 4, 3, padding=1)

    def forward(self, x, time, context):
        steps = torch.exp(-torch.arange(16, dtype=torch.float32) * (torch.log(torch.tensor(10000.0)) / 16))
        angle = time[:, None].float() * steps[None]
        time = self.embed(torch.cat([angle.cos(), angle.sin()], -1))
        a = self.down1(self.first(x), time)
        h = self.cross(self.down2(self.pool(a), time), context)
        h = F.interpolate(self.up1(h, time), scale_factor=2.0, mode="nearest")
        h = self.up2(torch.cat([h, a], 1), time)
        return self.last(F.silu(self.norm(h)))


@model
def unet():
    return UNet(), (torch.randn(1, 4, 16, 16), torch.tensor([37]), torch.randn(1, 7, 24))


class Decoder(nn.Module):
    """The decoder of a variational autoencoder for images."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(4, 32, 3, padding=1)
        self.attention = SpatialAttention(32)
        self.block1, self.block2 = ResBlock(32, 32, 8), ResBlock(32, 16, 8)
        self.up = nn.ConvTranspose2d(16, 16, 4, stride=2, padding=1)
        self.last = nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, z):
        time = z.new_zeros(z.shape[0], 8)
        h = self.block1(self.attention(self.first(z)), time)
        h = self.up(self.block2(F.interpolate(h, scale_factor=2.0), time))
        return torch.tanh(self.last(F.silu(h)))


@model
def vae():
    return Decoder(), (torch.randn(1, 4, 8, 8),)


class Cells(nn.Module):
    """An LSTM of cells written out, as long as the sequence is."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(16, 32), nn.Linear(32, 8)

    def forward(self, x):
        h, c = x.new_zeros(x.shape[1], 32), x.new_zeros(x.shape[1], 32)
        made = []
        for step in x:
            h, c = self.cell(step, (h, c))
            made.append(self.head(h))
        return torch.stack(made)


@model
def lstm():
    return Cells(), (torch.randn(6, 2, 16),)


class Selective(nn.Module):
    """A state space block in the manner of Mamba: gates, a causal convolution, a recurrence along the
    sequence by cumulative sums of logarithms."""

    def __init__(self, width=32, state=8):
        super().__init__()
        self.inside, self.out = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.conv = nn.Conv1d(width, width, 4, groups=width, padding=3)
        self.select, self.step = nn.Linear(width, 2 * state), nn.Linear(width, width)
        self.decay = nn.Parameter(torch.rand(width, state))

    def forward(self, x):
        length = x.shape[1]
        h, gate = self.inside(x).chunk(2, -1)
        h = F.silu(self.conv(h.transpose(1, 2))[..., :length].transpose(1, 2))
        b, c = self.select(h).chunk(2, -1)
        step = F.softplus(self.step(h))
        logs = -(step[..., None] * self.decay)                         # [batch, length, width, state]
        total = torch.cumsum(logs, 1)
        inputs = (step * h)[..., None] * b[:, :, None]
        states = torch.exp(total) * torch.cumsum(inputs * torch.exp(-total), 1)
        return self.out((states * c[:, :, None]).sum(-1) * F.silu(gate))


@model
def mamba():
    return Selective(), (torch.randn(2, 12, 32),)


@model
def dynamic_mlp():
    layers = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10), nn.Softmax(-1))
    return layers, (torch.randn(5, 32),), {"dynamic": ((0, 0),), "others": [(torch.randn(9, 32),), (torch.randn(2, 32),)]}


class Step(nn.Module):
    """One step of decoding with a cache of keys and values that is written in place."""

    def __init__(self, width=32, heads=4, length=16):
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(width, 3 * width), nn.Linear(width, width), heads
        self.register_buffer("keys", torch.zeros(1, heads, length, width // heads))
        self.register_buffer("values", torch.zeros(1, heads, length, width // heads))

    def forward(self, x, position):
        q, k, v = self.qkv(x).view(1, 1, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        seen = torch.arange(self.keys.shape[2]) <= position
        made = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen[None, None, None])
        return self.out(made.transpose(1, 2).flatten(2))


@model
def kv_decode():
    steps = [(torch.randn(1, 1, 32), torch.tensor([i])) for i in range(4)]
    return Step(), steps[0], {"others": steps[1:]}


def make(name):
    """(model in evaluation, arguments, more)"""
    torch.manual_seed(0)
    made = ZOO[name]()
    module, args, more = made if len(made) == 3 else (*made, {})
    return module.eval(), args, more
