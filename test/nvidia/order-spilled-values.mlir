// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// Kernels of which ptxas would store registers are ordered for register pressure, unless the user says otherwise.
// RUN: kiln-compile %s --target=nvidia:sm_90a --no-fallback -o %t.kpkg
// RUN: kiln-run %t.kpkg --inspect | FileCheck %s
// CHECK: ordered_for_registers: 1
// CHECK: spill_load_bytes: 0
// CHECK: spill_store_bytes: 0
// RUN: kiln-compile %s --target=nvidia:sm_90a,order=on --no-fallback -o %t.on
// RUN: kiln-run %t.on --inspect | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,order=off --no-fallback -o %t.off 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: spills registers
// RUN: kiln-run %t.off --inspect | FileCheck %s --check-prefix=TILES
// TILES-NOT: ordered_for_registers
// TILES: spill_load_bytes: {{[1-9]}}

// An exact quotient of functions.
func.func @silu(%a: tensor<2048x4096xbf16>, %b: tensor<14336x4096xbf16>, %g: tensor<2048x14336xbf16>) -> tensor<2048x14336xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<2048x4096xbf16>, tensor<14336x4096xbf16> -> tensor<2048x14336xbf16>
  %wide = prim.convert_element_type %g : tensor<2048x14336xbf16> -> tensor<2048x14336xf32>
  %e = prim.tanh %wide : tensor<2048x14336xf32>
  %o = prim.full 2.0 : f32 : tensor<2048x14336xf32>
  %q = prim.add %e, %o : tensor<2048x14336xf32>
  %t = prim.div %wide, %q : tensor<2048x14336xf32>
  %narrow = prim.convert_element_type %t : tensor<2048x14336xf32> -> tensor<2048x14336xbf16>
  %m = prim.mul %r, %narrow : tensor<2048x14336xbf16>
  return %m : tensor<2048x14336xbf16>
}
