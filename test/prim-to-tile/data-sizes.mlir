// Sizes that are data: the host reads them where they are known, and computes then what follows from them.
// RUN: kiln-compile %s --target=cpu --entry=places --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=places --arg=random:1:f32:37 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=two --arg=random:1:f32:37 --arg=i32:5 --arg=i64:5 --check --no-fallback
// RUN: not kiln-run %s --target=cpu --entry=two --arg=random:1:f32:37 --arg=i32:5 --arg=i64:6 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not kiln-run %s --target=cpu --entry=two --arg=random:1:f32:37 --arg=i32:-1 --arg=i64:-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: kiln-run %s --target=cpu --entry=loop --arg=random:1:f32:37 --check --no-fallback
// RUN: kiln-run %s --target=cpu --entry=grouped --arg=i64:3 --arg=i64:4 --arg=random:1:i64:3 --check --no-fallback
// RUN: not kiln-run %s --target=cpu --entry=grouped --arg=i64:2 --arg=i64:4 --arg=random:1:i64:3 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: kiln-run %s --target=reference --entry=places --arg=random:1:f32:37 --check

// The sum is computed before its number is read, which is before what has that size is allocated.
// CHECK-LABEL: program.func @places
// CHECK: program.launch [@places_{{[0-9]+}}_sum
// CHECK: %[[N:.*]] = program.read
// CHECK: program.alloc sizes(%[[N]])
// CHECK: program.return %{{.*}}, %{{.*}} : memref<?xi32>, memref<?xf32>
func.func @places(%x: tensor<37xf32>) -> (tensor<?xi32>, tensor<?xf32>) {
  %zero = prim.constant dense<0.0> : tensor<37xf32>
  %is = prim.gt %x, %zero : tensor<37xf32> -> tensor<37xi1>
  %one = prim.convert_element_type %is : tensor<37xi1> -> tensor<37xi32>
  %count = prim.sum %one dims [0] : tensor<37xi32> -> tensor<i32>
  %before = prim.scan sum %one dim 0 exclusive : tensor<37xi32>
  %outside = prim.constant dense<37> : tensor<37xi32>
  %to = prim.where %is, %before, %outside : tensor<37xi1>, tensor<37xi32>
  %places = prim.reshape %to : tensor<37xi32> -> tensor<37x1xi32>
  %index = prim.iota dim 0 : tensor<37xi32>
  %updates = prim.reshape %index : tensor<37xi32> -> tensor<37x1xi32>
  %none = prim.constant dense<0> : tensor<37xi32>
  %all = prim.scatter set %none, %places, %updates dims [0] batch_dims 0 : tensor<37xi32>, tensor<37x1xi32>, tensor<37x1xi32>
  %n = prim.to_index %count : tensor<i32>
  %start = prim.constant dense<0> : tensor<i32>
  %r = prim.dynamic_slice %all starts (%start) sizes (%n) : tensor<37xi32>, tensor<i32> -> tensor<?xi32>
  %v = prim.gather %x, %r dim 0 batch_dims 0 : tensor<37xf32>, tensor<?xi32> -> tensor<?xf32>
  %both = prim.cat %v, %v dim 0 : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %w = prim.exp %both : tensor<?xf32>
  return %r, %w : tensor<?xi32>, tensor<?xf32>
}

// Two numbers that have to be the same.
// OTHER: a computed size does not match a computed size
// NEGATIVE: cannot allocate
func.func @two(%x: tensor<37xf32>, %a: tensor<i32>, %b: tensor<i64>) -> tensor<?xf32> {
  %start = prim.constant dense<2> : tensor<i32>
  %m = prim.to_index %a : tensor<i32>
  %y = prim.dynamic_slice %x starts (%start) sizes (%m) : tensor<37xf32>, tensor<i32> -> tensor<?xf32>
  %z = prim.exp %y : tensor<?xf32>
  %n = prim.to_index %b : tensor<i64>
  %w = prim.dynamic_slice %x starts (%start) sizes (%n) : tensor<37xf32>, tensor<i32> -> tensor<?xf32>
  %s = prim.add %z, %w : tensor<?xf32>
  return %s : tensor<?xf32>
}

// In a loop, each time another.
func.func @loop(%x: tensor<37xf32>) -> tensor<f32> {
  %zero = prim.constant dense<0> : tensor<i32>
  %one = prim.constant dense<1> : tensor<i32>
  %many = prim.constant dense<6> : tensor<i32>
  %none = prim.constant dense<0.0> : tensor<f32>
  %r:2 = prim.while (%zero, %none) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %p = prim.lt %i, %many : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %n = prim.to_index %i : tensor<i32>
    %y = prim.dynamic_slice %x starts (%zero) sizes (%n) : tensor<37xf32>, tensor<i32> -> tensor<?xf32>
    %t = prim.sum %y dims [0] : tensor<?xf32> -> tensor<f32>
    %u = prim.add %s, %t : tensor<f32>
    %j = prim.add %i, %one : tensor<i32>
    prim.yield %j, %u : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}

// One number is known before the other, of a group that needs both.
// SIZES: size of dimension 0 of argument 2 does not match a computed size
func.func @grouped(%n: tensor<i64>, %m: tensor<i64>, %y: tensor<?xi64>) -> tensor<?x?xf32> {
  %i = prim.to_index %n : tensor<i64>
  %j = prim.to_index %m : tensor<i64>
  %c = prim.full 0 : i64 sizes (%i) : tensor<?xi64>
  %p = prim.ne %y, %c : tensor<?xi64> -> tensor<?xi1>
  %a = prim.full 2.0 : f32 sizes (%i) : tensor<?xf32>
  %b = prim.full 1.0 : f32 sizes (%i) : tensor<?xf32>
  %w = prim.where %p, %a, %b : tensor<?xi1>, tensor<?xf32>
  %r = prim.broadcast_in_dim %w dims [0] sizes (%i, %j) : tensor<?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
