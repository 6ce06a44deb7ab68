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

func.func @repeats(%x: !torch.vtensor<[3],f32>) -> !torch.vtensor<[4],f32> {
  %s = torch.vtensor.literal(dense<4> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  // expected-error@+1 {{unsupported: onnx.Expand repeats size 3 to 4}}
  %0 = torch.operator "onnx.Expand"(%x, %s) : (!torch.vtensor<[3],f32>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

// -----

func.func @negative(%x: !torch.vtensor<[1],f32>) -> !torch.vtensor<[4],f32> {
  %s = torch.vtensor.literal(dense<-4> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  // expected-error@+1 {{unsupported: onnx.Expand has a shape with size -4}}
  %0 = torch.operator "onnx.Expand"(%x, %s) : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}

// -----

func.func @axis(%x: !torch.vtensor<[4,2],f32>) -> !torch.vtensor<[4,2],f32> {
  // expected-error@+1 {{unsupported: onnx.Softmax has axis 2 of a tensor of rank 2}}
  %0 = torch.operator "onnx.Softmax"(%x) {torch.onnx.axis = 2 : si64} : (!torch.vtensor<[4,2],f32>) -> !torch.vtensor<[4,2],f32>
  return %0 : !torch.vtensor<[4,2],f32>
}

// -----

// Axes are of any number, and so is the rank, if no type says it.
func.func @axes(%x: !torch.vtensor<[4],f32>, %a: !torch.vtensor<[?],si64>) -> !torch.vtensor<[?],f32> {
  // expected-error@+1 {{unsupported: onnx.Unsqueeze has axes that are not known}}
  %0 = torch.operator "onnx.Unsqueeze"(%x, %a) : (!torch.vtensor<[4],f32>, !torch.vtensor<[?],si64>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

// Results have the shapes that operands give them, whatever a model states.
func.func @result(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[5],f32> {
  // expected-warning@+1 {{onnx.Neg gives tensor<4xf32> where its result is !torch.vtensor<[5],f32>}}
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

// -----

func.func @prepacked(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has weights_prepacked}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g) {torch.onnx.weights_prepacked = 1 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @quant_type(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has quant_type 'fp4'}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g) {torch.onnx.quant_type = "fp4"} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @own_bits(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has fc2_expert_weight_bits 8, which is not expert_weight_bits}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g) {torch.onnx.fc2_expert_weight_bits = 8 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @global_scale(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>, %p: !torch.vtensor<[4],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has an input 15}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g, %none, %none, %none, %none, %none, %none, %none, %none, %p) {torch.onnx.k = 2 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.vtensor<[4],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @router_weights(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>, %o: !torch.vtensor<[5,3],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has router_weights that do not fit}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g, %none, %none, %none, %none, %none, %none, %none, %o) {torch.onnx.k = 2 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none, !torch.vtensor<[5,3],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @expert_scales(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has scales that do not fit}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g) {torch.onnx.block_size = 4 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @expert_points(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,6,4],ui8>, %d: !torch.vtensor<[4,6],f32>, %f: !torch.vtensor<[4,8,3],ui8>, %g: !torch.vtensor<[4,8],f32>, %l: !torch.vtensor<[4,6,2],ui8>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.QMoE has zero points that do not fit}}
  %0 = torch.operator "onnx.com.microsoft.QMoE"(%a, %b, %c, %d, %none, %f, %g, %none, %none, %none, %none, %l) {torch.onnx.k = 2 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,6,4],ui8>, !torch.vtensor<[4,6],f32>, !torch.none, !torch.vtensor<[4,8,3],ui8>, !torch.vtensor<[4,8],f32>, !torch.none, !torch.none, !torch.none, !torch.none, !torch.vtensor<[4,6,2],ui8>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @limit_after(%a: !torch.vtensor<[5,8],f32>, %b: !torch.vtensor<[5,4],f32>, %c: !torch.vtensor<[4,12,8],f32>, %e: !torch.vtensor<[4,8,6],f32>) -> !torch.vtensor<[5,8],f32> {
  %none = torch.constant.none
  // expected-error@+1 {{unsupported: onnx.com.microsoft.MoE has swiglu_limit_after_activation}}
  %0 = torch.operator "onnx.com.microsoft.MoE"(%a, %b, %c, %none, %e) {torch.onnx.activation_type = "swiglu", torch.onnx.swiglu_fusion = 1 : si64, torch.onnx.swiglu_limit_after_activation = 1 : si64} : (!torch.vtensor<[5,8],f32>, !torch.vtensor<[5,4],f32>, !torch.vtensor<[4,12,8],f32>, !torch.none, !torch.vtensor<[4,8,6],f32>) -> !torch.vtensor<[5,8],f32>
  return %0 : !torch.vtensor<[5,8],f32>
}

// -----

func.func @gathered_scales(%a: !torch.vtensor<[6,16],ui8>, %b: !torch.vtensor<[2],si64>, %c: !torch.vtensor<[6,3],f32>) -> !torch.vtensor<[2,32],f32> {
  // expected-error@+1 {{unsupported: onnx.com.microsoft.GatherBlockQuantized has scales that do not fit}}
  %0 = torch.operator "onnx.com.microsoft.GatherBlockQuantized"(%a, %b, %c) {torch.onnx.block_size = 16 : si64} : (!torch.vtensor<[6,16],ui8>, !torch.vtensor<[2],si64>, !torch.vtensor<[6,3],f32>) -> !torch.vtensor<[2,32],f32>
  return %0 : !torch.vtensor<[2,32],f32>
}

// -----

func.func @gathered_points(%a: !torch.vtensor<[6,16],ui8>, %b: !torch.vtensor<[2],si64>, %c: !torch.vtensor<[6,2],f32>, %d: !torch.vtensor<[6,2],ui8>) -> !torch.vtensor<[2,32],f32> {
  // expected-error@+1 {{unsupported: onnx.com.microsoft.GatherBlockQuantized has zero points that do not fit}}
  %0 = torch.operator "onnx.com.microsoft.GatherBlockQuantized"(%a, %b, %c, %d) {torch.onnx.block_size = 16 : si64} : (!torch.vtensor<[6,16],ui8>, !torch.vtensor<[2],si64>, !torch.vtensor<[6,2],f32>, !torch.vtensor<[6,2],ui8>) -> !torch.vtensor<[2,32],f32>
  return %0 : !torch.vtensor<[2,32],f32>
}

// -----

func.func @columns(%x: !torch.vtensor<[?,8,5],f32>) -> !torch.vtensor<[?,2,4,6],f32> {
  %image = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[4, 6]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
  %block = torch.operator "onnx.Constant"() {torch.onnx.value = dense<2> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
  // expected-error@+1 {{has columns that are not made of blocks}}
  %0 = torch.operator "onnx.Col2Im"(%x, %image, %block) {torch.onnx.strides = [2 : si64, 2 : si64]} : (!torch.vtensor<[?,8,5],f32>, !torch.vtensor<[2],si64>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,2,4,6],f32>
  return %0 : !torch.vtensor<[?,2,4,6],f32>
}

// -----

func.func @distances(%x: !torch.vtensor<[3,4],f32>, %y: !torch.vtensor<[5,1],f32>) -> !torch.vtensor<[3,5],f32> {
  // expected-error@+1 {{of rows of different lengths}}
  %0 = torch.operator "onnx.com.microsoft.CDist"(%x, %y) : (!torch.vtensor<[3,4],f32>, !torch.vtensor<[5,1],f32>) -> !torch.vtensor<[3,5],f32>
  return %0 : !torch.vtensor<[3,5],f32>
}

// -----

func.func @texts(%x: !torch.vtensor<[3,2],f32>) -> !torch.vtensor<[3],si64> {
  // expected-error@+1 {{unsupported: onnx.ai.onnx.ml.LinearClassifier gives labels that are texts}}
  %0:2 = torch.operator "onnx.ai.onnx.ml.LinearClassifier"(%x) {torch.onnx.classlabels_strings = ["a", "b"], torch.onnx.coefficients = [1.0 : f32, 2.0 : f32, 3.0 : f32, 4.0 : f32]} : (!torch.vtensor<[3,2],f32>) -> (!torch.vtensor<[3],si64>, !torch.vtensor<[3,2],f32>)
  return %0#0 : !torch.vtensor<[3],si64>
}

// -----

// A node that leads back to itself.
func.func @circle(%x: !torch.vtensor<[3,2],f32>) -> !torch.vtensor<[3,1],f32> {
  // expected-error@+1 {{unsupported: onnx.ai.onnx.ml.TreeEnsembleRegressor has nodes that are not trees}}
  %0 = torch.operator "onnx.ai.onnx.ml.TreeEnsembleRegressor"(%x) {torch.onnx.nodes_treeids = [0 : si64, 0 : si64], torch.onnx.nodes_nodeids = [0 : si64, 1 : si64], torch.onnx.nodes_featureids = [0 : si64, 1 : si64], torch.onnx.nodes_values = [0.5 : f32, 0.5 : f32], torch.onnx.nodes_modes = ["BRANCH_LEQ", "BRANCH_LEQ"], torch.onnx.nodes_truenodeids = [1 : si64, 0 : si64], torch.onnx.nodes_falsenodeids = [1 : si64, 0 : si64], torch.onnx.target_treeids = [], torch.onnx.target_nodeids = [], torch.onnx.target_ids = [], torch.onnx.target_weights = []} : (!torch.vtensor<[3,2],f32>) -> !torch.vtensor<[3,1],f32>
  return %0 : !torch.vtensor<[3,1],f32>
}

// -----

func.func @feature(%x: !torch.vtensor<[3,2],f32>) -> !torch.vtensor<[3,1],f32> {
  // expected-error@+1 {{unsupported: onnx.ai.onnx.ml.TreeEnsembleRegressor reads feature 4 of 2}}
  %0 = torch.operator "onnx.ai.onnx.ml.TreeEnsembleRegressor"(%x) {torch.onnx.nodes_treeids = [0 : si64, 0 : si64], torch.onnx.nodes_nodeids = [0 : si64, 1 : si64], torch.onnx.nodes_featureids = [4 : si64, 0 : si64], torch.onnx.nodes_values = [0.5 : f32, 0.0 : f32], torch.onnx.nodes_modes = ["BRANCH_LEQ", "LEAF"], torch.onnx.nodes_truenodeids = [1 : si64, 0 : si64], torch.onnx.nodes_falsenodeids = [1 : si64, 0 : si64], torch.onnx.target_treeids = [0 : si64], torch.onnx.target_nodeids = [1 : si64], torch.onnx.target_ids = [0 : si64], torch.onnx.target_weights = [1.0 : f32]} : (!torch.vtensor<[3,2],f32>) -> !torch.vtensor<[3,1],f32>
  return %0 : !torch.vtensor<[3,1],f32>
}

// -----

// A scale is a finite number above 0, before anything is computed with it.
func.func @negative(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<-2.0> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  // expected-error@+1 {{onnx.Resize resizes 4 elements by -2.00}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %s) : (!torch.vtensor<[4],f32>, !torch.none, !torch.vtensor<[1],f32>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @endless(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<0x7F800000> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  // expected-error@+1 {{onnx.Resize resizes 4 elements by INF}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %s) : (!torch.vtensor<[4],f32>, !torch.none, !torch.vtensor<[1],f32>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @nan(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<0x7FC00000> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  // expected-error@+1 {{onnx.Resize resizes 4 elements by nan}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %s) : (!torch.vtensor<[4],f32>, !torch.none, !torch.vtensor<[1],f32>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @no_scale(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<0.0> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  // expected-error@+1 {{onnx.Resize resizes 4 elements by 0.00}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %s) : (!torch.vtensor<[4],f32>, !torch.none, !torch.vtensor<[1],f32>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @of_none(%x: !torch.vtensor<[0],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<3> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  // expected-error@+1 {{onnx.Resize resizes 0 elements to 3.00}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %none, %s) {torch.onnx.keep_aspect_ratio_policy = "not_smaller"} : (!torch.vtensor<[0],f32>, !torch.none, !torch.none, !torch.vtensor<[1],si64>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @below(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<-3> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  // expected-error@+1 {{onnx.Resize resizes 4 elements to -3.00}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %none, %s) {torch.onnx.keep_aspect_ratio_policy = "not_smaller"} : (!torch.vtensor<[4],f32>, !torch.none, !torch.none, !torch.vtensor<[1],si64>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}

// -----

func.func @huge(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32> attributes {torch.onnx_meta.opset_version = 19 : si64} {
  %none = torch.constant.none
  %s = torch.vtensor.literal(dense<9223372036854775807> : tensor<1xsi64>) : !torch.vtensor<[1],si64>
  // expected-error@+1 {{onnx.Resize resizes 4 elements to 9223372036854775808.00}}
  %0 = torch.operator "onnx.Resize"(%x, %none, %none, %s) {torch.onnx.keep_aspect_ratio_policy = "not_smaller"} : (!torch.vtensor<[4],f32>, !torch.none, !torch.none, !torch.vtensor<[1],si64>) -> !torch.vtensor<[?],f32>
  return %0 : !torch.vtensor<[?],f32>
}
