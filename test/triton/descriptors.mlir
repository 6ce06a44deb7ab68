// Tensor descriptors: stores that combine, rows by index, descriptors as arguments, dimensions of size 1 left out.
// RUN: kiln-run %s --entry=combine --target=cpu --check --grid=2 --arg=random:1:i32:10x8 --arg=random:2:i32:10x8 --arg=random:3:i32:10x8
// RUN: kiln-run %s --entry=wrap --target=cpu --grid=3 --arg=zeros:i32:8 --arg=zeros:i32:8 --save=0:%t.0.npy --save=1:%t.1.npy
// RUN: %python %S/Inputs/check.py %t.0.npy 0 1 0 3 3 3 3 0
// RUN: %python %S/Inputs/check.py %t.1.npy 0 1 0 1 2 3 4 0
// RUN: kiln-run %s --entry=wrap --target=cpu --check --grid=3 --arg=zeros:i32:8 --arg=zeros:i32:8
// RUN: kiln-run %s --entry=rows --target=cpu --check --grid=1 --arg=desc:random:1:f32:20x24 --arg=desc:zeros:f32:12x24
// RUN: not kiln-run %s --entry=rows --target=cpu --grid=1 --arg=desc:random:1 2>&1 | FileCheck %s
// CHECK: 'desc:random:1': expected desc:FILE.npy, desc:random:SEED:DTYPE:SHAPE or desc:zeros:DTYPE:SHAPE

tt.func public @combine(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c10 = arith.constant 10 : i32
  %c1_i64 = arith.constant 1 : i64
  %c8_i64 = arith.constant 8 : i64
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %v = tt.reshape %r : tensor<64xi32> -> tensor<8x8xi32>
  %pid = tt.get_program_id x : i32
  %m = arith.muli %pid, %c8 : i32
  %dx = tt.make_tensor_descriptor %x, [%c10, %c8], [%c8_i64, %c1_i64] : <i32>, <8x8xi32>
  %dy = tt.make_tensor_descriptor %y, [%c10, %c8], [%c8_i64, %c1_i64] : <i32>, <tensor<8x8xi32>>
  %dz = tt.make_tensor_descriptor %z, [%c10, %c8], [%c8_i64, %c1_i64] : <i32>, <tensor<8x8xi32>>
  tt.descriptor_reduce add, %dx[%m, %c0], %v : !tt.tensordesc<8x8xi32>, tensor<8x8xi32>
  tt.descriptor_reduce min, %dy[%m, %c0], %v : !tt.tensordesc<tensor<8x8xi32>>, tensor<8x8xi32>
  tt.descriptor_reduce xor, %dz[%m, %c0], %v : !tt.tensordesc<tensor<8x8xi32>>, tensor<8x8xi32>
  tt.descriptor_reduce max, %dz[%c0, %c0], %v : !tt.tensordesc<tensor<8x8xi32>>, tensor<8x8xi32>
  tt.return
}

// Every instance counts once: elements 3 to 6 up to 6, 5, 4 and 3; the others wrap around.
tt.func public @wrap(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c1_i64 = arith.constant 1 : i64
  %limit = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %dx = tt.make_tensor_descriptor %x, [%c7], [%c1_i64] : <i32>, <tensor<8xi32>>
  %dy = tt.make_tensor_descriptor %y, [%c7], [%c1_i64] : <i32>, <tensor<8xi32>>
  tt.descriptor_reduce inc, %dx[%c0], %limit : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  tt.descriptor_reduce dec, %dy[%c0], %limit : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  tt.return
}

// Rows 1, 4, 7 ... of one tensor to rows 0, 2, 4 ... of the other; those outside of it are dropped.
tt.func public @rows(%x: !tt.tensordesc<1x16xf32>, %y: !tt.tensordesc<tensor<1x16xf32>>) {
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant dense<1> : tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %three = arith.constant dense<3> : tensor<8xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %r3 = arith.muli %r, %three : tensor<8xi32>
  %from = arith.addi %r3, %one : tensor<8xi32>
  %to = arith.muli %r, %two : tensor<8xi32>
  %v = tt.descriptor_gather %x[%from, %c0] : (!tt.tensordesc<1x16xf32>, tensor<8xi32>, i32) -> tensor<8x16xf32>
  tt.descriptor_scatter %y[%to, %c0], %v : !tt.tensordesc<tensor<1x16xf32>>, tensor<8xi32>, i32, tensor<8x16xf32>
  %w = tt.descriptor_load %x[%c3, %c16] : !tt.tensordesc<1x16xf32> -> tensor<16xf32>
  tt.descriptor_store %y[%c3, %c16], %w : !tt.tensordesc<tensor<1x16xf32>>, tensor<16xf32>
  tt.return
}
