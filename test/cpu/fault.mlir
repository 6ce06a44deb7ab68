// A kernel that leaves its buffers is an error that names it, on whatever thread it runs; files that were asked for
// are not there then.
// RUN: rm -rf %t && mkdir %t
// RUN: not kiln-run %s --target=cpu,threads=1 --grid=1 --arg=zeros:f32:64 --arg=i64:1000000000000 --save=0:%t/out.npy 2>&1 | FileCheck %s
// RUN: not kiln-run %s --target=cpu,threads=4 --grid=100 --arg=zeros:f32:64 --arg=i64:1000000000000 --save=0:%t/out.npy 2>&1 | FileCheck %s
// RUN: not test -e %t/out.npy
// CHECK: kiln-run: error: kernel 'stray': access outside of its buffers (address 0x{{[0-9a-f]+}}); run it with --target=reference, which names the operation
// CHECK-NOT: {{.}}
// RUN: not kiln-run %s --target=reference --grid=1 --arg=zeros:f32:64 --arg=i64:1000000000000 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: fault.mlir:[[@LINE+8]]:3: out-of-bounds access
// RUN: kiln-run %s --target=cpu --grid=1 --arg=zeros:f32:64 --arg=i64:0 --save=0:%t/out.npy
// RUN: test -e %t/out.npy

tile.kernel @stray(%x: !tile.ptr<f32>, %far: i64) {
  %one = arith.constant 1.0 : f32
  %p = tile.ptr_add %x, %far : !tile.ptr<f32>, i64
  // The address is in no mapping.
  tile.store_ptr %p, %one : !tile.ptr<f32>, f32
}
