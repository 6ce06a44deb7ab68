// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output asks the module's variable for space, threads end, assembly of PTX is passed on.
// RUN: kiln-opt %s --nvidia-lower-simt --nvidia-lower-math | FileCheck %s
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_80,ptxas=none --nvidia-lower-simt --nvidia-lower-math --nvidia-lower-gpu --symbol-dce --nvidia-serialize=emit=ptx -o %t | FileCheck %s --check-prefix=PTX

// The driver finds it by its name.
// CHECK: llvm.mlir.global external @kiln_output(dense<0> : tensor<3xi64>) {addr_space = 1 : i32, alignment = 8 : i64}
// PTX: .visible .global .align 8 .b8 kiln_output[24];

// CHECK-LABEL: llvm.func @output
llvm.func @output(%p: i1) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>} {
  // CHECK: %[[AT:.*]] = llvm.mlir.addressof @kiln_output
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(128 : i64)
  // CHECK: %[[USED:.*]] = llvm.getelementptr %[[AT]][1]
  // CHECK: %[[BEGIN:.*]] = llvm.atomicrmw add %[[USED]], %[[BYTES]] syncscope("device") monotonic
  // CHECK: %[[END:.*]] = llvm.add %[[BEGIN]], %[[BYTES]]
  // CHECK: %[[FITS:.*]] = llvm.icmp "ule" %[[END]], %{{.*}} : i64
  // CHECK: llvm.select %[[FITS]]
  // CHECK: llvm.inttoptr
  // PTX: atom.{{.*}}add.u64
  %o = simt.output 128 : !llvm.ptr
  %one = arith.constant 1 : i64
  llvm.store %one, %o : i64, !llvm.ptr
  llvm.cond_br %p, ^stops, ^ends
^stops:
  // CHECK: llvm.call_intrinsic "llvm.nvvm.exit"()
  // PTX: exit;
  simt.stop
  llvm.br ^ends
^ends:
  llvm.return
}

// CHECK-LABEL: llvm.func @text
llvm.func @text(%x: i32, %p: !llvm.ptr<1>) {
  // CHECK: %[[BOTH:.*]] = llvm.inline_asm "two", "=r,=r,r" %{{.*}} : (i32) -> !llvm.struct<(i32, i32)>
  // CHECK: llvm.extractvalue %[[BOTH]][1]
  %a:2 = simt.inline_asm "two" isa "ptx" constraints "=r,=r,r" pure (%x) : (i32) -> (i32, i32)
  llvm.store %a#1, %p : i32, !llvm.ptr<1>
  // CHECK: llvm.inline_asm has_side_effects "none", "r"
  simt.inline_asm "none" isa "nvptx64" constraints "r" (%x) : (i32) -> ()
  llvm.return
}
