// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse))' | FileCheck %s

// A product takes its bias, activation and residual along.
// CHECK-LABEL: func.func @linear
// CHECK: prim.fusion contraction
// CHECK: prim.dot_general
// CHECK: prim.add
// CHECK: prim.maximum
// CHECK: prim.yield
// CHECK-NOT: prim.fusion
func.func @linear(%a: tensor<10x30xf32>, %b: tensor<30x20xf32>, %bias: tensor<20xf32>) -> tensor<10x20xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<10x30xf32>, tensor<30x20xf32> -> tensor<10x20xf32>
  %bb = prim.broadcast_in_dim %bias dims [1] : tensor<20xf32> -> tensor<10x20xf32>
  %e = prim.add %d, %bb : tensor<10x20xf32>
  %z = prim.full 0.0 : f32 : tensor<10x20xf32>
  %m = prim.maximum %e, %z : tensor<10x20xf32>
  return %m : tensor<10x20xf32>
}

// Two reductions over the same rows are one group.
// CHECK-LABEL: func.func @softmax
// CHECK: prim.fusion reduction
// CHECK: prim.amax
// CHECK: prim.sum
// CHECK-NOT: prim.fusion
func.func @softmax(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %m = prim.amax %x dims [1] : tensor<4x9xf32> -> tensor<4xf32>
  %mb = prim.broadcast_in_dim %m dims [0] : tensor<4xf32> -> tensor<4x9xf32>
  %s = prim.sub %x, %mb : tensor<4x9xf32>
  %e = prim.exp %s : tensor<4x9xf32>
  %t = prim.sum %e dims [1] : tensor<4x9xf32> -> tensor<4xf32>
  %tb = prim.broadcast_in_dim %t dims [0] : tensor<4xf32> -> tensor<4x9xf32>
  %r = prim.div %e, %tb : tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}

// A sum that every row of the result would compute again stays alone.
// CHECK-LABEL: func.func @column_bias
// CHECK: prim.fusion reduction
// CHECK: prim.fusion elementwise
func.func @column_bias(%x: tensor<64x9xf32>, %y: tensor<9x7xf32>) -> tensor<64x9xf32> {
  %s = prim.sum %y dims [1] : tensor<9x7xf32> -> tensor<9xf32>
  %b = prim.broadcast_in_dim %s dims [1] : tensor<9xf32> -> tensor<64x9xf32>
  %r = prim.add %x, %b : tensor<64x9xf32>
  return %r : tensor<64x9xf32>
}

// Movements of what is in memory are no group; the product stores its result in
// the order of the next one.
// CHECK-LABEL: func.func @heads
// CHECK: prim.transpose
// CHECK: prim.fusion contraction
// CHECK: prim.dot_general
// CHECK: prim.transpose
// CHECK: prim.reshape
// CHECK: prim.yield
// CHECK: prim.fusion contraction
func.func @heads(%p: tensor<10x16x10xf32>, %v: tensor<16x10x64xf32>, %w: tensor<1024x8xf32>) -> tensor<10x8xf32> {
  %q = prim.transpose %p permutation [1, 0, 2] : tensor<10x16x10xf32> -> tensor<16x10x10xf32>
  %q2 = prim.slice %q starts [0, 0, 0] limits [16, 10, 10] strides [1, 1, 1] : tensor<16x10x10xf32> -> tensor<16x10x10xf32>
  %x = prim.exp %q2 : tensor<16x10x10xf32>
  %y = prim.add %x, %q : tensor<16x10x10xf32>
  %o = prim.dot_general %y, %v batch [0] x [0] contract [2] x [1] : tensor<16x10x10xf32>, tensor<16x10x64xf32> -> tensor<16x10x64xf32>
  %t = prim.transpose %o permutation [1, 0, 2] : tensor<16x10x64xf32> -> tensor<10x16x64xf32>
  %r = prim.reshape %t : tensor<10x16x64xf32> -> tensor<10x1024xf32>
  %d = prim.dot_general %r, %w batch [] x [] contract [1] x [0] : tensor<10x1024xf32>, tensor<1024x8xf32> -> tensor<10x8xf32>
  return %d : tensor<10x8xf32>
}

// A table is read from memory even if it is a constant with one value.
// CHECK-LABEL: func.func @table
// CHECK: prim.constant
// CHECK: prim.fusion elementwise
func.func @table(%x: tensor<9xi8>) -> tensor<9xi8> {
  %t = prim.constant dense<3> : tensor<256xi8>
  %r = prim.table %x, %t : tensor<9xi8>, tensor<256xi8> -> tensor<9xi8>
  return %r : tensor<9xi8>
}

// What is made narrower on the way from one product to the next is stored so; a conversion from memory goes with the
// product that reads it, and so does one whose source somebody else reads.
// CHECK-LABEL: func.func @narrowed
// CHECK: prim.fusion contraction
// CHECK: prim.dot_general
// CHECK-NOT: prim.fusion
// CHECK: prim.convert_element_type {{.*}} tensor<10x20xf32> -> tensor<10x20xbf16>
// CHECK-NEXT: prim.yield
// CHECK: prim.fusion contraction
// CHECK: prim.convert_element_type {{.*}} tensor<20x30xf32> -> tensor<20x30xbf16>
// CHECK: prim.dot_general
func.func @narrowed(%a: tensor<10x30xbf16>, %b: tensor<30x20xbf16>, %c: tensor<20x30xf32>) -> tensor<10x30xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<10x30xbf16>, tensor<30x20xbf16> -> tensor<10x20xf32>
  %e = prim.exp %d : tensor<10x20xf32>
  %n = prim.convert_element_type %e : tensor<10x20xf32> -> tensor<10x20xbf16>
  %m = prim.convert_element_type %c : tensor<20x30xf32> -> tensor<20x30xbf16>
  %f = prim.dot_general %n, %m batch [] x [] contract [1] x [0] : tensor<10x20xbf16>, tensor<20x30xbf16> -> tensor<10x30xf32>
  return %f : tensor<10x30xf32>
}

// CHECK-LABEL: func.func @read_twice
// CHECK: prim.fusion contraction
// CHECK: prim.exp
// CHECK-NEXT: prim.yield
// CHECK: prim.fusion contraction
// CHECK: prim.convert_element_type
// CHECK: prim.dot_general
func.func @read_twice(%a: tensor<10x30xbf16>, %b: tensor<30x20xbf16>, %c: tensor<20x30xbf16>) -> (tensor<10x20xf32>, tensor<10x30xf32>) {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<10x30xbf16>, tensor<30x20xbf16> -> tensor<10x20xf32>
  %e = prim.exp %d : tensor<10x20xf32>
  %n = prim.convert_element_type %e : tensor<10x20xf32> -> tensor<10x20xbf16>
  %f = prim.dot_general %n, %c batch [] x [] contract [1] x [0] : tensor<10x20xbf16>, tensor<20x30xbf16> -> tensor<10x30xf32>
  return %e, %f : tensor<10x20xf32>, tensor<10x30xf32>
}

// A conversion to more bits is in every group that reads it: memory has the fewer bits.
// CHECK-LABEL: func.func @widened
// CHECK-DAG: prim.fusion reduction(%arg0)
// CHECK-DAG: prim.fusion elementwise(%arg0)
// CHECK: return
func.func @widened(%x: tensor<6x9xbf16>) -> (tensor<9xf32>, tensor<6x9xf32>) {
  %w = prim.convert_element_type %x : tensor<6x9xbf16> -> tensor<6x9xf32>
  %s = prim.sum %w dims [0] : tensor<6x9xf32> -> tensor<9xf32>
  %r = prim.mul %w, %w : tensor<6x9xf32>
  return %s, %r : tensor<9xf32>, tensor<6x9xf32>
}

// A product reads what it does not have to convert.
// CHECK-LABEL: func.func @widened_factor
// CHECK: %[[W:.*]]:2 = prim.fusion elementwise(%arg0)
// CHECK: prim.fusion contraction(%[[W]]#0
func.func @widened_factor(%x: tensor<6x9xbf16>, %y: tensor<9x4xf32>) -> (tensor<6x4xf32>, tensor<6x9xf32>) {
  %w = prim.convert_element_type %x : tensor<6x9xbf16> -> tensor<6x9xf32>
  %d = prim.dot_general %w, %y batch [] x [] contract [1] x [0] : tensor<6x9xf32>, tensor<9x4xf32> -> tensor<6x4xf32>
  %r = prim.mul %w, %w : tensor<6x9xf32>
  return %d, %r : tensor<6x4xf32>, tensor<6x9xf32>
}

// A function of a narrow tensor alone is computed where it is used: to write and read it takes longer.
// CHECK-LABEL: func.func @widened_function
// CHECK-DAG: prim.fusion reduction(%arg0)
// CHECK-DAG: prim.fusion elementwise(%arg0, %arg1)
// CHECK: return
func.func @widened_function(%x: tensor<6x9xbf16>, %y: tensor<6x9xbf16>) -> (tensor<9xf32>, tensor<6x9xf32>) {
  %w = prim.convert_element_type %x : tensor<6x9xbf16> -> tensor<6x9xf32>
  %n = prim.neg %w : tensor<6x9xf32>
  %e = prim.exp %n : tensor<6x9xf32>
  %one = prim.full 1.0 : f32 : tensor<6x9xf32>
  %t = prim.add %e, %one : tensor<6x9xf32>
  %s = prim.sum %t dims [0] : tensor<6x9xf32> -> tensor<9xf32>
  %v = prim.convert_element_type %y : tensor<6x9xbf16> -> tensor<6x9xf32>
  %r = prim.div %v, %t : tensor<6x9xf32>
  return %s, %r : tensor<9xf32>, tensor<6x9xf32>
}

// Two functions are not.
// CHECK-LABEL: func.func @two_functions
// CHECK: %[[T:.*]] = prim.fusion elementwise(%arg0)
// CHECK-DAG: prim.fusion reduction(%[[T]])
// CHECK-DAG: prim.fusion elementwise(%arg1, %[[T]])
func.func @two_functions(%x: tensor<6x9xbf16>, %y: tensor<6x9xbf16>) -> (tensor<9xf32>, tensor<6x9xf32>) {
  %w = prim.convert_element_type %x : tensor<6x9xbf16> -> tensor<6x9xf32>
  %e = prim.exp %w : tensor<6x9xf32>
  %t = prim.tanh %e : tensor<6x9xf32>
  %s = prim.sum %t dims [0] : tensor<6x9xf32> -> tensor<9xf32>
  %v = prim.convert_element_type %y : tensor<6x9xbf16> -> tensor<6x9xf32>
  %r = prim.div %v, %t : tensor<6x9xf32>
  return %s, %r : tensor<9xf32>, tensor<6x9xf32>
}

// Normalised elements are read twice and not returned: both groups compute them from the elements and two numbers for each row, and nothing
// stores them in f32.
// CHECK-LABEL: func.func @normalised
// CHECK: prim.fusion reduction({{.*}}) : (tensor<64x32xbf16>, tensor<64xf32>, tensor<64xf32>)
// CHECK: prim.sub
// CHECK: prim.sum {{.*}} dims [1]
// CHECK: prim.fusion reduction({{.*}}) : (tensor<64x32xbf16>, tensor<64xf32>, tensor<64xf32>)
// CHECK: prim.sub
// CHECK: prim.sum {{.*}} dims [0]
// CHECK-NOT: prim.fusion
// CHECK: return
func.func @normalised(%x: tensor<64x32xbf16>, %mean: tensor<64xf32>, %scale: tensor<64xf32>) -> (tensor<64xf32>, tensor<32xf32>) {
  %w = prim.convert_element_type %x : tensor<64x32xbf16> -> tensor<64x32xf32>
  %m = prim.broadcast_in_dim %mean dims [0] : tensor<64xf32> -> tensor<64x32xf32>
  %s = prim.broadcast_in_dim %scale dims [0] : tensor<64xf32> -> tensor<64x32xf32>
  %d = prim.sub %w, %m : tensor<64x32xf32>
  %n = prim.mul %d, %s : tensor<64x32xf32>
  %r = prim.sum %n dims [1] : tensor<64x32xf32> -> tensor<64xf32>
  %q = prim.mul %n, %n : tensor<64x32xf32>
  %c = prim.sum %q dims [0] : tensor<64x32xf32> -> tensor<32xf32>
  return %r, %c : tensor<64xf32>, tensor<32xf32>
}

// What is computed from two tensors of its own size is stored once: to compute it again reads more than to read it.
// CHECK-LABEL: func.func @two_inputs
// CHECK: prim.fusion elementwise
// CHECK: prim.add
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.add
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.add
// CHECK: return
func.func @two_inputs(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<32xf32>) {
  %n = prim.add %x, %y : tensor<64x32xf32>
  %r = prim.sum %n dims [1] : tensor<64x32xf32> -> tensor<64xf32>
  %c = prim.sum %n dims [0] : tensor<64x32xf32> -> tensor<32xf32>
  return %r, %c : tensor<64xf32>, tensor<32xf32>
}

// What follows a product stays its epilogue, and what a function returns is read where it is stored.
// CHECK-LABEL: func.func @epilogue
// CHECK: prim.fusion contraction
// CHECK: prim.dot_general
// CHECK: prim.neg
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.neg
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.neg
// CHECK: return
func.func @epilogue(%a: tensor<64x16xf32>, %b: tensor<16x32xf32>) -> (tensor<64xf32>, tensor<32xf32>) {
  %p = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<64x16xf32>, tensor<16x32xf32> -> tensor<64x32xf32>
  %n = prim.neg %p : tensor<64x32xf32>
  %r = prim.sum %n dims [1] : tensor<64x32xf32> -> tensor<64xf32>
  %c = prim.sum %n dims [0] : tensor<64x32xf32> -> tensor<32xf32>
  return %r, %c : tensor<64xf32>, tensor<32xf32>
}

// CHECK-LABEL: func.func @returned
// CHECK: prim.fusion elementwise
// CHECK: prim.neg
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.neg
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.neg
// CHECK: return
func.func @returned(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>) {
  %n = prim.neg %x : tensor<64x32xf32>
  %r = prim.sum %n dims [1] : tensor<64x32xf32> -> tensor<64xf32>
  %c = prim.sum %n dims [0] : tensor<64x32xf32> -> tensor<32xf32>
  return %n, %r, %c : tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
}

// A slice that leaves elements out is copied where a matmul would sum over what it gives in pieces, and read in place where
// the matmul only has it as rows.
// CHECK-LABEL: func.func @strided_sum
// CHECK: prim.fusion elementwise
// CHECK: prim.slice
// CHECK: prim.fusion contraction
// CHECK-NOT: prim.slice
// CHECK: prim.dot_general
func.func @strided_sum(%x: tensor<4x9x16xf32>, %g: tensor<20x8xf32>) -> tensor<16x8xf32> {
  %s = prim.slice %x starts [0, 0, 0] limits [-1, 9, -1] strides [1, 2, 1] : tensor<4x9x16xf32> -> tensor<4x5x16xf32>
  %t = prim.transpose %s permutation [2, 0, 1] : tensor<4x5x16xf32> -> tensor<16x4x5xf32>
  %r = prim.reshape %t : tensor<16x4x5xf32> -> tensor<16x20xf32>
  %d = prim.dot_general %r, %g batch [] x [] contract [1] x [0] : tensor<16x20xf32>, tensor<20x8xf32> -> tensor<16x8xf32>
  return %d : tensor<16x8xf32>
}
// CHECK-LABEL: func.func @strided_rows
// CHECK: prim.fusion contraction
// CHECK: prim.slice
// CHECK: prim.dot_general
// CHECK-NOT: prim.fusion
func.func @strided_rows(%x: tensor<4x9x16xf32>, %g: tensor<16x8xf32>) -> tensor<20x8xf32> {
  %s = prim.slice %x starts [0, 0, 0] limits [-1, 9, -1] strides [1, 2, 1] : tensor<4x9x16xf32> -> tensor<4x5x16xf32>
  %r = prim.reshape %s : tensor<4x5x16xf32> -> tensor<20x16xf32>
  %d = prim.dot_general %r, %g batch [] x [] contract [1] x [0] : tensor<20x16xf32>, tensor<16x8xf32> -> tensor<20x8xf32>
  return %d : tensor<20x8xf32>
}

// A view of a product has several readers: what they compute from it in a wider type is not stored.
// CHECK-LABEL: func.func @behind_view
// CHECK: prim.fusion contraction
// CHECK: prim.fusion reduction({{.*}}) : (tensor<2x16x32xbf16>) -> tensor<32xf32>
// CHECK: prim.fusion reduction({{.*}}) : (tensor<2x16x32xbf16>, tensor<32xf32>) -> tensor<32xf32>
// CHECK: prim.fusion elementwise({{.*}}tensor<2x16x32xbf16>{{.*}} -> tensor<2x16x32xbf16>
// CHECK-NOT: prim.fusion
func.func @behind_view(%a: tensor<32x64xbf16>, %b: tensor<64x32xbf16>) -> (tensor<2x16x32xbf16>, tensor<32xf32>, tensor<32xf32>) {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<32x64xbf16>, tensor<64x32xbf16> -> tensor<32x32xbf16>
  %v = prim.reshape %d : tensor<32x32xbf16> -> tensor<2x16x32xbf16>
  %f = prim.convert_element_type %v : tensor<2x16x32xbf16> -> tensor<2x16x32xf32>
  %s = prim.sum %f dims [0, 1] : tensor<2x16x32xf32> -> tensor<32xf32>
  %m = prim.broadcast_in_dim %s dims [2] : tensor<32xf32> -> tensor<2x16x32xf32>
  %c = prim.sub %f, %m : tensor<2x16x32xf32>
  %q = prim.mul %c, %c : tensor<2x16x32xf32>
  %t = prim.sum %q dims [0, 1] : tensor<2x16x32xf32> -> tensor<32xf32>
  %u = prim.broadcast_in_dim %t dims [2] : tensor<32xf32> -> tensor<2x16x32xf32>
  %n = prim.mul %c, %u : tensor<2x16x32xf32>
  %r = prim.convert_element_type %n : tensor<2x16x32xf32> -> tensor<2x16x32xbf16>
  return %r, %s, %t : tensor<2x16x32xbf16>, tensor<32xf32>, tensor<32xf32>
}

// The numbers of a norm for each group of channels would split the channels of the convolution: another group computes
// the factor of each channel. The dimensions of a product are split where those of all its elements are.
// CHECK-LABEL: func.func @channels_whole
// CHECK: prim.fusion elementwise({{.*}}) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x4x3xf32>
// CHECK: prim.fusion convolution({{.*}}tensor<2x12xf32>{{.*}}) -> tensor<2x8x8x12xf32>
// CHECK: prim.conv
// CHECK: prim.mul
// CHECK-NOT: prim.fusion
func.func @channels_whole(%x: tensor<2x8x8x16xf32>, %f: tensor<12x3x3x16xf32>, %g: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x8x8x12xf32> {
  %c = prim.conv %x, %f {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x8x8x16xf32>, tensor<12x3x3x16xf32> -> tensor<2x8x8x12xf32>
  %a = prim.broadcast_in_dim %g dims [0, 1] : tensor<2x4xf32> -> tensor<2x4x3xf32>
  %b = prim.broadcast_in_dim %w dims [1, 2] : tensor<4x3xf32> -> tensor<2x4x3xf32>
  %p = prim.mul %a, %b : tensor<2x4x3xf32>
  %r = prim.reshape %p : tensor<2x4x3xf32> -> tensor<2x12xf32>
  %s = prim.broadcast_in_dim %r dims [0, 3] : tensor<2x12xf32> -> tensor<2x8x8x12xf32>
  %m = prim.mul %c, %s : tensor<2x8x8x12xf32>
  return %m : tensor<2x8x8x12xf32>
}
// CHECK-LABEL: func.func @channels_split
// CHECK-NOT: prim.fusion
// CHECK: prim.fusion contraction
// CHECK: prim.dot_general
// CHECK: prim.reshape {{.*}} -> tensor<10x4x3xf32>
// CHECK: prim.mul
// CHECK-NOT: prim.fusion
func.func @channels_split(%x: tensor<10x16xf32>, %f: tensor<16x12xf32>, %g: tensor<4xf32>, %w: tensor<3xf32>) -> tensor<10x4x3xf32> {
  %c = prim.dot_general %x, %f batch [] x [] contract [1] x [0] : tensor<10x16xf32>, tensor<16x12xf32> -> tensor<10x12xf32>
  %v = prim.reshape %c : tensor<10x12xf32> -> tensor<10x4x3xf32>
  %a = prim.broadcast_in_dim %g dims [0] : tensor<4xf32> -> tensor<4x3xf32>
  %b = prim.broadcast_in_dim %w dims [1] : tensor<3xf32> -> tensor<4x3xf32>
  %p = prim.mul %a, %b : tensor<4x3xf32>
  %s = prim.broadcast_in_dim %p dims [1, 2] : tensor<4x3xf32> -> tensor<10x4x3xf32>
  %m = prim.mul %v, %s : tensor<10x4x3xf32>
  return %m : tensor<10x4x3xf32>
}

// A product writes what its result is rounded to, also where those who read it take apart what the product gives as a whole.
// CHECK-LABEL: func.func @halves
// CHECK: prim.fusion contraction
// CHECK: prim.dot_general
// CHECK: prim.add
// CHECK: prim.convert_element_type {{.*}} -> tensor<10x20xf16>
// CHECK: prim.yield
// CHECK: prim.fusion elementwise
// CHECK: prim.mul
func.func @halves(%a: tensor<10x30xf16>, %b: tensor<30x20xf16>, %bias: tensor<10x20xf32>) -> tensor<10x10xf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<10x30xf16>, tensor<30x20xf16> -> tensor<10x20xf32>
  %e = prim.add %d, %bias : tensor<10x20xf32>
  %n = prim.convert_element_type %e : tensor<10x20xf32> -> tensor<10x20xf16>
  %x = prim.slice %n starts [0, 0] limits [10, 10] strides [1, 1] : tensor<10x20xf16> -> tensor<10x10xf16>
  %y = prim.slice %n starts [0, 10] limits [10, 20] strides [1, 1] : tensor<10x20xf16> -> tensor<10x10xf16>
  %r = prim.mul %x, %y : tensor<10x10xf16>
  return %r : tensor<10x10xf16>
}
