// A loop whose body multiplies, reduces and repeats small tensors is one kernel that carries tiles of their shapes.
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=cell --arg=random:1 --arg=random:2 --arg=random:3 --arg=random:4
// RUN: kiln-run %s --target=cpu --check --entry=gates --arg=random:1 --arg=random:2 --arg=i32:3
// RUN: kiln-run %s --target=cpu --check --entry=gates --arg=random:1 --arg=random:2 --arg=i32:0
// RUN: kiln-run %s --target=cpu --check --entry=rows --arg=random:1
// RUN: kiln-run %s --target=cpu --check --entry=added --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=reversed --arg=random:1
// RUN: kiln-run %s --target=cpu --check --entry=open --arg=random:1:f32:8x32 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=joined --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=register --arg=random:1
// RUN: kiln-compile %s --target=amd:gfx942 --emit=program | FileCheck %s --check-prefix=GPU
// RUN: kiln-compile %s --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: schedule {{ *}}prim.while -> a loop of the host
// EXPLAIN-NEXT: declined by generic.loop: more than 64 elements are written in each iteration

// A recurrent cell: a row of the inputs is read, one of the outputs written in place.
// CHECK-LABEL: tile.kernel private @cell_1_loop
// CHECK: scf.while {{.*}} : (i32, tensor<3x12xf32>) -> (i32, tensor<3x12xf32>)
// CHECK-DAG: tile.dot
// CHECK-DAG: tile.dot
// CHECK-DAG: tile.transpose
// CHECK: math.tanh
// CHECK: tile.store
// CHECK: scf.yield
// CHECK-LABEL: program.func @cell
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @cell(%xs: tensor<7x3x20xf32>, %w: tensor<20x12xf32>, %u: tensor<12x12xf32>, %bias: tensor<12xf32>) -> (tensor<3x12xf32>, tensor<7x3x12xf32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 7 : i32 : tensor<i32>
  %start = prim.full 0.0 : f32 : tensor<3x12xf32>
  %out = prim.full 0.0 : f32 : tensor<7x3x12xf32>
  %r:3 = prim.while (%zero, %start, %out) : (tensor<i32>, tensor<3x12xf32>, tensor<7x3x12xf32>) -> (tensor<i32>, tensor<3x12xf32>, tensor<7x3x12xf32>) {
  ^bb0(%i: tensor<i32>, %h: tensor<3x12xf32>, %o: tensor<7x3x12xf32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %h: tensor<3x12xf32>, %o: tensor<7x3x12xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %x = prim.dynamic_slice %xs starts (%i, %zero, %zero) : tensor<7x3x20xf32>, tensor<i32>, tensor<i32>, tensor<i32> -> tensor<1x3x20xf32>
    %y = prim.reshape %x : tensor<1x3x20xf32> -> tensor<3x20xf32>
    %a = prim.dot_general %y, %w batch [] x [] contract [1] x [0] : tensor<3x20xf32>, tensor<20x12xf32> -> tensor<3x12xf32>
    %b = prim.dot_general %h, %u batch [] x [] contract [1] x [1] : tensor<3x12xf32>, tensor<12x12xf32> -> tensor<3x12xf32>
    %c = prim.add %a, %b : tensor<3x12xf32>
    %d = prim.broadcast_in_dim %bias dims [1] : tensor<12xf32> -> tensor<3x12xf32>
    %e = prim.add %c, %d : tensor<3x12xf32>
    %n = prim.tanh %e : tensor<3x12xf32>
    %m = prim.reshape %n : tensor<3x12xf32> -> tensor<1x3x12xf32>
    %q = prim.dynamic_update_slice %o, %m starts (%i, %zero, %zero) : tensor<7x3x12xf32>, tensor<1x3x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    prim.yield %j, %n, %q : tensor<i32>, tensor<3x12xf32>, tensor<7x3x12xf32>
  }
  return %r#1, %r#2 : tensor<3x12xf32>, tensor<7x3x12xf32>
}

// Halves that are multiplied in batches, a part of the product, sums along a dimension that are repeated along it.
// CHECK-LABEL: tile.kernel private @gates_0_loop
// CHECK: scf.while {{.*}} : (i32, tensor<2x3x5xbf16>, tensor<2x3xf32>)
// CHECK: tile.dot {{.*}} : tensor<2x3x5xbf16>, tensor<2x5x16xbf16>, tensor<2x3x16xf32>
// CHECK: tile.extract
// CHECK: tile.reduce
// CHECK: tile.broadcast
func.func @gates(%w: tensor<2x5x16xbf16>, %h: tensor<2x3x5xbf16>, %n: tensor<i32>) -> (tensor<2x3x5xbf16>, tensor<2x3xf32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %none = prim.full 0.0 : f32 : tensor<2x3xf32>
  %r:3 = prim.while (%zero, %h, %none) : (tensor<i32>, tensor<2x3x5xbf16>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3x5xbf16>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<2x3x5xbf16>, %t: tensor<2x3xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<2x3x5xbf16>, %t: tensor<2x3xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %d = prim.dot_general %a, %w batch [0] x [0] contract [2] x [1] : tensor<2x3x5xbf16>, tensor<2x5x16xbf16> -> tensor<2x3x16xf32>
    %s = prim.slice %d starts [0, 0, 8] limits [2, 3, 16] strides [1, 1, 1] : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
    %e = prim.sum %s dims [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
    %g = prim.sigmoid %e : tensor<2x3xf32>
    %k = prim.broadcast_in_dim %g dims [0, 1] : tensor<2x3xf32> -> tensor<2x3x5xf32>
    %c = prim.convert_element_type %a : tensor<2x3x5xbf16> -> tensor<2x3x5xf32>
    %u = prim.mul %c, %k : tensor<2x3x5xf32>
    %v = prim.convert_element_type %u : tensor<2x3x5xf32> -> tensor<2x3x5xbf16>
    prim.yield %j, %v, %g : tensor<i32>, tensor<2x3x5xbf16>, tensor<2x3xf32>
  }
  return %r#1, %r#2 : tensor<2x3x5xbf16>, tensor<2x3xf32>
}

// Each iteration reads a row that the one before has written.
// CHECK-LABEL: tile.kernel private @rows_1_loop
// CHECK: scf.while
// CHECK: tile.load
// CHECK: tile.store
// CHECK: scf.yield
func.func @rows(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 4 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<5x100xf32>) -> (tensor<i32>, tensor<5x100xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<5x100xf32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<5x100xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %row = prim.dynamic_slice %a starts (%i, %zero) : tensor<5x100xf32>, tensor<i32>, tensor<i32> -> tensor<1x100xf32>
    %twice = prim.add %row, %row : tensor<1x100xf32>
    %u = prim.dynamic_update_slice %a, %twice starts (%j, %zero) : tensor<5x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
    prim.yield %j, %u : tensor<i32>, tensor<5x100xf32>
  }
  return %r#1 : tensor<5x100xf32>
}

// A window that is added at a computed place, and falls outside in part; the product of two vectors.
// CHECK-LABEL: tile.kernel private @added
// CHECK: scf.while
// CHECK: tile.dot
// CHECK: tile.store
func.func @added(%x: tensor<9x30xf32>, %v: tensor<20xf32>) -> (tensor<9x30xf32>, tensor<f32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %two = prim.full 2 : i32 : tensor<i32>
  %most = prim.full 10 : i32 : tensor<i32>
  %none = prim.full 0.0 : f32 : tensor<f32>
  %r:3 = prim.while (%zero, %x, %none) : (tensor<i32>, tensor<9x30xf32>, tensor<f32>) -> (tensor<i32>, tensor<9x30xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<9x30xf32>, %s: tensor<f32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<9x30xf32>, %s: tensor<f32>):
    %j = prim.add %i, %two : tensor<i32>
    %far = prim.add %j, %two : tensor<i32>
    %c = prim.broadcast_in_dim %s dims [] : tensor<f32> -> tensor<20xf32>
    %w = prim.add %v, %c : tensor<20xf32>
    %d = prim.dot_general %w, %v batch [] x [] contract [0] x [0] : tensor<20xf32>, tensor<20xf32> -> tensor<f32>
    %t = prim.tanh %d : tensor<f32>
    %rows = prim.broadcast_in_dim %w dims [1] : tensor<20xf32> -> tensor<2x20xf32>
    %m = prim.reshape %rows : tensor<2x20xf32> -> tensor<1x2x20xf32>
    %from = prim.reshape %i : tensor<i32> -> tensor<1x1xi32>
    %at = prim.reshape %far : tensor<i32> -> tensor<1x1xi32>
    %where = prim.cat %from, %at dim 1 : tensor<1x1xi32>, tensor<1x1xi32> -> tensor<1x2xi32>
    %u = prim.scatter add %a, %where, %m dims [0, 1] batch_dims 0 : tensor<9x30xf32>, tensor<1x2xi32>, tensor<1x2x20xf32>
    prim.yield %j, %u, %t : tensor<i32>, tensor<9x30xf32>, tensor<f32>
  }
  return %r#1, %r#2 : tensor<9x30xf32>, tensor<f32>
}

// Many elements of what has no form on tiles take launches of their own.
// CHECK-LABEL: program.func @reversed
// CHECK: scf.while
func.func @reversed(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 4 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<5x100xf32>) -> (tensor<i32>, tensor<5x100xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<5x100xf32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<5x100xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %row = prim.dynamic_slice %a starts (%i, %zero) : tensor<5x100xf32>, tensor<i32>, tensor<i32> -> tensor<1x100xf32>
    %back = prim.rev %row dims [1] : tensor<1x100xf32>
    %u = prim.dynamic_update_slice %a, %back starts (%j, %zero) : tensor<5x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
    prim.yield %j, %u : tensor<i32>, tensor<5x100xf32>
  }
  return %r#1 : tensor<5x100xf32>
}

// A captured tensor of open size beside the tiles is read where it is.
func.func @open(%x: tensor<?x32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %n = prim.full 6 : i32 : tensor<i32>
  %z = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %r:2 = prim.while (%z, %y) : (tensor<i32>, tensor<32xf32>) -> (tensor<i32>, tensor<32xf32>) {
  ^bb0(%i: tensor<i32>, %o: tensor<32xf32>):
    %c = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %o: tensor<32xf32>):
    %i2 = prim.add %i, %one : tensor<i32>
    %q0 = prim.gather %x, %i dim 0 batch_dims 0 : tensor<?x32xf32>, tensor<i32> -> tensor<32xf32>
    %s = prim.sum %q0 dims [0] : tensor<32xf32> -> tensor<f32>
    %sb = prim.broadcast_in_dim %s dims [] : tensor<f32> -> tensor<32xf32>
    %q1 = prim.add %o, %q0 : tensor<32xf32>
    %q = prim.add %q1, %sb : tensor<32xf32>
    prim.yield %i2, %q : tensor<i32>, tensor<32xf32>
  }
  return %r#1 : tensor<32xf32>
}

// Tensors of one element along a dimension, as keys of random bits have them, are joined by choices.
// CHECK-LABEL: tile.kernel private @joined_{{[0-9]+}}_loop
// CHECK: tile.iota
// CHECK: scf.while {{.*}} : (i32, tensor<3x4xf32>, tensor<40xf32>) -> (i32, tensor<3x4xf32>, tensor<40xf32>)
// CHECK-COUNT-2: arith.select
// CHECK-LABEL: program.func @joined
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @joined(%k: tensor<3x4xf32>, %x: tensor<40xf32>) -> (tensor<3x4xf32>, tensor<40xf32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 5 : i32 : tensor<i32>
  %half = prim.full 5.0e-01 : f32 : tensor<1x4xf32>
  %r:3 = prim.while (%zero, %k, %x) : (tensor<i32>, tensor<3x4xf32>, tensor<40xf32>) -> (tensor<i32>, tensor<3x4xf32>, tensor<40xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<3x4xf32>, %b: tensor<40xf32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<3x4xf32>, %b: tensor<40xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %a0 = prim.slice %a starts [0, 0] limits [1, 4] strides [1, 1] : tensor<3x4xf32> -> tensor<1x4xf32>
    %a1 = prim.slice %a starts [1, 0] limits [2, 4] strides [1, 1] : tensor<3x4xf32> -> tensor<1x4xf32>
    %a2 = prim.slice %a starts [2, 0] limits [3, 4] strides [1, 1] : tensor<3x4xf32> -> tensor<1x4xf32>
    %m = prim.mul %a1, %half : tensor<1x4xf32>
    %next = prim.cat %a2, %m, %a0 dim 0 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32> -> tensor<3x4xf32>
    %s = prim.sum %next dims [0, 1] : tensor<3x4xf32> -> tensor<f32>
    %t = prim.broadcast_in_dim %s dims [] : tensor<f32> -> tensor<40xf32>
    %c = prim.add %b, %t : tensor<40xf32>
    prim.yield %j, %next, %c : tensor<i32>, tensor<3x4xf32>, tensor<40xf32>
  }
  return %r#1, %r#2 : tensor<3x4xf32>, tensor<40xf32>
}

// Half a register of elements is a tile where a thread has it alone, and scalars where threads share tiles.
// CHECK-LABEL: tile.kernel private @register_0_loop
// CHECK: scf.while {{.*}} : (i32, tensor<9xf32>) -> (i32, tensor<9xf32>)
// GPU-LABEL: tile.kernel private @register_0_loop
// GPU: scf.while {{.*}} : (i32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
func.func @register(%x: tensor<9xf32>) -> tensor<9xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 5 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<9xf32>) -> (tensor<i32>, tensor<9xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<9xf32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<9xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %e = prim.tanh %a : tensor<9xf32>
    prim.yield %j, %e : tensor<i32>, tensor<9xf32>
  }
  return %r#1 : tensor<9xf32>
}
