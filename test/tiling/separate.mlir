// Softmax of columns and of rows that do not stay with an instance: each reduction has kernels of its own, which several
// instances share out, and what is left is elementwise. Rows that stay, and little that does not, are one kernel.
// RUN: kiln-compile %s --load-target=%S/Inputs/threaded.mlir --target=threaded --emit=program | FileCheck %s
// This target has no code generator, so the host runs what it chooses:
// RUN: unset KILN_NO_FALLBACK
// RUN: for entry in columns rows; do \
// RUN:   kiln-run %s --load-target=%S/Inputs/threaded.mlir --target=threaded --check --entry=$entry || exit 1; done

// The largest elements and the sums come from one pass: what is summed so far is scaled when a larger element comes.
// CHECK-LABEL: tile.kernel private @columns_0_softmax_amax0(
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}) -> (tensor<[[T:.*]]xf32>, tensor<[[T]]xf32>)
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: tile.reduce {{.*}}, {{.*}} axis 0
// CHECK: tile.kernel private @columns_0_softmax_amax0_parts(
// CHECK: tile.reduce {{.*}}, {{.*}} axis 1
// CHECK: %[[NONE:.*]] = arith.subf %[[MAX:.*]], %[[MAX]]
// CHECK: arith.addf {{.*}}, %[[NONE]]
// CHECK-NOT: @columns_0_softmax_sum1
// CHECK: tile.kernel private @columns_0_softmax(
// CHECK-NOT: tile.reduce
// CHECK: math.exp
// CHECK: tile.store
// CHECK-LABEL: program.func @columns
// CHECK-COUNT-3: program.launch
func.func @columns(%x: tensor<8192x512xf32>) -> tensor<8192x512xf32> {
  %r = prim.softmax %x dim 0 : tensor<8192x512xf32>
  return %r : tensor<8192x512xf32>
}

// CHECK-LABEL: tile.kernel private @rows_0_softmax_amax0(
// CHECK: tile.kernel private @rows_0_softmax(
func.func @rows(%x: tensor<32x131072xf32>) -> tensor<32x131072xf32> {
  %r = prim.softmax %x dim 1 : tensor<32x131072xf32>
  return %r : tensor<32x131072xf32>
}

// CHECK-NOT: @short_0_softmax_amax0
func.func @short(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %r = prim.softmax %x dim 1 : tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

// CHECK-NOT: @little_0_softmax_amax0
func.func @little(%x: tensor<8192x64xf32>) -> tensor<8192x64xf32> {
  %r = prim.softmax %x dim 0 : tensor<8192x64xf32>
  return %r : tensor<8192x64xf32>
}

// Columns of 1024 elements stay, in half lines.
// CHECK-NOT: @kept_0_softmax_amax0
// CHECK: tile.kernel private @kept_0_softmax(
// CHECK: tile.load {{.*}} -> tensor<1024x16xf32>
// CHECK-NOT: tile.load
// CHECK-LABEL: program.func @kept
func.func @kept(%x: tensor<1024x8192xf32>) -> tensor<1024x8192xf32> {
  %r = prim.softmax %x dim 0 : tensor<1024x8192xf32>
  return %r : tensor<1024x8192xf32>
}
