// The sizes of what a loop carries are those of its first value, which has become a group of its own by then.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s

// CHECK-LABEL: program.func @permuted
// CHECK: scf.while
// CHECK: program.launch
// CHECK: scf.yield
func.func @permuted(%like: tensor<?xi64>, %places: tensor<?x?xi64>, %count: tensor<i64>) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %places, %c0 : tensor<?x?xi64>
  %columns = tensor.dim %like, %c0 : tensor<?xi64>
  %zero = prim.full 0 : i64 : tensor<i64>
  %order = prim.iota dim 0 sizes (%columns) : tensor<?xi64>
  %first = prim.broadcast_in_dim %order dims [1] sizes (%rows, %columns) : tensor<?xi64> -> tensor<?x?xi64>
  %r:2 = prim.while (%zero, %first) : (tensor<i64>, tensor<?x?xi64>) -> (tensor<i64>, tensor<?x?xi64>) {
  ^bb0(%k: tensor<i64>, %x: tensor<?x?xi64>):
    %more = prim.lt %k, %count : tensor<i64> -> tensor<i1>
    prim.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %x: tensor<?x?xi64>):
    %one = prim.full 1 : i64 : tensor<i64>
    %next = prim.add %k, %one : tensor<i64>
    %y = prim.gather %x, %places dim 1 batch_dims 1 : tensor<?x?xi64>, tensor<?x?xi64> -> tensor<?x?xi64>
    prim.yield %next, %y : tensor<i64>, tensor<?x?xi64>
  }
  return %r#1 : tensor<?x?xi64>
}
