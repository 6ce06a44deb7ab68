// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// What the assembler finds becomes notes and warnings, and its errors stand at their kernel.
// RUN: kiln-opt %s --split-input-file --kiln-set-target=spec=nvidia --nvidia-serialize=emit=kernels -o %t --verify-diagnostics | FileCheck %s

// CHECK: kernel logs is logs of KILNCUB1
// CHECK: registers {{[1-9]}}
// CHECK: shared_bytes 512
// CHECK: spill_store_bytes 0
llvm.func @__nv_logf(f32) -> f32
llvm.mlir.global internal @fixed() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
llvm.func @logs(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %a = llvm.load %x : !llvm.ptr<1> -> f32
  %b = llvm.call @__nv_logf(%a) : (f32) -> f32
  %shared = llvm.mlir.addressof @fixed : !llvm.ptr<3>
  llvm.store volatile %b, %shared : f32, !llvm.ptr<3>
  llvm.return
}

// -----

// CHECK: kernel spills is spills of KILNCUB1
// CHECK: registers 24
// CHECK: spill_store_bytes {{[1-9]}}
// expected-warning@+1 {{kernel 'spills' spills registers}}
llvm.func @spills(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, nvvm.maxnreg = 24 : i32} {
  %a = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  %b = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  %c = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  %d = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  %e = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  %f = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  %g = llvm.load volatile %x : !llvm.ptr<1> -> vector<4xf32>
  llvm.store volatile %g, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.store volatile %f, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.store volatile %e, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.store volatile %d, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.store volatile %c, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.store volatile %b, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.store volatile %a, %x : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @before() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  llvm.return
}
// expected-error@+2 {{the assembler of PTX fails: Not a name of any known instruction: 'nonsense'}}
// expected-note@+1 {{of PTX: nonsense 1;}}
llvm.func @wrong() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  llvm.inline_asm has_side_effects "nonsense 1;", "" : () -> ()
  llvm.return
}

// -----

// expected-error@+1 {{unsupported: kernel 'large' needs 300000 bytes of shared memory, an instance on sm_90a has 232448}}
llvm.func @large() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, gpu.shared_bytes = 300000 : i64} {
  llvm.return
}

// -----

llvm.func @__nv_nothing(f32) -> f32
llvm.func @calls(%x: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  %a = llvm.load %x : !llvm.ptr<1> -> f32
  // expected-error@+1 {{unsupported: function '__nv_nothing' without}}
  %b = llvm.call @__nv_nothing(%a) : (f32) -> f32
  llvm.store %b, %x : f32, !llvm.ptr<1>
  llvm.return
}

// -----

// expected-error@+1 {{expected the threads of an instance in 'nvvm.reqntid'}}
llvm.func @threads() attributes {nvvm.kernel} {
  llvm.return
}

// -----

// expected-warning@+1 {{the assembler of PTX: For entry few adjusting per thread register count of 16 to lower bound of 24}}
llvm.func @few() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, nvvm.maxnreg = 16 : i32} {
  llvm.return
}
