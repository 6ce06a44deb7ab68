# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two-dimensional models of diffusers in small random configurations."""
import torch

LENGTHS = (16, 8, 24, 32, 40)
R = torch.randn
BLOCKS = {"block_out_channels": (32, 64), "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
          "up_block_types": ("AttnUpBlock2D", "UpBlock2D"), "layers_per_block": 1}


def image(channels, **more):
    return lambda n: {"sample": R(2, channels, n, n), "return_dict": False, **{k: v() if callable(v) else v for k, v in more.items()}}


def step():
    return torch.tensor([10, 400])


def latent(channels, name="hidden_states", **more):
    return lambda n: {name: R(2, channels, n, n), "return_dict": False, **{k: v() if callable(v) else v for k, v in more.items()}}


MODELS = {
    "UNet2DModel": (dict(BLOCKS, sample_size=16, in_channels=3, out_channels=3, attention_head_dim=16), image(3, timestep=step)),
    "UNet2DConditionModel": (dict(
        sample_size=16, block_out_channels=(32, 64), layers_per_block=1, cross_attention_dim=32, attention_head_dim=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), norm_num_groups=16),
        image(4, timestep=step, encoder_hidden_states=lambda: R(2, 7, 32))),
    "AutoencoderKL": (dict(block_out_channels=(32, 64), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                           norm_num_groups=16, sample_size=16), image(3)),
    "AutoencoderTiny": (dict(encoder_block_out_channels=(16, 16), decoder_block_out_channels=(16, 16), num_encoder_blocks=(1, 1),
                             num_decoder_blocks=(1, 1)), image(3)),
    "AutoencoderDC": (dict(encoder_block_out_channels=(32, 32), decoder_block_out_channels=(32, 32), encoder_layers_per_block=(1, 1),
                           decoder_layers_per_block=(1, 1), encoder_qkv_multiscales=((), (5,)), decoder_qkv_multiscales=((), (5,)),
                           attention_head_dim=8, latent_channels=4), image(3)),
    "VQModel": (dict(block_out_channels=(32, 64), down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2,
                     norm_num_groups=16, num_vq_embeddings=16, sample_size=16), image(3)),
    "DiTTransformer2DModel": (dict(num_attention_heads=4, attention_head_dim=16, in_channels=4, out_channels=8, num_layers=2, norm_num_groups=16,
                                   sample_size=16, patch_size=2, num_embeds_ada_norm=1000),
                              latent(4, timestep=step, class_labels=lambda: torch.tensor([3, 7]))),
    "PixArtTransformer2DModel": (dict(num_attention_heads=4, attention_head_dim=16, in_channels=4, out_channels=8, num_layers=2, norm_num_groups=16,
                                      cross_attention_dim=64, caption_channels=32, sample_size=16, patch_size=2),
                                 latent(4, timestep=step, encoder_hidden_states=lambda: R(2, 7, 32),
                                        added_cond_kwargs=lambda: {"resolution": None, "aspect_ratio": None})),
    "SD3Transformer2DModel": (dict(sample_size=16, patch_size=2, in_channels=4, out_channels=4, num_layers=2, attention_head_dim=16, num_attention_heads=4,
                                   joint_attention_dim=32, caption_projection_dim=64, pooled_projection_dim=32, pos_embed_max_size=32),
                              latent(4, timestep=step, encoder_hidden_states=lambda: R(2, 7, 32), pooled_projections=lambda: R(2, 32))),
    "FluxTransformer2DModel": (dict(patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2,
                                    joint_attention_dim=32, pooled_projection_dim=32, axes_dims_rope=(4, 4, 8)),
                               lambda n: {"hidden_states": R(1, n * n, 4), "encoder_hidden_states": R(1, 7, 32), "pooled_projections": R(1, 32),
                                          "timestep": torch.tensor([0.4]), "img_ids": R(n * n, 3).round(), "txt_ids": torch.zeros(7, 3),
                                          "return_dict": False}),
    "AuraFlowTransformer2DModel": (dict(sample_size=16, patch_size=2, in_channels=4, num_mmdit_layers=1, num_single_dit_layers=1, attention_head_dim=16,
                                        num_attention_heads=4, joint_attention_dim=32, caption_projection_dim=64, out_channels=4, pos_embed_max_size=512),
                                   latent(4, timestep=lambda: torch.tensor([0.1, 0.7]), encoder_hidden_states=lambda: R(2, 7, 32))),
    "HunyuanDiT2DModel": (dict(sample_size=16, num_layers=2, patch_size=2, attention_head_dim=16, num_attention_heads=4, hidden_size=64, mlp_ratio=2.0,
                               in_channels=4, cross_attention_dim=32, cross_attention_dim_t5=32, pooled_projection_dim=32, text_len=7, text_len_t5=7,
                               activation_fn="gelu-approximate"),
                          latent(4, timestep=lambda: torch.tensor([4.0, 9.0]), encoder_hidden_states=lambda: R(2, 7, 32),
                                 text_embedding_mask=lambda: torch.ones(2, 7), encoder_hidden_states_t5=lambda: R(2, 7, 32),
                                 text_embedding_mask_t5=lambda: torch.ones(2, 7), image_meta_size=lambda: R(2, 6), style=lambda: torch.zeros(2, dtype=torch.int64),
                                 image_rotary_emb=None)),
    "SanaTransformer2DModel": (dict(patch_size=1, in_channels=4, out_channels=4, num_layers=1, attention_head_dim=16, num_attention_heads=2,
                                    num_cross_attention_heads=2, cross_attention_head_dim=16, cross_attention_dim=32, caption_channels=8, sample_size=16),
                               latent(4, timestep=step, encoder_hidden_states=lambda: R(2, 7, 8))),
    "Transformer2DModel": (dict(num_attention_heads=4, attention_head_dim=8, in_channels=32, norm_num_groups=16, cross_attention_dim=16),
                           latent(32, encoder_hidden_states=lambda: R(2, 7, 16))),
    "UVit2DModel": (dict(hidden_size=64, block_out_channels=64, in_channels=64, intermediate_size=128, num_attention_heads=4, num_hidden_layers=2,
                         cond_embed_dim=32, encoder_hidden_size=32, micro_cond_encode_dim=8, micro_cond_embed_dim=40, vocab_size=64, codebook_size=32,
                         block_num_heads=4, num_res_blocks=1),
                    lambda n: {"input_ids": torch.randint(0, 32, (2, n, n)), "encoder_hidden_states": R(2, 7, 32), "pooled_text_emb": R(2, 32),
                               "micro_conds": R(2, 5)}),
    "PriorTransformer": (dict(num_attention_heads=4, attention_head_dim=16, num_layers=2, embedding_dim=32, num_embeddings=7, additional_embeddings=4),
                         lambda n: {"hidden_states": R(2, 32), "timestep": step(), "proj_embedding": R(2, 32), "encoder_hidden_states": R(2, 7, 32),
                                    "return_dict": False}),
    "ControlNetModel": (dict(block_out_channels=(32, 64), layers_per_block=1, cross_attention_dim=32, attention_head_dim=4, in_channels=4,
                             down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), norm_num_groups=16, conditioning_embedding_out_channels=(16, 32)),
                        image(4, timestep=step, encoder_hidden_states=lambda: R(2, 7, 32), controlnet_cond=lambda: R(2, 3, 32, 32))),
    "ConsistencyDecoderVAE": (dict(encoder_block_out_channels=(32, 64), encoder_down_block_types=("DownEncoderBlock2D",) * 2, encoder_layers_per_block=1,
                                   encoder_norm_num_groups=16, decoder_block_out_channels=(32, 64),
                                   decoder_down_block_types=("ResnetDownsampleBlock2D",) * 2, decoder_up_block_types=("ResnetUpsampleBlock2D",) * 2,
                                   decoder_norm_num_groups=16), image(3)),
}
NAMES = list(MODELS)


def make(name):
    import diffusers
    more, inputs = MODELS[name]
    return getattr(diffusers, name)(**more), inputs
