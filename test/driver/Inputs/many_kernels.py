# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a host program that launches N kernels of which no two are equal.

Usage: many_kernels.py N [--bad]     with --bad, every third kernel holds assembly that no machine has
"""
import sys

count = int(sys.argv[1])
bad = "--bad" in sys.argv
kind = "memref<{0}xf32>"
for i in range(count):
    size = i + 1
    lines = [f"tile.kernel private @kernel{i}(%x: !tile.view<{size}xf32> {{tile.readonly}}, "
             f"%y: !tile.view<{size}xf32>) {{",
             "  %c0 = arith.constant 0 : index",
             f"  %v = tile.load %x[%c0] : !tile.view<{size}xf32> -> tensor<{size}xf32>",
             f"  %w = math.{('sin', 'exp', 'tanh', 'log1p')[i % 4]} %v : tensor<{size}xf32>",
             f"  tile.store %w, %y[%c0] : tensor<{size}xf32>, !tile.view<{size}xf32>"]
    if bad and i % 3 == 0:
        lines += ["  %n = arith.constant 1 : i32",
                  f'  %r = tile.inline_asm "nonsense{i} $1, $0" isa "x86_64" constraints "=r,r" pack 1 (%n) '
                  ": (i32) -> i32"]
    print("\n".join(lines + ["}"]))
arguments = ", ".join(f"%x{i}: {kind.format(i + 1)}" for i in range(count))
results = ", ".join(kind.format(i + 1) for i in range(count))
print(f"program.func @main({arguments}) -> ({results}) {{\n  %c1 = arith.constant 1 : index")
for i in range(count):
    print(f"  %y{i} = program.alloc : {kind.format(i + 1)}")
    print(f"  program.launch [@kernel{i}] grid (%c1, %c1, %c1) args (%x{i}, %y{i}) writes [1] : "
          f"{kind.format(i + 1)}, {kind.format(i + 1)}")
print(f"  program.return {', '.join(f'%y{i}' for i in range(count))} : {results}\n}}")
