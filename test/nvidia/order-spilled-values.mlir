// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// Kernels of which ptxas would store registers are ordered for register pressure, unless the user says otherwise.
// RUN: kiln-compile %S/order-values.mlir --target=nvidia:sm_90a --no-fallback -o %t.kpkg
// RUN: kiln-run %t.kpkg --inspect | FileCheck %s
// CHECK: ordered_for_registers: 1
// CHECK: spill_load_bytes: 0
// CHECK: spill_store_bytes: 0
// RUN: kiln-compile %S/order-values.mlir --target=nvidia:sm_90a,order=on --no-fallback -o %t.on
// RUN: kiln-run %t.on --inspect | FileCheck %s
// RUN: kiln-compile %S/order-values.mlir --target=nvidia:sm_90a,order=off --no-fallback -o %t.off 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: spills registers
// RUN: kiln-run %t.off --inspect | FileCheck %s --check-prefix=TILES
// TILES-NOT: ordered_for_registers
// TILES: spill_load_bytes: {{[1-9]}}
