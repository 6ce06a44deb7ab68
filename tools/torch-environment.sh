#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes an environment of Python with PyTorch and what its tests use.
# Usage: torch-environment.sh FOLDER
#   PyTorch is the wheel without the packages of devices that it names: stand_ins.py writes small
#   libraries in their place.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
folder=$1
mark=$folder/complete
version="torch 2.11.0, transformers 5.23.0, torchvision 0.26.0"
[ "$(cat "$mark" 2>/dev/null)" = "$version" ] && exit 0
test -x "$folder/bin/python" || /usr/bin/python3 -m venv "$folder"
pip=("$folder/bin/python" -m pip install -q --disable-pip-version-check)
"${pip[@]}" filelock typing-extensions sympy networkx jinja2 fsspec numpy setuptools expecttest scipy pillow \
  tokenizers safetensors huggingface_hub pyyaml regex requests tqdm packaging
"${pip[@]}" --no-deps torch==2.11.0 transformers==5.23.0 torchvision==0.26.0
"$folder/bin/python" "$here/stand_ins.py" "$folder"/lib/python3*/site-packages/torch/lib
"$folder/bin/python" -c 'import torch; assert not torch.cuda.is_available(); torch.ones(2) @ torch.ones(2)'
echo "$version" > "$mark"
