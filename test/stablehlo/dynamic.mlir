// Sizes that a program computes, from sizes and from data.
// RUN: kiln-opt %s --convert-stablehlo-to-prim | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=half --arg=random:1:f32:6x3 --check --no-fallback | FileCheck %s --check-prefix=HALF
// RUN: kiln-run %s --target=reference --entry=half --arg=random:1:f32:6x3 | FileCheck %s --check-prefix=HALF
// RUN: not kiln-run %s --target=cpu --entry=half --arg=random:1:f32:7x3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not kiln-run %s --target=reference --entry=half --arg=random:1:f32:7x3 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: kiln-run %s --target=cpu --entry=data --arg=i32:2 --arg=i32:3 --arg=random:1:f32:4 --check --no-fallback | FileCheck %s --check-prefix=DATA
// RUN: kiln-run %s --target=cpu --entry=parts --arg=i32:1 --no-fallback | FileCheck %s --check-prefix=PARTS
// RUN: kiln-run %s --target=reference --entry=parts --arg=i32:1 | FileCheck %s --check-prefix=PARTS
// RUN: %python -c "import numpy as n; [n.save(f'%t.{k}.npy', n.arange(k, dtype='f4')) for k in (1, 2, 3)]; n.save('%t.y.npy', n.arange(6, dtype='f4').reshape(2, 3))"
// RUN: for t in cpu reference; do for n in 1 3; do kiln-run %s --target=$t --entry=repeated --arg=%t.$n.npy --arg=%t.y.npy || exit 1; done; done | FileCheck %s --check-prefix=REPEATED
// RUN: for t in cpu reference; do not kiln-run %s --target=$t --entry=repeated --arg=%t.2.npy --arg=%t.y.npy 2>&1 | FileCheck %s --check-prefix=OTHER || exit 1; done

// Arithmetic on sizes is that of index values: nothing is read from memory.
// CHECK-LABEL: func.func @half
// CHECK-NOT: prim.to_index
// CHECK: cf.assert
// HALF: 3x2x3xf32
// ODD: error: {{.*}}the size is odd
func.func @half(%x: tensor<?x3xf32>) -> tensor<?x2x3xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %rest = stablehlo.remainder %n, %two : tensor<i32>
  %even = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%even) {error_message = "the size is odd", has_side_effect = true} : (tensor<i1>) -> ()
  %a = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %shape = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %r = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<3xi32>) -> tensor<?x2x3xf32>
  return %r : tensor<?x2x3xf32>
}

// CHECK-LABEL: func.func @data
// CHECK: prim.to_index
// DATA: 2x3xi32
// DATA: 2x4xf32
func.func @data(%a: tensor<i32>, %b: tensor<i32>, %y: tensor<4xf32>) -> (tensor<?x?xi32>, tensor<?x4xf32>) {
  %as = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>
  %bs = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %as, %bs, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %n = stablehlo.slice %shape [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %wide = stablehlo.concatenate %n, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.dynamic_broadcast_in_dim %y, %wide, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %i, %r : tensor<?x?xi32>, tensor<?x4xf32>
}

// Slices from a computed place on, every other element, padding on all sides and cut off, and a slice by a gather.
// PARTS: 4xi32: 2, 3, 4, 5
// PARTS: 2xi32: 2, 4
// PARTS: 10xi32: 1, 0, 2, 0, 3, 0, 4, 0, 5, 0
// PARTS: 2xi32: 2, 3
func.func @parts(%n: tensor<i32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %start = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %two = stablehlo.add %start, %one : tensor<1xi32>
  %a = stablehlo.real_dynamic_slice %x, %start, %five, %one : (tensor<5xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %b = stablehlo.real_dynamic_slice %x, %start, %five, %two : (tensor<5xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %c = stablehlo.dynamic_pad %x, %zero, %none, %start, %start : (tensor<5xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %d = "stablehlo.dynamic_gather"(%x, %start, %two) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>}> : (tensor<5xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  return %a, %b, %c, %d : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// A size that only the program knows may be 1, and is repeated then. A dimension of the result itself is not asked for.
// CHECK-LABEL: func.func @repeated
// CHECK-COUNT-1: cf.assert
// CHECK-NOT: cf.assert
// CHECK: return
// REPEATED: 2x3xf32: 0, 1, 2, 3, 4, 5
// REPEATED: 2x3xf32: 0, 2, 4, 3, 5, 7
// REPEATED: 2x3xf32: 0, 1, 2, 3, 4, 5
// REPEATED: 2x3xf32: 0, 2, 4, 3, 5, 7
// OTHER: error: {{.*}}a size is neither 1 nor the size that it is repeated to
func.func @repeated(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %ns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %ms = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %ns, %ms, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r = stablehlo.dynamic_broadcast_in_dim %x, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %same = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [0, 1] : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %s = stablehlo.add %r, %same : tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}
