# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch model that runs elsewhere: python_model.py export FOLDER TARGET... | run FOLDER

export writes a package for all targets, an input and eager's result; run, which needs kiln and
NumPy alone, compares.
"""
import os
import sys

import numpy as np

import kiln


def export(folder, targets):
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 48, 4, 4)
            self.block = nn.TransformerEncoderLayer(48, 4, 96, batch_first=True, activation="gelu")
            self.head = nn.Linear(48, 10)

        def forward(self, x):
            tokens = self.patches(x).flatten(2).transpose(1, 2)
            return torch.softmax(self.head(self.block(tokens).mean(1)), -1)

    torch.manual_seed(1)
    model, x = Model().eval(), torch.randn(2, 3, 32, 32)
    kiln.export(torch.export.export(model, (x,)), os.path.join(folder, "model.kiln"), target=targets)
    np.save(os.path.join(folder, "x.npy"), x.numpy())
    with torch.no_grad():
        np.save(os.path.join(folder, "y.npy"), model(x).numpy())


def run(folder):
    model = kiln.load(os.path.join(folder, "model.kiln"))
    found = np.asarray(model(np.load(os.path.join(folder, "x.npy"))))
    expected = np.load(os.path.join(folder, "y.npy"))
    error = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{found.shape[0]} x {found.shape[1]} {'as' if error < 1e-5 else 'not as'} PyTorch's: {error:.1e}")


if __name__ == "__main__":
    if sys.argv[1] == "export":
        export(sys.argv[2], sys.argv[3:])
    else:
        run(sys.argv[2])
