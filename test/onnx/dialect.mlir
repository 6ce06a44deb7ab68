// What the importer writes is read, and written as it was.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @model(%arg0: !torch.vtensor<[2,?],f32>, %arg1: !torch.optional<vtensor<[4],si64>>)
// CHECK-SAME: -> (!torch.vtensor<[],f32>, !torch.list<vtensor<[2,?],f32>>)
// CHECK-SAME: torch.onnx_meta.opset_version = 18 : si64
func.func @model(%arg0: !torch.vtensor<[2,?],f32>, %arg1: !torch.optional<vtensor<[4],si64>>) -> (!torch.vtensor<[],f32>, !torch.list<vtensor<[2,?],f32>>) attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.opset_version = 18 : si64} {
  // CHECK: %[[NONE:.*]] = torch.constant.none
  %none = torch.constant.none
  // CHECK: torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
  %0 = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
  // CHECK: torch.operator "onnx.Clip"(%arg0, %[[NONE]]) : (!torch.vtensor<[2,?],f32>, !torch.none) -> !torch.vtensor<[2,?],f32>
  %1 = torch.operator "onnx.Clip"(%arg0, %none) : (!torch.vtensor<[2,?],f32>, !torch.none) -> !torch.vtensor<[2,?],f32>
  // CHECK: torch.operator "onnx.If"(%arg1) : (!torch.optional<vtensor<[4],si64>>) -> (!torch.vtensor<[],f32>, !torch.list<vtensor<[2,?],f32>>) {
  // CHECK: torch.operator_terminator
  // CHECK: }, {
  %2:2 = torch.operator "onnx.If"(%arg1) : (!torch.optional<vtensor<[4],si64>>) -> (!torch.vtensor<[],f32>, !torch.list<vtensor<[2,?],f32>>) {
    %3 = torch.operator "onnx.A"() {torch.onnx.perm = [0 : si64, 1 : si64]} : () -> !torch.vtensor
    torch.operator_terminator %3 : !torch.vtensor
  }, {
    // CHECK: torch.operator "onnx.B"() : () -> (!torch.vtensor<*,ui8>, !torch.vtensor<[0,3],unk>, !torch.str, !torch.int, !torch.float, !torch.bool)
    %3:6 = torch.operator "onnx.B"() : () -> (!torch.vtensor<*,ui8>, !torch.vtensor<[0,3],unk>, !torch.str, !torch.int, !torch.float, !torch.bool)
    torch.operator_terminator %3#0 : !torch.vtensor<*,ui8>
  }
  return %2#0, %2#1 : !torch.vtensor<[],f32>, !torch.list<vtensor<[2,?],f32>>
}
