// Early returns out of nested choices, choices between descriptors, and assertions inside of combinations.
// RUN: kiln-run %s --entry=returns --target=cpu --check --grid=4 --arg=random:1:i32:4 --arg=zeros:i32:4 2>&1
// RUN: kiln-run %s --entry=chosen --target=cpu --check --grid=1 --arg=random:1:f32:8x16 --arg=random:2:f32:8x16 --arg=zeros:f32:8x16 --arg=i32:1
// RUN: kiln-run %s --entry=sums --target=cpu --check --grid=1 --arg=random:1:i32:16 --arg=zeros:i32:17 2>&1 | FileCheck %s
// RUN: kiln-run %s --entry=signs --target=cpu --check --grid=1 --arg=random:1:i32:8x16 --arg=random:2:i32:8x16 --arg=random:3:i32:8x16
// RUN: kiln-run %s --entry=wide --target=cpu --check --grid=1 --arg=zeros:i64:1 --arg=i64:18446744073709551615 --save=0:%t.npy
// RUN: %python -c "import numpy; assert numpy.load('%t.npy')[0] == -1"
tt.func public @returns(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pid = tt.get_program_id x : i32
  %xp = tt.addptr %x, %pid : !tt.ptr<i32>, i32
  %yp = tt.addptr %y, %pid : !tt.ptr<i32>, i32
  %v = tt.load %xp : !tt.ptr<i32>
  %first = arith.cmpi eq, %pid, %c0 : i32
  cf.cond_br %first, ^bb1, ^bb2
^bb1:
  %positive = arith.cmpi sgt, %v, %c0 : i32
  cf.cond_br %positive, ^bb3, ^bb4
^bb2:
  %second = arith.cmpi eq, %pid, %c1 : i32
  cf.cond_br %second, ^bb4, ^bb5(%v : i32)
^bb3:
  %w = arith.addi %v, %c1 : i32
  cf.br ^bb5(%w : i32)
^bb4:
  tt.store %yp, %pid : !tt.ptr<i32>
  tt.return
^bb5(%z: i32):
  tt.store %yp, %z : !tt.ptr<i32>
  tt.return
}

tt.func public @chosen(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c1_i64 = arith.constant 1 : i64
  %c16_i64 = arith.constant 16 : i64
  %from = tt.make_tensor_descriptor %a, [%c8, %c16], [%c16_i64, %c1_i64] : <f32>, <tensor<8x16xf32>>
  %other = tt.make_tensor_descriptor %b, [%c8, %c16], [%c16_i64, %c1_i64] : <f32>, <tensor<8x16xf32>>
  %to = tt.make_tensor_descriptor %y, [%c8, %c16], [%c16_i64, %c1_i64] : <f32>, <tensor<8x16xf32>>
  %is = arith.cmpi eq, %n, %c1 : i32
  %which = arith.select %is, %other, %from : !tt.tensordesc<tensor<8x16xf32>>
  %v = tt.descriptor_load %which[%c0, %c0] : !tt.tensordesc<tensor<8x16xf32>> -> tensor<8x16xf32>
  tt.descriptor_store %to[%c0, %c0], %v : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  tt.return
}

tt.func public @sums(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %range : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<i32>>
  // CHECK: warning: ignored: an assertion on partial results
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    %ok = arith.cmpi sge, %s, %c0 : i32
    tt.assert %ok, "negative" : i1
    tt.reduce.return %s : i32
  }) : (tensor<16xi32>) -> i32
  // CHECK: warning: ignored: an assertion on partial results
  %sums = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    %ok = arith.cmpi sge, %s, %c0 : i32
    tt.assert %ok, "negative" : i1
    tt.scan.return %s : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %range : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %yp, %sums : tensor<16x!tt.ptr<i32>>
  %last = tt.addptr %y, %c16 : !tt.ptr<i32>, i32
  tt.store %last, %sum : !tt.ptr<i32>
  tt.return
}

// A descriptor says which way its integers compare.
tt.func public @signs(%x: !tt.ptr<i32>, %s: !tt.ptr<i32>, %u: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c1_i64 = arith.constant 1 : i64
  %c16_i64 = arith.constant 16 : i64
  %from = tt.make_tensor_descriptor %x, [%c8, %c16], [%c16_i64, %c1_i64] : <i32>, <tensor<8x16xsi32>>
  %signed = tt.make_tensor_descriptor %s, [%c8, %c16], [%c16_i64, %c1_i64] : <i32>, <tensor<8x16xsi32>>
  %unsigned = tt.make_tensor_descriptor %u, [%c8, %c16], [%c16_i64, %c1_i64] : <i32>, <tensor<8x16xui32>>
  %v = tt.descriptor_load %from[%c0, %c0] : !tt.tensordesc<tensor<8x16xsi32>> -> tensor<8x16xi32>
  tt.descriptor_reduce min, %signed[%c0, %c0], %v : !tt.tensordesc<tensor<8x16xsi32>>, tensor<8x16xi32>
  tt.descriptor_reduce min, %unsigned[%c0, %c0], %v : !tt.tensordesc<tensor<8x16xui32>>, tensor<8x16xi32>
  tt.return
}

tt.func public @wide(%y: !tt.ptr<i64>, %n: i64) {
  tt.store %y, %n : !tt.ptr<i64>
  tt.return
}
