// A quotient by 1 + exp(x) may err by two units in its last place where it is rounded to 16 bits at once, as in a sigmoid or SiLU; others
// are rounded once.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose,prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: for entry in silu sigmoid wide quotient; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: for entry in silu sigmoid; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --inputs=hurt --entry=$entry || exit 1; done

// CHECK-LABEL: tile.kernel private @silu_
// CHECK: arith.divf {{.*}} fastmath<afn> : {{.*}}f32>
func.func @silu(%x: tensor<700xbf16>) -> tensor<700xbf16> {
  %r = prim.silu %x : tensor<700xbf16>
  return %r : tensor<700xbf16>
}
// CHECK-LABEL: tile.kernel private @sigmoid_
// CHECK: arith.divf {{.*}} fastmath<afn> : {{.*}}f32>
func.func @sigmoid(%x: tensor<700xf16>) -> tensor<700xf16> {
  %r = prim.sigmoid %x : tensor<700xf16>
  return %r : tensor<700xf16>
}
// CHECK-LABEL: tile.kernel private @wide_
// CHECK: arith.divf
// CHECK-NOT: afn
func.func @wide(%x: tensor<700xf32>) -> tensor<700xf32> {
  %r = prim.silu %x : tensor<700xf32>
  return %r : tensor<700xf32>
}
// CHECK-LABEL: tile.kernel private @quotient_
// CHECK: arith.divf
// CHECK-NOT: afn
func.func @quotient(%x: tensor<700xf16>, %y: tensor<700xf16>) -> tensor<700xf16> {
  %e = prim.exp %y : tensor<700xf16>
  %r = prim.div %x, %e : tensor<700xf16>
  return %r : tensor<700xf16>
}
