// The depth of a product whose rows and columns are few is shared out: the copies of each part go ahead as those of a whole
// product do, and what adds up the sums reads them in vectors. Every step computes the same.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,verify=1 --no-fallback --emit=asm | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --verify-semantics -o %t
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,blocks=32x32x64 --no-fallback --emit=asm | FileCheck %s --check-prefix=WHOLE

// CHECK: .entry main_0_dot(
// CHECK-NOT: ld.global
// CHECK: cp.async.cg.shared.global
// CHECK: mma.sync
// CHECK: st.global.v2
// CHECK: .entry main_0_dot_parts(
// CHECK-NOT: ld.global.b
// CHECK: ld.global.v4
// CHECK: max
// CHECK: st.global
// WHOLE-NOT: _parts
func.func @main(%a: tensor<32x4096xbf16>, %b: tensor<48x4096xbf16>) -> tensor<32x48xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<32x4096xbf16>, tensor<48x4096xbf16> -> tensor<32x48xf32>
  %z = prim.full 0.0 : f32 : tensor<32x48xf32>
  %m = prim.maximum %d, %z : tensor<32x48xf32>
  %r = prim.convert_element_type %m : tensor<32x48xf32> -> tensor<32x48xbf16>
  return %r : tensor<32x48xbf16>
}
