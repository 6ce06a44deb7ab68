// Other ways to memory: block pointers, descriptors, atomics, indirect rows, transposed stores.
// RUN: kiln-run %s --entry=block --target=cpu --check --grid=2,2 --arg=random:1:f32:20x30 --arg=zeros:f32:30x20
// RUN: kiln-run %s --entry=descriptor --target=cpu --check --grid=2 --arg=random:1:f32:20x32 --arg=zeros:f32:20x32
// RUN: kiln-run %s --entry=atomics --target=cpu --check --grid=8 --arg=zeros:i32:4 --arg=zeros:i32:1
// RUN: kiln-run %s --entry=rows --target=cpu --check --grid=1 --arg=random:1:f32:8x16 --arg=%S/Inputs/rows.npy --arg=zeros:f32:8x16
// RUN: kiln-run %s --entry=poll --target=cpu --check --grid=2 --arg=zeros:i32:1 --arg=zeros:i32:1
tt.func public @block(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c1_i64 = arith.constant 1 : i64
  %c20 = arith.constant 20 : i64
  %c30 = arith.constant 30 : i64
  %pm = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %m = arith.muli %pm, %c16 : i32
  %n = arith.muli %pn, %c16 : i32
  %from = tt.make_tensor_ptr %x, [%c20, %c30], [%c30, %c1_i64], [%m, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %at = tt.advance %from, [%c0, %n] : <tensor<16x16xf32>>
  %v = tt.load %at {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x16xf32>>
  %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %to = tt.make_tensor_ptr %y, [%c30, %c20], [%c20, %c1_i64], [%n, %m] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  tt.store %to, %t {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

tt.func public @descriptor(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c20 = arith.constant 20 : i32
  %c32 = arith.constant 32 : i32
  %c1_i64 = arith.constant 1 : i64
  %c32_i64 = arith.constant 32 : i64
  %two = arith.constant dense<2.0> : tensor<16x32xf32>
  %pid = tt.get_program_id x : i32
  %m = arith.muli %pid, %c16 : i32
  %from = tt.make_tensor_descriptor %x, [%c20, %c32], [%c32_i64, %c1_i64] : <f32>, <tensor<16x32xf32>>
  %to = tt.make_tensor_descriptor %y, [%c20, %c32], [%c32_i64, %c1_i64] : <f32>, <tensor<16x32xf32>>
  %v = tt.descriptor_load %from[%m, %c0] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  %w = arith.mulf %v, %two : tensor<16x32xf32>
  tt.descriptor_store %to[%m, %c0], %w : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.return
}

tt.func public @atomics(%sums: !tt.ptr<i32>, %lock: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %ones = arith.constant dense<1> : tensor<8xi32>
  %three = arith.constant dense<3> : tensor<8xi32>
  %six = arith.constant dense<6> : tensor<8xi32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %bin = arith.andi %range, %three : tensor<8xi32>
  %mask = arith.cmpi slt, %range, %six : tensor<8xi32>
  %s = tt.splat %sums : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %p = tt.addptr %s, %bin : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  // A lock that instances wait for.
  scf.while : () -> () {
    %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %taken = arith.cmpi ne, %old, %c0 : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %before = tt.load %p, %mask, %ones {isVolatile = true} : tensor<8x!tt.ptr<i32>>
  %a = tt.atomic_rmw add, relaxed, gpu, %p, %ones, %mask : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %free = tt.atomic_rmw exch, acq_rel, gpu, %lock, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

tt.func public @rows(%x: !tt.ptr<f32>, %index: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %w = arith.constant dense<16> : tensor<8x1xi32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %is = tt.splat %index : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ip = tt.addptr %is, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %row = tt.load %ip : tensor<8x!tt.ptr<i32>>
  %rc = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %ro = arith.muli %rc, %w : tensor<8x1xi32>
  %jr = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %ro2 = tt.broadcast %ro : tensor<8x1xi32> -> tensor<8x16xi32>
  %jr2 = tt.broadcast %jr : tensor<1x16xi32> -> tensor<8x16xi32>
  %off = arith.addi %ro2, %jr2 : tensor<8x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %off : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %v = tt.load %xp : tensor<8x16x!tt.ptr<f32>>
  %ic = tt.expand_dims %i {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %io = arith.muli %ic, %w : tensor<8x1xi32>
  %io2 = tt.broadcast %io : tensor<8x1xi32> -> tensor<8x16xi32>
  %to = arith.addi %io2, %jr2 : tensor<8x16xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %to : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  tt.store %yp, %v : tensor<8x16x!tt.ptr<f32>>
  tt.return
}

// Instance 0 waits for what instance 1 says.
tt.func public @poll(%flag: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %true = arith.constant true
  %pid = tt.get_program_id x : i32
  %first = arith.cmpi eq, %pid, %c0 : i32
  scf.if %first {
    tt.atomic_poll acquire, gpu, %flag, %c1 : (!tt.ptr<i32>, i32) -> ()
    %v = tt.load %out : !tt.ptr<i32>
    %w = arith.addi %v, %c1 : i32
    tt.store %out, %w : !tt.ptr<i32>
  } else {
    tt.store %out, %c7 : !tt.ptr<i32>
    %old = tt.atomic_rmw exch, release, gpu, %flag, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  }
  tt.return
}
