// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls functions of libdevice holds their code: none of them is left to find.
// REQUIRES: libdevice
// RUN: kiln-opt %s --kiln-set-target=spec=nvidia:sm_80,ptxas=none --nvidia-lower-simt --nvidia-lower-math --nvidia-lower-gpu --symbol-dce --nvidia-serialize=emit=ptx -o %t | FileCheck %s --implicit-check-not='.extern .func' --implicit-check-not=__nv_

// CHECK: .entry linked(
// CHECK: st.global.b64
llvm.func @linked(%x: f64, %n: i32, %p: !llvm.ptr<1>) attributes {simt.block = #simt.thread_block<threads = 64, shared_bytes = 0>} {
  %y = tile.call_extern "scalbn" from "" pure (%x, %n) : (f64, i32) -> f64
  llvm.store %y, %p : f64, !llvm.ptr<1>
  llvm.return
}
