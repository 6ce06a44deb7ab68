// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=count --arg=random:1 --arg=i32:5
// RUN: kiln-run %s --target=cpu --check --entry=count --arg=random:1 --arg=i32:0
// RUN: kiln-run %s --target=cpu --check --entry=swap --dim=9 --dim=9 --arg=random:1 --arg=random:2 --arg=i32:5
// RUN: kiln-run %s --target=cpu --check --entry=choose --dim=5 --dim=5 --arg=i1:0
// RUN: kiln-run %s --target=cpu --check --entry=choose --dim=5 --dim=5 --arg=i1:1
// RUN: kiln-run %s --target=reference --check --entry=choose --dim=0 --dim=0 --arg=i1:1
// RUN: kiln-run %s --target=cpu --check --entry=nested --arg=random:1 --arg=i32:7
// RUN: kiln-run %s --target=cpu --check --entry=cache --arg=random:1 --arg=i32:6
// RUN: not kiln-run %s --target=cpu --entry=choose --dim=5 --dim=6 --arg=i1:1 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: does not match

// Sums stay in memory of their own, which the addition overwrites.
// CHECK-LABEL: program.func @count
// CHECK: scf.while
// CHECK: program.read
// CHECK: scf.condition
// CHECK-NOT: copy
// CHECK: scf.yield
func.func @count(%x: tensor<5000xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<5000xf32>) {
  %zero = prim.constant dense<0> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<5000xf32>) -> (tensor<i32>, tensor<5000xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<5000xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<5000xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %b = prim.add %a, %x : tensor<5000xf32>
    prim.yield %j, %b : tensor<i32>, tensor<5000xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<5000xf32>
}
func.func @swap(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = prim.constant dense<0> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %r:3 = prim.while (%zero, %x, %y) : (tensor<i32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %s = prim.add %a, %b : tensor<?xf32>
    prim.yield %j, %b, %s : tensor<i32>, tensor<?xf32>, tensor<?xf32>
  }
  return %r#1, %r#2 : tensor<?xf32>, tensor<?xf32>
}
func.func @choose(%p: tensor<i1>, %x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %r:2 = prim.if %p sizes (%n) : tensor<i1> -> (tensor<?x3xf32>, tensor<i32>) {
    %s = prim.add %x, %y : tensor<?x3xf32>
    %one = prim.constant dense<1> : tensor<i32>
    prim.yield %s, %one : tensor<?x3xf32>, tensor<i32>
  } else {
    %two = prim.constant dense<2> : tensor<i32>
    prim.yield %x, %two : tensor<?x3xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<?x3xf32>, tensor<i32>
}
// Branches in loops, and loops in branches.
func.func @nested(%x: tensor<5000xf32>, %n: tensor<i32>) -> tensor<5000xf32> {
  %zero = prim.constant dense<0> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %three = prim.constant dense<3> : tensor<i32>
  %r:2 = prim.while (%zero, %x) : (tensor<i32>, tensor<5000xf32>) -> (tensor<i32>, tensor<5000xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<5000xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<5000xf32>):
    %q = prim.lt %i, %three : tensor<i32> -> tensor<i1>
    %b = prim.if %q : tensor<i1> -> (tensor<5000xf32>) {
      %s:2 = prim.while (%zero, %a) : (tensor<i32>, tensor<5000xf32>) -> (tensor<i32>, tensor<5000xf32>) {
      ^bb0(%k: tensor<i32>, %c: tensor<5000xf32>):
        %t = prim.lt %k, %i : tensor<i32> -> tensor<i1>
        prim.yield %t : tensor<i1>
      } do {
      ^bb0(%k: tensor<i32>, %c: tensor<5000xf32>):
        %l = prim.add %k, %one : tensor<i32>
        %d = prim.rev %c dims [0] : tensor<5000xf32>
        %e = prim.add %c, %d : tensor<5000xf32>
        prim.yield %l, %e : tensor<i32>, tensor<5000xf32>
      }
      prim.yield %s#1 : tensor<5000xf32>
    } else {
      %m = prim.sum %a dims [0] : tensor<5000xf32> -> tensor<f32>
      %v = prim.broadcast_in_dim %m dims [] : tensor<f32> -> tensor<5000xf32>
      %w = prim.sub %a, %v : tensor<5000xf32>
      prim.yield %w : tensor<5000xf32>
    }
    %j = prim.add %i, %one : tensor<i32>
    prim.yield %j, %b : tensor<i32>, tensor<5000xf32>
  }
  return %r#1 : tensor<5000xf32>
}
func.func @cache(%c: tensor<6x5000xf32>, %n: tensor<i32>) -> tensor<6x5000xf32> {
  %zero = prim.constant dense<0> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %r:2 = prim.while (%zero, %c) : (tensor<i32>, tensor<6x5000xf32>) -> (tensor<i32>, tensor<6x5000xf32>) {
  ^bb0(%i: tensor<i32>, %a: tensor<6x5000xf32>):
    %p = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: tensor<6x5000xf32>):
    %j = prim.add %i, %one : tensor<i32>
    %f = prim.convert_element_type %i : tensor<i32> -> tensor<f32>
    %u = prim.broadcast_in_dim %f dims [] : tensor<f32> -> tensor<1x5000xf32>
    %b = prim.dynamic_update_slice %a, %u starts (%i, %zero) : tensor<6x5000xf32>, tensor<1x5000xf32>, tensor<i32>, tensor<i32>
    prim.yield %j, %b : tensor<i32>, tensor<6x5000xf32>
  }
  return %r#1 : tensor<6x5000xf32>
}
