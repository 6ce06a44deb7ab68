// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triton's quotients of f32 may err by 2 ulp, unless it was asked for the right one.
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s
// RUN: kiln-opt %s --convert-triton-to-tile=numerics=strict | FileCheck %s --check-prefix=STRICT
// RUN: for t in cpu reference; do kiln-run %s --entry=quotients --target=$t --grid=1 --arg=zeros:f32:4 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 3 3 0 0 || exit 1; done

// CHECK-LABEL: tile.kernel @quotients
// CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
// CHECK: arith.divf %{{.*}}, %{{[^ ]*}} : f32
// STRICT-NOT: fastmath
tt.func public @quotients(%y: !tt.ptr<f32>) {
  %c1 = arith.constant 1 : i32
  %six = arith.constant 6.0 : f32
  %two = arith.constant 2.0 : f32
  %a = arith.divf %six, %two : f32
  %b = tt.precise_divf %six, %two : f32
  tt.store %y, %a : !tt.ptr<f32>
  %y1 = tt.addptr %y, %c1 : !tt.ptr<f32>, i32
  tt.store %y1, %b : !tt.ptr<f32>
  tt.return
}
