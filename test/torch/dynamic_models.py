# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose sizes are all open: small random configurations of transformers, timm and diffusers, compiled once with
fullgraph=True and dynamic=True, called with several sizes, lengths of 0 and 1 among them, and compared with eager.

dynamic_models.py [NAME...] [--limit=SECONDS] [--list]

A model whose package is not installed is skipped. A size that eager refuses is left out."""
import argparse
import sys
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

import kiln.torch  # noqa: E402

from architectures import judged, limited  # noqa: E402

R = torch.randn
#: Numbers that the sizes of arguments are made of.
SIZES = (7, 12, 1, 33, 0)
MODELS = {}


def model(function):
    MODELS[function.__name__] = function
    return function


def words(*shape):
    return torch.randint(2, 120, shape)


def masked(batch, length):
    mask = torch.ones(batch, length, dtype=torch.int64)
    mask[-1:, length // 2 + 1:] = 0
    return {"input_ids": words(batch, length), "attention_mask": mask}


def of(name, **more):
    """A model of transformers in small."""
    import transformers
    config = getattr(transformers, name + "Config")(**more)
    return getattr(transformers, name + "Model")(config)


def encoder(name, **more):
    """A model of words like BERT, of any batch and length."""
    return of(name, vocab_size=128, max_position_embeddings=80, **more), lambda n: masked(n // 4 + 2 if n else 2, n)


SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
CAUSAL = {**SMALL, "vocab_size": 128, "max_position_embeddings": 80, "use_cache": False}


@model
def bert():
    return encoder("Bert", **SMALL)


@model
def distilbert():
    return encoder("DistilBert", dim=64, n_layers=2, n_heads=4, hidden_dim=128)


@model
def roberta():
    return encoder("Roberta", **SMALL)


@model
def electra():
    return encoder("Electra", embedding_size=32, **SMALL)


@model
def t5():
    one = of("T5", vocab_size=128, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, use_cache=False)
    return one, lambda n: {**masked(2, n), "decoder_input_ids": words(2, n // 2 + 1)}


@model
def bart():
    one = of("Bart", vocab_size=128, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
             encoder_ffn_dim=128, decoder_ffn_dim=128, max_position_embeddings=80, use_cache=False)
    return one, lambda n: {**masked(3, n), "decoder_input_ids": words(3, n + 2)}


@model
def whisper_encoder():
    one = of("Whisper", vocab_size=128, num_mel_bins=16, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
             decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_source_positions=24, max_target_positions=40,
             use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return one.encoder, lambda n: {"input_features": R(n, 16, 48)}


@model
def whisper():
    one = of("Whisper", vocab_size=128, num_mel_bins=16, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
             decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_source_positions=24, max_target_positions=40,
             use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return one, lambda n: {"input_features": R(2, 16, 48), "decoder_input_ids": words(2, n)}


@model
def wav2vec2():
    one = of("Wav2Vec2", conv_dim=[16, 16], conv_stride=[5, 2], conv_kernel=[10, 3], num_conv_pos_embeddings=16,
             num_conv_pos_embedding_groups=4, num_feat_extract_layers=2, vocab_size=32, **SMALL)
    return one, lambda n: {"input_values": R(2, 40 * n + 11)}


@model
def gpt2():
    one = of("GPT2", vocab_size=128, n_positions=80, n_embd=64, n_layer=2, n_head=4, use_cache=False)
    return one, lambda n: masked(n // 4 + 1, n)


@model
def gpt_neox():
    return of("GPTNeoX", **CAUSAL), lambda n: masked(2, n)


@model
def mistral():
    return of("Mistral", num_key_value_heads=2, sliding_window=5, **CAUSAL), lambda n: masked(2, n)


@model
def mixtral():
    return of("Mixtral", num_key_value_heads=2, num_local_experts=4, **CAUSAL), lambda n: masked(2, n)


@model
def qwen3():
    return of("Qwen3", num_key_value_heads=2, head_dim=16, **CAUSAL), lambda n: masked(n // 4 + 1, n)


@model
def gemma2():
    return of("Gemma2", num_key_value_heads=2, head_dim=16, sliding_window=6, **CAUSAL), lambda n: masked(2, n)


@model
def mamba():
    """A package for each length: the scan over the words is a loop of Python."""
    return of("Mamba", vocab_size=128, hidden_size=32, num_hidden_layers=2, state_size=8, use_cache=False), lambda n: {"input_ids": words(2, n)}


@model
def llama_step():
    """One step of decoding: the cache of keys and values has any length."""
    from transformers import LlamaConfig, LlamaModel
    from transformers.cache_utils import DynamicCache

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = LlamaModel(LlamaConfig(num_key_value_heads=2, **{**CAUSAL, "use_cache": True}))

        def forward(self, input_ids, **past):
            cache = DynamicCache()
            for i in range(2):
                cache.update(past[f"k{i}"], past[f"v{i}"], i)
            made = self.inner(input_ids=input_ids, past_key_values=cache)
            return made.last_hidden_state, [one.keys for one in cache.layers], [one.values for one in cache.layers]
    return Step(), lambda n: {"input_ids": words(2, 1), **{f"{kind}{i}": R(2, 2, n + 2, 16) for i in range(2) for kind in "kv"}}


@model
def qwen2_vl():
    from transformers import Qwen2VLConfig, Qwen2VLModel
    config = Qwen2VLConfig(
        text_config=dict(**CAUSAL, num_key_value_heads=2, rope_scaling={"type": "mrope", "rope_type": "default", "mrope_section": [2, 3, 3]},
                         bos_token_id=1, eos_token_id=2),
        vision_config=dict(depth=2, embed_dim=32, num_heads=4, mlp_ratio=2, hidden_size=64, patch_size=4, spatial_merge_size=2),
        image_token_id=121, video_token_id=122, vision_start_token_id=123, vision_end_token_id=124)
    return Qwen2VLModel(config).language_model, lambda n: {
        "inputs_embeds": R(2, n, 64), "position_ids": torch.randint(0, 40, (3, 2, n))}


@model
def clip():
    part = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    one = of("CLIP", text_config={**part, "vocab_size": 128, "max_position_embeddings": 40, "eos_token_id": 2},
             vision_config={**part, "image_size": 32, "patch_size": 8}, projection_dim=32)
    return one, lambda n: {**masked(2, n), "pixel_values": R(n // 3 + 2, 3, 32, 32)}


def images(n):
    return {"pixel_values": R(n, 3, 32, 32)}


def sized(n):
    """An image of any size, in steps of 8."""
    return {"pixel_values": R(n // 8 + 1, 3, 8 * n + 24, 4 * n // 8 * 8 + 40)}


class Positions(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, pixel_values):
        return self.inner(pixel_values, interpolate_pos_encoding=True)


@model
def vit():
    return of("ViT", image_size=32, patch_size=8, **SMALL), images


@model
def vit_of_any_size():
    return Positions(of("ViT", image_size=32, patch_size=8, **SMALL)), sized


@model
def dinov2_of_any_size():
    return of("Dinov2", image_size=32, patch_size=8, hidden_size=64, num_hidden_layers=2, num_attention_heads=4), sized


@model
def convnext():
    return of("ConvNext", hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1]), lambda n: {"pixel_values": R(n // 8 + 1, 3, 3 * n + 32, n + 45)}


@model
def resnet():
    return (of("ResNet", embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], layer_type="basic"),
            lambda n: {"pixel_values": R(n, 3, 3 * n + 32, n + 45)})


@model
def swin():
    return (of("Swin", image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4),
            lambda n: {"pixel_values": R(n, 3, 32, 32)})


@model
def swin_of_any_size():
    return (of("Swin", image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4),
            lambda n: {"pixel_values": R(2, 3, 16 * (n // 4) + 32, 16 * (n // 4) + 48), "interpolate_pos_encoding": True})


@model
def segformer():
    return (of("Segformer", hidden_sizes=[8, 16, 24, 32], depths=[1] * 4, num_attention_heads=[1, 2, 2, 4], decoder_hidden_size=32),
            lambda n: {"pixel_values": R(n // 8 + 1, 3, 3 * n + 40, n + 45)})


@model
def detr():
    from transformers import DetrConfig, DetrModel, ResNetConfig
    backbone = ResNetConfig(embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"])
    one = DetrModel(DetrConfig(
        use_timm_backbone=False, backbone=None, use_pretrained_backbone=False, backbone_config=backbone, d_model=32, encoder_layers=2,
        decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_queries=9))
    return one, lambda n: {"pixel_values": R(n // 8 + 1, 3, 32 * (n // 4) + 64, 32 * (n // 8) + 96)}


def timm_model(name, inputs, **more):
    import timm
    one = timm.create_model(name, num_classes=10, **more)

    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = one

        def forward(self, x):
            return self.inner(x)
    return Named(), inputs


@model
def timm_vit():
    return timm_model("vit_tiny_patch16_224", lambda n: {"x": R(n // 8 + 1, 3, 8 * n + 24, 4 * n // 8 * 8 + 40)}, img_size=32, patch_size=8,
                      depth=2, dynamic_img_size=True)


@model
def timm_efficientnet():
    return timm_model("efficientnet_b0", lambda n: {"x": R(n // 8 + 1, 3, 3 * n + 40, n + 45)})


@model
def timm_mobilenet():
    return timm_model("mobilenetv3_small_050", lambda n: {"x": R(n, 3, 3 * n + 40, n + 45)})


BLOCKS = {"block_out_channels": (32, 64), "norm_num_groups": 16}


@model
def unet():
    """The UNet of Stable Diffusion, of any batch, image and length of words."""
    import diffusers
    one = diffusers.UNet2DConditionModel(
        sample_size=16, layers_per_block=1, cross_attention_dim=32, attention_head_dim=4, **BLOCKS,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))
    return one, lambda n: {"sample": R(n // 4 + 2, 4, 2 * n + 8, 2 * (n // 3) + 10), "timestep": torch.tensor(40.0).expand(n // 4 + 2),
                           "encoder_hidden_states": R(n // 4 + 2, n + 2, 32), "return_dict": False}


@model
def vae():
    import diffusers
    one = diffusers.AutoencoderKL(down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, sample_size=16,
                                  **BLOCKS)
    return one, lambda n: {"sample": R(n // 8 + 1, 3, 2 * n + 8, 2 * (n // 3) + 10), "return_dict": False}


@model
def flux():
    import diffusers
    one = diffusers.FluxTransformer2DModel(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
                                           num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=32, axes_dims_rope=(4, 4, 8))
    return one, lambda n: {"hidden_states": R(2, n * n, 4), "encoder_hidden_states": R(2, n + 2, 32), "pooled_projections": R(2, 32),
                           "timestep": torch.tensor([0.4, 0.7]), "img_ids": R(n * n, 3).round(), "txt_ids": torch.zeros(n + 2, 3),
                           "return_dict": False}


@model
def dit():
    import diffusers
    one = diffusers.SD3Transformer2DModel(
        sample_size=16, patch_size=2, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=16, num_attention_heads=4,
        joint_attention_dim=32, caption_projection_dim=64, pooled_projection_dim=32, pos_embed_max_size=64)
    return one, lambda n: {"hidden_states": R(2, 4, 2 * n + 8, 2 * (n // 3) + 10), "timestep": torch.tensor([10, 400]),
                           "encoder_hidden_states": R(2, n + 3, 32), "pooled_projections": R(2, 32), "return_dict": False}


def check(name, sizes, target):
    """What one model gives: (state, note)."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        one, inputs = MODELS[name]()
    except ImportError as error:
        return "skipped", str(error)
    one = one.eval().requires_grad_(False)
    for parameter in one.parameters():
        if parameter.numel() > 1 and parameter.min() == parameter.max():
            parameter.add_(torch.randn_like(parameter) * 0.1)  # what begins as zeros would hide what comes before
    kiln.torch.report.clear()
    worst, wrong, left = 0.0, [], []
    with torch.no_grad():
        fast = torch.compile(one, backend=kiln.torch.kiln, fullgraph=True, dynamic=True, options={"target": target})
        for n in sizes:
            torch.manual_seed(n)
            given = inputs(n)
            try:
                one(**given)
            except Exception as error:
                left.append(f"{n} ({type(error).__name__})")
                continue
            try:
                is_right, error = judged(one, fast, given)
            except Exception as error:
                return "refused", f"at {n}: {type(error).__name__}: {' '.join(str(error).split())[:2000]}"
            worst = max(worst, error)
            if not is_right:
                wrong.append(n)
    packages = sum(graph.packages for graph in kiln.torch.report)
    note = f"error {worst:.1e}" + (f" at {wrong}" if wrong else "") + (f", eager refuses {', '.join(left)}" if left else "")
    return "WRONG" if wrong else "right", f"{note}, packages {packages}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", metavar="NAME")
    parser.add_argument("--limit", type=float, default=400)
    parser.add_argument("--sizes", type=lambda text: tuple(map(int, text.split(","))), default=SIZES)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    names = options.models or list(MODELS)
    if options.list:
        print(*names, sep="\n")
        return 0
    count = {}
    for name in names:
        state, note, seconds = limited(options.limit, check, name, options.sizes, options.target)
        count[state] = count.get(state, 0) + 1
        print(f"{state:9} {name}: {note}, {seconds:.0f} s", flush=True)
    print(", ".join(f"{n} {state}" for state, n in count.items()))
    return 1 if set(count) - {"right", "skipped"} else 0


if __name__ == "__main__":
    sys.exit(main())
