// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and signs of what arguments and results become: a sequence of two and a constant leave as many arguments as there were, with other
// names; results behind a sequence keep theirs.
// RUN: kiln-compile %s --entry=insert --frontend=onnx,lengths=s:2,fixed=at:-1 --target=cpu -o %t.kiln && kiln-run --inspect %t.kiln | FileCheck %s
// RUN: kiln-compile %s --entry=parts --frontend=onnx,lengths=b:1 --target=cpu -o %t.parts && kiln-run --inspect %t.parts | FileCheck %s --check-prefix=PARTS
// Names may hold what separates options, which is written %XX:
// RUN: kiln-compile %s --entry=odd --frontend=onnx,lengths=a%%2Bb%%2C%%20c:1 --target=cpu -o %t.odd && kiln-run --inspect %t.odd | FileCheck %s --check-prefix=ODD
// RUN: not kiln-compile %s --entry=odd --frontend=onnx --target=cpu -o %t.odd 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: kiln-opt %s --convert-onnx-to-prim="lengths=s:2,b:1,a%%2Bb%%2C%%20c:1 fixed=at:-1" | FileCheck %s --check-prefix=PASS
// ODD: argument 0, a+b, c.0: 3xf32
// WRITTEN: error: unsupported: argument 'a+b, c' is a sequence whose length is not known, --frontend=onnx,lengths=a%2Bb%2C%20c:N says it
// PASS: func.func @odd(%{{.*}}: tensor<3xf32> {{.*}}name = "a+b, c.0"
// CHECK: argument 0, s.0:
// CHECK: argument 1, s.1:
// CHECK: argument 2, x:
// PARTS: argument 0, b.0: 3xi8, unsigned
// PARTS: result 0, both.0: 3xi8, unsigned
// PARTS: result 1, both.1: 3xi8, unsigned
// PARTS: result 2, last: 3xf32
func.func @insert(%s: !torch.list<vtensor<[3],f32>> {kiln.argument = {name = "s"}}, %x: !torch.vtensor<[3],f32> {kiln.argument = {name = "x"}},
                  %at: !torch.vtensor<[],si64> {kiln.argument = {name = "at"}}) -> !torch.vtensor<[3],f32> {
  %0 = torch.operator "onnx.SequenceInsert"(%s, %x, %at) : (!torch.list<vtensor<[3],f32>>, !torch.vtensor<[3],f32>, !torch.vtensor<[],si64>) -> !torch.list<vtensor<[3],f32>>
  %2 = torch.operator "onnx.Neg"(%x) : (!torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  return %2 : !torch.vtensor<[3],f32>
}

func.func @parts(%b: !torch.list<vtensor<[3],ui8>> {kiln.argument = {name = "b"}}, %x: !torch.vtensor<[3],f32> {kiln.argument = {name = "x"}})
    -> (!torch.list<vtensor<[3],ui8>> {kiln.argument = {name = "both", unsigned}}, !torch.vtensor<[3],f32> {kiln.argument = {name = "last"}}) {
  %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<0> : tensor<si64>} : () -> !torch.vtensor<[],si64>
  %1 = torch.operator "onnx.SequenceAt"(%b, %0) : (!torch.list<vtensor<[3],ui8>>, !torch.vtensor<[],si64>) -> !torch.vtensor<[3],ui8>
  %2 = torch.operator "onnx.SequenceConstruct"(%1, %1) : (!torch.vtensor<[3],ui8>, !torch.vtensor<[3],ui8>) -> !torch.list<vtensor<[3],ui8>>
  %3 = torch.operator "onnx.Neg"(%x) : (!torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  return %2, %3 : !torch.list<vtensor<[3],ui8>>, !torch.vtensor<[3],f32>
}

func.func @odd(%s: !torch.list<vtensor<[3],f32>> {kiln.argument = {name = "a+b, c"}}) -> !torch.vtensor<[3],f32> {
  %0 = torch.operator "onnx.Constant"() {torch.onnx.value = dense<0> : tensor<si64>} : () -> !torch.vtensor<[],si64>
  %1 = torch.operator "onnx.SequenceAt"(%s, %0) : (!torch.list<vtensor<[3],f32>>, !torch.vtensor<[],si64>) -> !torch.vtensor<[3],f32>
  return %1 : !torch.vtensor<[3],f32>
}
