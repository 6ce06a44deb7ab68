// A masked addition: the pointers become views, and the result is the reference's.
// RUN: kiln-run %s --target=cpu --check --grid=4 --arg=random:1:f32:1000 --arg=random:2:f32:1000 --arg=zeros:f32:1000 --arg=i32:1000
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views{report=true}),canonicalize)' 2>&1 | FileCheck %s
// RUN: kiln-compile %s --numerics=strict --emit=tile -o - 2>/dev/null | FileCheck %s --check-prefix=STRICT
// STRICT: numerics = #tile.numerics<>
// CHECK-COUNT-3: remark: view
// CHECK: tile.load
// CHECK-NOT: tile.load_ptr
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c256 = arith.constant 256 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c256 : i32
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %base = tt.splat %start : i32 -> tensor<256xi32>
    %offsets = arith.addi %base, %range : tensor<256xi32>
    %bound = tt.splat %n : i32 -> tensor<256xi32>
    %mask = arith.cmpi slt, %offsets, %bound : tensor<256xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %xv = tt.load %xp, %mask : tensor<256x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %yv = tt.load %yp, %mask : tensor<256x!tt.ptr<f32>>
    %sum = arith.addf %xv, %yv : tensor<256xf32>
    %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %op = tt.addptr %os, %offsets : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %op, %sum, %mask : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
