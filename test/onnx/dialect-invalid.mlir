// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @size() {
  // expected-error@+1 {{expected a size of at least 0}}
  %0 = torch.operator "onnx.A"() : () -> !torch.vtensor<[-2],f32>
  return
}

// -----

func.func @nested() {
  // expected-error@+1 {{expected valid keyword}}
  %0 = torch.operator "onnx.A"() : () -> !torch.list<>
  return
}

// -----

func.func @shape() {
  // expected-error@+1 {{expected a value of the shape of the result}}
  %0 = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<[3],si64>
  return
}

// -----

func.func @element() {
  // expected-error@+1 {{expected elements of type 'si32', found 'si64'}}
  %0 = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<[2],si32>
  return
}

// -----

func.func @contained() {
  // expected-error@+1 {{expected a type of torch, found 'foo'}}
  %0 = torch.operator "onnx.A"() : () -> !torch.optional<foo>
  return
}
