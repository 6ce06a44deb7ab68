// A loop that carries columns of a matrix, as large as the registers of a block, is one kernel of as many threads as a block may have.
// REQUIRES: lld
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=tile -o - | FileCheck %s
// RUN: kiln-compile %s --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: kiln-run %s --target=amd:gfx942,device=sim --check --arg=random:1
// CHECK: tile.kernel @main_0_loop{{.*}}warps = 32
// CHECK: tile.reduce {{.*}} axis 0 : tensor<1024x16xf32>
// CPU: prim.while -> a loop of the host
func.func @main(%x: tensor<1024x16xf32>) -> tensor<1024x16xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %n = prim.full 3 : i32 : tensor<i32>
  %half = prim.full 0.5 : f32 : tensor<1024x16xf32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<1024x16xf32>) -> (tensor<i32>, tensor<1024x16xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<1024x16xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<1024x16xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %m = prim.amax %a dims [0] : tensor<1024x16xf32> -> tensor<16xf32>
    %b = prim.broadcast_in_dim %m dims [1] : tensor<16xf32> -> tensor<1024x16xf32>
    %s = prim.sub %b, %a : tensor<1024x16xf32>
    %t = prim.mul %s, %half : tensor<1024x16xf32>
    prim.yield %next, %t : tensor<i32>, tensor<1024x16xf32>
  }
  return %r#1 : tensor<1024x16xf32>
}
