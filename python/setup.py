# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One wheel from a folder that wheels.py has filled: WHEEL names it, its folder and its version."""
import json
import os

from setuptools import Distribution, setup

wheel = json.loads(os.environ["WHEEL"])


class Binary(Distribution):
    """Holds machine code, though setuptools compiles none of it."""

    def has_ext_modules(self):
        return True


setup(
    name=wheel["name"],
    version=wheel["version"],
    description=wheel["summary"],
    license="Apache-2.0 WITH LLVM-exception",
    python_requires=">=3.9",
    install_requires=wheel["requires"],
    extras_require={"progress": ["tqdm"]},
    packages=[".".join(["kiln", *os.path.relpath(root, wheel["folder"]).split(os.sep)]).rstrip(".")
              for root, _, names in os.walk(wheel["folder"]) if "__init__.py" in names or root == wheel["folder"]],
    package_dir={"kiln": wheel["folder"]},
    package_data={"kiln": wheel["files"]},
    entry_points={"console_scripts": [f"{tool} = kiln.{wheel['module']}:{tool.replace('-', '_')}" for tool in wheel["tools"]],
                  **wheel["entry_points"]},
    distclass=Binary,
    options={"bdist_wheel": {"py_limited_api": "cp39", "compression": wheel["compression"],
                             "plat_name": wheel["platform"]}},
)
