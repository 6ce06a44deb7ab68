// A pointer takes an empty array: kernels often get one for what they do not read, or for rows of which there are none.
// RUN: kiln-run %s --target=cpu --grid=1 --arg=random:1:f32:64 --arg=zeros:f32:0 --arg=zeros:f32:64 --arg=i32:50 --save=1:%t.npy --check | FileCheck %s
// RUN: kiln-run %s --target=cpu --grid=1 --arg=zeros:f32:0 --arg=zeros:f32:0 --arg=zeros:f32:0 --arg=i32:0 --check | FileCheck %s --check-prefix=NONE
// CHECK: argument 0 (x): ok: 64xf32
// CHECK-NEXT: argument 1 (unused): ok: 0xf32
// CHECK-NEXT: argument 2 (y): ok: 64xf32
// NONE: argument 0 (x): ok: 0xf32
// NONE: argument 2 (y): ok: 0xf32
tt.func public @copy(%x: !tt.ptr<f32>, %unused: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %s : tensor<64xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %p, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %a, %m : tensor<64x!tt.ptr<f32>>
  %q = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %b = tt.addptr %q, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %b, %v, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
