# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares erfc.npy and cbrt.npy with the numbers that are nearest to what they should be, to a unit in the last place."""
import numpy as np

h = float.fromhex
WANTED = {"erfc": [h("0x1.3d4e3fdde310ep-4"), h("0x1.4226162fbddd5p-3"), 1.0, 0.0, 2.0, np.nan, 1.0, h("0x0.0000000019e0fp-1022")],
          "cbrt": [-h("0x1.7d16dba3e5e7bp-3"), 1.0, -0.0, np.inf, -np.inf, np.nan, h("0x1p-358"), 3.0]}
good = 0
for name, wanted in WANTED.items():
    found, wanted = np.load(name + ".npy"), np.array(wanted)
    with np.errstate(invalid="ignore"):
        near = np.abs(found - wanted) <= np.spacing(np.abs(wanted))
    fits = near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    fits &= np.isnan(wanted) | (np.signbit(found) == np.signbit(wanted))
    good += fits.sum()
    for i in np.flatnonzero(~fits):
        print(f"{name}[{i}]: expected {wanted[i].hex()}, found {found[i].hex()}")
print(f"{good} of 16 as they should be")
