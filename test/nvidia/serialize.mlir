// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in the llvm dialect become LLVM IR, PTX and modules with what their launches need.
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia,ptxas=none --nvidia-serialize=emit=llvm -o %t | FileCheck %s --check-prefix=LLVM
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_80,ptxas=none --nvidia-serialize=emit=ptx -o %t | FileCheck %s --check-prefix=PTX
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia,ptxas=none --nvidia-serialize=emit=kernels -o %t | FileCheck %s --check-prefix=KERNELS

// LLVM: p3:32:32
// LLVM: @gpu_shared = external addrspace(3) global [0 x i8], align 1024
// LLVM: call i32 asm sideeffect "mov.u32 $0, %laneid;", "=r"() #[[CONVERGENT:[0-9]+]]
// LLVM-NOT: call {{.*}}@helper
// LLVM: attributes #[[CONVERGENT]] = { convergent

// PTX: .version 8.8
// PTX: .target sm_80
// PTX: .extern .shared .align 1024 .b8 gpu_shared[];
// PTX: .visible .entry main_scale_1(
// PTX: .reqntid 128
// PTX: mul.rn.f32
// PTX: add.rn.f32
// 32-bit addresses of shared memory.
// PTX: st.shared.b32 	[%r{{[0-9]+}}]
// PTX: .visible .entry main_scale(

// KERNELS: requires sm_90a
// KERNELS: kernel main.scale is main_scale_1 of //
// KERNELS: launched with threads! 128 x 1 x 1, local_bytes! 4096, own.0 1
// KERNELS: kernel main_scale is main_scale of //
// KERNELS: launched with threads! 64, cluster! 2 x 1 x 1, cooperative! 1, own.0 1
llvm.mlir.global external @gpu_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

llvm.func @helper(%x: f32, %y: f32) -> f32 {
  %m = llvm.fmul %x, %y : f32
  %s = llvm.fadd %m, %y : f32
  llvm.return %s : f32
}

llvm.func @"main.scale"(%x: !llvm.ptr<1>, %n: i64)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, gpu.shared_bytes = 4096 : i64} {
  %lane = llvm.inline_asm has_side_effects "mov.u32 $0, %laneid;", "=r" : () -> i32
  %at = llvm.getelementptr %x[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %a = llvm.load %at : !llvm.ptr<1> -> f32
  %b = llvm.call @helper(%a, %a) : (f32, f32) -> f32
  %shared = llvm.mlir.addressof @gpu_shared : !llvm.ptr<3>
  %place = llvm.getelementptr %shared[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %b, %place : f32, !llvm.ptr<3>
  llvm.return
}

llvm.func @main_scale(%x: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>, nvvm.cluster_dim = array<i32: 2, 1, 1>, gpu.cooperative} {
  llvm.return
}
