// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of threads becomes the llvm dialect, operation by operation.
// RUN: kiln-opt %s --nvidia-lower-gpu | FileCheck %s
// RUN: kiln-opt %s --nvidia-lower-gpu --cse --canonicalize -o %t

// CHECK-LABEL: llvm.func @integers(
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[I:.*]]: i64) -> i32
// CHECK-SAME: gpu.note
func.func @integers(%x: i32, %y: i32, %i: index) -> i32 attributes {gpu.note} {
  // CHECK-DAG: llvm.mlir.constant(5 : i64) : i64
  // CHECK-DAG: llvm.mlir.constant(7 : i32) : i32
  %five = arith.constant 5 : index
  %seven = arith.constant 7 : i32
  // CHECK: %[[A:.*]] = llvm.add %[[X]], %[[Y]] overflow<nsw> : i32
  %a = arith.addi %x, %y overflow<nsw> : i32
  // CHECK: %[[C:.*]] = llvm.trunc %[[I]] : i64 to i32
  %c = arith.index_cast %i : index to i32
  // CHECK: llvm.mul %[[A]], %[[C]]
  %m = arith.muli %a, %c : i32
  // CHECK: %[[W:.*]] = llvm.mul {{.*}} : i64
  // CHECK: %[[S:.*]] = llvm.lshr %[[W]]
  // CHECK: llvm.trunc %[[W]] : i64 to i32
  // CHECK: %[[H:.*]] = llvm.trunc %[[S]] : i64 to i32
  %low, %high = arith.mulsi_extended %m, %seven : i32
  // CHECK: %[[Q:.*]] = llvm.sdiv %[[H]], %[[Y]]
  // CHECK: %[[R:.*]] = llvm.sub %[[H]], %{{.*}}
  // CHECK: llvm.icmp "slt"
  // CHECK: llvm.select
  %f = arith.floordivsi %high, %y : i32
  // CHECK: llvm.intr.smax
  %s = arith.maxsi %f, %low : i32
  // CHECK: "llvm.intr.ctlz"(%{{.*}}) <{is_zero_poison = false}>
  %z = math.ctlz %s : i32
  // CHECK: %[[P:.*]] = llvm.icmp "ult" {{.*}} : i64
  // CHECK: llvm.cond_br %[[P]], ^[[THEN:.*]](%{{.*}} : i32), ^[[ELSE:.*]]
  %p = arith.cmpi ult, %i, %five : index
  cf.cond_br %p, ^then(%z : i32), ^else
^then(%t: i32):
  // CHECK: llvm.return
  return %t : i32
^else:
  // CHECK: llvm.br ^[[THEN]]
  cf.br ^then(%s : i32)
}

// CHECK-LABEL: llvm.func internal @floats(
// CHECK-SAME: %{{.*}}: f16, %[[E:.*]]: i8) -> !llvm.struct<(f32, i8)>
func.func private @floats(%h: f16, %e: f8E5M2) -> (f32, f8E5M2) {
  // CHECK: %[[F:.*]] = llvm.fpext %{{.*}} : f16 to f32
  %f = arith.extf %h : f16 to f32
  // CHECK: llvm.fmul %[[F]], %[[F]] {fastmathFlags = #llvm.fastmath<contract>}
  %m = arith.mulf %f, %f fastmath<contract> : f32
  // CHECK: llvm.intr.fma(
  %a = math.fma %m, %f, %m : f32
  // CHECK: %[[N:.*]] = llvm.intr.maximum(
  %n = arith.maximumf %a, %f : f32
  // CHECK: %[[P:.*]] = llvm.fcmp "olt"
  %p = arith.cmpf olt, %n, %f : f32
  // CHECK: llvm.mlir.constant(60 : i8) : i8
  %one = arith.constant 1.0 : f8E5M2
  // CHECK: %[[S:.*]] = llvm.select %[[P]], %[[E]], %{{.*}} : i1, i8
  %s = arith.select %p, %e, %one : f8E5M2
  // CHECK: llvm.insertvalue %[[N]]
  // CHECK: llvm.insertvalue %[[S]]
  return %n, %s : f32, f8E5M2
}

// A quotient by a power of two is a shift where it is rounded down, and one more where there is a rest.
// CHECK-LABEL: llvm.func @rounded(
// CHECK-SAME: %[[X:.*]]: i64) -> i64
// CHECK-NOT: llvm.sdiv
// CHECK: %[[DOWN:.*]] = llvm.ashr %[[X]], %{{.*}} : i64
// CHECK: %[[LOW:.*]] = llvm.ashr %[[X]], %{{.*}} : i64
// CHECK: %[[REST:.*]] = llvm.and %[[X]], %{{.*}} : i64
// CHECK: %[[SOME:.*]] = llvm.icmp "ne" %[[REST]], %{{.*}} : i64
// CHECK: %[[ONE:.*]] = llvm.zext %[[SOME]] : i1 to i64
// CHECK: %[[UP:.*]] = llvm.add %[[LOW]], %[[ONE]] : i64
// CHECK: llvm.sub %[[DOWN]], %[[UP]] : i64
func.func @rounded(%x: i64) -> i64 {
  %c8 = arith.constant 8 : i64
  %down = arith.floordivsi %x, %c8 : i64
  %up = arith.ceildivsi %x, %c8 : i64
  %d = arith.subi %down, %up : i64
  return %d : i64
}

// A thread's number is less than the block's size, which LLVM is told.
// CHECK-LABEL: llvm.func @few_threads
// CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK: nvvm.read.ptx.sreg.tid.y range <i32, 0, 1> : i32
llvm.func @few_threads(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %x = gpu.thread_id x
  %y = gpu.thread_id y
  %sum = arith.addi %x, %y : index
  %v = arith.index_cast %sum : index to i64
  llvm.store %v, %out : i64, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @threads
llvm.func @threads(%out: !llvm.ptr<1>) {
  // CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[TI:.*]] = llvm.zext %[[T]] : i32 to i64
  %t = gpu.thread_id x
  %lane = gpu.lane_id
  %xor = arith.constant 16 : i32
  %width = arith.constant 32 : i32
  %v = arith.index_cast %t : index to i32
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: %[[LAST:.*]] = llvm.mlir.constant(31 : i32)
  // CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %{{.*}}, %[[LAST]] : i32 -> i32
  %s, %valid = gpu.shuffle xor %v, %xor, %width : i32
  // CHECK: llvm.bitcast %{{.*}} : f64 to vector<2xi32>
  // CHECK-COUNT-2: nvvm.shfl.sync idx
  %d = arith.sitofp %s : i32 to f64
  %e, %valid2 = gpu.shuffle idx %d, %xor, %width : f64
  // CHECK: llvm.bitcast %{{.*}} : f16 to i16
  // CHECK: nvvm.shfl.sync up {{.*}}return_value_and_is_valid
  // CHECK: llvm.trunc {{.*}} : i32 to i16
  %h = arith.truncf %e : f64 to f16
  %u, %valid3 = gpu.shuffle up %h, %xor, %width : f16
  // CHECK: nvvm.barrier0
  gpu.barrier
  %g = arith.extui %valid3 : i1 to i32
  llvm.store %g, %out : i32, !llvm.ptr<1>
  llvm.store %u, %out : f16, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @calls
func.func @calls(%h: f16, %e: f8E5M2) -> f32 {
  // CHECK: %[[BOTH:.*]] = llvm.call @floats
  // CHECK: llvm.extractvalue %[[BOTH]][0]
  %f, %g = call @floats(%h, %e) : (f16, f8E5M2) -> (f32, f8E5M2)
  return %f : f32
}

// Amounts of 64 bits are cut to what PTX takes, where LLVM does not see it: a choice of 0 for large ones must not
// become what the instruction does for their low half.
// CHECK-LABEL: llvm.func @shifts
func.func @shifts(%x: i64, %n: i64, %i: index, %small: i32) -> i64 {
  // CHECK: %[[MOST:.*]] = llvm.mlir.constant(64 : i64)
  // CHECK: %[[N:.*]] = llvm.intr.umin(%{{.*}}, %[[MOST]])
  // CHECK: %[[WORD:.*]] = llvm.trunc %[[N]] : i64 to i32
  // CHECK: llvm.inline_asm "shl.b64 $0, $1, $2;", "=l,l,r" %{{.*}}, %[[WORD]]
  %a = arith.shli %x, %n overflow<nsw> : i64
  // CHECK: llvm.intr.umin
  // CHECK: llvm.inline_asm "shr.s64 $0, $1, $2;"
  %b = arith.shrsi %a, %n : i64
  // CHECK-NOT: llvm.intr.umin
  // CHECK: llvm.lshr
  %five = arith.constant 5 : i64
  %c = arith.shrui %b, %five : i64
  // CHECK: llvm.shl %{{.*}} : i32
  %d = arith.shli %small, %small : i32
  // CHECK: llvm.intr.umin
  // CHECK: llvm.inline_asm "shl.b64 $0, $1, $2;"
  %e = index.shl %i, %i
  %f = arith.index_cast %e : index to i64
  %g = arith.extui %d : i32 to i64
  %h = arith.addi %f, %g : i64
  %r = arith.addi %c, %h : i64
  return %r : i64
}
