# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples that are found by rejection, one after the other on processors.

JAX's own rule for platforms that it does not know tries all samples together until the last of them is accepted, in as many
steps as the slowest one takes. A loop over samples, as JAX has it for its CPU backend, is one kernel here, in which each
sample ends by itself. Both draw the same bits."""
import functools
import os

from kiln.specs import names_of


def register(platform):
    """A rule for JAX's primitive of gamma distributions, by which those of Dirichlet, beta, chi-square and t are drawn, too."""
    from jax.interpreters import mlir
    from jax._src import random

    if set(names_of(os.environ.get("KILN_JAX_TARGET", "cpu"))) != {"cpu"}:
        return
    # The module is a package from some version on.
    sample = getattr(random, "_gamma_impl", None) or getattr(getattr(random, "core", None), "_gamma_impl", None)
    if sample is not None:
        rule = mlir.lower_fun(functools.partial(sample, use_vmap=False), multiple_results=False)
        mlir.register_lowering(random.random_gamma_p, rule, platform=platform)
