// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that follow from the coordinates of their elements are ranges and constants. The mask of causal attention, as transformers
// write it, is a comparison of two ranges.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-fold-coordinates,canonicalize,cse))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-fold-coordinates,prim-simplify))' -o %t.mlir
// RUN: for f in causal lines joined sums wraps outside rows; do for t in reference cpu; do kiln-run %t.mlir --entry=$f --target=$t --result=0:%t.new.npy && \
// RUN:   kiln-run %s --entry=$f --target=reference --result=0:%t.old.npy && \
// RUN:   %python -c "import numpy as np; a, b = np.load('%t.new.npy'), np.load('%t.old.npy'); assert a.shape == b.shape and (a == b).all(), (a, b)" || exit 1; done; done

// Positions that go on are one document; a key is seen by the queries behind it.
// CHECK-LABEL: func @causal
// CHECK-NOT: prim.gather
// CHECK-NOT: prim.scan
// CHECK-DAG: %[[QUERY:.*]] = prim.iota dim 2 : tensor<2x1x5x1xi64>
// CHECK-DAG: %[[KEY:.*]] = prim.iota dim 3 : tensor<2x1x1x5xi64>
// CHECK-DAG: %[[QUERIES:.*]] = prim.broadcast_in_dim %[[QUERY]]
// CHECK-DAG: %[[KEYS:.*]] = prim.broadcast_in_dim %[[KEY]]
// CHECK: %[[SEEN:.*]] = prim.le %[[KEYS]], %[[QUERIES]]
// CHECK: return %[[SEEN]]
func.func @causal() -> tensor<2x1x5x5xi1> {
  %range = prim.iota dim 0 : tensor<5xi64>
  %positions = prim.broadcast_in_dim %range dims [1] : tensor<5xi64> -> tensor<2x5xi64>
  %first = prim.slice %positions starts [0, 0] limits [2, 1] strides [1, 1] : tensor<2x5xi64> -> tensor<2x1xi64>
  %one = prim.full 1 : i64 : tensor<2x1xi64>
  %before = prim.sub %first, %one : tensor<2x1xi64>
  %all = prim.cat %before, %positions dim 1 : tensor<2x1xi64>, tensor<2x5xi64> -> tensor<2x6xi64>
  %left = prim.slice %all starts [0, 0] limits [2, 5] strides [1, 1] : tensor<2x6xi64> -> tensor<2x5xi64>
  %right = prim.slice %all starts [0, 1] limits [2, 6] strides [1, 1] : tensor<2x6xi64> -> tensor<2x5xi64>
  %step = prim.sub %right, %left : tensor<2x5xi64>
  %ones = prim.full 1 : i64 : tensor<2x5xi64>
  %jumps = prim.ne %step, %ones : tensor<2x5xi64> -> tensor<2x5xi1>
  %count = prim.convert_element_type %jumps : tensor<2x5xi1> -> tensor<2x5xi64>
  %document = prim.scan sum %count dim 1 : tensor<2x5xi64>
  %documents = prim.reshape %document : tensor<2x5xi64> -> tensor<10xi64>
  %line = prim.reshape %positions : tensor<2x5xi64> -> tensor<10xi64>
  %batch = prim.iota dim 0 : tensor<2x1x5x1xi64>
  %query = prim.iota dim 2 : tensor<2x1x5x1xi64>
  %five = prim.full 5 : i64 : tensor<2x1x5x1xi64>
  %row = prim.mul %batch, %five : tensor<2x1x5x1xi64>
  %at_query = prim.add %row, %query : tensor<2x1x5x1xi64>
  %batch_k = prim.iota dim 0 : tensor<2x1x1x5xi64>
  %key = prim.iota dim 3 : tensor<2x1x1x5xi64>
  %five_k = prim.full 5 : i64 : tensor<2x1x1x5xi64>
  %row_k = prim.mul %batch_k, %five_k : tensor<2x1x1x5xi64>
  %at_key = prim.add %row_k, %key : tensor<2x1x1x5xi64>
  %doc_q = prim.gather %documents, %at_query dim 0 batch_dims 0 : tensor<10xi64>, tensor<2x1x5x1xi64> -> tensor<2x1x5x1xi64>
  %doc_k = prim.gather %documents, %at_key dim 0 batch_dims 0 : tensor<10xi64>, tensor<2x1x1x5xi64> -> tensor<2x1x1x5xi64>
  %pos_q = prim.gather %line, %at_query dim 0 batch_dims 0 : tensor<10xi64>, tensor<2x1x5x1xi64> -> tensor<2x1x5x1xi64>
  %pos_k = prim.gather %line, %at_key dim 0 batch_dims 0 : tensor<10xi64>, tensor<2x1x1x5xi64> -> tensor<2x1x1x5xi64>
  %doc_qs = prim.broadcast_in_dim %doc_q dims [0, 1, 2, 3] : tensor<2x1x5x1xi64> -> tensor<2x1x5x5xi64>
  %doc_ks = prim.broadcast_in_dim %doc_k dims [0, 1, 2, 3] : tensor<2x1x1x5xi64> -> tensor<2x1x5x5xi64>
  %same = prim.eq %doc_qs, %doc_ks : tensor<2x1x5x5xi64> -> tensor<2x1x5x5xi1>
  %pos_qs = prim.broadcast_in_dim %pos_q dims [0, 1, 2, 3] : tensor<2x1x5x1xi64> -> tensor<2x1x5x5xi64>
  %pos_ks = prim.broadcast_in_dim %pos_k dims [0, 1, 2, 3] : tensor<2x1x1x5xi64> -> tensor<2x1x5x5xi64>
  %behind = prim.le %pos_ks, %pos_qs : tensor<2x1x5x5xi64> -> tensor<2x1x5x5xi1>
  %seen = prim.bitwise_and %same, %behind : tensor<2x1x5x5xi1>
  return %seen : tensor<2x1x5x5xi1>
}

// A gather of a range with steps; the range of its places is that of the operand.
// CHECK-LABEL: func @lines
// CHECK-NOT: prim.gather
// CHECK: return
func.func @lines() -> tensor<4xi32> {
  %range = prim.iota dim 0 : tensor<10xi32>
  %three = prim.full 3 : i32 : tensor<10xi32>
  %tripled = prim.mul %range, %three : tensor<10xi32>
  %places = prim.iota dim 0 : tensor<4xi32>
  %minus = prim.full -3 : i32 : tensor<4xi32>
  %nine = prim.full 9 : i32 : tensor<4xi32>
  %back = prim.mul %places, %minus : tensor<4xi32>
  %at = prim.add %back, %nine : tensor<4xi32>
  %read = prim.gather %tripled, %at dim 0 batch_dims 0 : tensor<10xi32>, tensor<4xi32> -> tensor<4xi32>
  return %read : tensor<4xi32>
}

// Parts that do not go on in one step stay joined.
// CHECK-LABEL: func @joined
// CHECK: prim.cat
func.func @joined() -> tensor<6xi32> {
  %range = prim.iota dim 0 : tensor<3xi32>
  %joined = prim.cat %range, %range dim 0 : tensor<3xi32>, tensor<3xi32> -> tensor<6xi32>
  return %joined : tensor<6xi32>
}

// Sums of one number are a range; in the other direction they stay.
// CHECK-LABEL: func @sums
// CHECK: prim.iota dim 1
// CHECK: prim.scan sum {{.*}} reverse
// CHECK-NOT: prim.scan
// CHECK: return
func.func @sums() -> tensor<2x4xi32> {
  %two = prim.full 2 : i32 : tensor<2x4xi32>
  %sum = prim.scan sum %two dim 1 : tensor<2x4xi32>
  %before = prim.scan sum %two dim 1 exclusive : tensor<2x4xi32>
  %back = prim.scan sum %two dim 1 reverse : tensor<2x4xi32>
  %a = prim.add %sum, %before : tensor<2x4xi32>
  %b = prim.mul %a, %back : tensor<2x4xi32>
  return %b : tensor<2x4xi32>
}

// 100 + 3 * 50 is no number of eight bits; 120 + 9 is none either, so the comparison is not decided.
// CHECK-LABEL: func @wraps
// CHECK: prim.lt
func.func @wraps() -> tensor<10xi1> {
  %range = prim.iota dim 0 : tensor<10xi8>
  %much = prim.full 120 : i8 : tensor<10xi8>
  %sum = prim.add %range, %much : tensor<10xi8>
  %less = prim.lt %sum, %range : tensor<10xi8> -> tensor<10xi1>
  return %less : tensor<10xi1>
}

// Unsigned, -1 is larger than all places: the places that it stands for are not read.
// CHECK-LABEL: func @outside
// CHECK: prim.lt {{.*}} unsigned
func.func @outside() -> tensor<4xi1> {
  %range = prim.iota dim 0 : tensor<4xi32>
  %one = prim.full 1 : i32 : tensor<4xi32>
  %places = prim.sub %range, %one : tensor<4xi32>
  %three = prim.full 3 : i32 : tensor<4xi32>
  %inside = prim.lt %places, %three unsigned : tensor<4xi32> -> tensor<4xi1>
  return %inside : tensor<4xi1>
}

// The places 3 to 6 of a line go on in the second row of the matrix of five columns that it was.
// CHECK-LABEL: func @rows
// CHECK: prim.gather
func.func @rows() -> tensor<4xi64> {
  %column = prim.iota dim 1 : tensor<2x5xi64>
  %line = prim.reshape %column : tensor<2x5xi64> -> tensor<10xi64>
  %range = prim.iota dim 0 : tensor<4xi64>
  %three = prim.full 3 : i64 : tensor<4xi64>
  %places = prim.add %range, %three : tensor<4xi64>
  %read = prim.gather %line, %places dim 0 batch_dims 0 : tensor<10xi64>, tensor<4xi64> -> tensor<4xi64>
  return %read : tensor<4xi64>
}
