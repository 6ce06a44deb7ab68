# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where JAX looks for plug-ins in a folder of PYTHONPATH; an installed package has an entry point."""
from kiln.jax import initialize  # noqa: F401: JAX calls it
