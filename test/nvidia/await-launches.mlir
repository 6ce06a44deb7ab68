// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels begin before the kernel in front of them has ended, and wait for its end before they access memory.
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_90a,ptxas=none --nvidia-await-launches | FileCheck %s
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_90a,ptxas=none --nvidia-await-launches --nvidia-serialize=emit=kernels -o %t | FileCheck %s --check-prefix=KERNELS
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_90a,ptxas=none --nvidia-await-launches --nvidia-serialize=emit=ptx -o %t | FileCheck %s --check-prefix=PTX
// The option of the target says when the next kernel may begin, by default when this one has ended.
// RUN: kiln-compile %S/launches.mlir --entry=both --target=nvidia:sm_90a,ptxas=none,dependent=begin --no-fallback --emit=ptx -o - | FileCheck %s --check-prefix=BEGIN
// RUN: kiln-compile %S/launches.mlir --entry=both --target=nvidia:sm_90a,ptxas=none,dependent=none --no-fallback --emit=ptx -o - | FileCheck %s --check-prefix=ALONE
// RUN: kiln-compile %S/launches.mlir --entry=both --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=ptx -o - | FileCheck %s --check-prefix=OFF
// BEGIN: griddepcontrol.wait;
// BEGIN: griddepcontrol.launch_dependents;
// BEGIN: st.global
// ALONE-NOT: launch_dependents
// ALONE: griddepcontrol.wait;
// ALONE-NOT: launch_dependents
// OFF-NOT: griddepcontrol
// Older chips lack the instructions.
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_89,ptxas=none --nvidia-await-launches | FileCheck %s --check-prefix=NONE

// NONE-NOT: griddepcontrol
// NONE-NOT: gpu.dependent

// CHECK-LABEL: llvm.func @copy(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>)
// CHECK-SAME: gpu.dependent
// CHECK-NEXT: llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}"
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.inline_asm has_side_effects "griddepcontrol.launch_dependents;", "~{memory}"
// CHECK-NEXT: llvm.return
// PTX-LABEL: .entry copy(
// PTX: griddepcontrol.wait;
// PTX: ld.global.b32
// PTX: st.global
// PTX: griddepcontrol.launch_dependents;
// KERNELS: kernel copy is copy
// KERNELS: launched with threads! 32, own.0 3
llvm.func @copy(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %y: !llvm.ptr<1> {llvm.noalias}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  %a = llvm.load %x : !llvm.ptr<1> -> f32
  llvm.store %a, %y : f32, !llvm.ptr<1>
  llvm.return
}

// Nothing says that a load finds the same before the wait as behind it.
// CHECK-LABEL: llvm.func @constant(
// CHECK-NOT: invariant
// CHECK: llvm.return
// PTX-LABEL: .entry constant(
// PTX: griddepcontrol.wait;
// PTX: ld.global.b32
// PTX: st.global
llvm.func @constant(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  %a = llvm.load %x invariant : !llvm.ptr<1> -> f32
  llvm.store %a, %y : f32, !llvm.ptr<1>
  llvm.return
}

// All blocks of a cooperative kernel have to be there at once, so it waits for the whole device.
// CHECK-LABEL: llvm.func @cooperative(
// CHECK-NOT: griddepcontrol
// KERNELS: kernel cooperative is cooperative
// KERNELS: cooperative! 1, own.0 1
llvm.func @cooperative(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, gpu.cooperative} {
  llvm.return
}

// Only kernels are launched.
// CHECK-LABEL: llvm.func @helper(
// CHECK-NOT: griddepcontrol
// CHECK: llvm.return
llvm.func @helper(%x: f32) -> f32 {
  llvm.return %x : f32
}
