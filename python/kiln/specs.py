# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Specifications of targets, as kiln-compile takes them."""
import re


def split_specs(target):
    """The specifications of `A+B`, one for each target. A `+` may also stand in the value of an option, as in `A,without=a.x+a.y+B`: what
    follows it is another target only if it begins with the name of one, of letters, digits, `-` and `_`."""
    specs = []
    for piece in str(target).split("+"):
        if specs and not re.fullmatch(r"[\w-]*", re.split("[,:=]", piece)[0], re.ASCII):
            specs[-1] += "+" + piece
        else:
            specs.append(piece)
    return specs


def names_of(target):
    """The names of the targets of a specification."""
    return [re.split("[,:]", one)[0] for one in split_specs(target)]
