// A matmul of a plug-in whose operands are in another order than m x k and k x n, or that has no accumulator, is computed by
// a `tile.dot` of transposed operands, on every code generator. One that is no matmul of two matrices is refused.
// RUN: rm -rf %t && mkdir -p %t
// RUN: for part in dialect.h:dialect-decls dialect.cpp:dialect-defs attrs.h:attrdef-decls attrs.cpp:attrdef-defs \
// RUN:     ops.h:op-decls ops.cpp:op-defs; do \
// RUN:   mlir-tblgen -gen-${part#*:} $(case $part in ops*|attrs*) ;; *) echo -dialect=mine;; esac) %S/Inputs/mine.td \
// RUN:     $(case $part in ops*) echo -op-include-regex=^mine;; attrs*) echo -attrdefs-dialect=mine;; esac) \
// RUN:     -I %source/include -I %llvm/include -o %t/mine.${part%:*}.inc || exit 1; done
// RUN: %plugin_cxx -I%t %S/Inputs/mine.cpp -o %t/mine.so
//
// RUN: kiln-opt %s --load-target=%t/mine.so --pass-pipeline='builtin.module(tile.kernel(tile-expand-reductions))' | FileCheck %s
// RUN: kiln-opt %s --load-target=%t/mine.so --pass-pipeline='builtin.module(tile.kernel(tile-expand-reductions{keep=mine.contract}))' \
// RUN:   | FileCheck %s --check-prefix=KEPT
// RUN: for target in cpu reference,threads=nvidia:sm_90a reference,threads=amd:gfx942; do \
// RUN:   kiln-run %s --load-target=%t/mine.so --target=$target --no-fallback --check --grid=1 --entry=turned --arg=random:1:f32:32x64 \
// RUN:     --arg=random:2:f32:16x64 --arg=random:3:f32:32x16 && \
// RUN:   kiln-run %s --load-target=%t/mine.so --target=$target --no-fallback --check --grid=1 --entry=batched --arg=random:1:f32:32x2x16 \
// RUN:     --arg=random:2:f32:2x32x16 --arg=zeros:f32:16x16x2 || exit 1; done > %t/ran
// RUN: grep -c '(c): ok: ' %t/ran | FileCheck %s --check-prefix=RAN
// RAN: 6
//
// Two dimensions of rows: no code generator takes it, and each says so where it stands.
// RUN: cp %S/Inputs/two-rows.mlir %t/two.mlir
// RUN: not kiln-compile %t/two.mlir --load-target=%t/mine.so --target=cpu -o %t/two.kiln 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not kiln-compile %t/two.mlir --load-target=%t/mine.so --target=nvidia:sm_90a --no-fallback -o %t/two.kiln 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPU
// CPU: two.mlir:7:8: error: unsupported: operation 'mine.contract' of plug-in 'mine'
// CPU: cpu.dot.packed declined: its operands are not m x k and k x n
// GPU: a matmul whose operands are not m x k and k x n (at {{.*}}two.mlir:7:8)
//
// Sizes are those that the maps say.
// RUN: sed 's/tensor<16x64xf32>/tensor<16x32xf32>/' %s > %t/sizes.mlir
// RUN: not kiln-opt %t/sizes.mlir --load-target=%t/mine.so -verify-tile-form 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: 'mine.contract' op expected operand 1 to have 64 elements along dimension 1, as its index map says, found 32

// KEPT-LABEL: tile.kernel @turned
// KEPT: mine.contract
// CHECK-LABEL: tile.kernel @turned
// CHECK-DAG: %[[X:.*]] = tile.load %arg0
// CHECK-DAG: %[[Y:.*]] = tile.load %arg1
// CHECK-DAG: %[[RHS:.*]] = tile.transpose %[[Y]] [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x16xf32>
// CHECK: %[[SUM:.*]] = tile.dot %[[X]], %[[RHS]], %[[ZERO]] :
// CHECK: tile.store %[[SUM]]
// The lhs is m x k, the rhs n x k, without an accumulator.
tile.kernel @turned(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly}, %c: !tile.view<?x?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x64xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<?x?xf32> -> tensor<16x64xf32>
  %d = mine.contract %x, %y {lhs_map = affine_map<(m, n, k) -> (m, k)>, rhs_map = affine_map<(m, n, k) -> (n, k)>}
     : tensor<32x64xf32>, tensor<16x64xf32> -> tensor<32x16xf32>
  tile.store %d, %c[%c0, %c0] : tensor<32x16xf32>, !tile.view<?x?xf32>
}

// CHECK-LABEL: tile.kernel @batched
// CHECK: tile.transpose {{.*}} [1, 2, 0] : tensor<32x2x16xf32> -> tensor<2x16x32xf32>
// CHECK: tile.transpose {{.*}} [2, 0, 1] : tensor<16x16x2xf32> -> tensor<2x16x16xf32>
// CHECK: tile.dot {{.*}} : tensor<2x16x32xf32>, tensor<2x32x16xf32>, tensor<2x16x16xf32>
// CHECK: tile.transpose {{.*}} [1, 2, 0] : tensor<2x16x16xf32> -> tensor<16x16x2xf32>
// The lhs is k x b x m, the rhs b x k x n, and the result m x n x b.
tile.kernel @batched(%a: !tile.view<?x?x?xf32> {tile.readonly}, %b: !tile.view<?x?x?xf32> {tile.readonly}, %c: !tile.view<?x?x?xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0, %c0] : !tile.view<?x?x?xf32> -> tensor<32x2x16xf32>
  %y = tile.load %b[%c0, %c0, %c0] : !tile.view<?x?x?xf32> -> tensor<2x32x16xf32>
  %z = tile.load %c[%c0, %c0, %c0] : !tile.view<?x?x?xf32> -> tensor<16x16x2xf32>
  %d = mine.contract %x, %y to %z : tensor<16x16x2xf32> {lhs_map = affine_map<(m, n, b, k) -> (k, b, m)>, rhs_map = affine_map<(m, n, b, k) -> (b, k, n)>}
     : tensor<32x2x16xf32>, tensor<2x32x16xf32> -> tensor<16x16x2xf32>
  tile.store %d, %c[%c0, %c0, %c0] : tensor<16x16x2xf32>, !tile.view<?x?x?xf32>
}
