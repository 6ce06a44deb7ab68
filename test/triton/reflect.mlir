// An index below the first element of the pointer is as good as any other.
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.arange(32, dtype=numpy.uint8))"
// RUN: kiln-run %s --target=reference --grid=1 --arg=%t.npy+20 --arg=zeros:i8:16 --save=0:%t.same.npy --save=1:%t.reference.npy
// RUN: kiln-run %s --target=cpu --grid=1 --arg=%t.npy+20 --arg=zeros:i8:16 --save=1:%t.cpu.npy
// RUN: %python -c "import numpy; x = numpy.load('%t.npy'); want = [x[20 - abs(i - 5)] for i in range(16)]; \
// RUN:   assert [numpy.load('%t.' + t + '.npy').tolist() for t in ('reference', 'cpu')] == [list(want)] * 2"
// A file that was saved from another keeps its type.
// RUN: cmp %t.npy %t.same.npy
// RUN: kiln-opt %s --pass-pipeline='builtin.module(convert-triton-to-tile,canonicalize,cse,tile.kernel(tile-recover-views{report=true}))' -o /dev/null 2>&1 | FileCheck %s
tt.func public @reflect(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>) {
  %five = arith.constant dense<5> : tensor<16xi32>
  %zero = arith.constant dense<0> : tensor<16xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %distance = arith.subi %range, %five : tensor<16xi32>
  %size = math.absi %distance : tensor<16xi32>
  %index = arith.subi %zero, %size : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<16x!tt.ptr<i8>>
  %from = tt.addptr %xs, %index : tensor<16x!tt.ptr<i8>>, tensor<16xi32>
  // CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: gather
  %v = tt.load %from : tensor<16x!tt.ptr<i8>>
  %ys = tt.splat %y : !tt.ptr<i8> -> tensor<16x!tt.ptr<i8>>
  %to = tt.addptr %ys, %range : tensor<16x!tt.ptr<i8>>, tensor<16xi32>
  tt.store %to, %v : tensor<16x!tt.ptr<i8>>
  tt.return
}
