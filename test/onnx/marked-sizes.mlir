// Exporters mark a size that stays as it is by -1, and replace the mark by 1 before they repeat a tensor.
// RUN: kiln-opt %s --convert-onnx-to-prim | FileCheck %s
// RUN: kiln-run %s --entry=marked --target=cpu --arg=random:1:f32:2x1x3 --arg=random:2:f32:2x4x3 --check --no-fallback
// RUN: kiln-run %s --entry=marked --target=reference --arg=random:1:f32:2x1x3 --arg=random:2:f32:2x4x3 --check

// A size of a tensor is never the mark: nothing is read at run time, and the size of 1 is repeated to that of %y.
// CHECK-LABEL: func.func @marked
// CHECK-NOT: prim.to_index
// CHECK: prim.broadcast_in_dim {{.*}} -> tensor<?x4x?xf32>
// CHECK: prim.add
func.func @marked(%x: !torch.vtensor<[?,1,?],f32>, %y: !torch.vtensor<[?,4,?],f32>) -> !torch.vtensor<[?,4,?],f32> {
  %mark = torch.operator "onnx.Constant"() {torch.onnx.value = dense<-1> : tensor<1xsi64>} : () -> !torch.vtensor<[1],si64>
  %marks = torch.operator "onnx.Constant"() {torch.onnx.value = dense<-1> : tensor<3xsi64>} : () -> !torch.vtensor<[3],si64>
  %ones = torch.operator "onnx.Constant"() {torch.onnx.value = dense<1> : tensor<3xsi64>} : () -> !torch.vtensor<[3],si64>
  %first = torch.operator "onnx.Shape"(%x) {torch.onnx.start = 0 : si64, torch.onnx.end = 1 : si64} : (!torch.vtensor<[?,1,?],f32>) -> !torch.vtensor<[1],si64>
  %last = torch.operator "onnx.Shape"(%x) {torch.onnx.start = 2 : si64} : (!torch.vtensor<[?,1,?],f32>) -> !torch.vtensor<[1],si64>
  %shape = torch.operator "onnx.Concat"(%first, %mark, %last) {torch.onnx.axis = 0 : si64} : (!torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[3],si64>
  %marked = torch.operator "onnx.Equal"(%shape, %marks) : (!torch.vtensor<[3],si64>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[3],i1>
  %sizes = torch.operator "onnx.Where"(%marked, %ones, %shape) : (!torch.vtensor<[3],i1>, !torch.vtensor<[3],si64>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[3],si64>
  %repeated = torch.operator "onnx.Expand"(%x, %sizes) : (!torch.vtensor<[?,1,?],f32>, !torch.vtensor<[3],si64>) -> !torch.vtensor<[?,?,?],f32>
  %sum = torch.operator "onnx.Add"(%repeated, %y) : (!torch.vtensor<[?,?,?],f32>, !torch.vtensor<[?,4,?],f32>) -> !torch.vtensor<[?,4,?],f32>
  return %sum : !torch.vtensor<[?,4,?],f32>
}
