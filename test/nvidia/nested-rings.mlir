// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multi-buffers inside of outer loops and conditions: the next round's copies take the place of slots that slow warps may still
// read. All threads are executed, and shared memory is watched; then each barrier, wait and guard is removed in turn, and the
// verifier has to object.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers))' -o %t.kernels
// RUN: FileCheck %s < %t.kernels
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=50 < %t.kernels
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-verify-barriers),canonicalize,cse)' -o %t.simt
// RUN: kiln-opt %t.simt --mlir-print-op-generic | %python %S/../gpu/execute.py %s
// RUN: %python %S/../gpu/mutations.py kiln-opt --least=75 < %t.simt

// A loop in a loop: its slots are filled anew in each round.
// nested: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 512
// nested: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// nested: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(64)))) < 1e-2 for m in range(16) for n in range(32))
// nested: expect count("simt.copy_async") > 2
// nested/once: scalars = [3, 16, 16, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// nested/once: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(16)))) < 1e-2 for m in range(16) for n in range(32))
// nested/never: scalars = [3, 16, 0, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// nested/never: expect all(v == 0 for v in c)
// The first slot of a round is filled when all threads have read the last one of the round before; in the inner loop one
// barrier parts readers and fillers.
// CHECK-LABEL: tile.kernel @nested(
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: stage.ring
// CHECK: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: stage.produce
// CHECK: simt.commit_copies
// CHECK-NOT: gpu.barrier
// CHECK: stage.produce
// CHECK: simt.commit_copies
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: simt.wait_copies but 1
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK: stage.produce
// CHECK: simt.commit_copies
// CHECK-NOT: gpu.barrier
// CHECK: stage.consume
// CHECK-NOT: gpu.barrier
// CHECK: stage.product
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
tile.kernel @nested(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  %sum = scf.for %r = %c0 to %batches step %c1 iter_args(%o = %zero) -> tensor<16x32xf32> {
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    scf.yield %t : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// Two loops in a loop, one in the place of the other.
// following: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 512
// following: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// following: expect all(abs(c[32 * m + n] - (2 * sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(64)))) < 1e-2 for m in range(16) for n in range(32))
// following: expect count("simt.copy_async") > 2
// following/once: scalars = [3, 16, 16, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// following/once: expect all(abs(c[32 * m + n] - (2 * sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(16)))) < 1e-2 for m in range(16) for n in range(32))
// following/never: scalars = [3, 16, 0, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// following/never: expect all(v == 0 for v in c)
tile.kernel @following(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  %sum = scf.for %r = %c0 to %batches step %c1 iter_args(%o = %zero) -> tensor<16x32xf32> {
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    %u = scf.for %k = %c0 to %n step %c1 iter_args(%s = %t) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    scf.yield %u : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// Rounds of 0, 1 and 2 iterations: fewer than there are slots.
// triangular: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 512
// triangular: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// triangular: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(16 * r)))) < 1e-2 for m in range(16) for n in range(32))
// triangular: expect count("simt.copy_async") > 2
tile.kernel @triangular(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  %sum = scf.for %r = %c0 to %batches step %c1 iter_args(%o = %zero) -> tensor<16x32xf32> {
    %l = arith.minui %r, %n : index
    %t = scf.for %k = %c0 to %l step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    scf.yield %t : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// A loop in some rounds only, and another one in the others.
// conditional: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 512
// conditional: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// conditional: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in (0, 2) for k in range(64)) + 2 * sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in (1,) for k in range(64)))) < 1e-2 for m in range(16) for n in range(32))
// conditional: expect count("simt.copy_async") > 2
// conditional/once: scalars = [3, 16, 16, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// conditional/once: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in (0, 2) for k in range(16)) + 2 * sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in (1,) for k in range(16)))) < 1e-2 for m in range(16) for n in range(32))
// conditional/never: scalars = [3, 16, 0, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// conditional/never: expect all(v == 0 for v in c)
tile.kernel @conditional(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  %sum = scf.for %r = %c0 to %batches step %c1 iter_args(%o = %zero) -> tensor<16x32xf32> {
    %is = arith.cmpi ne, %r, %c1 : index
    %v = scf.if %is -> (tensor<16x32xf32>) {
      %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
        %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
        %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
        %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
        scf.yield %d : tensor<16x32xf32>
      }
      scf.yield %t : tensor<16x32xf32>
    } else {
      %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
        %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
        %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
        %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
        scf.yield %d : tensor<16x32xf32>
      }
      %u = scf.for %k = %c0 to %n step %c1 iter_args(%s = %t) -> tensor<16x32xf32> {
        %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
        %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
        %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
        scf.yield %d : tensor<16x32xf32>
      }
      scf.yield %u : tensor<16x32xf32>
    }
    scf.yield %v : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// A loop without a count around.
// repeated: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 512
// repeated: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// repeated: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(64)))) < 1e-2 for m in range(16) for n in range(32))
// repeated: expect count("simt.copy_async") > 2
// repeated/once: scalars = [3, 16, 16, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// repeated/once: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(16)))) < 1e-2 for m in range(16) for n in range(32))
// repeated/never: scalars = [3, 16, 0, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// repeated/never: expect all(v == 0 for v in c)
tile.kernel @repeated(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  %end, %sum = scf.while (%p = %c0, %o = %zero) : (index, tensor<16x32xf32>) -> (index, tensor<16x32xf32>) {
    %is = arith.cmpi ult, %p, %batches : index
    scf.condition(%is) %p, %o : index, tensor<16x32xf32>
  } do {
  ^bb0(%r: index, %o: tensor<16x32xf32>):
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    %q = arith.addi %r, %c1 : index
    scf.yield %q, %t : index, tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// A loop with buffers of its own stands between the copies of the outer loop and the product that reads them, and may be
// skipped. Its waits do not count for the outer loop.
// between: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 512
// between: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// between: expect all(abs(c[32 * m + n] - (sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(16 * r)) + sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for r in range(3) for k in range(16)))) < 1e-2 for m in range(16) for n in range(32))
// between: expect count("simt.copy_async") > 4
tile.kernel @between(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  %sum = scf.for %r = %c0 to %batches step %c1 iter_args(%o = %zero) -> tensor<16x32xf32> {
    %p = tile.load %a[%r, %c0, %c0] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
    %q = tile.load %b[%r, %c0, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
    %l = arith.minui %r, %n : index
    %t = scf.for %k = %c0 to %l step %c1 iter_args(%s = %o) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    %u = tile.dot %p, %q, %t : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    scf.yield %u : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// Each round stores its product. The exchange before that begins beside the slots that others may still read; one barrier at
// the end of the round parts it from the next round's exchange and copies.
// points: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(3 * 16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(3 * 64 * 32)], c: f32 = [0.0] * 1536
// points: scalars = [3, 16, 64, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 3, 16, 32, 512, 32, 1, 1, 1, 1]
// points: expect all(abs(c[512 * r + 32 * m + n] - sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for k in range(64))) < 1e-2 for r in range(3) for m in range(16) for n in range(32))
// points: expect count("simt.copy_async") > 2
// points/once: scalars = [3, 16, 16, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 3, 16, 32, 512, 32, 1, 1, 1, 1]
// points/once: expect all(abs(c[512 * r + 32 * m + n] - sum((1 + (1024 * r + 64 * m + k) % 7 / 16) * (1 + (2048 * r + 32 * k + n) % 5 / 16) for k in range(16))) < 1e-2 for r in range(3) for m in range(16) for n in range(32))
// points/never: scalars = [3, 16, 0, 1024, 64, 1, 3, 64, 32, 2048, 32, 1, 3, 16, 32, 512, 32, 1, 1, 1, 1]
// points/never: expect all(v == 0 for v in c)
// CHECK-LABEL: tile.kernel @points(
// CHECK: simt.wait_copies but 1
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: simt.convert_layout {{.*}}simt.decided = {scratch = array<i64: 4608, 2048>}
// CHECK-NEXT: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
tile.kernel @points(%a: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %b: !tile.view<?x?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 8>},
                    %c: !tile.view<?x?x?xf32> {tile.noalias, tile.align = 16 : i64, tile.size_div = array<i64: 1, 1, 4>}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[2] by 16 : !tile.view<?x?x?xf16>
  %batches = tile.num_blocks %a[0] by 1 : !tile.view<?x?x?xf16>
  scf.for %r = %c0 to %batches step %c1 {
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16x32xf32> {
      %x = tile.load %a[%r, %c0, %k] : !tile.view<?x?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%r, %k, %c0] : !tile.view<?x?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    tile.store %t, %c[%r, %c0, %c0] : tensor<16x32xf32>, !tile.view<?x?x?xf32>
  }
}
