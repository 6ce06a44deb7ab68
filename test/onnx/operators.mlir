// Operators that prim has as one operation, and what is computed of numbers.
// RUN: kiln-opt %s --convert-onnx-to-prim | FileCheck %s

// CHECK-LABEL: func.func @gemm
// CHECK: prim.dot_general %arg0, %arg1 batch [] x [] contract [1] x [1] : tensor<4x8xf32>, tensor<6x8xf32> -> tensor<4x6xf32>
// CHECK: prim.add
func.func @gemm(%a: !torch.vtensor<[4,8],f32>, %b: !torch.vtensor<[6,8],f32>, %c: !torch.vtensor<[6],f32>) -> !torch.vtensor<[4,6],f32> {
  %0 = torch.operator "onnx.Gemm"(%a, %b, %c) {torch.onnx.transB = 1 : si64} : (!torch.vtensor<[4,8],f32>, !torch.vtensor<[6,8],f32>, !torch.vtensor<[6],f32>) -> !torch.vtensor<[4,6],f32>
  return %0 : !torch.vtensor<[4,6],f32>
}

// CHECK-LABEL: func.func @conv
// CHECK: prim.transpose %arg0 permutation [0, 2, 3, 1]
// CHECK: prim.conv {{.*}} groups = 1 : i64, {{.*}} pad_high = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, strides = array<i64: 1, 1>
// CHECK: prim.transpose {{.*}} permutation [0, 3, 1, 2] : tensor<1x8x8x4xf32> -> tensor<1x4x8x8xf32>
func.func @conv(%x: !torch.vtensor<[1,3,8,8],f32>, %w: !torch.vtensor<[4,3,3,3],f32>) -> !torch.vtensor<[1,4,8,8],f32> {
  %0 = torch.operator "onnx.Conv"(%x, %w) {torch.onnx.pads = [1 : si64, 1 : si64, 1 : si64, 1 : si64]} : (!torch.vtensor<[1,3,8,8],f32>, !torch.vtensor<[4,3,3,3],f32>) -> !torch.vtensor<[1,4,8,8],f32>
  return %0 : !torch.vtensor<[1,4,8,8],f32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK: prim.layer_norm %arg0 weight %arg1 bias %arg2 axes 1 eps 9.99{{.*}}E-6
func.func @layer_norm(%x: !torch.vtensor<[4,8],f32>, %w: !torch.vtensor<[8],f32>, %b: !torch.vtensor<[8],f32>) -> !torch.vtensor<[4,8],f32> {
  %0 = torch.operator "onnx.LayerNormalization"(%x, %w, %b) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[4,8],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>) -> !torch.vtensor<[4,8],f32>
  return %0 : !torch.vtensor<[4,8],f32>
}

// CHECK-LABEL: func.func @attention
// CHECK: prim.attention %arg0, %arg1, %arg2 scale 0.3535
func.func @attention(%q: !torch.vtensor<[1,2,4,8],f32>, %k: !torch.vtensor<[1,2,6,8],f32>, %v: !torch.vtensor<[1,2,6,8],f32>) -> !torch.vtensor<[1,2,4,8],f32> {
  %0 = torch.operator "onnx.Attention"(%q, %k, %v) : (!torch.vtensor<[1,2,4,8],f32>, !torch.vtensor<[1,2,6,8],f32>, !torch.vtensor<[1,2,6,8],f32>) -> !torch.vtensor<[1,2,4,8],f32>
  return %0 : !torch.vtensor<[1,2,4,8],f32>
}

// CHECK-LABEL: func.func @max_pool
// CHECK: prim.max_pool {{.*}} window = array<i64: 2, 2>} : tensor<1x8x8x3xf32> -> tensor<1x4x4x3xf32>
func.func @max_pool(%x: !torch.vtensor<[1,3,8,8],f32>) -> !torch.vtensor<[1,3,4,4],f32> {
  %0 = torch.operator "onnx.MaxPool"(%x) {torch.onnx.kernel_shape = [2 : si64, 2 : si64], torch.onnx.strides = [2 : si64, 2 : si64]} : (!torch.vtensor<[1,3,8,8],f32>) -> !torch.vtensor<[1,3,4,4],f32>
  return %0 : !torch.vtensor<[1,3,4,4],f32>
}

// A size that is not known.
// CHECK-LABEL: func.func @open
// CHECK: prim.softmax %arg0 dim 1 : tensor<?x8xf32>
func.func @open(%x: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32> {
  %0 = torch.operator "onnx.Softmax"(%x) {torch.onnx.axis = -1 : si64} : (!torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32>
  return %0 : !torch.vtensor<[?,8],f32>
}

// A shape that is computed of constants and sizes is known.
// CHECK-LABEL: func.func @computed
// CHECK: %[[R:.*]] = prim.reshape %arg0 : tensor<2x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @computed(%x: !torch.vtensor<[2,12],f32>) -> !torch.vtensor<[2,3,4],f32> {
  %s = torch.operator "onnx.Shape"(%x) : (!torch.vtensor<[2,12],f32>) -> !torch.vtensor<[2],si64>
  %i = torch.operator "onnx.Constant"() {torch.onnx.value_ints = [1 : si64]} : () -> !torch.vtensor<[1],si64>
  %n = torch.operator "onnx.Gather"(%s, %i) : (!torch.vtensor<[2],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[1],si64>
  %f = torch.operator "onnx.Constant"() {torch.onnx.value_ints = [4 : si64]} : () -> !torch.vtensor<[1],si64>
  %q = torch.operator "onnx.Div"(%n, %f) : (!torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[1],si64>
  %m = torch.operator "onnx.Constant"() {torch.onnx.value_ints = [-1 : si64]} : () -> !torch.vtensor<[1],si64>
  %c = torch.operator "onnx.Concat"(%m, %q, %f) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[3],si64>
  %r = torch.operator "onnx.Reshape"(%x, %c) : (!torch.vtensor<[2,12],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,?,?],f32>
  %z = torch.operator "onnx.Identity"(%r) : (!torch.vtensor<[?,?,?],f32>) -> !torch.vtensor<[2,3,4],f32>
  return %z : !torch.vtensor<[2,3,4],f32>
}

// How long a tensor is may be said by the type of a later one.
// CHECK-LABEL: func.func @later
// CHECK: prim.iota dim 0 : tensor<10xf32>
func.func @later(%n: !torch.vtensor<[],si32>) -> !torch.vtensor<[10],f32> {
  %z = torch.operator "onnx.Constant"() {torch.onnx.value_float = 0.0 : f32} : () -> !torch.vtensor<[],f32>
  %o = torch.operator "onnx.Constant"() {torch.onnx.value_float = 1.0 : f32} : () -> !torch.vtensor<[],f32>
  %l = torch.operator "onnx.Cast"(%n) {torch.onnx.to = 1 : si64} : (!torch.vtensor<[],si32>) -> !torch.vtensor<[],f32>
  %r = torch.operator "onnx.Range"(%z, %l, %o) : (!torch.vtensor<[],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[?],f32>
  %m = torch.operator "onnx.Mul"(%r, %l) : (!torch.vtensor<[?],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[?],f32>
  %c = torch.operator "onnx.Cos"(%m) : (!torch.vtensor<[?],f32>) -> !torch.vtensor<[10],f32>
  return %c : !torch.vtensor<[10],f32>
}

// Floats of 8 bits saturate, unless they are not to.
// CHECK-LABEL: func.func @cast
// CHECK: prim.minimum
// CHECK: %[[SATURATED:.*]] = prim.convert_element_type %{{.*}} : tensor<4xf32> -> tensor<4xf8E4M3FN>
// CHECK: %[[PLAIN:.*]] = prim.convert_element_type %arg0 : tensor<4xf32> -> tensor<4xf8E5M2>
// CHECK: return %[[SATURATED]], %[[PLAIN]]
func.func @cast(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f8E4M3FN>, !torch.vtensor<[4],f8E5M2>) {
  %0 = torch.operator "onnx.Cast"(%x) {torch.onnx.to = 17 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f8E4M3FN>
  %1 = torch.operator "onnx.Cast"(%x) {torch.onnx.to = 19 : si64, torch.onnx.saturate = 0 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f8E5M2>
  return %0, %1 : !torch.vtensor<[4],f8E4M3FN>, !torch.vtensor<[4],f8E5M2>
}

// CHECK-LABEL: func.func @quantise
// CHECK: prim.div
// CHECK: prim.convert_element_type %{{.*}} : tensor<4xf32> -> tensor<4xf8E4M3FN>
// CHECK: %[[BACK:.*]] = prim.convert_element_type %{{.*}} : tensor<4xf8E4M3FN> -> tensor<4xf32>
// CHECK: prim.mul %[[BACK]]
func.func @quantise(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>, %z: !torch.vtensor<[],f8E4M3FN>) -> !torch.vtensor<[4],f32> {
  %0 = torch.operator "onnx.QuantizeLinear"(%x, %s, %z) : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f8E4M3FN>) -> !torch.vtensor<[4],f8E4M3FN>
  %1 = torch.operator "onnx.DequantizeLinear"(%0, %s, %z) : (!torch.vtensor<[4],f8E4M3FN>, !torch.vtensor<[],f32>, !torch.vtensor<[],f8E4M3FN>) -> !torch.vtensor<[4],f32>
  return %1 : !torch.vtensor<[4],f32>
}

// Without updates nothing is scattered: a tensor without elements has no place for a window of one.
// CHECK-LABEL: func.func @scatter_nothing
// CHECK-NOT: prim.scatter
// CHECK: return %arg0, %arg0
func.func @scatter_nothing(%arg0: !torch.vtensor<[5,0],f32>, %arg1: !torch.vtensor<[5,0],si64>, %arg2: !torch.vtensor<[0,1],si64>, %arg3: !torch.vtensor<[0,0],f32>) -> (!torch.vtensor<[5,0],f32>, !torch.vtensor<[5,0],f32>) attributes {torch.onnx_meta.opset_version = 18 : si64} {
  %0 = torch.operator "onnx.ScatterElements"(%arg0, %arg1, %arg0) {torch.onnx.axis = -2 : si64} : (!torch.vtensor<[5,0],f32>, !torch.vtensor<[5,0],si64>, !torch.vtensor<[5,0],f32>) -> !torch.vtensor<[5,0],f32>
  %1 = torch.operator "onnx.ScatterND"(%arg0, %arg2, %arg3) {torch.onnx.reduction = "add"} : (!torch.vtensor<[5,0],f32>, !torch.vtensor<[0,1],si64>, !torch.vtensor<[0,0],f32>) -> !torch.vtensor<[5,0],f32>
  return %0, %1 : !torch.vtensor<[5,0],f32>, !torch.vtensor<[5,0],f32>
}

// What auto_pad adds to an open size by steps is computed when the program runs; the convolution adds the rest.
// CHECK-LABEL: func.func @same
// CHECK: %[[PADDED:.*]] = prim.cat %{{.*}}, %{{.*}}, %{{.*}} dim 2 : {{.*}} -> tensor<1x1x?x7xf32>
// CHECK: %[[LAST:.*]] = prim.transpose %[[PADDED]] permutation [0, 2, 3, 1]
// CHECK: prim.conv %[[LAST]], %{{.*}}pad_high = array<i64: 0, 1>, pad_low = array<i64: 0, 1>
func.func @same(%x: !torch.vtensor<[1,1,?,7],f32>, %w: !torch.vtensor<[1,1,3,3],f32>) -> !torch.vtensor<[1,1,?,4],f32> {
  %0 = torch.operator "onnx.Conv"(%x, %w) {torch.onnx.auto_pad = "SAME_UPPER", torch.onnx.strides = [2 : si64, 2 : si64]} : (!torch.vtensor<[1,1,?,7],f32>, !torch.vtensor<[1,1,3,3],f32>) -> !torch.vtensor<[1,1,?,4],f32>
  return %0 : !torch.vtensor<[1,1,?,4],f32>
}

// Rows are exchanged by a matrix of ones and zeros.
// CHECK-LABEL: func.func @inverse
// CHECK: %[[FACTORS:.*]], %{{.*}}, %[[ROWS:.*]], %{{.*}} = prim.lu %arg0
// CHECK: prim.reshape %[[ROWS]]
// CHECK: %[[HALF:.*]] = prim.triangular_solve %[[FACTORS]], %{{.*}} lower unit
// CHECK: %[[WHOLE:.*]] = prim.triangular_solve %[[FACTORS]], %[[HALF]] :
// CHECK: return %[[WHOLE]]
func.func @inverse(%x: !torch.vtensor<[?,4,4],f32>) -> !torch.vtensor<[?,4,4],f32> {
  %0 = torch.operator "onnx.com.microsoft.Inverse"(%x) : (!torch.vtensor<[?,4,4],f32>) -> !torch.vtensor<[?,4,4],f32>
  return %0 : !torch.vtensor<[?,4,4],f32>
}

// A result without a type is unsigned if what gives it is.
// CHECK-LABEL: func.func @untyped
// CHECK-SAME: -> (tensor<4xi8> {kiln.argument = {unsigned}}, tensor<4xi32>)
func.func @untyped(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor, !torch.vtensor) {
  %0 = torch.operator "onnx.Cast"(%x) {torch.onnx.to = 2 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor
  %1 = torch.operator "onnx.Cast"(%0) {torch.onnx.to = 6 : si64} : (!torch.vtensor) -> !torch.vtensor
  return %0, %1 : !torch.vtensor, !torch.vtensor
}
