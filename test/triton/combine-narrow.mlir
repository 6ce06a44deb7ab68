// Stores that add 16-bit floats, by several instances; and a mask of one element for a whole column.
// RUN: kiln-run %s --entry=adds --target=cpu --check --grid=4 --arg=random:1:bf16:8x16 --arg=random:2:bf16:8x16
// RUN: kiln-run %s --entry=adds --target=cpu,threads=2 --grid=64 --arg=%S/Inputs/ones.npy --arg=zeros:bf16:8x16 --save=1:%t.npy
// RUN: %python -c "import numpy; assert (numpy.load('%t.npy') == 0x4280).all()"
// RUN: kiln-run %s --entry=column --target=cpu --check --grid=2 --arg=random:1:f32:8 --arg=zeros:f32:16
tt.func public @adds(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c1_i64 = arith.constant 1 : i64
  %c16_i64 = arith.constant 16 : i64
  %from = tt.make_tensor_descriptor %x, [%c8, %c16], [%c16_i64, %c1_i64] : <bf16>, <tensor<8x16xbf16>>
  %to = tt.make_tensor_descriptor %y, [%c8, %c16], [%c16_i64, %c1_i64] : <bf16>, <tensor<8x16xbf16>>
  %v = tt.descriptor_load %from[%c0, %c0] : !tt.tensordesc<tensor<8x16xbf16>> -> tensor<8x16xbf16>
  tt.descriptor_reduce add, %to[%c0, %c0], %v : !tt.tensordesc<tensor<8x16xbf16>>, tensor<8x16xbf16>
  tt.return
}

tt.func public @column(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c8 = arith.constant 8 : i32
  %c0 = arith.constant dense<0> : tensor<1xi32>
  %pid = tt.get_program_id x : i32
  %pids = tt.splat %pid : i32 -> tensor<1xi32>
  %one = tt.make_range {end = 1 : i32, start = 0 : i32} : tensor<1xi32>
  %sum = arith.addi %pids, %one : tensor<1xi32>
  %is = arith.cmpi ne, %sum, %c0 : tensor<1xi32>
  %is2 = tt.expand_dims %is {axis = 0 : i32} : tensor<1xi1> -> tensor<1x1xi1>
  %wide = tt.broadcast %is2 : tensor<1x1xi1> -> tensor<8x1xi1>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %three = arith.constant dense<3> : tensor<8x1xi32>
  %odd = arith.andi %rows, %three : tensor<8x1xi32>
  %few = arith.cmpi ne, %odd, %three : tensor<8x1xi32>
  %mask = arith.andi %few, %wide : tensor<8x1xi1>
  %start = arith.muli %pid, %c8 : i32
  %base = tt.addptr %y, %start : !tt.ptr<f32>, i32
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %rows : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
  %v = tt.load %xp, %mask : tensor<8x1x!tt.ptr<f32>>
  %ys = tt.splat %base : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %rows : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
  tt.store %yp, %v, %mask : tensor<8x1x!tt.ptr<f32>>
  tt.return
}
