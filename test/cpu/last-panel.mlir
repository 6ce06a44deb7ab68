// The last panel of columns takes the registers that its columns need: a micro-kernel of its own multiplies by it. What is
// computed does not change.
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --print-ir-after=convert-stage-to-cpu -o %t.kiln 2>&1 | FileCheck %s
// RUN: kiln-compile %s --target=cpu:neoverse-n1,threads=1 --print-ir-after=convert-stage-to-cpu -o %t.kiln 2>&1 | FileCheck %s --check-prefix=NEON
// RUN: for entry in edge whole bytes; do kiln-run %s --entry=$entry --target=cpu,threads=1 --check 2>&1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok: 256x196xf32
// RIGHT: result 0: ok: 256x224xf32
// RIGHT: result 0: ok: 70x196xi32

// Of 196 columns the first panel has 112 and the last one 84, which are six registers.
// The last of 256 rows is a block of its own.
// CHECK-LABEL: @edge_0_dot
// CHECK: %[[ROWS:.*]] = arith.cmpi sle, %{{.*}}, %c1_
// CHECK: scf.if %[[ROWS]] {
// CHECK: cpu.micro_kernel {{.*}} block[1, 96]
// CHECK-NEXT: } else {
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[1, 112]
// CHECK: } else {
// CHECK: %[[LAST:.*]] = arith.cmpi sle, %{{.*}}, %c96
// CHECK: scf.if %[[LAST]] {
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[3, 96]
// CHECK-NEXT: } else {
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[3, 112]
// NEON-LABEL: @edge_0_dot
// NEON-NOT: scf.if
// NEON: cpu.micro_kernel {{.*}} block[3, 28]
func.func @edge(%x: tensor<256x2304xf32>, %w: tensor<2304x196xf32>) -> tensor<256x196xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<256x2304xf32>, tensor<2304x196xf32> -> tensor<256x196xf32>
  return %0 : tensor<256x196xf32>
}

// Rows of the left operand are read where they lie, or from panels.
// CHECK-LABEL: @whole_0_dot
// CHECK: cpu.micro_kernel {{.*}} block[1, 112] groups[640, 1]
// CHECK-NEXT: } else {
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[3, 112] groups[640, 1]
// CHECK-NOT: cpu.micro_kernel
// CHECK: scf.if
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[1, 112] groups[128, 1]
// CHECK-NEXT: } else {
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[3, 112] groups[128, 1]
// CHECK-NOT: scf.if
// CHECK-NOT: cpu.micro_kernel
func.func @whole(%x: tensor<256x640xf32>, %w: tensor<640x224xf32>) -> tensor<256x224xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<256x640xf32>, tensor<640x224xf32> -> tensor<256x224xf32>
  return %0 : tensor<256x224xf32>
}

// CHECK-LABEL: @bytes_0_dot
// CHECK: cpu.micro_kernel {{.*}} block[3, 96]
// CHECK-NEXT: } else {
// CHECK-NEXT: cpu.micro_kernel {{.*}} block[3, 112]
func.func @bytes(%x: tensor<70x300xi8>, %w: tensor<300x196xi8>) -> tensor<70x196xi32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<70x300xi8>, tensor<300x196xi8> -> tensor<70x196xi32>
  return %0 : tensor<70x196xi32>
}
