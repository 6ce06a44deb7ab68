// The place of the largest element of a row: a reduction with two operands.
// RUN: kiln-run %s --target=cpu --check --grid=5 --arg=zeros:i32:5 --arg=random:2:f32:5x48 --arg=i32:48 --arg=i32:40
tt.func public @argmax(%out: !tt.ptr<i32>, %in: !tt.ptr<f32>, %stride: i32, %n: i32) {
  %minf = arith.constant dense<0xFF800000> : tensor<64xf32>
  %row = tt.get_program_id x : i32
  %start = arith.muli %row, %stride : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<64xi32>
  %from = tt.addptr %in, %start : !tt.ptr<f32>, i32
  %fs = tt.splat %from : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %fp, %mask, %minf : tensor<64x!tt.ptr<f32>>
  %best:2 = "tt.reduce"(%x, %range) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %equal = arith.cmpf oeq, %a, %b : f32
    %lower = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %equal, %lower : i1
    %more = arith.cmpf ogt, %a, %b : f32
    %first = arith.ori %more, %tie : i1
    %v = arith.select %first, %a, %b : f32
    %k = arith.select %first, %i, %j : i32
    tt.reduce.return %v, %k : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  %to = tt.addptr %out, %row : !tt.ptr<i32>, i32
  tt.store %to, %best#1 : !tt.ptr<i32>
  tt.return
}
