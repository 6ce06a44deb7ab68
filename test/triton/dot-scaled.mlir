// Block-scaled operands: 4-bit floats packed in bytes against 8-bit floats, with powers of two as scales.
// RUN: mkdir -p %t && %python %S/Inputs/dot_scaled.py make %t
// RUN: kiln-run %s --target=reference --grid=1 --arg=%t/a.npy+0 --arg=%t/b.npy+0 --arg=%t/sa.npy+0 --arg=%t/sb.npy+0 --arg=%t/c.npy+0 --save=4:%t/out.npy
// RUN: %python %S/Inputs/dot_scaled.py check %t | FileCheck %s
// RUN: kiln-run %s --target=cpu --grid=1 --arg=%t/a.npy+0 --arg=%t/b.npy+0 --arg=%t/sa.npy+0 --arg=%t/sb.npy+0 --arg=%t/c.npy+0 --save=4:%t/out.npy
// RUN: %python %S/Inputs/dot_scaled.py check %t | FileCheck %s
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s --check-prefix=TILE
// CHECK: exact
// TILE: tile.dot_scaled %{{.*}} e2m1 scale %{{.*}}, %{{.*}} e4m3 scale %{{.*}}, %{{.*}} : tensor<16x32xi8> scale tensor<16x2xi8>, tensor<64x16xf8E4M3FN> scale tensor<16x2xi8>, tensor<16x16xf32>
module {
  tt.func public @kernel(%a: !tt.ptr<i8>, %b: !tt.ptr<i8>, %sa: !tt.ptr<i8>, %sb: !tt.ptr<i8>, %c: !tt.ptr<f32>) {
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %c127 = arith.constant dense<127> : tensor<16x2xi8>
    %i512 = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
    %i1024 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %i32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %i256 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %pa = tt.splat %a : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>>
    %pa2 = tt.addptr %pa, %i512 : tensor<512x!tt.ptr<i8>>, tensor<512xi32>
    %va = tt.load %pa2 : tensor<512x!tt.ptr<i8>>
    %ta = tt.reshape %va : tensor<512xi8> -> tensor<16x32xi8>
    %pb = tt.splat %b : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>>
    %pb2 = tt.addptr %pb, %i1024 : tensor<1024x!tt.ptr<i8>>, tensor<1024xi32>
    %vb = tt.load %pb2 : tensor<1024x!tt.ptr<i8>>
    %mask = arith.constant dense<0x37> : tensor<1024xi8>
    %vm = arith.andi %vb, %mask : tensor<1024xi8>
    %tb = tt.reshape %vm : tensor<1024xi8> -> tensor<64x16xi8>
    %fb = tt.bitcast %tb : tensor<64x16xi8> -> tensor<64x16xf8E4M3FN>
    %psa = tt.splat %sa : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>>
    %psa2 = tt.addptr %psa, %i32 : tensor<32x!tt.ptr<i8>>, tensor<32xi32>
    %vsa = tt.load %psa2 : tensor<32x!tt.ptr<i8>>
    %tsa = tt.reshape %vsa : tensor<32xi8> -> tensor<16x2xi8>
    %sa1 = arith.addi %tsa, %c127 : tensor<16x2xi8>
    %psb = tt.splat %sb : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>>
    %psb2 = tt.addptr %psb, %i32 : tensor<32x!tt.ptr<i8>>, tensor<32xi32>
    %vsb = tt.load %psb2 : tensor<32x!tt.ptr<i8>>
    %tsb = tt.reshape %vsb : tensor<32xi8> -> tensor<16x2xi8>
    %sb1 = arith.addi %tsb, %c127 : tensor<16x2xi8>
    %d = tt.dot_scaled %ta scale %sa1, %fb scale %sb1, %zero lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xf8E4M3FN>, tensor<16x2xi8> -> tensor<16x16xf32>
    %pc = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %pc2 = tt.addptr %pc, %i256 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %out = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
    tt.store %pc2, %out : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
