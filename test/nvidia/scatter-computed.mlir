// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scatter of single elements computes its indices and updates: indices from the end, rows of few elements, columns, and a list of
// coordinates. The kernel is the only one, and the levels below give the same results. A target whose threads share no tiles, and one that
// keeps the order of sums, get what is computed from kernels of their own.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --explain --emit=asm -o %t.ptx 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=ASM < %t.ptx
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none,scatter=ordered --no-fallback --explain --emit=asm -o - 2>&1 | FileCheck %s --check-prefixes=APART,ORDERED
// RUN: kiln-compile %s --target=cpu --explain -o %t.kiln 2>&1 | FileCheck %s --check-prefixes=APART,CPU
// RUN: for target in amd:gfx942,device=sim cpu; do for entry in put rows columns half; do kiln-run %s --entry=$entry --target=$target \
// RUN:   --check --inputs=hurt || exit 1; done; done
// RUN: for entry in put rows columns half; do kiln-compile %s --entry=$entry --target=nvidia:sm_90a,ptxas=none --no-fallback \
// RUN:   --verify-semantics --emit=asm -o %t.ptx 2>&1 | grep ' 0 changed' || exit 1; done

// CHECK-LABEL: function put
// CHECK-NEXT: schedule put_0_scatter: prim.fusion -> generic.scatter [nvidia] ({{.*}}where{{.*}}cat, scatter)
// CHECK-NOT: schedule
// CHECK-LABEL: function rows
// CHECK-NEXT: schedule rows_0_scatter: prim.fusion -> generic.scatter [nvidia] ({{.*}}where{{.*}}scatter)
// CHECK-NOT: schedule
// CHECK-LABEL: function columns
// CHECK-NEXT: schedule columns_0_scatter: prim.fusion -> generic.scatter [nvidia] ({{.*}}transpose{{.*}}scatter)
// CHECK-NOT: schedule
// CHECK-LABEL: function half

// APART-LABEL: function put
// ORDERED: schedule {{.*}}_where: prim.fusion -> generic.elementwise [nvidia]
// CPU: schedule {{.*}}_where: prim.fusion -> generic.siblings [cpu]
// APART: schedule {{.*}}_cat: prim.fusion -> generic.elementwise
// APART: schedule {{.*}}_scatter: prim.fusion -> generic.scatter {{.*}} (scatter)
// APART-LABEL: function rows

// Neighbouring lanes read neighbours of one row.
// ASM-LABEL: .entry columns_{{.*}}scatter(
// ASM: ld.global.v4.b32
// ASM-LABEL: .entry half_{{.*}}scatter(
// ASM: red.relaxed.gpu.global.add.noftz.f16x2
func.func @put(%x: tensor<30x20xf32>, %a: tensor<1000xi64>, %b: tensor<1000xi32>, %u: tensor<1000xf32>) -> tensor<30x20xf32> {
  %c31 = prim.constant dense<31> : tensor<1000xi64>
  %n = prim.bitwise_and %a, %c31 : tensor<1000xi64>
  %c15 = prim.constant dense<15> : tensor<1000xi64>
  %i = prim.sub %n, %c15 : tensor<1000xi64>
  %zero = prim.full 0 : i64 : tensor<1000xi64>
  %whole = prim.full 30 : i64 : tensor<1000xi64>
  %isNegative = prim.lt %i, %zero : tensor<1000xi64> -> tensor<1000xi1>
  %fromEnd = prim.add %i, %whole : tensor<1000xi64>
  %first = prim.where %isNegative, %fromEnd, %i : tensor<1000xi1>, tensor<1000xi64>
  %m = prim.convert_element_type %b : tensor<1000xi32> -> tensor<1000xi64>
  %second = prim.bitwise_and %m, %c15 : tensor<1000xi64>
  %p = prim.reshape %first : tensor<1000xi64> -> tensor<1000x1xi64>
  %q = prim.reshape %second : tensor<1000xi64> -> tensor<1000x1xi64>
  %places = prim.cat %p, %q dim 1 : tensor<1000x1xi64>, tensor<1000x1xi64> -> tensor<1000x2xi64>
  %updates = prim.reshape %u : tensor<1000xf32> -> tensor<1000x1x1xf32>
  %r = prim.scatter add %x, %places, %updates dims [0, 1] batch_dims 0 : tensor<30x20xf32>, tensor<1000x2xi64>, tensor<1000x1x1xf32>
  return %r : tensor<30x20xf32>
}
func.func @rows(%x: tensor<2000x3xf32>, %t: tensor<3000xi64>, %u: tensor<3000x3xf32>) -> tensor<2000x3xf32> {
  %c = prim.constant dense<4095> : tensor<3000xi64>
  %n = prim.bitwise_and %t, %c : tensor<3000xi64>
  %half = prim.constant dense<2000> : tensor<3000xi64>
  %i = prim.sub %n, %half : tensor<3000xi64>
  %zero = prim.full 0 : i64 : tensor<3000xi64>
  %isNegative = prim.lt %i, %zero : tensor<3000xi64> -> tensor<3000xi1>
  %fromEnd = prim.add %i, %half : tensor<3000xi64>
  %first = prim.where %isNegative, %fromEnd, %i : tensor<3000xi1>, tensor<3000xi64>
  %p = prim.reshape %first : tensor<3000xi64> -> tensor<3000x1xi64>
  %updates = prim.reshape %u : tensor<3000x3xf32> -> tensor<3000x1x3xf32>
  %r = prim.scatter add %x, %p, %updates dims [0] batch_dims 0 : tensor<2000x3xf32>, tensor<3000x1xi64>, tensor<3000x1x3xf32>
  return %r : tensor<2000x3xf32>
}
func.func @columns(%x: tensor<50x128xf32>, %t: tensor<60x128xi64>, %u: tensor<60x128xf32>) -> tensor<50x128xf32> {
  %c = prim.constant dense<63> : tensor<60x128xi64>
  %i = prim.bitwise_and %t, %c : tensor<60x128xi64>
  %1 = prim.transpose %x permutation [1, 0] : tensor<50x128xf32> -> tensor<128x50xf32>
  %2 = prim.transpose %i permutation [1, 0] : tensor<60x128xi64> -> tensor<128x60xi64>
  %3 = prim.transpose %u permutation [1, 0] : tensor<60x128xf32> -> tensor<128x60xf32>
  %4 = prim.reshape %2 : tensor<128x60xi64> -> tensor<128x60x1xi64>
  %5 = prim.reshape %3 : tensor<128x60xf32> -> tensor<128x60x1xf32>
  %6 = prim.scatter add %1, %4, %5 dims [1] batch_dims 1 : tensor<128x50xf32>, tensor<128x60x1xi64>, tensor<128x60x1xf32>
  %7 = prim.transpose %6 permutation [1, 0] : tensor<128x50xf32> -> tensor<50x128xf32>
  return %7 : tensor<50x128xf32>
}
func.func @half(%x: tensor<70x30xf16>, %t: tensor<1000x2xi64>, %u: tensor<1000x1x1xf16>) -> tensor<70x30xf16> {
  %c = prim.constant dense<31> : tensor<1000x2xi64>
  %i = prim.bitwise_and %t, %c : tensor<1000x2xi64>
  %v = prim.neg %u : tensor<1000x1x1xf16>
  %r = prim.scatter add %x, %i, %v dims [1, 0] batch_dims 0 : tensor<70x30xf16>, tensor<1000x2xi64>, tensor<1000x1x1xf16>
  return %r : tensor<70x30xf16>
}
