// RUN: kiln-opt %s --convert-onnx-to-prim --split-input-file --verify-diagnostics

func.func @name(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  // expected-error@+1 {{unsupported: onnx.ImageDecoder has no translation to prim}}
  %0 = torch.operator "onnx.ImageDecoder"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

// -----

func.func @domain(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  // expected-error@+1 {{unsupported: aten.foo is not an operator of ONNX}}
  %0 = torch.operator "aten.foo"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

// -----

func.func @inputs(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.Add has no input 1}}
  %0 = torch.operator "onnx.Add"(%x, %none) : (!torch.vtensor<[4],f32>, !torch.none) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

// -----

func.func @sizes(%x: !torch.vtensor<[4],f32>, %y: !torch.vtensor<[3],f32>) -> !torch.vtensor<[4],f32> {
  // expected-error@+1 {{joins sizes 4 and 3}}
  %0 = torch.operator "onnx.Add"(%x, %y) : (!torch.vtensor<[4],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

// -----

func.func @axis(%x: !torch.vtensor<[4,2],f32>) -> !torch.vtensor<[4,2],f32> {
  // expected-error@+1 {{unsupported: onnx.Softmax has axis 2 of a tensor of rank 2}}
  %0 = torch.operator "onnx.Softmax"(%x) {torch.onnx.axis = 2 : si64} : (!torch.vtensor<[4,2],f32>) -> !torch.vtensor<[4,2],f32>
  return %0 : !torch.vtensor<[4,2],f32>
}

// -----

func.func @axes(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[1],si64>, %a: !torch.vtensor<[1],si64>) -> !torch.vtensor<[?],f32> {
  // expected-error@+1 {{unsupported: onnx.Slice has starts, ends, axes or steps that are not known}}
  %0 = torch.operator "onnx.Slice"(%x, %s, %s, %a) : (!torch.vtensor<[4],f32>, !torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @result(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[5],f32> {
  // expected-error@+1 {{unsupported: onnx.Neg gives tensor<4xf32> where its result is !torch.vtensor<[5],f32>}}
  %0 = torch.operator "onnx.Neg"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[5],f32>
  return %0 : !torch.vtensor<[5],f32>
}

// -----

func.func @type(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f64> {
  // expected-error@+1 {{unsupported: onnx.Cast makes elements of data type 14}}
  %0 = torch.operator "onnx.Cast"(%x) {torch.onnx.to = 14 : si64} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f64>
  return %0 : !torch.vtensor<[4],f64>
}

// -----

func.func @branches(%c: !torch.vtensor<[],i1>, %x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  // expected-error@+1 {{unsupported: onnx.If has graphs whose results differ in rank or in their elements}}
  %0 = torch.operator "onnx.If"(%c) : (!torch.vtensor<[],i1>) -> !torch.vtensor<[4],f32> {
    torch.operator_terminator %x : !torch.vtensor<[4],f32>
  }, {
    %1 = torch.operator "onnx.Unsqueeze"(%x) {torch.onnx.axes = [0 : si64]} : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[1,4],f32>
    torch.operator_terminator %1 : !torch.vtensor<[1,4],f32>
  }
  return %0 : !torch.vtensor<[4],f32>
}

// -----

// expected-error@+1 {{unsupported: argument 0 of 'texts' has type '!torch.vtensor<[2],!torch.str>'}}
func.func @texts(%x: !torch.vtensor<[2],!torch.str>) -> !torch.vtensor<[2],!torch.str> {
  return %x : !torch.vtensor<[2],!torch.str>
}

// -----

// expected-error@+1 {{unsupported: argument 0 of 'lists' has type '!torch.list<vtensor<[2],f32>>'}}
func.func @lists(%x: !torch.list<vtensor<[2],f32>>) -> !torch.vtensor<[2],f32> {
  %none = torch.constant.none
  %0 = torch.operator "onnx.SequenceAt"(%x, %none) : (!torch.list<vtensor<[2],f32>>, !torch.none) -> !torch.vtensor<[2],f32>
  return %0 : !torch.vtensor<[2],f32>
}
