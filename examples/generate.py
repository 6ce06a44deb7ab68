# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Continues a sentence with the weights that train.py wrote: a package without weights, and the file of torch.save.

    PYTHONPATH=build/python python examples/generate.py [TEXT]

Writing the package needs PyTorch; the calls need numpy and the runtime alone."""
import os
import sys

import kiln
import numpy as np


def write_package(path):
    import torch
    from train import Copycat
    model = Copycat()
    ids = torch.zeros(1, model.length, dtype=torch.int64)
    kiln.export(torch.export.export(model.eval(), (ids,)), path, weights=False)


def main():
    from train import LETTERS
    text = sys.argv[1] if len(sys.argv) > 1 else "the quick br"
    if not os.path.exists("copycat.kiln"):
        write_package("copycat.kiln")
    model = kiln.load("copycat.kiln", weights="copycat.pt")
    length = 32
    ids = [LETTERS.index(letter) for letter in text]
    for _ in range(40):
        last = ids[-length:]
        window = np.array([last + [0] * (length - len(last))], np.int64)
        scores = np.asarray(model(window))[0, len(last) - 1]
        ids.append(int(scores.argmax()))
    print("".join(LETTERS[n] for n in ids))


if __name__ == "__main__":
    main()
