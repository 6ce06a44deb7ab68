// A loop whose tensors all have one element or the same number is one kernel that carries them as tiles.
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=converge --arg=random:1
// RUN: kiln-run %s --target=cpu --check --entry=sums --arg=random:1 --arg=random:2 --arg=i32:4
// RUN: kiln-run %s --target=cpu --check --entry=sums --arg=random:1 --arg=random:2 --arg=i32:0
// RUN: kiln-run %s --target=cpu --check --entry=halves --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --check --entry=moved --arg=random:1

// Elements go on until none is above the bound.
// CHECK-LABEL: tile.kernel private @converge_0_loop
// CHECK: scf.while {{.*}} : (tensor<63xf32>, i32) -> (tensor<63xf32>, i32)
// CHECK: tile.reduce
// CHECK: scf.condition
// CHECK-LABEL: program.func @converge
// CHECK-NOT: scf.while
// CHECK: program.return
func.func @converge(%x: tensor<9x7xf32>) -> (tensor<9x7xf32>, tensor<i32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %bound = prim.full 1.000000e-03 : f32 : tensor<9x7xf32>
  %half = prim.full 5.000000e-01 : f32 : tensor<9x7xf32>
  %r:2 = prim.while (%x, %zero) : (tensor<9x7xf32>, tensor<i32>) -> (tensor<9x7xf32>, tensor<i32>) {
  ^bb0(%a: tensor<9x7xf32>, %i: tensor<i32>):
    %size = prim.abs %a : tensor<9x7xf32>
    %above = prim.gt %size, %bound : tensor<9x7xf32> -> tensor<9x7xi1>
    %any = prim.amax %above dims [0, 1] : tensor<9x7xi1> -> tensor<i1>
    prim.yield %any : tensor<i1>
  } do {
  ^bb0(%a: tensor<9x7xf32>, %i: tensor<i32>):
    %next = prim.mul %a, %half : tensor<9x7xf32>
    %j = prim.add %i, %one : tensor<i32>
    prim.yield %next, %j : tensor<9x7xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<9x7xf32>, tensor<i32>
}

// A sum of all goes back to each; one tensor is read from outside, one is carried as it is.
// CHECK-LABEL: tile.kernel private @sums
// CHECK: tile.load
// CHECK: scf.while
// CHECK: tile.splat
// CHECK: tile.store
func.func @sums(%x: tensor<1000xf32>, %w: tensor<1000xf32>, %n: tensor<i32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %r:3 = prim.while (%x, %w, %zero) : (tensor<1000xf32>, tensor<1000xf32>, tensor<i32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<i32>) {
  ^bb0(%a: tensor<1000xf32>, %c: tensor<1000xf32>, %i: tensor<i32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<1000xf32>, %c: tensor<1000xf32>, %i: tensor<i32>):
    %e = prim.exp %a : tensor<1000xf32>
    %s = prim.sum %e dims [0] : tensor<1000xf32> -> tensor<f32>
    %b = prim.broadcast_in_dim %s dims [] : tensor<f32> -> tensor<1000xf32>
    %q = prim.div %e, %b : tensor<1000xf32>
    %u = prim.add %q, %c : tensor<1000xf32>
    %v = prim.mul %u, %w : tensor<1000xf32>
    %j = prim.add %i, %one : tensor<i32>
    prim.yield %v, %c, %j : tensor<1000xf32>, tensor<1000xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xf32>
}

// CHECK-LABEL: tile.kernel private @halves
// CHECK: scf.while {{.*}}tensor<33xbf16>
func.func @halves(%x: tensor<33xbf16>, %y: tensor<33xi8>) -> (tensor<33xbf16>, tensor<33xi8>, tensor<i8>) {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 3 : i32 : tensor<i32>
  %none = prim.full 0 : i8 : tensor<i8>
  %r:4 = prim.while (%x, %y, %none, %zero) : (tensor<33xbf16>, tensor<33xi8>, tensor<i8>, tensor<i32>) -> (tensor<33xbf16>, tensor<33xi8>, tensor<i8>, tensor<i32>) {
  ^bb0(%a: tensor<33xbf16>, %c: tensor<33xi8>, %t: tensor<i8>, %i: tensor<i32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<33xbf16>, %c: tensor<33xi8>, %t: tensor<i8>, %i: tensor<i32>):
    %m = prim.mul %a, %a : tensor<33xbf16>
    %d = prim.add %c, %c : tensor<33xi8>
    %s = prim.amin %d dims [0] : tensor<33xi8> -> tensor<i8>
    %j = prim.add %i, %one : tensor<i32>
    prim.yield %m, %d, %s, %j : tensor<33xbf16>, tensor<33xi8>, tensor<i8>, tensor<i32>
  }
  return %r#0, %r#1, %r#2 : tensor<33xbf16>, tensor<33xi8>, tensor<i8>
}

// What moves elements has no such form: few of them are scalars, as elsewhere.
// CHECK-LABEL: tile.kernel private @moved
// CHECK: scf.while {{.*}} : (i32, f32,
func.func @moved(%x: tensor<17xf32>) -> tensor<17xf32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %one = prim.full 1 : i32 : tensor<i32>
  %most = prim.full 5 : i32 : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<17xf32>) -> (tensor<i32>, tensor<17xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<17xf32>):
    %p = prim.lt %i, %most : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<17xf32>):
    %t = prim.rev %a dims [0] : tensor<17xf32>
    %u = prim.mul %a, %t : tensor<17xf32>
    %j = prim.add %i, %one : tensor<i32>
    prim.yield %j, %u : tensor<i32>, tensor<17xf32>
  }
  return %r#1 : tensor<17xf32>
}
