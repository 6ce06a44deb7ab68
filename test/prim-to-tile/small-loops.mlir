// A loop that computes few elements in each iteration is one kernel: small tensors are scalars, a larger one is
// written in place.
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=scalars --arg=random:1 --arg=i32:7
// RUN: kiln-run %s --target=cpu --check --entry=scalars --arg=random:1 --arg=i32:0
// RUN: kiln-run %s --target=cpu --check --entry=in_place --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=sums --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=movement --arg=random:1
// RUN: kiln-run %s --target=cpu --check --entry=nested --arg=random:1 --arg=i32:5
// RUN: kiln-run %s --target=cpu --check --entry=outside --arg=random:1
// RUN: kiln-run %s --target=cpu --check --entry=swapped --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=reversed --arg=random:1
// RUN: kiln-compile %s --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: schedule {{ *}}prim.while -> a loop of the host
// EXPLAIN-NEXT: declined by generic.loop: a tensor of more than 64 elements is replaced in each iteration

// CHECK-LABEL: tile.kernel private @scalars_0_loop
// CHECK: scf.while {{.*}} : (i32, f32, f32) -> (i32, f32, f32)
// CHECK-LABEL: program.func @scalars
// CHECK-COUNT-1: program.launch
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @scalars(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %s = prim.sin %a : tensor<2xf32>
    %t = prim.rev %s dims [0] : tensor<2xf32>
    %u = prim.add %a, %t : tensor<2xf32>
    prim.yield %next, %u : tensor<i32>, tensor<2xf32>
  }
  return %r#1 : tensor<2xf32>
}

// Elements are read before any is written; what lies outside is neither.
// CHECK-LABEL: tile.kernel private @in_place
// CHECK: scf.while
// CHECK: tile.load
// CHECK: scf.if
// CHECK: tile.store
// CHECK-LABEL: program.func @in_place
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @in_place(%x: tensor<100xf32>, %w: tensor<16x8xf32>) -> (tensor<100xf32>, tensor<16x8xf32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %seven = prim.full 7 : i32 : tensor<i32>
  %end = prim.full 14 : i32 : tensor<i32>
  %r:3 = prim.while (%zero, %x, %w) : (tensor<i32>, tensor<100xf32>, tensor<16x8xf32>) -> (tensor<i32>, tensor<100xf32>, tensor<16x8xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<100xf32>, %c: tensor<16x8xf32>):
    %p = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<100xf32>, %c: tensor<16x8xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %far = prim.mul %i, %seven : tensor<i32>
    %two = prim.reshape %far : tensor<i32> -> tensor<1xi32>
    %from = prim.reshape %i : tensor<i32> -> tensor<1xi32>
    %at = prim.cat %two, %from dim 0 : tensor<1xi32>, tensor<1xi32> -> tensor<2xi32>
    %g = prim.gather %a, %at dim 0 batch_dims 0 : tensor<100xf32>, tensor<2xi32> -> tensor<2xf32>
    %back = prim.rev %g dims [0] : tensor<2xf32>
    %places = prim.reshape %at : tensor<2xi32> -> tensor<2x1xi32>
    %new = prim.reshape %back : tensor<2xf32> -> tensor<2x1xf32>
    %more = prim.reshape %g : tensor<2xf32> -> tensor<2x1xf32>
    %b = prim.scatter set %a, %places, %new dims [0] batch_dims 0 : tensor<100xf32>, tensor<2x1xi32>, tensor<2x1xf32>
    %d = prim.scatter add %b, %places, %more dims [0] batch_dims 0 : tensor<100xf32>, tensor<2x1xi32>, tensor<2x1xf32>
    %row = prim.dynamic_slice %c starts (%far, %zero) : tensor<16x8xf32>, tensor<i32>, tensor<i32> -> tensor<1x8xf32>
    %twice = prim.add %row, %row : tensor<1x8xf32>
    %e = prim.dynamic_update_slice %c, %twice starts (%i, %zero) : tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>
    prim.yield %next, %d, %e : tensor<i32>, tensor<100xf32>, tensor<16x8xf32>
  }
  return %r#1, %r#2 : tensor<100xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: program.func @sums
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @sums(%h: tensor<4xf32>, %m: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %end = prim.full 5 : i32 : tensor<i32>
  %none = prim.full 0.0 : f32 : tensor<f32>
  %r:3 = prim.while (%zero, %h, %none) : (tensor<i32>, tensor<4xf32>, tensor<f32>) -> (tensor<i32>, tensor<4xf32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %s: tensor<f32>):
    %p = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %s: tensor<f32>):
    %next = prim.add %i, %one : tensor<i32>
    %b = prim.dot_general %m, %a batch [] x [] contract [1] x [0] : tensor<4x4xf32>, tensor<4xf32> -> tensor<4xf32>
    %c = prim.tanh %b : tensor<4xf32>
    %t = prim.sum %c dims [0] : tensor<4xf32> -> tensor<f32>
    %top = prim.amax %m dims [0, 1] : tensor<4x4xf32> -> tensor<f32>
    %u = prim.add %t, %top : tensor<f32>
    prim.yield %next, %c, %u : tensor<i32>, tensor<4xf32>, tensor<f32>
  }
  return %r#1, %r#2 : tensor<4xf32>, tensor<f32>
}

// CHECK-LABEL: program.func @movement
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @movement(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %end = prim.full 4 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<2x3xf32>):
    %p = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<2x3xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %b = prim.transpose %a permutation [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %c = prim.reshape %b : tensor<3x2xf32> -> tensor<2x3xf32>
    %d = prim.slice %c starts [0, 1] limits [2, 3] strides [1, 1] : tensor<2x3xf32> -> tensor<2x2xf32>
    %e = prim.pad %d low [0, 1] high [0, 0] value 0.5 : f32 : tensor<2x2xf32> -> tensor<2x3xf32>
    %k = prim.dynamic_slice %a starts (%zero, %i) : tensor<2x3xf32>, tensor<i32>, tensor<i32> -> tensor<2x1xf32>
    %l = prim.broadcast_in_dim %k dims [0, 1] : tensor<2x1xf32> -> tensor<2x3xf32>
    %f = prim.iota dim 1 : tensor<2x3xf32>
    %g = prim.add %e, %l : tensor<2x3xf32>
    %h = prim.sub %g, %f : tensor<2x3xf32>
    prim.yield %next, %h : tensor<i32>, tensor<2x3xf32>
  }
  return %r#1 : tensor<2x3xf32>
}

// CHECK-LABEL: tile.kernel private @nested
// CHECK: scf.while
// CHECK: scf.while
// CHECK: scf.if
// CHECK-LABEL: program.func @nested
func.func @nested(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %half = prim.full 0.5 : f32 : tensor<f32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<f32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<f32>):
    %next = prim.add %i, %one : tensor<i32>
    %s:2 = prim.while (%zero, %a) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
    ^bb0(%j: tensor<i32>, %c: tensor<f32>):
      %p = prim.lt %j, %i : tensor<i32> -> tensor<i1>
      prim.yield %p : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %c: tensor<f32>):
      %k = prim.add %j, %one : tensor<i32>
      %d = prim.cos %c : tensor<f32>
      %q = prim.lt %d, %half : tensor<f32> -> tensor<i1>
      %e = prim.if %q : tensor<i1> -> (tensor<f32>) {
        %f = prim.add %d, %half : tensor<f32>
        prim.yield %f : tensor<f32>
      } else {
        prim.yield %c : tensor<f32>
      }
      prim.yield %k, %e : tensor<i32>, tensor<f32>
    }
    %b = prim.add %s#1, %a : tensor<f32>
    prim.yield %next, %b : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// A loop of many elements is the host's, and the loop inside of it a kernel.
// CHECK-LABEL: program.func @outside
// CHECK: scf.for {{.*}} = %c0 to %c3
// CHECK: program.launch [@outside_{{[0-9]+}}_loop]
func.func @outside(%x: tensor<200xf32>) -> tensor<200xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %end = prim.full 3 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<200xf32>) -> (tensor<i32>, tensor<200xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<200xf32>):
    %p = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<200xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %g = prim.dynamic_slice %a starts (%i) : tensor<200xf32>, tensor<i32> -> tensor<1xf32>
    %s:2 = prim.while (%zero, %g) : (tensor<i32>, tensor<1xf32>) -> (tensor<i32>, tensor<1xf32>) {
    ^bb0(%j: tensor<i32>, %c: tensor<1xf32>):
      %p = prim.lt %j, %end : tensor<i32> -> tensor<i1>
      prim.yield %p : tensor<i1>
    } do {
    ^bb0(%j: tensor<i32>, %c: tensor<1xf32>):
      %k = prim.add %j, %one : tensor<i32>
      %h = prim.dynamic_slice %a starts (%k) : tensor<200xf32>, tensor<i32> -> tensor<1xf32>
      %d = prim.add %c, %h : tensor<1xf32>
      prim.yield %k, %d : tensor<i32>, tensor<1xf32>
    }
    %b = prim.broadcast_in_dim %s#1 dims [0] : tensor<1xf32> -> tensor<200xf32>
    %f = prim.sub %a, %b : tensor<200xf32>
    prim.yield %next, %f : tensor<i32>, tensor<200xf32>
  }
  return %r#1 : tensor<200xf32>
}

// Two carried tensors that change places have no place to be written in.
// CHECK-LABEL: program.func @swapped
// CHECK: scf.for {{.*}} = %c0 to %c3
// CHECK: program.return
func.func @swapped(%x: tensor<100xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %end = prim.full 3 : i32 : tensor<i32>
  %r:3 = prim.while (%zero, %x, %y) : (tensor<i32>, tensor<100xf32>, tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>, tensor<100xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<100xf32>, %c: tensor<100xf32>):
    %p = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<100xf32>, %c: tensor<100xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %g = prim.dynamic_slice %a starts (%next) : tensor<100xf32>, tensor<i32> -> tensor<1xf32>
    %b = prim.dynamic_update_slice %c, %g starts (%i) : tensor<100xf32>, tensor<1xf32>, tensor<i32>
    prim.yield %next, %b, %a : tensor<i32>, tensor<100xf32>, tensor<100xf32>
  }
  return %r#1, %r#2 : tensor<100xf32>, tensor<100xf32>
}

// A tensor that is read backwards: its line begins at its last element.
// CHECK-LABEL: program.func @reversed
// CHECK-COUNT-1: program.launch
func.func @reversed(%x: tensor<3x100xf32>) -> tensor<5xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %end = prim.full 3 : i32 : tensor<i32>
  %none = prim.full 0.0 : f32 : tensor<5xf32>
  %at = prim.constant dense<[4, 0, 5, 99, 2]> : tensor<5xi32>
  %v = prim.rev %x dims [1] : tensor<3x100xf32>
  %r:2 = prim.while (%zero, %none) : (tensor<i32>, tensor<5xf32>) -> (tensor<i32>, tensor<5xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<5xf32>):
    %p = prim.lt %i, %end : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<5xf32>):
    %next = prim.add %i, %one : tensor<i32>
    %row = prim.dynamic_slice %v starts (%i, %zero) : tensor<3x100xf32>, tensor<i32>, tensor<i32> -> tensor<1x100xf32>
    %line = prim.reshape %row : tensor<1x100xf32> -> tensor<100xf32>
    %g = prim.gather %line, %at dim 0 batch_dims 0 : tensor<100xf32>, tensor<5xi32> -> tensor<5xf32>
    %b = prim.add %a, %g : tensor<5xf32>
    prim.yield %next, %b : tensor<i32>, tensor<5xf32>
  }
  return %r#1 : tensor<5xf32>
}

// A loop begins with a view of a negative stride.
func.func @begins_reversed(%x: tensor<3x4xf16>) -> tensor<3x4xf16> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %four = prim.full 4 : i32 : tensor<i32>
  %t = prim.rev %x dims [0, 1] : tensor<3x4xf16>
  %r:2 = prim.while (%zero, %t) : (tensor<i32>, tensor<3x4xf16>) -> (tensor<i32>, tensor<3x4xf16>) {
  ^bb0(%i: tensor<i32>, %a: tensor<3x4xf16>):
    %p = prim.lt %i, %four : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<3x4xf16>):
    %next = prim.add %i, %one : tensor<i32>
    %u = prim.add %a, %a : tensor<3x4xf16>
    prim.yield %next, %u : tensor<i32>, tensor<3x4xf16>
  }
  return %r#1 : tensor<3x4xf16>
}
