# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small member of each family of torchvision's classification and segmentation models."""
import torch

LENGTHS = (1, 2, 3, 5, 4)
SIDES = {"inception_v3": 96, "alexnet": 64, "vit_b_16": 32, "maxvit_t": 224}
NAMES = """alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5 mobilenet_v2 mobilenet_v3_small
regnet_x_400mf regnet_y_400mf resnet18 resnet50 resnext50_32x4d shufflenet_v2_x0_5 squeezenet1_0 swin_t swin_v2_t vgg11 vgg11_bn vit_b_16 wide_resnet50_2
segmentation.deeplabv3_mobilenet_v3_large segmentation.fcn_resnet50 segmentation.lraspp_mobilenet_v3_large optical_flow.raft_small""".split()


class Called(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Flow(Called):
    def forward(self, x):
        return self.inner(x, x.flip(3), num_flow_updates=2)


def make(name):
    import torchvision
    where, _, kind = name.rpartition(".")
    module = getattr(torchvision.models, where) if where else torchvision.models
    if kind == "vit_b_16":
        model = torchvision.models.VisionTransformer(32, 8, 2, 4, 64, 128, num_classes=10)
    elif where == "optical_flow":
        model = getattr(module, kind)()
    elif where:
        model = getattr(module, kind)(weights=None, weights_backbone=None, num_classes=5)
    else:
        more = {"init_weights": False} if kind in ("googlenet", "inception_v3") else {}
        model = getattr(module, kind)(num_classes=10, **more)
    side = SIDES.get(kind, 128 if where else 64)

    def inputs(batch):
        return {"x": torch.randn(batch, 3, side, side)}
    return (Flow if where == "optical_flow" else Called)(model), inputs
