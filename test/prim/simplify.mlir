// RUN: kiln-opt %s --prim-simplify | FileCheck %s

// A product with a batch of one, a bias and a split of heads: the bias joins the
// product, and the reshapes meet behind it.
// CHECK-LABEL: func.func @projection
// CHECK: %[[X:.*]] = prim.reshape %arg0 : tensor<1x16x64xf32> -> tensor<16x64xf32>
// CHECK: %[[D:.*]] = prim.dot_general %[[X]], %arg1 batch [] x [] contract [1] x [0]
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg2 dims [1] : tensor<64xf32> -> tensor<16x64xf32>
// CHECK: %[[S:.*]] = prim.add %[[D]], %[[B]] : tensor<16x64xf32>
// CHECK: %[[H:.*]] = prim.reshape %[[S]] : tensor<16x64xf32> -> tensor<16x4x16xf32>
// CHECK: prim.transpose %[[H]] permutation [1, 0, 2]
func.func @projection(%x: tensor<1x16x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<4x16x16xf32> {
  %0 = prim.reshape %w : tensor<64x64xf32> -> tensor<1x64x64xf32>
  %1 = prim.dot_general %x, %0 batch [0] x [0] contract [2] x [1] : tensor<1x16x64xf32>, tensor<1x64x64xf32> -> tensor<1x16x64xf32>
  %2 = prim.reshape %b : tensor<64xf32> -> tensor<1x1x64xf32>
  %3 = prim.broadcast_in_dim %2 dims [0, 1, 2] : tensor<1x1x64xf32> -> tensor<1x16x64xf32>
  %4 = prim.add %1, %3 : tensor<1x16x64xf32>
  %5 = prim.reshape %4 : tensor<1x16x64xf32> -> tensor<1x16x4x16xf32>
  %6 = prim.transpose %5 permutation [0, 2, 1, 3] : tensor<1x16x4x16xf32> -> tensor<1x4x16x16xf32>
  %7 = prim.reshape %6 : tensor<1x4x16x16xf32> -> tensor<4x16x16xf32>
  return %7 : tensor<4x16x16xf32>
}

// Scores keep the shape of the product through scale, mask and softmax.
// CHECK-LABEL: func.func @scores
// CHECK: prim.dot_general %arg0, %arg1 batch [0] x [0] contract [2] x [1]
// CHECK-NOT: tensor<2x4x
// CHECK: prim.broadcast_in_dim %arg2 dims [1, 2] : tensor<16x16xf32> -> tensor<8x16x16xf32>
// CHECK: prim.amax %{{.*}} dims [2] : tensor<8x16x16xf32> -> tensor<8x16xf32>
// CHECK: prim.reshape %{{.*}} : tensor<8x16x16xf32> -> tensor<2x4x16x16xf32>
// CHECK-NEXT: return
func.func @scores(%q: tensor<8x16x32xf32>, %k: tensor<8x32x16xf32>, %m: tensor<16x16xf32>) -> tensor<2x4x16x16xf32> {
  %0 = prim.dot_general %q, %k batch [0] x [0] contract [2] x [1] : tensor<8x16x32xf32>, tensor<8x32x16xf32> -> tensor<8x16x16xf32>
  %1 = prim.reshape %0 : tensor<8x16x16xf32> -> tensor<2x4x16x16xf32>
  %2 = prim.broadcast_in_dim %m dims [2, 3] : tensor<16x16xf32> -> tensor<2x4x16x16xf32>
  %3 = prim.add %1, %2 : tensor<2x4x16x16xf32>
  %4 = prim.amax %3 dims [3] : tensor<2x4x16x16xf32> -> tensor<2x4x16xf32>
  %5 = prim.broadcast_in_dim %4 dims [0, 1, 2] : tensor<2x4x16xf32> -> tensor<2x4x16x16xf32>
  %6 = prim.sub %3, %5 : tensor<2x4x16x16xf32>
  return %6 : tensor<2x4x16x16xf32>
}

// Contracted and free dimensions are merged, batches too.
// CHECK-LABEL: func.func @general
// CHECK: %[[L:.*]] = prim.transpose %arg0 permutation [3, 1, 0, 2] : tensor<5x4x6x3xf32> -> tensor<3x4x5x6xf32>
// CHECK: %[[A:.*]] = prim.reshape %[[L]] : tensor<3x4x5x6xf32> -> tensor<3x4x30xf32>
// CHECK: %[[B:.*]] = prim.reshape %arg1 : tensor<3x5x6x7x2xf32> -> tensor<3x30x14xf32>
// CHECK: prim.dot_general %[[A]], %[[B]] batch [0] x [0] contract [2] x [1]
func.func @general(%a: tensor<5x4x6x3xf32>, %b: tensor<3x5x6x7x2xf32>) -> tensor<3x4x7x2xf32> {
  %0 = prim.dot_general %a, %b batch [3] x [0] contract [2, 0] x [2, 1]
    : tensor<5x4x6x3xf32>, tensor<3x5x6x7x2xf32> -> tensor<3x4x7x2xf32>
  return %0 : tensor<3x4x7x2xf32>
}

// The same weights for each batch: one product with more rows.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[X:.*]] = prim.reshape %arg0 : tensor<2x5x8xf32> -> tensor<10x8xf32>
// CHECK: prim.dot_general %[[X]], %arg1 batch [] x [] contract [1] x [0]
func.func @repeated(%x: tensor<2x5x8xf32>, %w: tensor<8x3xf32>) -> tensor<2x5x3xf32> {
  %0 = prim.broadcast_in_dim %w dims [1, 2] : tensor<8x3xf32> -> tensor<2x8x3xf32>
  %1 = prim.dot_general %x, %0 batch [0] x [0] contract [2] x [1] : tensor<2x5x8xf32>, tensor<2x8x3xf32> -> tensor<2x5x3xf32>
  return %1 : tensor<2x5x3xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[N:.*]] = tensor.dim %arg0, %{{.*}} : tensor<1x?x64xf32>
// CHECK: %[[X:.*]] = prim.reshape %arg0 sizes(%[[N]]) : tensor<1x?x64xf32> -> tensor<?x64xf32>
// CHECK: %[[E:.*]] = prim.exp %[[X]] : tensor<?x64xf32>
// CHECK: prim.sum %[[E]] dims [1] : tensor<?x64xf32> -> tensor<?xf32>
func.func @dynamic(%x: tensor<1x?x64xf32>) -> tensor<1x?xf32> {
  %0 = prim.exp %x : tensor<1x?x64xf32>
  %1 = prim.sum %0 dims [2] : tensor<1x?x64xf32> -> tensor<1x?xf32>
  return %1 : tensor<1x?xf32>
}

// Between two layouts nothing is left.
// CHECK-LABEL: func.func @layouts
// CHECK: %[[B:.*]] = prim.broadcast_in_dim %arg1 dims [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK: %[[R:.*]] = prim.mul %arg0, %[[B]]
// CHECK: return %[[R]]
func.func @layouts(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = prim.transpose %x permutation [0, 2, 1] : tensor<2x4x8xf32> -> tensor<2x8x4xf32>
  %1 = prim.broadcast_in_dim %s dims [1] : tensor<8xf32> -> tensor<2x8x4xf32>
  %2 = prim.mul %0, %1 : tensor<2x8x4xf32>
  %3 = prim.transpose %2 permutation [0, 2, 1] : tensor<2x8x4xf32> -> tensor<2x4x8xf32>
  return %3 : tensor<2x4x8xf32>
}

// A reshape behind as many operations as the patterns look through stays where
// it is: one pattern would move it behind the last operation, another back.
// CHECK-LABEL: func.func @anchored
// CHECK: prim.scan
// CHECK-COUNT-15: prim.exp
// CHECK: prim.reshape
// CHECK-NOT: prim.reshape
// CHECK: prim.exp
// CHECK-NEXT: return
func.func @anchored(%x: tensor<?x1x64xf32>, %n: index) -> tensor<?x64xf32> {
  %0 = prim.scan sum %x dim 0 : tensor<?x1x64xf32>
  %1 = prim.exp %0 : tensor<?x1x64xf32>
  %2 = prim.exp %1 : tensor<?x1x64xf32>
  %3 = prim.exp %2 : tensor<?x1x64xf32>
  %4 = prim.exp %3 : tensor<?x1x64xf32>
  %5 = prim.exp %4 : tensor<?x1x64xf32>
  %6 = prim.exp %5 : tensor<?x1x64xf32>
  %7 = prim.exp %6 : tensor<?x1x64xf32>
  %8 = prim.exp %7 : tensor<?x1x64xf32>
  %9 = prim.exp %8 : tensor<?x1x64xf32>
  %10 = prim.exp %9 : tensor<?x1x64xf32>
  %11 = prim.exp %10 : tensor<?x1x64xf32>
  %12 = prim.exp %11 : tensor<?x1x64xf32>
  %13 = prim.exp %12 : tensor<?x1x64xf32>
  %14 = prim.exp %13 : tensor<?x1x64xf32>
  %15 = prim.exp %14 : tensor<?x1x64xf32>
  %r = prim.reshape %15 sizes (%n) : tensor<?x1x64xf32> -> tensor<?x64xf32>
  %e = prim.exp %r : tensor<?x64xf32>
  return %e : tensor<?x64xf32>
}

// One element of each row of a constant is set where the number of its column is the index. An index that is outside sets none.
// CHECK-LABEL: func.func @one_hot
// CHECK: %[[N:.*]] = prim.iota dim 1 : tensor<5x7xi64>
// CHECK: %[[I:.*]] = prim.broadcast_in_dim {{.*}} dims [0] : tensor<5xi64> -> tensor<5x7xi64>
// CHECK: %[[E:.*]] = prim.eq %[[N]], %[[I]]
// CHECK: prim.where %[[E]]
// CHECK-NOT: prim.scatter
func.func @one_hot(%i: tensor<5x1x1xi64>, %u: tensor<5x1x1xf32>) -> tensor<5x7xf32> {
  %x = prim.full 2.0 : f32 : tensor<5x7xf32>
  %r = prim.scatter set %x, %i, %u dims [1] batch_dims 1 : tensor<5x7xf32>, tensor<5x1x1xi64>, tensor<5x1x1xf32>
  return %r : tensor<5x7xf32>
}

// Rows that another dimension has, too, and places of which there are several.
// CHECK-LABEL: func.func @one_slice
// CHECK: prim.where
// CHECK-NOT: prim.scatter
// CHECK-LABEL: func.func @two_slices
// CHECK: prim.scatter
func.func @one_slice(%i: tensor<1xi32>, %u: tensor<4x1xf32>) -> tensor<4x7xf32> {
  %x = prim.full 0.0 : f32 : tensor<4x7xf32>
  %r = prim.scatter set %x, %i, %u dims [1] batch_dims 0 : tensor<4x7xf32>, tensor<1xi32>, tensor<4x1xf32>
  return %r : tensor<4x7xf32>
}
func.func @two_slices(%i: tensor<2x1xi32>, %u: tensor<2x4x1xf32>) -> tensor<4x7xf32> {
  %x = prim.full 0.0 : f32 : tensor<4x7xf32>
  %r = prim.scatter set %x, %i, %u dims [1] batch_dims 0 : tensor<4x7xf32>, tensor<2x1xi32>, tensor<2x4x1xf32>
  return %r : tensor<4x7xf32>
}

// One operand says the number of batches, the type of the result does not.
// CHECK-LABEL: @dot_of_open_batches
// CHECK: %[[D:.*]] = prim.dot_general {{.*}} batch [0] x [0] contract [2] x [1]
// CHECK: %[[R:.*]] = prim.reshape %[[D]] {{.*}} -> tensor<?x2x3xf32>
// CHECK: prim.sub %{{.*}}, %[[R]] : tensor<?x2x3xf32>
func.func @dot_of_open_batches(%a: tensor<?x2x4xf32>, %b: tensor<2x2x4x3xf32>, %c: tensor<?x2x3xf32>) -> tensor<?x2x3xf32> {
  %d = prim.dot_general %a, %b batch [0, 1] x [0, 1] contract [2] x [2] : tensor<?x2x4xf32>, tensor<2x2x4x3xf32> -> tensor<?x2x3xf32>
  %s = prim.sub %c, %d : tensor<?x2x3xf32>
  return %s : tensor<?x2x3xf32>
}

// What replaces an operation keeps its type, also if more is known of its sizes.
// CHECK-LABEL: func.func @known_sizes_of_open_type
// CHECK-SAME: -> tensor<?x1x12xf32>
// CHECK: return %{{.*}} : tensor<?x1x12xf32>
func.func @known_sizes_of_open_type(%c: tensor<1x1x1xi1>, %x: tensor<6x1x4xf32>) -> tensor<?x1x12xf32> {
  %c2 = arith.constant 2 : index
  %0 = prim.reshape %x sizes(%c2) : tensor<6x1x4xf32> -> tensor<?x1x12xf32>
  %1 = prim.broadcast_in_dim %c dims [0, 1, 2] sizes(%c2) : tensor<1x1x1xi1> -> tensor<?x1x12xi1>
  %2 = prim.full 0.0 : f32 sizes(%c2) : tensor<?x1x12xf32>
  %3 = prim.where %1, %2, %0 : tensor<?x1x12xi1>, tensor<?x1x12xf32>
  return %3 : tensor<?x1x12xf32>
}

// Counts of rows are the same in each column, and so are sums of repeated numbers: those are counted once. Columns of their own are not.
// CHECK-LABEL: func.func @counts
// CHECK: %[[S:.*]] = prim.scatter add %{{.*}}, %arg0, %{{.*}} dims [0] batch_dims 0 : tensor<4x1xi32>, tensor<9x1xi64>, tensor<9x1x1xi32>
// CHECK: %[[F:.*]] = prim.reshape %[[S]] : tensor<4x1xi32> -> tensor<4xi32>
// CHECK: %[[R:.*]] = prim.broadcast_in_dim %[[F]] dims [0] : tensor<4xi32> -> tensor<4x8xi32>
// CHECK: %[[T:.*]] = prim.scatter add %{{.*}}, %arg0, %{{.*}} dims [0] batch_dims 0 : tensor<4x8xi32>
// CHECK: return %[[R]], %[[T]]
func.func @counts(%i: tensor<9x1xi64>, %x: tensor<8xi32>) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
  %0 = prim.full 0 : i32 : tensor<4x8xi32>
  %1 = prim.full 1 : i32 : tensor<9x1x8xi32>
  %2 = prim.scatter add %0, %i, %1 dims [0] batch_dims 0 : tensor<4x8xi32>, tensor<9x1xi64>, tensor<9x1x8xi32>
  %3 = prim.broadcast_in_dim %x dims [2] : tensor<8xi32> -> tensor<9x1x8xi32>
  %4 = prim.scatter add %0, %i, %3 dims [0] batch_dims 0 : tensor<4x8xi32>, tensor<9x1xi64>, tensor<9x1x8xi32>
  return %2, %4 : tensor<4x8xi32>, tensor<4x8xi32>
}
