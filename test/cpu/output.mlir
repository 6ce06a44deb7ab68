// What kernels print and assert is the same text on all targets.
// RUN: rm -rf %t && mkdir %t
// RUN: kiln-run %s --entry=show --target=reference --grid=2,2 --arg=random:1:f32:6 --arg=i32:-5 --arg=f32:0.1 > %t/reference
// RUN: kiln-run %s --entry=show --target=cpu,threads=1 --grid=2,2 --arg=random:1:f32:6 --arg=i32:-5 --arg=f32:0.1 > %t/cpu
// RUN: diff %t/reference %t/cpu
// RUN: FileCheck %s < %t/cpu
// Instances on several threads: each operand's lines stay together.
// RUN: kiln-run %s --entry=show --target=cpu,threads=4 --grid=2,2 --arg=random:1:f32:6 --arg=i32:-5 --arg=f32:0.1 > %t/threads
// RUN: sort %t/cpu > %t/cpu-sorted
// RUN: sort %t/threads | diff %t/cpu-sorted -
// RUN: FileCheck %s --check-prefix=WHOLE < %t/threads
// CHECK: pid (0, 0, 0) begin
// CHECK: pid (0, 0, 0) small -5
// CHECK-NEXT: pid (0, 0, 0) small 4294967291
// CHECK: pid (0, 0, 0) bits 0xfffffffb
// CHECK-NEXT: pid (0, 0, 0) f 0.1
// CHECK-NEXT: pid (0, 0, 0) yes 1
// CHECK-NEXT: pid (0, 0, 0) idx (0, 0) x
// CHECK-NEXT: pid (0, 0, 0) idx (0, 1) x
// CHECK-NEXT: pid (0, 0, 0) idx (0, 2) x 0
// CHECK-NEXT: pid (0, 0, 0) idx (1, 0) x
// CHECK: pid (0, 0, 0) idx (2, 2) x 0
// CHECK-NEXT: pid (0, 0, 0) idx (0, 0) half
// CHECK: pid (0, 0, 0) idx (0, 0) byte
// CHECK: pid (0, 0, 0) idx (0, 0) mask 1
// CHECK: pid (0, 0, 0) idx (0) at 0x{{[0-9a-f]+}}
// CHECK: pid (1, 0, 0) begin
// WHOLE: pid (0, 1, 0) idx (0, 0) half
// WHOLE-COUNT-8: pid (0, 1, 0) idx ({{.}}, {{.}}) half
tile.kernel @show(%x: !tile.view<?xf32>, %n: i32, %f: f32) {
  %c0 = arith.constant 0 : index
  tile.print " begin"
  tile.print " small " %n, %n unsigned [false, true] : i32, i32
  tile.print " bits " hex %n : i32
  tile.print " f " %f : f32
  %zero = arith.constant 0 : i32
  %yes = arith.cmpi slt, %n, %zero : i32
  tile.print " yes " %yes : i1
  %some = tile.load %x at [%c0] : !tile.view<?xf32> -> tensor<3xf32>
  %column = tile.iota 0 : tensor<3x3xi32>
  %two = arith.constant dense<2> : tensor<3x3xi32>
  %three = tile.expand_dims %some axis 0 : tensor<3xf32> -> tensor<1x3xf32>
  %square = tile.broadcast %three : tensor<1x3xf32> -> tensor<3x3xf32>
  %row = tile.iota 1 : tensor<3x3xi32>
  %mask = arith.cmpi slt, %row, %two : tensor<3x3xi32>
  %none = arith.constant dense<0.0> : tensor<3x3xf32>
  %part = arith.select %mask, %square, %none : tensor<3x3xi1>, tensor<3x3xf32>
  tile.print " x " %part : tensor<3x3xf32>
  %half = arith.truncf %part : tensor<3x3xf32> to tensor<3x3xbf16>
  tile.print " half " %half : tensor<3x3xbf16>
  %byte = arith.truncf %part : tensor<3x3xf32> to tensor<3x3xf8E4M3FN>
  tile.print " byte " %byte : tensor<3x3xf8E4M3FN>
  tile.print " byte " hex %byte : tensor<3x3xf8E4M3FN>
  tile.print " mask " %mask : tensor<3x3xi1>
  %address = arith.constant dense<4096> : tensor<1xi64>
  %p = tile.int_to_ptr %address : tensor<1xi64> -> tensor<1x!tile.ptr<f32>>
  tile.print " at " %p : tensor<1x!tile.ptr<f32>>
  %i, %j = tile.program_id : index, index
  tile.print " i " %i : index
}

// RUN: not kiln-run %s --entry=check --target=cpu,threads=1 --grid=1 --arg=zeros:i32:100 --arg=i32:70 --save=0:%t/out.npy 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not kiln-run %s --entry=check --target=reference --grid=1 --arg=zeros:i32:100 --arg=i32:70 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not kiln-run %s --entry=check --target=cpu,threads=4 --grid=50 --arg=zeros:i32:100 --arg=i32:70 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not kiln-run %s --entry=check --target=cpu --grid=1 --arg=zeros:i32:100 --arg=i32:-1 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not kiln-run %s --entry=check --target=reference --grid=1 --arg=zeros:i32:100 --arg=i32:-1 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: kiln-run %s --entry=check --target=cpu --check --grid=1 --arg=zeros:i32:100 --arg=i32:100
tile.kernel @check(%x: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %positive = arith.cmpi sge, %n, %zero : i32
  // SCALAR: {{^kiln-run: error: .*}}output.mlir:[[@LINE+1]]:3: expected n >= 0{{$}}
  tile.assert %positive, "expected n >= 0" : i1
  %i = tile.iota 0 : tensor<100xi32>
  %ns = tile.splat %n : tensor<100xi32>
  %inside = arith.cmpi slt, %i, %ns : tensor<100xi32>
  // FAIL: {{^kiln-run: error: .*}}output.mlir:[[@LINE+2]]:3: index out of range{{$}}
  // FAIL-NOT: {{.}}
  tile.assert %inside, "index out of range" : tensor<100xi1>
  // The instance has gone by now where the assertion failed.
  %far = arith.constant 1000000000000 : i64
  %limit = arith.constant 100 : i32
  %all = arith.cmpi eq, %n, %limit : i32
  %zero64 = arith.constant 0 : i64
  %by = arith.select %all, %zero64, %far : i64
  %p = tile.ptr_add %x, %by : !tile.ptr<i32>, i64
  tile.store_ptr %p, %n : !tile.ptr<i32>, i32
}

// An instance that waits for one that has failed ends, too.
// RUN: not kiln-run %s --entry=wait --target=cpu --grid=2 --arg=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: the first one fails
tile.kernel @wait(%flag: !tile.ptr<i32>) attributes {progress = #tile<progress concurrent>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  %i = tile.program_id : index
  %others = arith.cmpi ne, %i, %zero : index
  tile.assert %others, "the first one fails" : i1
  scf.while : () -> () {
    %old = tile.atomic_cas acq_rel device %flag, %c1, %c0 : !tile.ptr<i32>, i32
    %waits = arith.cmpi ne, %old, %c1 : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
}

// The same where the body polls and the next iteration sees it, and where the access is nested.
// RUN: not kiln-run %s --entry=wait_carried --target=cpu --grid=2 --arg=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=WAIT
tile.kernel @wait_carried(%flag: !tile.ptr<i32>) attributes {progress = #tile<progress concurrent>} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0 : index
  %false = arith.constant false
  %true = arith.constant true
  %i = tile.program_id : index
  %others = arith.cmpi ne, %i, %zero : index
  tile.assert %others, "the first one fails" : i1
  scf.while (%done = %false) : (i1) -> () {
    %waits = arith.xori %done, %true : i1
    scf.condition(%waits)
  } do {
    %ends = scf.if %others -> i1 {
      %now = tile.atomic_rmw add acquire device %flag, %c0 mask %true : !tile.ptr<i32>, i32
      %is = arith.cmpi ne, %now, %c0 : i32
      scf.yield %is : i1
    } else {
      scf.yield %true : i1
    }
    scf.yield %ends : i1
  }
}
