#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs instructions on blocks of registers on the simulated device and compares each register of each lane with numpy.

Usage: wide_instructions.py CHIP FOLDER [EVERY]

EVERY: of the matrix instructions of CDNA, one of so many.
A kernel for each instruction fills registers from memory, runs it, and stores the registers of its result."""
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import matrix_cases  # noqa: E402
import wide_cases  # noqa: E402

u32 = np.uint32


class Device:
    """One chip, and waves of so many lanes."""

    def __init__(self, chip, folder, lanes):
        self.chip, self.folder, self.lanes = chip, folder, lanes
        self.is_cdna, self.is_12 = chip.startswith("gfx9"), chip.startswith("gfx12")

    def source(self, text, inputs, result, count):
        """`inputs` has (register, how many); v120 has the offset of a lane."""
        wait = "s_wait_loadcnt 0x0" if self.is_12 else "s_waitcnt vmcnt(0)"
        wait_scalar = "s_wait_kmcnt 0x0" if self.is_12 else "s_waitcnt lgkmcnt(0)"
        load, store = ("dword", "dword") if self.is_cdna else ("b32", "b32")
        step = 4 * self.lanes
        add, carry = ("s_add_co_u32", "s_add_co_ci_u32") if self.is_12 else ("s_add_u32", "s_addc_u32")
        lines = [f'.amdgcn_target "amdgcn-amd-amdhsa--{self.chip}"', ".text", ".globl k", ".p2align 8",
                 ".type k,@function", "k:", f"s_load_{'dwordx4' if self.is_cdna else 'b128'} s[4:7], s[0:1], 0x0",
                 "v_and_b32 v0, 0x3ff, v0", "v_lshlrev_b32 v120, 2, v0", wait_scalar]
        for first, many in inputs:
            for register in range(first, first + many):
                lines += [f"global_load_{load} v{register}, v120, s[4:5]", f"{add} s4, s4, {step}",
                          f"{carry} s5, s5, 0"]
        lines.append(wait)
        lines += text.replace("WAIT", wait).split("\n")
        for register in range(result, result + count):
            lines += [f"global_store_{store} v120, v{register}, s[6:7]", f"{add} s6, s6, {step}", f"{carry} s7, s7, 0"]
        lines += ["s_endpgm", ".Lend:", ".size k, .Lend-k", ".rodata", ".p2align 6", ".amdhsa_kernel k",
                  ".amdhsa_next_free_vgpr 128", ".amdhsa_next_free_sgpr 32", ".amdhsa_user_sgpr_kernarg_segment_ptr 1",
                  ".amdhsa_float_denorm_mode_32 3", ".amdhsa_kernarg_size 16",
                  ".amdhsa_accum_offset 128" if self.is_cdna else f".amdhsa_wavefront_size32 {int(self.lanes == 32)}",
                  ".end_amdhsa_kernel", ".amdgpu_metadata", "---", "amdhsa.version: [1, 2]", "amdhsa.kernels:",
                  "  - .name: k", "    .symbol: k.kd", "    .kernarg_segment_size: 16", "    .kernarg_segment_align: 8",
                  "    .group_segment_fixed_size: 0", "    .private_segment_fixed_size: 0",
                  f"    .wavefront_size: {self.lanes}", "    .sgpr_count: 32", "    .vgpr_count: 128",
                  f"    .max_flat_workgroup_size: {self.lanes}", "    .args:",
                  "      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}",
                  "      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}", "...",
                  ".end_amdgpu_metadata"]
        return "\n".join(lines) + "\n"

    def run(self, text, inputs, result, count):
        """The registers of the result; `inputs` maps registers to arrays of words, one row for each register."""
        stem = os.path.join(self.folder, "k")
        with open(stem + ".s", "w", encoding="utf-8") as file:
            file.write(self.source(text, [(first, len(rows)) for first, rows in inputs.items()], result, count))
        features = [] if self.is_cdna or self.lanes == 32 else ["-mattr=-wavefrontsize32,+wavefrontsize64"]
        subprocess.run(["llvm-mc", "-triple=amdgcn-amd-amdhsa", f"-mcpu={self.chip}", *features, "-filetype=obj",
                        stem + ".s", "-o", stem + ".o"], check=True)
        subprocess.run(["ld.lld", "-shared", "--no-undefined", stem + ".o", "-o", stem + ".hsaco"], check=True)
        np.concatenate([rows.astype(u32).reshape(-1) for rows in inputs.values()]).tofile(stem + ".in")
        np.zeros(count * self.lanes, dtype=u32).tofile(stem + ".out")
        subprocess.run(["kiln-amd-sim", stem + ".hsaco", f"--threads={self.lanes}", f"--arg=file:{stem}.in",
                        f"--arg=file:{stem}.out"], check=True)
        return np.fromfile(stem + ".out", dtype=u32).reshape(count, self.lanes)


def main():
    chip, folder = sys.argv[1:3]
    right, cases = 0, list(wide_cases.cases(chip))
    if chip.startswith("gfx9"):
        cases += list(matrix_cases.cases(wide_cases.Case, chip))[::int(sys.argv[3]) if len(sys.argv) > 3 else 1]
    for case in cases:
        device = Device(chip, folder, case.lanes)
        found = device.run(case.text, case.inputs, case.result, len(case.wanted))
        if np.array_equal(found, case.wanted):
            right += 1
            continue
        register, lane = (int(n) for n in np.argwhere(found != case.wanted)[0])
        print(f"{case.text!r}: register {register} of lane {lane} is {found[register, lane]:08x}, "
              f"expected {case.wanted[register, lane]:08x}")
    print(f"{chip}: {right} of {len(cases)} right")


main()
