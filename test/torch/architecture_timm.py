# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small member of each family of timm, with random weights."""
import torch

LENGTHS = (1, 2, 3, 5, 4)

#: A model, and what makes it smaller.
MODELS = {
    "resnet18": {}, "resnet26d": {}, "resnext26ts": {}, "legacy_seresnet18": {}, "res2net50_14w_8s": {},
    "efficientnet_b0": {}, "efficientnetv2_rw_t": {}, "tf_efficientnet_lite0": {}, "mobilenetv2_050": {}, "mobilenetv3_small_050": {},
    "mobilenetv4_conv_small_035": {}, "mnasnet_small": {}, "fbnetc_100": {}, "ghostnet_050": {}, "lcnet_035": {}, "tinynet_e": {},
    "convnext_atto": {}, "convnextv2_atto": {}, "convmixer_768_32": {"depth": 2}, "densenet121": {"block_config": (2, 2, 2, 2)}, "vgg11_bn": {},
    "regnetx_002": {}, "regnety_002": {}, "dla46_c": {}, "dpn48b": {}, "inception_v3": {"img": 128}, "legacy_xception": {"img": 96},
    "hrnet_w18_small": {}, "selecsls42b": {}, "repvgg_a0": {}, "resnest14d": {}, "skresnet18": {}, "ese_vovnet19b_dw": {}, "cspdarknet53": {},
    "nf_regnet_b0": {}, "rexnet_100": {}, "hardcorenas_a": {}, "gernet_s": {}, "eca_resnet33ts": {}, "darknet53": {},
    "vit_tiny_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2}, "deit_tiny_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2},
    "deit3_small_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2}, "beit_base_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 2, "embed_dim": 96, "num_heads": 3},
    "eva02_tiny_patch14_224": {"img_size": 28, "depth": 2}, "cait_xxs24_224": {"img_size": 64, "depth": 2}, "xcit_nano_12_p16_224": {"img_size": 64, "depth": 2},
    "swin_tiny_patch4_window7_224": {"img_size": 56, "embed_dim": 24, "depths": (2, 2, 2, 2), "num_heads": (1, 2, 4, 8)},
    "swinv2_tiny_window8_256": {"img_size": 64, "embed_dim": 24, "depths": (2, 2, 2, 2), "num_heads": (1, 2, 4, 8), "window_size": 4},
    "mixer_s32_224": {"img_size": 64, "num_blocks": 2}, "gmlp_ti16_224": {"img_size": 64, "num_blocks": 2}, "resmlp_12_224": {"img_size": 64, "num_blocks": 2},
    "coat_lite_tiny": {"img_size": 64}, "convit_tiny": {"img_size": 64}, "crossvit_tiny_240": {"img_size": 240}, "levit_128s": {"img": 224}, "pit_ti_224": {},
    "poolformer_s12": {}, "pvt_v2_b0": {}, "twins_svt_small": {"img_size": 64}, "tnt_s_legacy_patch16_224": {"img_size": 64},
    "visformer_tiny": {"img": 224}, "volo_d1_224": {"img": 224}, "mobilevit_xxs": {"img": 64}, "mobilevitv2_050": {"img": 64}, "edgenext_xx_small": {},
    "efficientformer_l1": {"img": 224}, "efficientformerv2_s0": {"img": 224}, "efficientvit_b0": {}, "efficientvit_m0": {"img": 224}, "fastvit_t8": {}, "ghostnetv2_100": {},
    "hgnet_tiny": {}, "hiera_tiny_224": {"img_size": 64 * 3 + 32}, "inception_next_atto": {}, "maxvit_rmlp_pico_rw_256": {"img_size": 64}, "coatnet_nano_rw_224": {"img_size": 64}, "caformer_s18": {},
    "mvitv2_tiny": {"img_size": 64}, "nest_tiny": {"img_size": 64}, "focalnet_tiny_srf": {"embed_dim": 24, "depths": (1, 1, 1, 1)}, "gcvit_xxtiny": {"img": 224},
    "davit_tiny": {"embed_dims": (24, 48, 96, 192), "num_heads": (1, 2, 4, 8), "depths": (1, 1, 1, 1)}, "repghostnet_050": {}, "repvit_m0_9": {}, "starnet_s1": {}, "sequencer2d_s": {"img": 64},
    "tiny_vit_5m_224": {"img": 224}, "vovnet39a": {}, "rdnet_tiny": {}, "mambaout_femto": {}, "haloregnetz_b": {"img": 224}, "botnet26t_256": {"img": 256}, "lambda_resnet26t": {"img": 256},
    "gcresnet33ts": {}, "bat_resnext26ts": {"img": 256}, "cs3darknet_s": {}, "samvit_base_patch16": {"img_size": 64, "patch_size": 16, "embed_dim": 48, "depth": 2, "num_heads": 3},
    "naflexvit_base_patch16_gap": {"depth": 2, "embed_dim": 96, "num_heads": 3, "img": 64}, "vit_medium_patch16_gap_240": {"img_size": 64, "depth": 2},
}
NAMES = list(MODELS)


def make(name):
    import timm
    more = dict(MODELS.get(name, {}))
    side = more.pop("img", more.get("img_size", 64))
    model = timm.create_model(name, num_classes=10, **more)

    def inputs(batch):
        return {"x": torch.randn(batch, 3, side, side)}

    class Renamed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = model

        def forward(self, x):
            return self.inner(x)
    return Renamed(), inputs
