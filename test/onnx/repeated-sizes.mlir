// Expand repeats a size that only the program knows where it is 1; and keeps it where the shape has 1. Other sizes have to be equal.
// RUN: %python -c "import numpy as n; [n.save('%t.' + name, n.array(list)) for name, list in (('34', [3, 4]), ('14', [1, 4]), ('31', [3, 1]), ('22', [2, 2]), ('21', [2, 1]))]; \
// RUN:   [n.save('%t.' + name, n.arange(1, 1 + n.prod(shape), dtype='f4').reshape(shape)) for name, shape in (('x31', (3, 1)), ('x12', (1, 2)), ('x22', (2, 2)))]"
// RUN: for target in cpu reference; do for shape in 34 14 31; do \
// RUN:   kiln-run %s --target=$target --entry=read --arg=%t.x31.npy --arg=%t.$shape.npy || exit 1; done; \
// RUN:   kiln-run %s --target=$target --entry=read --arg=%t.x12.npy --arg=%t.22.npy || exit 1; \
// RUN:   for x in x12 x31; do kiln-run %s --target=$target --entry=known --arg=%t.$x.npy || exit 1; done; done | FileCheck %s
// RUN: not kiln-run %s --target=cpu --entry=read --arg=%t.x31.npy --arg=%t.21.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not kiln-run %s --target=cpu --entry=known --arg=%t.x22.npy 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: a size is neither 1 nor the size that it is repeated to

// CHECK: 3x4xf32: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3
// CHECK: 3x4xf32: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3
// CHECK: 3x1xf32: 1, 2, 3
// CHECK: 2x2xf32: 1, 2, 1, 2
// CHECK: 3x2xf32: 1, 2, 1, 2, 1, 2
// CHECK: 3x2xf32: 1, 1, 2, 2, 3, 3
// CHECK: 3x4xf32: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3
// CHECK: 3x4xf32: 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3
// CHECK: 3x1xf32: 1, 2, 3
// CHECK: 2x2xf32: 1, 2, 1, 2
// CHECK: 3x2xf32: 1, 2, 1, 2, 1, 2
// CHECK: 3x2xf32: 1, 1, 2, 2, 3, 3
func.func @read(%x: !torch.vtensor<[?,?],f32>, %shape: !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,?],f32> {
  %0 = torch.operator "onnx.Expand"(%x, %shape) : (!torch.vtensor<[?,?],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,?],f32>
  return %0 : !torch.vtensor<[?,?],f32>
}

func.func @known(%x: !torch.vtensor<[?,?],f32>) -> !torch.vtensor<[?,?],f32> {
  %shape = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[3, 2]> : tensor<2xsi64>} : () -> !torch.vtensor<[2],si64>
  %0 = torch.operator "onnx.Expand"(%x, %shape) : (!torch.vtensor<[?,?],f32>, !torch.vtensor<[2],si64>) -> !torch.vtensor<[?,?],f32>
  return %0 : !torch.vtensor<[?,?],f32>
}
