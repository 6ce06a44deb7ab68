// Arguments that are sequences, optionals, or constants of the caller's.
// RUN: kiln-opt %s --convert-onnx-to-prim='lengths=s:2,o:0,u:1x2 fixed=at:-1' | FileCheck %s
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=o:0' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,o:2' 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,u:1x2,t:1' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,s:3' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,u:1x2,x:1' 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,u:1x2 fixed=at:1x2' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,u:1x2 fixed=x:1' 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,u:1x2 fixed=at:one' 2>&1 | FileCheck %s --check-prefix=DIGITS

// RUN: not kiln-opt %s --convert-onnx-to-prim='lengths=s:2,o:0,u:1' 2>&1 | FileCheck %s --check-prefix=RANK

// OPEN: arguments.mlir:[[# @LINE + 12]]:19: error: unsupported: argument 's' is a sequence whose length is not known, --frontend=onnx,lengths=s:N says it
// TWO: error: expected a length from 0 to 1 for argument 'o', found '2'
// UNKNOWN: error: option 'lengths': no function has an argument 't'
// FORM: error: option 'lengths': expected NAME:VALUE, found 's'
// TWICE: error: option 'lengths': expected each argument once, found 's' twice
// TENSOR: error: expected a sequence or an optional to have a length, found '!torch.vtensor<[3],f32>'
// COUNT: error: expected 1 numbers for argument 'at', found '1x2'
// FLOAT: error: expected integers of rank 0 or 1 to be fixed, found '!torch.vtensor<[3],f32>' for argument 'x'
// DIGITS: error: expected integers of its type with 'x' between them for argument 'at', found 'one'
// RANK: error: unsupported: elements of argument 'u' have a rank that is not known, --frontend=onnx,lengths=u:1xRANK says it

// The elements are arguments and results one behind the other.
func.func @insert(%s: !torch.list<vtensor<[3],f32>> {kiln.argument = {name = "s"}}, %x: !torch.vtensor<[3],f32> {kiln.argument = {name = "x"}},
                  %at: !torch.vtensor<[],si64> {kiln.argument = {name = "at"}}) -> !torch.list<vtensor<[3],f32>> {
  %0 = torch.operator "onnx.SequenceInsert"(%s, %x, %at) : (!torch.list<vtensor<[3],f32>>, !torch.vtensor<[3],f32>, !torch.vtensor<[],si64>) -> !torch.list<vtensor<[3],f32>>
  return %0 : !torch.list<vtensor<[3],f32>>
}
// CHECK-LABEL: func.func @insert
// CHECK-SAME: (%arg0: tensor<3xf32> {kiln.argument = {name = "s.0"}}, %arg1: tensor<3xf32> {kiln.argument = {name = "s.1"}}, %arg2: tensor<3xf32> {kiln.argument = {name = "x"}})
// CHECK: return %arg0, %arg2, %arg1

func.func @has(%o: !torch.optional<vtensor<[3],f32>> {kiln.argument = {name = "o"}}) -> !torch.vtensor<[],i1> {
  %0 = torch.operator "onnx.OptionalHasElement"(%o) : (!torch.optional<vtensor<[3],f32>>) -> !torch.vtensor<[],i1>
  return %0 : !torch.vtensor<[],i1>
}
// CHECK-LABEL: func.func @has() -> tensor<i1>
// CHECK: prim.full false : tensor<i1>

// Both graphs of a condition give a sequence.
func.func @either(%c: !torch.vtensor<[],i1>, %y: !torch.vtensor<[3],f32>) -> !torch.list<vtensor<[3],f32>> {
  %0 = torch.operator "onnx.If"(%c) : (!torch.vtensor<[],i1>) -> !torch.list<vtensor<[3],f32>> {
    %1 = torch.operator "onnx.Neg"(%y) : (!torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
    %2 = torch.operator "onnx.SequenceConstruct"(%1, %y) : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !torch.list<vtensor<[3],f32>>
    torch.operator_terminator %2 : !torch.list<vtensor<[3],f32>>
  }, {
    %1 = torch.operator "onnx.SequenceConstruct"(%y, %y) : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !torch.list<vtensor<[3],f32>>
    torch.operator_terminator %1 : !torch.list<vtensor<[3],f32>>
  }
  return %0 : !torch.list<vtensor<[3],f32>>
}
// CHECK-LABEL: func.func @either
// CHECK: %[[R:.*]]:2 = prim.if
// CHECK-NOT: unrealized_conversion_cast
// CHECK: return %[[R]]#0, %[[R]]#1

func.func @unranked(%u: !torch.list<vtensor<*,f32>> {kiln.argument = {name = "u"}}) -> !torch.vtensor<[],si64> {
  %0 = torch.operator "onnx.SequenceLength"(%u) : (!torch.list<vtensor<*,f32>>) -> !torch.vtensor<[],si64>
  return %0 : !torch.vtensor<[],si64>
}
// CHECK-LABEL: func.func @unranked(%arg0: tensor<?x?xf32> {kiln.argument = {name = "u.0"}})
