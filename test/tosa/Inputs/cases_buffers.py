# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on buffers, indices as values, loops and conditions."""
import numpy

from cases_linalg import CASES, case, floats, integers  # pylint: disable=unused-import

a, b, c = floats(4, 6), floats(6, 5), floats(4, 5)

# What a function writes to its arguments is its result.
case("matmul_in_place", """
func.func @f(%a: memref<4x6xf32>, %b: memref<6x5xf32>, %c: memref<4x5xf32>) {
  linalg.matmul ins(%a, %b : memref<4x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>)
  return
}""", [a, b, c], [c + a @ b])
case("alloc", """
func.func @f(%a: memref<?x6xf32>, %b: memref<6x5xf32>) -> memref<?x5xf32> {
  %i0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = memref.dim %a, %i0 : memref<?x6xf32>
  %c = memref.alloc(%n) : memref<?x5xf32>
  linalg.fill ins(%z : f32) outs(%c : memref<?x5xf32>)
  linalg.matmul ins(%a, %b : memref<?x6xf32>, memref<6x5xf32>) outs(%c : memref<?x5xf32>)
  return %c : memref<?x5xf32>
}""", [a, b], [a @ b])
swapped = a.copy()
swapped[0:2, 1:4], swapped[2:4, 1:4] = a[2:4, 1:4], a[0:2, 1:4]
swapped[3, 5] = swapped[0, 0] + 1
case("subview", """
func.func @f(%a: memref<4x6xf32>) {
  %i0 = arith.constant 0 : index
  %i3 = arith.constant 3 : index
  %i5 = arith.constant 5 : index
  %one = arith.constant 1.0 : f32
  %u = memref.subview %a[0, 1] [2, 3] [1, 1] : memref<4x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 1>>
  %l = memref.subview %a[2, 1] [2, 3] [1, 1] : memref<4x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 13>>
  %t = memref.alloc() : memref<2x3xf32>
  memref.copy %u, %t : memref<2x3xf32, strided<[6, 1], offset: 1>> to memref<2x3xf32>
  linalg.copy ins(%l : memref<2x3xf32, strided<[6, 1], offset: 13>>) outs(%u : memref<2x3xf32, strided<[6, 1], offset: 1>>)
  memref.copy %t, %l : memref<2x3xf32> to memref<2x3xf32, strided<[6, 1], offset: 13>>
  memref.dealloc %t : memref<2x3xf32>
  %v = memref.load %a[%i0, %i0] : memref<4x6xf32>
  %w = arith.addf %v, %one : f32
  memref.store %w, %a[%i3, %i5] : memref<4x6xf32>
  return
}""", [a], [swapped])
case("called", """
func.func private @scale(%x: memref<4x6xf32>, %s: f32) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<4x6xf32>) {
  ^bb0(%out: f32):
    %0 = arith.mulf %out, %s : f32
    linalg.yield %0 : f32
  }
  return
}
func.func @f(%a: memref<4x6xf32>, %s: f32) -> f32 {
  %i = arith.constant 1 : index
  call @scale(%a, %s) : (memref<4x6xf32>, f32) -> ()
  call @scale(%a, %s) : (memref<4x6xf32>, f32) -> ()
  %v = memref.load %a[%i, %i] : memref<4x6xf32>
  return %v : f32
}""", [a, "f32:3"], [numpy.float32(a[1, 1] * 9), a * 9])
case("affine", """
func.func @f(%a: memref<4x6xf32>, %o: memref<6xf32>) {
  affine.for %j = 0 to 6 {
    %z = arith.constant 0.0 : f32
    affine.store %z, %o[%j] : memref<6xf32>
    affine.for %i = 0 to 4 {
      %v = affine.load %a[%i, 5 - %j] : memref<4x6xf32>
      %s = affine.load %o[%j] : memref<6xf32>
      %t = arith.addf %v, %s : f32
      affine.store %t, %o[%j] : memref<6xf32>
    }
  }
  return
}""", [a, floats(6)], [a.sum(0)[::-1].copy()])
case("global", """
memref.global "private" constant @w : memref<6x5xf32> = dense<2.0>
func.func @f(%a: memref<4x6xf32>, %c: memref<4x5xf32>) {
  %w = memref.get_global @w : memref<6x5xf32>
  linalg.matmul ins(%a, %w : memref<4x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>)
  return
}""", [a, c], [c + 2 * a.sum(1, keepdims=True)])

# A side of a condition that is not taken leaves no trace.
for truth in (0, 1):
    case("if_%d" % truth, """
func.func @f(%%p: i1, %%a: memref<4x6xf32>) -> f32 {
  %%one = arith.constant 1.0 : f32
  %%i = arith.constant 2 : index
  %%r = scf.if %%p -> f32 {
    memref.store %%one, %%a[%%i, %%i] : memref<4x6xf32>
    scf.yield %%one : f32
  } else {
    %%v = memref.load %%a[%%i, %%i] : memref<4x6xf32>
    scf.yield %%v : f32
  }
  return %%r : f32
}""" % (), [numpy.array(bool(truth)), a],
         [numpy.float32(1 if truth else a[2, 2]),
          numpy.where((numpy.indices(a.shape) == 2).all(0), 1, a).astype(numpy.float32) if truth else a][:2 if truth else 2])

# Indices are numbers, too.
x = floats(9)
for at in (0, 4, 8):
    changed = x.copy()
    changed[at] = 5
    case("index_%d" % at, """
func.func @f(%%x: tensor<9xf32>, %%i: index) -> (tensor<9xf32>, f32, index) {
  %%five = arith.constant 5.0 : f32
  %%two = arith.constant 2 : index
  %%e = tensor.extract %%x[%%i] : tensor<9xf32>
  %%r = tensor.insert %%five into %%x[%%i] : tensor<9xf32>
  %%m = arith.muli %%i, %%two : index
  %%s = arith.subi %%m, %%two : index
  return %%r, %%e, %%s : tensor<9xf32>, f32, index
}""" % (), [x, "index:%d" % at], [changed, x[at], numpy.int64(2 * at - 2)])
case("index_tensor", """
func.func @f(%i: tensor<4xindex>, %n: index) -> tensor<4xindex> {
  %e = tensor.empty() : tensor<4xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<4xindex>) outs(%e : tensor<4xindex>) {
  ^bb0(%in: index, %out: index):
    %k = linalg.index 0 : index
    %0 = arith.muli %in, %n : index
    %1 = arith.addi %0, %k : index
    linalg.yield %1 : index
  } -> tensor<4xindex>
  return %r : tensor<4xindex>
}""", [numpy.array([3, 1, 4, 1]), numpy.array(10)], [numpy.array([30, 11, 42, 13])])
case("mean_dynamic", """
func.func @f(%x: tensor<?xf32>) -> tensor<f32> {
  %i0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<f32>
  %n = tensor.dim %x, %i0 : tensor<?xf32>
  %k = arith.index_cast %n : index to i64
  %d = arith.sitofp %k : i64 to f32
  %s = linalg.reduce ins(%x : tensor<?xf32>) outs(%z : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %q = arith.divf %in, %d : f32
      %t = arith.addf %q, %out : f32
      linalg.yield %t : f32
    }
  return %s : tensor<f32>
}""", [x], [numpy.float32(x.mean())])
part = floats(2, 3)
whole = a.copy()
whole[1:3, 2:5] = part
case("insert_slice_computed", """
func.func @f(%a: tensor<4x6xf32>, %p: tensor<2x3xf32>, %i: index, %j: index) -> tensor<4x6xf32> {
  %0 = tensor.insert_slice %p into %a[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}""", [a, part, numpy.array(1), numpy.array(2)], [whole])

# Loops.
case("while_known", """
func.func @f(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, i32) {
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  %i1 = arith.constant 1 : i32
  %r:2 = scf.while (%i = %i0, %v = %x) : (i32, tensor<4x6xf32>) -> (i32, tensor<4x6xf32>) {
    %c = arith.cmpi slt, %i, %i3 : i32
    scf.condition(%c) %i, %v : i32, tensor<4x6xf32>
  } do {
  ^bb0(%i: i32, %v: tensor<4x6xf32>):
    %w = arith.addf %v, %v : tensor<4x6xf32>
    %n = arith.addi %i, %i1 : i32
    scf.yield %n, %w : i32, tensor<4x6xf32>
  }
  return %r#1, %r#0 : tensor<4x6xf32>, i32
}""", [a], [a * 8, numpy.int32(3)])
case("tosa_while", """
func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = tosa.while_loop (%i = %z, %v = %x) : (tensor<i32>, tensor<4x6xf32>) -> (tensor<i32>, tensor<4x6xf32>) {
    %three = "tosa.const"() <{values = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %c = tosa.greater %three, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<4x6xf32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %n = tosa.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = tosa.add %v, %v : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    tosa.yield %n, %w : tensor<i32>, tensor<4x6xf32>
  }
  return %r#1 : tensor<4x6xf32>
}""", [a], [a * 8])
case("forall", """
func.func @f(%x: tensor<4x6xf32>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (4, 6) step (2, 3) shared_outs(%s = %o) -> (tensor<6x4xf32>) {
    %t = tensor.extract_slice %x[%i, %j] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
    %e = tensor.empty() : tensor<3x2xf32>
    %u = linalg.transpose ins(%t : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %s[%j, %i] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<6x4xf32>
    }
  }
  return %r : tensor<6x4xf32>
}""", [a, floats(6, 4)], [a.T.copy()])
case("parallel", """
func.func @f(%x: memref<4x6xf32>) -> f32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i4 = arith.constant 4 : index
  %i6 = arith.constant 6 : index
  %z = arith.constant 10.0 : f32
  %r = scf.parallel (%i, %j) = (%i0, %i0) to (%i4, %i6) step (%i1, %i1) init (%z) -> f32 {
    %v = memref.load %x[%i, %j] : memref<4x6xf32>
    scf.reduce(%v : f32) {
    ^bb0(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}""", [a], [numpy.float32(a.sum() + 10)])
