// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products that read memory by themselves become. Of a descriptor bits 0 to 13 are the address, 16 to 29 the distance of
// pieces of rows that run across the sum (one where they run along it), 32 to 45 that of groups of eight rows, each without its last four
// bits, and 62 to 63 the length of a row: 1 for 128 bytes, 2 for 64.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --nvidia-lower-simt | FileCheck %s

// CHECK-LABEL: llvm.func @along
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr<3>, %[[Q:.*]]: !llvm.ptr<3>, %[[C:.*]]: f32)
llvm.func @along(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>, %c: f32) -> f32 {
  // CHECK: llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "~{memory}"
  simt.publish
  // 1 << 16 | 1024 / 16 << 32 | 1 << 62
  // CHECK: %[[A:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<3> to i32
  // CHECK: llvm.and %[[A]], %{{.*}} : i32
  // CHECK: llvm.lshr
  // CHECK: llvm.zext
  // CHECK: %[[HIGH:.*]] = llvm.mlir.constant(4611686293305360384 : i64) : i64
  // CHECK: %[[L:.*]] = llvm.or %{{.*}}, %[[HIGH]] : i64
  // 1 << 16 | 512 / 16 << 32 | 2 << 62
  // CHECK: %[[HIGH2:.*]] = llvm.mlir.constant(-9223371899415756800 : i64) : i64
  // CHECK: %[[R:.*]] = llvm.or %{{.*}}, %[[HIGH2]] : i64
  // CHECK: llvm.inline_asm has_side_effects "{ .reg .pred add; .reg .b64 lhs, rhs; setp.ne.b32 add, 1, 0; wgmma.fence.sync.aligned;
  // CHECK-SAME: add.s64 lhs, $8, 0; add.s64 rhs, $9, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0,$1,$2,$3}, lhs, rhs, add, 1, 1, 0, 0;
  // CHECK-SAME: add.s64 lhs, $8, 2; add.s64 rhs, $9, 2; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0,$1,$2,$3}, lhs, rhs, add, 1, 1, 0, 0; }",
  // CHECK-SAME: "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}" %[[C]], %[[C]], %[[C]], %[[C]], %[[L]], %[[R]]
  %d:4 = simt.mma_async "wgmma.m64k16.f32.bf16" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32], bytes = 8192>
    by %q as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0, 32], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  // CHECK: llvm.inline_asm has_side_effects "wgmma.commit_group.sync.aligned;", "~{memory}"
  simt.commit_products
  // What uses the sums comes behind the wait: it hands them on.
  // CHECK: %[[W:.*]] = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  // CHECK: llvm.extractvalue %[[W]][0]
  // CHECK: %[[LAST:.*]] = llvm.extractvalue %[[W]][3]
  %e:4 = simt.wait_products but 1 (%d#0, %d#1, %d#2, %d#3) : f32
  // CHECK: llvm.return %[[LAST]]
  llvm.return %e#3 : f32
}

// CHECK-LABEL: llvm.func @across
llvm.func @across(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>, %c: f32) {
  // 4096 / 16 << 16 | 1024 / 16 << 32 | 1 << 62
  // CHECK: llvm.mlir.constant(4611686293322072064 : i64) : i64
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, lhs, rhs, add, 1, 1, 1, 0;
  // CHECK-SAME: add.s64 lhs, $8, 128; add.s64 rhs, $9, 2;
  %d:4 = simt.mma_async "wgmma.m64k16.f32.f16" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 4096, summed = false, steps = [0, 2048], bytes = 4096>
    by %q as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0, 32], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0,$1,$2,$3}, lhs, rhs, add, 1, 1; }"
  %e:4 = simt.mma_async "wgmma.m64k8.f32.tf32" %q : !llvm.ptr<3> as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512>
    by %q as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  llvm.return
}

// Of the types that a row takes the factors say theirs: floats of 8 bits, and integers with and without a sign, whose sums
// are integers.
// CHECK-LABEL: llvm.func @bytes
llvm.func @bytes(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>, %c: f32, %n: i32) {
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0,$1,$2,$3}, lhs, rhs, add, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}"
  %d:4 = simt.mma_async "wgmma.m64k32.f32.f8" %p : !llvm.ptr<3> as #simt.matrix<element = f8E4M3FN, row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %q as #simt.matrix<element = f8E5M2, row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {$0,$1,$2,$3}, lhs, rhs, add; }", "=r,=r,=r,=r,0,1,2,3,l,l,~{memory}"
  %e:4 = simt.mma_async "wgmma.m64k32.i32.i8" %p : !llvm.ptr<3> as #simt.matrix<element = ui8, row = 128, group = 1024, panel = 8192, summed = true, steps = [0], bytes = 8192>
    by %q as #simt.matrix<element = si8, row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%n, %n, %n, %n) : i32 at !llvm.ptr<3>
  llvm.return
}

// Sums that begin as zeros need no registers before.
// CHECK-LABEL: llvm.func @fresh
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred add, none; .reg .b64 lhs, rhs; setp.ne.b32 add, 1, 0; setp.ne.b32 none, 0, 0; wgmma.fence.sync.aligned;
// CHECK-SAME: {$0,$1,$2,$3}, lhs, rhs, none, 1, 1, 0, 0; {{.*}} {$0,$1,$2,$3}, lhs, rhs, add, 1, 1, 0, 0; }",
// CHECK-SAME: "=f,=f,=f,=f,l,l,~{memory}" %{{[0-9]+}}, %{{[0-9]+}} : (i64, i64)
llvm.func @fresh(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>) {
  %c = llvm.mlir.constant(0.0 : f32) : f32
  %d:4 = simt.mma_async "wgmma.m64k16.f32.bf16" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = true, steps = [0, 32], bytes = 8192>
    by %q as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0, 32], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  %r:4 = simt.wait_products but 0 (%d#0, %d#1, %d#2, %d#3) : f32
  llvm.return
}

// Operations of a group are one piece of assembly, with the operands of all before it. Left factors may be in registers, two
// numbers in each.
// CHECK-LABEL: llvm.func @together
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred add; .reg .b64 rhs; setp.ne.b32 add, 1, 0; wgmma.fence.sync.aligned;
// CHECK-SAME: add.s64 rhs, $20, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0,$1,$2,$3}, {$16,$17,$18,$19}, rhs, add, 1, 1, 0;
// CHECK-SAME: add.s64 rhs, $25, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$4,$5,$6,$7}, {$21,$22,$23,$24}, rhs, add, 1, 1, 0; }",
// CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,r,r,r,r,l,r,r,r,r,l,~{memory}"
// CHECK-NOT: wgmma.mma_async
// CHECK: llvm.return
llvm.func @together(%p: !llvm.ptr<3>, %c: f32, %x: f16) {
  %d:4 = simt.mma_async "wgmma.m64k16.f32.f16.registers" (%x, %x, %x, %x, %x, %x, %x, %x) : f16
    by %p as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  %q = llvm.getelementptr %p[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %e:4 = simt.mma_async "wgmma.m64k16.f32.f16.registers" (%x, %x, %x, %x, %x, %x, %x, %x) : f16
    by %q as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  simt.commit_products
  llvm.return
}

// -----

llvm.func @untold(%p: !llvm.ptr<3>, %c: f32) {
  // expected-error@+1 {{unsupported: factors of 'wgmma.m64k32.f32.f8' whose elements are not f8E4M3FN or f8E5M2}}
  %d:4 = simt.mma_async "wgmma.m64k32.f32.f8" %p : !llvm.ptr<3> as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512>
    by %p as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @unknown(%p: !llvm.ptr<3>, %c: f32) {
  // expected-error@+1 {{unsupported: matrix instruction 'mma.m16n8k16.f32.f16'}}
  %d:4 = simt.mma_async "mma.m16n8k16.f32.f16" %p : !llvm.ptr<3> as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512>
    by %p as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  llvm.return
}

// -----

llvm.func @wide(%p: !llvm.ptr<3>, %c: f32) {
  // expected-error@+1 {{unsupported: factors of 'wgmma.m64k8.f32.tf32' whose rows are not along the sum}}
  %d:4 = simt.mma_async "wgmma.m64k8.f32.tf32" %p : !llvm.ptr<3> as #simt.matrix<row = 128, group = 1024, panel = 8192, summed = false, steps = [0], bytes = 512>
    by %p as #simt.matrix<row = 64, group = 512, panel = 512, summed = true, steps = [0], bytes = 512> plus (%c, %c, %c, %c) : f32 at !llvm.ptr<3>
  llvm.return
}
