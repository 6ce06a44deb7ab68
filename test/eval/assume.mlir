// The reference ends a launch in which an assumption does not hold; processors drop it, or check it as an assertion.
// RUN: kiln-run %s --target=reference --grid=1 --arg=i32:16 --arg=zeros:i32:1 --save=1:%t.npy
// RUN: %python %S/../triton/Inputs/check.py %t.npy 16
// RUN: not kiln-run %s --target=reference --grid=1 --arg=i32:-3 --arg=zeros:i32:1 2>&1 | FileCheck %s
// RUN: kiln-run %s --target=cpu --grid=1 --arg=i32:-3 --arg=zeros:i32:1
// RUN: kiln-run %s --target=cpu --check --grid=1 --arg=i32:16 --arg=zeros:i32:1
// RUN: kiln-compile %s --target=cpu --emit=llvm -o - | FileCheck %s --check-prefix=CODE
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-check-assumptions))' -o %t.mlir
// RUN: not kiln-run %t.mlir --target=cpu --grid=1 --arg=i32:-3 --arg=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=ASSERT
// CODE-NOT: icmp sgt
// ASSERT: the assumption does not hold
tile.kernel @positive(%n: i32, %y: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %positive = arith.cmpi sgt, %n, %c0 : i32
  %rest = arith.remsi %n, %c16 : i32
  %whole = arith.cmpi eq, %rest, %c0 : i32
  // CHECK: assume.mlir:[[#@LINE+1]]:3: the assumption does not hold
  tile.assume %positive : i1
  tile.assume %whole : i1
  tile.store_ptr %y, %n : !tile.ptr<i32>, i32
}
