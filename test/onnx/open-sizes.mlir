// Sizes of one name are one size, and so are equal formulas of it: nothing is repeated. Others may be 1 on either side.
// RUN: kiln-opt %s --convert-onnx-to-prim --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @named
// CHECK-NOT: prim.gather
// CHECK-NOT: cf.assert
// CHECK: return
func.func @named(%x: !torch.vtensor<[?,?],f32> {kiln.argument = {dims = ["n", "m"], name = "x"}}, %y: !torch.vtensor<[?,?],f32> {kiln.argument = {dims = ["n", "m"], name = "y"}}) -> !torch.vtensor<[?,?],f32> {
  %0 = torch.operator "onnx.Relu"(%x) : (!torch.vtensor<[?,?],f32>) -> !torch.vtensor<[?,?],f32>
  %1 = torch.operator "onnx.Add"(%0, %y) : (!torch.vtensor<[?,?],f32>, !torch.vtensor<[?,?],f32>) -> !torch.vtensor<[?,?],f32>
  return %1 : !torch.vtensor<[?,?],f32>
}

// -----

// Two ways to halve a picture give one size, and a matrix has the rows of its product.
// CHECK-LABEL: func.func @formulas
// CHECK-NOT: prim.gather
// CHECK-NOT: cf.assert
// CHECK: return
func.func @formulas(%x: !torch.vtensor<[?,2,?,8],f32>, %m: !torch.vtensor<[?,3],f32>) -> (!torch.vtensor<[?,2,?,4],f32>, !torch.vtensor<[?,3],f32>) {
  %w = torch.vtensor.literal(dense<0.5> : tensor<2x2x3x3xf32>) : !torch.vtensor<[2,2,3,3],f32>
  %v = torch.vtensor.literal(dense<0.5> : tensor<2x2x1x1xf32>) : !torch.vtensor<[2,2,1,1],f32>
  %s = torch.vtensor.literal(dense<0.5> : tensor<3x3xf32>) : !torch.vtensor<[3,3],f32>
  %0 = torch.operator "onnx.Conv"(%x, %w) {torch.onnx.pads = [1 : si64, 1 : si64, 1 : si64, 1 : si64], torch.onnx.strides = [2 : si64, 2 : si64]} : (!torch.vtensor<[?,2,?,8],f32>, !torch.vtensor<[2,2,3,3],f32>) -> !torch.vtensor<[?,2,?,4],f32>
  %1 = torch.operator "onnx.Conv"(%x, %v) {torch.onnx.strides = [2 : si64, 2 : si64]} : (!torch.vtensor<[?,2,?,8],f32>, !torch.vtensor<[2,2,1,1],f32>) -> !torch.vtensor<[?,2,?,4],f32>
  %2 = torch.operator "onnx.Add"(%0, %1) : (!torch.vtensor<[?,2,?,4],f32>, !torch.vtensor<[?,2,?,4],f32>) -> !torch.vtensor<[?,2,?,4],f32>
  %3 = torch.operator "onnx.MatMul"(%m, %s) : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[3,3],f32>) -> !torch.vtensor<[?,3],f32>
  %4 = torch.operator "onnx.Mul"(%3, %m) : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,3],f32>
  return %2, %4 : !torch.vtensor<[?,2,?,4],f32>, !torch.vtensor<[?,3],f32>
}

// -----

// Split into heads and joined again, with sizes that are read by Shape.
// CHECK-LABEL: func.func @heads
// CHECK-NOT: cf.assert
// CHECK: return
func.func @heads(%x: !torch.vtensor<[?,?,64],f32>) -> !torch.vtensor<[?,?,64],f32> {
  %heads = torch.vtensor.literal(dense<[0, -1, 4, 16]> : tensor<4xsi64>) : !torch.vtensor<[4],si64>
  %last = torch.vtensor.literal(dense<64> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  %0 = torch.operator "onnx.Reshape"(%x, %heads) : (!torch.vtensor<[?,?,64],f32>, !torch.vtensor<[4],si64>) -> !torch.vtensor<[?,?,4,16],f32>
  %1 = torch.operator "onnx.Softmax"(%0) {torch.onnx.axis = 3 : si64} : (!torch.vtensor<[?,?,4,16],f32>) -> !torch.vtensor<[?,?,4,16],f32>
  %2 = torch.operator "onnx.Shape"(%x) {torch.onnx.start = 0 : si64, torch.onnx.end = 2 : si64} : (!torch.vtensor<[?,?,64],f32>) -> !torch.vtensor<[2],si64>
  %3 = torch.operator "onnx.Concat"(%2, %last) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[2],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[3],si64>
  %4 = torch.operator "onnx.Reshape"(%1, %3) : (!torch.vtensor<[?,?,4,16],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,?,64],f32>
  %5 = torch.operator "onnx.Add"(%4, %x) : (!torch.vtensor<[?,?,64],f32>, !torch.vtensor<[?,?,64],f32>) -> !torch.vtensor<[?,?,64],f32>
  return %5 : !torch.vtensor<[?,?,64],f32>
}

// -----

// CHECK-LABEL: func.func @other
// CHECK: cf.assert {{.*}} "a size is neither 1 nor the size that it is repeated to"
// CHECK: prim.gather
// CHECK: prim.add
func.func @other(%x: !torch.vtensor<[?],f32> {kiln.argument = {dims = ["n"], name = "x"}}, %y: !torch.vtensor<[?],f32> {kiln.argument = {dims = ["m"], name = "y"}}) -> !torch.vtensor<[?],f32> {
  %0 = torch.operator "onnx.Add"(%x, %y) : (!torch.vtensor<[?],f32>, !torch.vtensor<[?],f32>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

// Of an open number of coordinates the rank of the result tells that they are two; another number does not fit the reshape.
// CHECK-LABEL: func.func @coordinates
// CHECK: prim.reshape {{.*}} -> tensor<?x2xi64>
// CHECK: return %{{.*}} : tensor<?x?xf32>
func.func @coordinates(%x: !torch.vtensor<[?,?,?],f32>, %at: !torch.vtensor<[?,?],si64>) -> !torch.vtensor<[?,?],f32> {
  %0 = torch.operator "onnx.GatherND"(%x, %at) : (!torch.vtensor<[?,?,?],f32>, !torch.vtensor<[?,?],si64>) -> !torch.vtensor<[?,?],f32>
  return %0 : !torch.vtensor<[?,?],f32>
}
