// Block pointers: advance along both dimensions, in a loop, checks of one dimension, padding by NaN, a transposed view.
// RUN: for t in cpu reference; do kiln-run %s --entry=advance --target=$t --grid=1 --arg=%S/Inputs/table.npy --arg=zeros:f32:4x4 --arg=zeros:f32:4x4 --save=1:%t.1.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.1.npy 37 38 39 0 47 48 49 0 57 58 59 0 0 0 0 0 && %python %S/Inputs/check.py %t.2.npy 37 38 39 nan 47 48 49 nan 57 58 59 nan nan nan nan nan || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=transposed --target=$t --grid=1 --arg=%S/Inputs/table.npy --arg=zeros:f32:4x2 --save=1:%t.1.npy && %python %S/Inputs/check.py %t.1.npy 66 96 69 99 72 102 75 105 || exit 1; done
tt.func public @advance(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c1_i64 = arith.constant 1 : i64
  %c4_i64 = arith.constant 4 : i64
  %c6 = arith.constant 6 : i64
  %c10 = arith.constant 10 : i64
  %from = tt.make_tensor_ptr %x, [%c6, %c10], [%c10, %c1_i64], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x4xf32>>
  %at = tt.advance %from, [%c2, %c4] : <tensor<4x4xf32>>
  %here = tt.advance %at, [%c1, %c3] : <tensor<4x4xf32>>
  %v = tt.load %here {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<4x4xf32>>
  %w = tt.load %here {boundaryCheck = array<i32: 1, 0>, padding = 2 : i32} : !tt.ptr<tensor<4x4xf32>>
  %to = tt.make_tensor_ptr %y, [%c4_i64, %c4_i64], [%c4_i64, %c1_i64], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x4xf32>>
  tt.store %to, %v : !tt.ptr<tensor<4x4xf32>>
  %too = tt.make_tensor_ptr %z, [%c4_i64, %c4_i64], [%c4_i64, %c1_i64], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x4xf32>>
  tt.store %too, %w {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4x4xf32>>
  tt.return
}
// Columns 2 to 5, summed in pairs of rows.
tt.func public @transposed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<4x2xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c1_i64 = arith.constant 1 : i64
  %c2_i64 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c6 = arith.constant 6 : i64
  %c10 = arith.constant 10 : i64
  %from = tt.make_tensor_ptr %x, [%c10, %c6], [%c1_i64, %c10], [%c2, %c0] {order = array<i32: 0, 1>} : <tensor<4x2xf32>>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero, %p = %from) -> (tensor<4x2xf32>, !tt.ptr<tensor<4x2xf32>>) : i32 {
    %v = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4x2xf32>>
    %t = arith.addf %s, %v : tensor<4x2xf32>
    %q = tt.advance %p, [%c0, %c2] : <tensor<4x2xf32>>
    scf.yield %t, %q : tensor<4x2xf32>, !tt.ptr<tensor<4x2xf32>>
  }
  %to = tt.make_tensor_ptr %y, [%c4, %c2_i64], [%c2_i64, %c1_i64], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x2xf32>>
  tt.store %to, %r#0 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<4x2xf32>>
  tt.return
}
