# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures of transformers: the default configuration of each with small sizes in place of its own."""
import torch

LENGTHS = (12, 7, 16, 9, 3)

#: Sizes by the names that configurations give them.
SMALL = {
    64: "hidden_size d_model n_embd dim embedding_size hidden_dim embed_dim projection_dim word_embed_proj_dim emb_dim "
        "d_embed encoder_hidden_size decoder_hidden_size lru_width lm_hidden_size cross_attention_hidden_size "
        "text_embed_dim out_hidden_size vision_embed_dim state_dim",
    96: "moe_intermediate_size shared_expert_intermediate_size",
    128: "intermediate_size ffn_dim n_inner encoder_ffn_dim decoder_ffn_dim d_ff d_inner vocab_size ffn_hidden_size "
         "shared_intermediate_size dim_feedforward",
    2: "num_hidden_layers n_layer num_layers encoder_layers decoder_layers n_layers num_decoder_layers "
       "num_key_value_heads num_experts_per_tok num_key_value_groups multi_query_group_num n_shared_experts "
       "num_encoder_layers moe_topk moe_k",
    4: "num_attention_heads n_head num_heads encoder_attention_heads decoder_attention_heads n_heads num_experts "
       "num_local_experts n_routed_experts moe_num_experts",
    16: "head_dim d_kv kv_channels kv_lora_rank q_lora_rank qk_nope_head_dim v_head_dim state_size "
        "attention_head_dim",
    8: "qk_rope_head_dim patch_size",
    32: "image_size chunk_size input_image_size",
    80: "max_position_embeddings n_positions max_source_positions max_target_positions max_seq_len max_sequence_length",
}
SIZES = {name: size for size, names in SMALL.items() for name in names.split()}

#: What some configurations need besides.
MORE = {
    "albert": {"embedding_size": 32}, "bamba": {"mamba_n_heads": 4, "mamba_d_head": 32, "mamba_d_state": 16, "attn_layer_indices": [1]},
    "beit": {"image_size": 32}, "bloom": {"n_layer": 2}, "convbert": {"head_ratio": 2},
    "convnext": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 2, 1]}, "convnextv2": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 2, 1]},
    "deepseek_v2": {"n_group": 1, "topk_group": 1, "first_k_dense_replace": 1, "head_dim": 8},
    "deepseek_v3": {"n_group": 2, "topk_group": 1, "first_k_dense_replace": 1, "head_dim": 8},
    "falcon": {"num_kv_heads": 2}, "focalnet": {"embed_dim": 16, "depths": [1, 1, 1, 1]},
    "funnel": {"block_sizes": [1, 1, 1], "d_head": 16, "n_head": 4},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "num_layers": 2}, "gptj": {"rotary_dim": 8},
    "codegen": {"rotary_dim": 8}, "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "use_mamba_kernels": False},
    "hiera": {"embed_dim": 16, "depths": [1, 1, 1, 1], "num_heads": [1, 1, 2, 2], "image_size": [64, 64], "patch_size": [7, 7]},
    "hubert": {"conv_dim": [16, 16], "conv_stride": [5, 2], "conv_kernel": [10, 3], "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4},
    "led": {"attention_window": [4, 4]}, "longformer": {"attention_window": [4, 4]}, 
    "lfm2": {"layer_types": ["conv", "full_attention"]}, "mamba": {"use_mambapy": False},
    "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 2}, "mobilebert": {"embedding_size": 32, "true_hidden_size": 32, "intra_bottleneck_size": 32},
    "mpt": {"d_model": 64, "n_heads": 4}, "nystromformer": {"num_landmarks": 4, "segment_means_seq_len": 16},
    "poolformer": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "pvt": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 2], "image_size": 64, "patch_sizes": [4, 2, 2, 2]},
    "qwen3_next": {"layer_types": ["linear_attention", "full_attention"], "linear_num_value_heads": 4, "linear_num_key_heads": 2,
                   "linear_key_head_dim": 16, "linear_value_head_dim": 16},
    "recurrent_gemma": {"block_types": ["recurrent", "attention"]}, "regnet": {"embedding_size": 8, "hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "reformer": {"axial_pos_shape": [4, 20], "axial_pos_embds_dim": [32, 32], "attn_layers": ["local", "lsh"], "num_buckets": 4, "num_hashes": 1},
    "resnet": {"embedding_size": 8, "hidden_sizes": [16, 24, 32, 40], "depths": [1, 1, 1, 1]},
    "rwkv": {"attention_hidden_size": 64}, "segformer": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 2],
                                                         "decoder_hidden_size": 32, "image_size": 64},
    "swin": {"embed_dim": 16, "depths": [1, 2], "num_heads": [2, 2], "window_size": 4, "patch_size": 4, "image_size": 32},
    "swinv2": {"embed_dim": 16, "depths": [1, 2], "num_heads": [2, 2], "window_size": 4, "patch_size": 4, "image_size": 32},
    "donut-swin": {"embed_dim": 16, "depths": [1, 2], "num_heads": [2, 2], "window_size": 4, "patch_size": 4, "image_size": 32},
    "squeezebert": {"q_groups": 1}, "whisper": {"max_source_positions": 24, "num_mel_bins": 16},
    "xlnet": {"d_inner": 128}, "yoso": {"use_expectation": True}, "dpt": {"is_hybrid": False}, "mobilevit": {"hidden_sizes": [16, 24, 32], "neck_hidden_sizes": [8, 8, 16, 16, 16, 24, 32], "image_size": 64, "patch_size": 2},
    "vitdet": {"image_size": 32}, "speech_to_text": {"input_feat_per_channel": 16, "max_source_positions": 80},
    "audio-spectrogram-transformer": {"num_mel_bins": 16, "max_length": 32, "frequency_stride": 8, "time_stride": 8},
    "dbrx": {"ffn_config": {"ffn_hidden_size": 64, "moe_num_experts": 4, "moe_top_k": 2}, "attn_config": {"kv_n_heads": 2}},
    "sew": {"conv_dim": [16, 16], "conv_stride": [5, 2], "conv_kernel": [10, 3], "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4, "squeeze_factor": 2},
    "wav2vec2": {"conv_dim": [16, 16], "conv_stride": [5, 2], "conv_kernel": [10, 3], "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4},
    "timesformer": {"num_frames": 2}, "vivit": {"num_frames": 4, "tubelet_size": [2, 8, 8]}, "videomae": {"num_frames": 2},
    "cvt": {"embed_dim": [16, 32, 48], "num_heads": [1, 2, 3], "depth": [1, 1, 1]},
    "efficientnet": {"width_coefficient": 0.25, "depth_coefficient": 0.1, "hidden_dim": 64},
    "mobilenet_v1": {"depth_multiplier": 0.25}, "mobilenet_v2": {"depth_multiplier": 0.25},
    "esm": {"vocab_size": 33, "pad_token_id": 1, "mask_token_id": 32, "token_dropout": True, "position_embedding_type": "rotary"},
    "canine": {"num_hash_buckets": 64, "downsampling_rate": 4, "local_transformer_stride": 4, "max_position_embeddings": 64},
    "tapas": {"type_vocab_sizes": [3, 16, 16, 2, 2, 16, 10]},
    "swiftformer": {"embed_dims": [8, 16, 24, 32], "depths": [1, 1, 1, 1]},
    "bit": {"embedding_size": 16, "hidden_sizes": [16, 32, 48, 64], "depths": [1, 1, 1, 1]},
    "glpn": {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 2], "decoder_hidden_size": 32},
}

NAMES = """albert align_text_model audio-spectrogram-transformer bamba bart beit bert bert-generation big_bird bigbird_pegasus bit blenderbot blenderbot-small bloom
camembert canine chinese_clip_text_model clip clip_text_model clip_vision_model codegen cohere cohere2 convbert convnext convnextv2 ctrl cvt data2vec-text data2vec-vision
deberta deberta-v2 deepseek_v2 deepseek_v3 deit diffllama dinov2 dinov2_with_registers distilbert dpr electra ernie esm exaone4 falcon falcon_h1 falcon_mamba flaubert fnet focalnet
fsmt funnel gemma gemma2 gemma3_text glm glm4 gpt2 gpt_bigcode gpt_neo gpt_neox gpt_neox_japanese gpt_oss gptj granite granitemoe helium hgnet_v2 hiera hubert hunyuan_v1_dense ibert ijepa jamba jetmoe
layoutlm led levit lfm2 lilt llama longformer luke m2m_100 mamba mamba2 marian markuplm mbart megatron-bert ministral mistral mixtral mobilebert mobilenet_v1 mobilenet_v2
mobilevit modernbert moonshine mpnet mpt mra mt5 mvp nemotron nystromformer olmo olmo2 olmoe openai-gpt opt owlvit pegasus persimmon phi phi3 phimoe plbart poolformer prophetnet
pvt qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next recurrent_gemma reformer regnet rembert resnet roberta roberta-prelayernorm roc_bert roformer rwkv segformer siglip siglip_vision_model smollm3 splinter
squeezebert stablelm starcoder2 swiftformer swin swin2sr swinv2 switch_transformers t5 timesformer trocr umt5 videomae vit vit_mae vit_msn vivit wav2vec2 whisper xglm xlm
xlm-roberta xlnet xmod yoso zamba2 dinov3_vit doge ernie4_5_moe glm4_moe granitemoehybrid minimax nemotron_h olmo_hybrid xlstm""".split()

ENCODED = "bart blenderbot blenderbot-small bigbird_pegasus fsmt led m2m_100 marian mbart mvp mt5 pegasus plbart prophetnet switch_transformers t5 umt5 longt5".split()


def overridden(name, config):
    """The arguments that make a configuration small, those of the ones inside it as dictionaries."""
    made = {}
    for key, value in config.to_dict().items():
        if isinstance(getattr(config, key, None), type(config).__mro__[-2]) or hasattr(getattr(config, key, None), "to_dict"):
            made[key] = overridden("", getattr(config, key))
        elif key in SIZES and isinstance(value, int) and not isinstance(value, bool):
            made[key] = min(value, SIZES[key]) if key in ("num_key_value_heads",) and value > 0 else SIZES[key]
        elif key == "num_key_value_heads" and value is None:
            continue
        elif key.endswith("_token_id") and isinstance(value, int) and value >= 128:
            made[key] = 1
        elif key.endswith("token_id") and isinstance(value, list):
            made[key] = 1
        elif key in ("layer_types", "layers_block_type") and isinstance(value, list):
            kinds = list(dict.fromkeys(value))
            made[key] = (kinds * 2)[:2]
        elif key == "sliding_window" and value:
            made[key] = 6
    made.update(MORE.get(name, {}))
    return made


def make(name):
    from transformers import CONFIG_MAPPING, AutoModel
    from transformers.models.auto.modeling_auto import MODEL_MAPPING
    kind = CONFIG_MAPPING[name]
    more = overridden(name, kind())
    if "use_cache" in kind().to_dict():
        more["use_cache"] = False
    config = kind(**more)
    if type(config) in MODEL_MAPPING:
        model = AutoModel.from_config(config)
    else:
        from transformers import AutoModelForCausalLM
        model = AutoModelForCausalLM.from_config(config)
    given = model.main_input_name
    side = getattr(config, "image_size", None) or getattr(getattr(config, "vision_config", None), "image_size", None) or 32
    side = side[0] if isinstance(side, (list, tuple)) else side
    side = max(side, 64) if name in ("convnext", "convnextv2", "resnet", "regnet", "poolformer", "mobilenet_v1", "mobilenet_v2",
                                     "swiftformer", "bit", "levit", "cvt", "focalnet", "hgnet_v2", "segformer") else side

    def inputs(length):
        ids = torch.randint(2, 33 if name == "esm" else 120, (2, length))
        if name in ("clip", "siglip", "chinese_clip", "owlvit", "align", "altclip"):
            return {"input_ids": ids, "pixel_values": torch.randn(2, 3, side, side)}
        if given == "pixel_values":
            frames = (config.num_frames,) if hasattr(config, "num_frames") else ()
            return {"pixel_values": torch.randn(2, *frames, 3, side, side)}
        if given == "input_values":
            if hasattr(config, "max_length") and hasattr(config, "num_mel_bins"):
                return {"input_values": torch.randn(2, config.max_length, config.num_mel_bins)}
            return {"input_values": torch.randn(2, 100 * length)}
        if given == "input_features":
            return {"input_features": torch.randn(2, getattr(config, "num_mel_bins", 80), 2 * getattr(config, "max_source_positions", 24)),
                    "decoder_input_ids": ids}
        if name in ENCODED:
            return {"input_ids": ids, "decoder_input_ids": torch.randint(2, 120, (2, length // 2 + 1))}
        if name in ("layoutlm", "lilt", "markuplm"):
            return {"input_ids": ids}
        mask = torch.ones_like(ids)
        if name in ("bert", "roberta", "distilbert", "electra", "deberta-v2", "mpnet"):
            mask[1, length // 2:] = 0
            return {"input_ids": ids, "attention_mask": mask}
        return {"input_ids": ids}
    return model, inputs
