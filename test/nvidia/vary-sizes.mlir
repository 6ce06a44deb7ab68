// Of kernels with rows of unknown length the variant for rows that 16 bytes divide has accesses of 16 bytes, and copies of
// products that go on by themselves. Every step computes the same for sizes of both kinds.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,verify=1 --no-fallback --emit=asm -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics -o %t.kiln

// CHECK: .entry product_0_dot(
// CHECK-NOT: cp.async
// CHECK: .entry product_0_dot_aligned(
// CHECK-NOT: ld.global
// CHECK: cp.async.cg.shared.global
// CHECK: wgmma.mma_async
func.func @product(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// CHECK: .entry softmax_0_softmax(
// CHECK-NOT: ld.global{{.*}}v4
// CHECK: .entry softmax_0_softmax_aligned(
// CHECK-NOT: ld.global.b32
// CHECK: ld.global.v4
// CHECK: st.global.v4
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = prim.softmax %x dim 1 : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK: .entry transpose_0_transpose(
// CHECK-NOT: ld.global{{.*}}v4
// CHECK: .entry transpose_0_transpose_aligned(
// CHECK: ld.global.v4
// CHECK: st.global.v4
func.func @transpose(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %r = prim.transpose %x permutation [1, 0] : tensor<?x?xbf16> -> tensor<?x?xbf16>
  return %r : tensor<?x?xbf16>
}
