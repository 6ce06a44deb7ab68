// Single elements at computed places: each thread combines its own in memory, by one instruction where there is one. The levels below
// give the same results, with more places than elements, with places outside, and with NaN.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm | FileCheck %s
// RUN: for entry in sum wide half product extreme rows bytes truth; do kiln-run %s --entry=$entry --target=amd:gfx942,device=sim \
// RUN:   --check --inputs=hurt || exit 1; done
// RUN: for entry in sum wide half product extreme rows bytes truth; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none --no-fallback \
// RUN:   --verify-semantics --emit=asm -o %t.ptx 2>&1 | grep ' 0 changed' || exit 1; done

// CHECK-LABEL: .entry sum_{{.*}}scatter(
// CHECK-COUNT-4: atom.global.add.f32
// CHECK-NOT: atom
// CHECK-LABEL: .entry wide_{{.*}}scatter(
// CHECK-COUNT-2: atom.global.add.u64
// CHECK-LABEL: .entry half_{{.*}}scatter(
// CHECK-COUNT-4: red.relaxed.gpu.global.add.noftz.bf16x2
// CHECK-NOT: atom
// CHECK-LABEL: .entry product_{{.*}}scatter(
// CHECK: mul.{{(rn.)?}}f32
// CHECK: atom.relaxed.gpu.global.cas.b32
// CHECK-LABEL: .entry extreme_{{.*}}scatter(
// CHECK-NOT: cas
// CHECK: atom.global.max.s32
// CHECK-NOT: cas
// CHECK-LABEL: .entry rows_{{.*}}scatter(
// CHECK: atom.global.min.s32
// CHECK-LABEL: .entry bytes_{{.*}}scatter(
// CHECK-COUNT-4: atom.relaxed.gpu.global.cas.b32
// CHECK-LABEL: .entry truth_{{.*}}scatter(
// CHECK-NOT: cas
// CHECK-COUNT-4: atom.global.or.b32
func.func @sum(%x: tensor<900xf32>, %t: tensor<1000x1xi64>, %u: tensor<1000x1xf32>) -> tensor<900xf32> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<900xf32>, tensor<1000x1xi64>, tensor<1000x1xf32>
  return %r : tensor<900xf32>
}
func.func @wide(%x: tensor<900xi64>, %i: tensor<1000x1xi64>, %u: tensor<1000x1xi64>) -> tensor<900xi64> {
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<900xi64>, tensor<1000x1xi64>, tensor<1000x1xi64>
  return %r : tensor<900xi64>
}
func.func @half(%x: tensor<900xbf16>, %t: tensor<1000x1xi64>, %u: tensor<1000x1xbf16>) -> tensor<900xbf16> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<900xbf16>, tensor<1000x1xi64>, tensor<1000x1xbf16>
  return %r : tensor<900xbf16>
}
func.func @product(%x: tensor<900xf32>, %t: tensor<1000x1xi64>, %u: tensor<1000x1xf32>) -> tensor<900xf32> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x1xi64>
  %r = prim.scatter mul %x, %i, %u dims [0] batch_dims 0 : tensor<900xf32>, tensor<1000x1xi64>, tensor<1000x1xf32>
  return %r : tensor<900xf32>
}
func.func @extreme(%x: tensor<900xf32>, %t: tensor<1000x1xi64>, %u: tensor<1000x1xf32>) -> tensor<900xf32> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x1xi64>
  %r = prim.scatter max %x, %i, %u dims [0] batch_dims 0 : tensor<900xf32>, tensor<1000x1xi64>, tensor<1000x1xf32>
  return %r : tensor<900xf32>
}
func.func @rows(%x: tensor<9x40xi32>, %t: tensor<9x70x1xi32>, %u: tensor<9x70x1xi32>) -> tensor<9x40xi32> {
  %c = prim.constant dense<63> : tensor<9x70x1xi32>
  %i = prim.bitwise_and %t, %c : tensor<9x70x1xi32>
  %r = prim.scatter min %x, %i, %u dims [1] batch_dims 1 : tensor<9x40xi32>, tensor<9x70x1xi32>, tensor<9x70x1xi32>
  return %r : tensor<9x40xi32>
}
func.func @bytes(%x: tensor<900xi8>, %t: tensor<1000x1xi64>, %u: tensor<1000x1xi8>) -> tensor<900xi8> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x1xi64>
  %r = prim.scatter max %x, %i, %u dims [0] batch_dims 0 : tensor<900xi8>, tensor<1000x1xi64>, tensor<1000x1xi8>
  return %r : tensor<900xi8>
}
func.func @truth(%x: tensor<900xi1>, %t: tensor<1000x1xi64>, %u: tensor<1000x1xi1>) -> tensor<900xi1> {
  %c = prim.constant dense<1023> : tensor<1000x1xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x1xi64>
  %r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<900xi1>, tensor<1000x1xi64>, tensor<1000x1xi1>
  return %r : tensor<900xi1>
}
