// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much work another kernel needs to pay follows from the description of the machine: from its cores, its memory and its launches.
// A machine of 64 cores sorts a line of 2^18 keys by digits; one of 304 cores would leave most of them idle, and merges blocks.
// RUN: kiln-compile %s --target=amd:gfx1201 --no-fallback --emit=program --entry=lines | FileCheck %s --check-prefix=DIGITS
// RUN: kiln-compile %s --target=amd:gfx942 --no-fallback --emit=program --entry=lines | FileCheck %s --check-prefix=MERGES
// DIGITS: tile.histogram
// MERGES-NOT: tile.histogram

// A core reads a row of 192 KiB before a second kernel could begin, unless a launch takes 1 us instead of 5.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' | sed 's/extra = {/extra = {launch_ns = 1000 : i64, /' > %t-fast.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program --entry=rows | FileCheck %s --check-prefix=ONE
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t-fast.mlir --no-fallback --emit=program --entry=rows | FileCheck %s --check-prefix=TWO
// ONE-COUNT-1: program.launch
// ONE-NOT: program.launch
// TWO-COUNT-2: program.launch

// Where no memory states a bandwidth, each core has that of a core of most machines, and what a launch moves stays a number however long it takes.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' | sed 's/bandwidth = [0-9]*, //g; s/, bandwidth = [0-9]*//g' > %t-usual.mlir
// RUN: not grep bandwidth %t-usual.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t-usual.mlir --no-fallback --emit=program --entry=rows | FileCheck %s --check-prefix=ONE
// RUN: sed 's/extra = {/extra = {launch_ns = 1000 : i64, /' %t-usual.mlir > %t-usual-fast.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t-usual-fast.mlir --no-fallback --emit=program --entry=rows | FileCheck %s --check-prefix=TWO
// RUN: sed 's/extra = {/extra = {launch_ns = 9223372036854775807 : i64, /' %t-usual.mlir > %t-slow.mlir
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,description=%t-slow.mlir --no-fallback --emit=program --entry=rows | FileCheck %s --check-prefix=ONE
func.func @lines(%x: tensor<262144x2xf32>) -> tensor<262144x2xi64> {
  %r = prim.argsort %x dim 0 : tensor<262144x2xf32> -> tensor<262144x2xi64>
  return %r : tensor<262144x2xi64>
}
func.func @rows(%x: tensor<33x49152xf32>) -> tensor<33xf32> {
  %r = prim.sum %x dims [1] : tensor<33x49152xf32> -> tensor<33xf32>
  return %r : tensor<33xf32>
}
