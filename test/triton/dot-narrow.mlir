// A product that accumulates in f16 stays one; processors sum it in f32 and round once.
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s
// CHECK: tile.dot {{.*}} : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>
// RUN: %python %S/Inputs/dot_narrow.py make %t
// RUN: kiln-run %s --target=reference --grid=1 --arg=%t.a.npy --arg=%t.b.npy --arg=%t.c.npy --save=2:%t.reference.npy
// RUN: kiln-run %s --target=cpu --grid=1 --arg=%t.a.npy --arg=%t.b.npy --arg=%t.c.npy --save=2:%t.cpu.npy
// RUN: %python %S/Inputs/dot_narrow.py check %t reference cpu
tt.func public @narrow(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f16>) {
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %rows, %c16 : tensor<16x1xi32>
  %x = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %y = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %x, %y : tensor<16x16xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %ap = tt.addptr %as, %at : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %bp = tt.addptr %bs, %at : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %cp = tt.addptr %cs, %at : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
  %av = tt.load %ap : tensor<16x16x!tt.ptr<f16>>
  %bv = tt.load %bp : tensor<16x16x!tt.ptr<f16>>
  %cv = tt.load %cp : tensor<16x16x!tt.ptr<f16>>
  %d = tt.dot %av, %bv, %cv : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
  tt.store %cp, %d : tensor<16x16x!tt.ptr<f16>>
  tt.return
}
