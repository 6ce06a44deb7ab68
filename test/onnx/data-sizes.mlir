// Sizes that depend on data, where no type says them.
// RUN: kiln-opt %s --convert-onnx-to-prim | FileCheck %s
// RUN: kiln-run %s --entry=places --target=cpu --arg=hurt:1:f32:3x5 --check --no-fallback
// RUN: kiln-run %s --entry=some --target=cpu --arg=random:1:f32:4x3 --arg=random:2:i1:4 --check --no-fallback
// RUN: kiln-run %s --entry=others --target=cpu --arg=random:1:i64:9 --check --no-fallback
// RUN: kiln-run %s --entry=shaped --target=cpu --arg=random:1:f32:6x4 --arg=%S/Inputs/shape.npy --check --no-fallback
// RUN: kiln-run %s --entry=boxes --target=cpu --arg=random:1:f32:1x9x4 --arg=random:2:f32:1x2x9 --check --no-fallback
// RUN: kiln-run %s --entry=ranged --target=cpu --arg=i64:-3 --arg=i64:8 --arg=i64:2 --check --no-fallback

// CHECK-LABEL: func.func @places
// CHECK: %[[N:.*]] = prim.to_index
// CHECK: prim.dynamic_slice {{.*}} sizes(%[[N]])
func.func @places(%x: !torch.vtensor<[3,5],f32>) -> !torch.vtensor<[2,?],si64> {
  %0 = torch.operator "onnx.NonZero"(%x) : (!torch.vtensor<[3,5],f32>) -> !torch.vtensor<[2,?],si64>
  return %0 : !torch.vtensor<[2,?],si64>
}

// CHECK-LABEL: func.func @some
// CHECK: prim.to_index
func.func @some(%x: !torch.vtensor<[4,3],f32>, %c: !torch.vtensor<[4],i1>) -> !torch.vtensor<[?,3],f32> {
  %0 = torch.operator "onnx.Compress"(%x, %c) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[4,3],f32>, !torch.vtensor<[4],i1>) -> !torch.vtensor<[?,3],f32>
  %1 = torch.operator "onnx.Exp"(%0) : (!torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,3],f32>
  return %1 : !torch.vtensor<[?,3],f32>
}

// CHECK-LABEL: func.func @others
// CHECK: prim.to_index
func.func @others(%x: !torch.vtensor<[9],si64>) -> (!torch.vtensor<[?],si64>, !torch.vtensor<[?],si64>, !torch.vtensor<[9],si64>, !torch.vtensor<[?],si64>) {
  %0:4 = torch.operator "onnx.Unique"(%x) {torch.onnx.sorted = 0 : si64} : (!torch.vtensor<[9],si64>) -> (!torch.vtensor<[?],si64>, !torch.vtensor<[?],si64>, !torch.vtensor<[9],si64>, !torch.vtensor<[?],si64>)
  return %0#0, %0#1, %0#2, %0#3 : !torch.vtensor<[?],si64>, !torch.vtensor<[?],si64>, !torch.vtensor<[9],si64>, !torch.vtensor<[?],si64>
}

// CHECK-LABEL: func.func @shaped
// CHECK: prim.to_index
func.func @shaped(%x: !torch.vtensor<[6,4],f32>, %s: !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,?,?],f32> {
  %0 = torch.operator "onnx.Reshape"(%x, %s) : (!torch.vtensor<[6,4],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,?,?],f32>
  return %0 : !torch.vtensor<[?,?,?],f32>
}

// CHECK-LABEL: func.func @ranged
// CHECK: prim.to_index
func.func @ranged(%a: !torch.vtensor<[],si64>, %b: !torch.vtensor<[],si64>, %c: !torch.vtensor<[],si64>) -> !torch.vtensor<[?],si64> {
  %0 = torch.operator "onnx.Range"(%a, %b, %c) : (!torch.vtensor<[],si64>, !torch.vtensor<[],si64>, !torch.vtensor<[],si64>) -> !torch.vtensor<[?],si64>
  return %0 : !torch.vtensor<[?],si64>
}

// Any number of boxes: each is asked once, in a loop as long as there are boxes.
// CHECK-LABEL: func.func @boxes
// CHECK: prim.while
// CHECK: prim.to_index
func.func @boxes(%x: !torch.vtensor<[1,?,4],f32>, %s: !torch.vtensor<[1,2,?],f32>) -> !torch.vtensor<[?,3],si64> {
  %most = torch.operator "onnx.Constant"() {torch.onnx.value = dense<7> : tensor<1xsi64>} : () -> !torch.vtensor<[1],si64>
  %limit = torch.operator "onnx.Constant"() {torch.onnx.value = dense<0.2> : tensor<1xf32>} : () -> !torch.vtensor<[1],f32>
  %0 = torch.operator "onnx.NonMaxSuppression"(%x, %s, %most, %limit) : (!torch.vtensor<[1,?,4],f32>, !torch.vtensor<[1,2,?],f32>, !torch.vtensor<[1],si64>, !torch.vtensor<[1],f32>) -> !torch.vtensor<[?,3],si64>
  return %0 : !torch.vtensor<[?,3],si64>
}
