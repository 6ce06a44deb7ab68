// What every descriptor promises reaches views: the last stride is 1, the base is aligned, and the other strides are
// whole accesses.
// RUN: kiln-compile %s --target=cpu --emit=tile | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --emit=asm | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: tile.kernel @product(
// CHECK-SAME: %arg0: !tile.ptr<bf16> {tile.facts = {align = 16 : i64}}, %arg1: i32, %arg2: i32, %arg3: i64 {tile.facts = {divisibility = 8 : i64}}
// CHECK: scf.for {{.*}} {
// CHECK: tile.make_view %arg0 {{.*}} -> !tile.view<?x?xbf16, strides = [?, 1]>
// CHECK: tile.make_view %{{.*}} -> !tile.view<?x?xbf16, strides = [?, 1]>
// CHECK: } {tile.hints = #tile.loop_hints<independent = true>}

// Rows are copied 16 bytes at a time, and products read them in shared memory.
// PTX-LABEL: .entry product(
// PTX: cp.async.cg.shared.global {{.*}}, 16
// PTX-NOT: ld.global.b16
// PTX: wgmma.mma_async
tt.func public @product(%a: !tt.tensordesc<tensor<128x64xbf16>>, %b: !tt.ptr<bf16> {tt.divisibility = 16 : i32},
    %c: !tt.tensordesc<tensor<128x128xf32>>, %N: i32 {tt.divisibility = 16 : i32}, %K: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1_i64 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %N : i32 to i64
  %bd = tt.make_tensor_descriptor %b, [%K, %N], [%stride, %c1_i64] : <bf16>, <tensor<64x128xbf16>>
  %pm = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %m = arith.muli %pm, %c128 : i32
  %n = arith.muli %pn, %c128 : i32
  %steps = arith.divsi %K, %c64 : i32
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> tensor<128x128xf32> : i32 {
    %at = arith.muli %k, %c64 : i32
    %x = tt.descriptor_load %a[%m, %at] : !tt.tensordesc<tensor<128x64xbf16>> -> tensor<128x64xbf16>
    %y = tt.descriptor_load %bd[%at, %n] : !tt.tensordesc<tensor<64x128xbf16>> -> tensor<64x128xbf16>
    %d = tt.dot %x, %y, %s : tensor<128x64xbf16> * tensor<64x128xbf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.descriptor_store %c[%m, %n], %sum : !tt.tensordesc<tensor<128x128xf32>>, tensor<128x128xf32>
  tt.return
}
