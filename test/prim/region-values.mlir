// An operation in front names what a block of a region defines. That region parses, and what follows it does not: one error, and
// nothing of the region is used after it is gone.
// RUN: rm -rf %t && split-file %s %t
// RUN: for file in %t/*.mlir; do not kiln-opt $file 2>&1 || exit 1; done | FileCheck %s --implicit-check-not=process

//--- 0.mlir
// What the condition defines is gone when the body fails, too.
// CHECK: error: redefinition of SSA value '%j'
func.func @while_condition(%x: tensor<4xf32>, %c: tensor<i1>) {
  %k = prim.neg %p : tensor<4xf32>
  %0 = prim.while (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%p: tensor<4xf32>):
    prim.yield %c : tensor<i1>
  } do {
  ^bb0(%q: tensor<4xf32>):
    %j = prim.neg %q : tensor<4xf32>
    %j = prim.neg %q : tensor<4xf32>
    prim.yield %j : tensor<4xf32>
  }
  return
}

//--- 1.mlir
// CHECK: error: redefinition of SSA value '%j'
func.func @if_else(%x: tensor<4xf32>, %c: tensor<i1>) {
  %k = prim.neg %p : tensor<4xf32>
  prim.if %c : tensor<i1> {
    %p = prim.neg %x : tensor<4xf32>
  } else {
    %j = prim.neg %x : tensor<4xf32>
    %j = prim.neg %x : tensor<4xf32>
  }
  return
}

//--- 2.mlir
// Behind a condition of a loop there is no body.
// CHECK: error: custom op 'prim.while' expected 'do'
func.func @no_body(%x: tensor<4xf32>, %c: tensor<i1>) {
  %k = prim.neg %p : tensor<4xf32>
  %0 = prim.while (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%p: tensor<4xf32>):
    prim.yield %c : tensor<i1>
  } {
  ^bb0(%q: tensor<4xf32>):
    prim.yield %q : tensor<4xf32>
  }
  return
}

//--- 3.mlir
// CHECK: error: expected non-function type
func.func @scan(%x: tensor<4xf32>, %y: tensor<f32>) {
  %k = arith.negf %p : f32
  %0:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<4xf32>) outs(%x, %y : tensor<4xf32>, tensor<f32>) {
  ^bb0(%p: f32, %q: f32):
    tm_tensor.yield %p : f32
  } -> 4
  return
}

//--- 4.mlir
// CHECK: error: redefinition of SSA value '%j'
func.func @regions(%c: !torch.vtensor<[],i1>) {
  %k = torch.operator "onnx.Neg"(%p) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[],i1>
  %0 = torch.operator "onnx.If"(%c) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[],i1> {
    %p = torch.operator "onnx.Neg"(%c) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[],i1>
    torch.operator_terminator %p : !torch.vtensor<[],i1>
  }, {
    %j = torch.operator "onnx.Neg"(%c) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[],i1>
    %j = torch.operator "onnx.Neg"(%c) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[],i1>
    torch.operator_terminator %j : !torch.vtensor<[],i1>
  }
  return
}

//--- 5.mlir
// CHECK: error: redefinition of SSA value '%j'
func.func @second_region(%x: tensor<4xf32>) {
  %k = stablehlo.negate %p : tensor<4xf32>
  %0 = stablehlo.composite "f" %x ({
    %p = stablehlo.negate %x : tensor<4xf32>
  }, {
    %j = stablehlo.negate %x : tensor<4xf32>
    %j = stablehlo.negate %x : tensor<4xf32>
  }) {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

//--- 6.mlir
// Behind the regions of a composite there is no type.
// CHECK: error: expected ':'
func.func @no_type(%x: tensor<4xf32>) {
  %k = stablehlo.negate %p : tensor<4xf32>
  %0 = stablehlo.composite "f" %x ({
    %p = stablehlo.negate %x : tensor<4xf32>
  }) {decomposition = @f}
  return
}

//--- 7.mlir
// An operand has another type than the one behind the regions.
// CHECK: error: use of value '%x' expects different type than prior uses
func.func @other_type(%x: tensor<4xf32>) {
  %k = stablehlo.negate %p : tensor<4xf32>
  %0 = stablehlo.composite "f" %x ({
    %p = stablehlo.negate %x : tensor<4xf32>
  }) {decomposition = @f} : (tensor<8xf32>) -> tensor<4xf32>
  return
}

//--- 8.mlir
// CHECK: error: custom op 'stablehlo.composite' attribute 'version' failed to satisfy constraint
func.func @other_attribute(%x: tensor<4xf32>) {
  %k = stablehlo.negate %p : tensor<4xf32>
  %0 = stablehlo.composite "f" %x ({
    %p = stablehlo.negate %x : tensor<4xf32>
  }) {decomposition = @f, version = "1"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
