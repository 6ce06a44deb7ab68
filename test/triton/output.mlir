// Printing and assertions of Triton are the same text on all targets.
// RUN: kiln-run %s --target=reference --grid=2 --arg=random:1:i32:8 --arg=i32:8 > %t.reference
// RUN: kiln-run %s --target=cpu,threads=1 --grid=2 --arg=random:1:i32:8 --arg=i32:8 > %t.cpu
// RUN: diff %t.reference %t.cpu
// RUN: FileCheck %s < %t.cpu
// CHECK: pid (0, 0, 0) idx (0) x: {{[0-9-]+}}
// CHECK: pid (0, 0, 0) idx (7) x: 0x
// CHECK: pid (1, 0, 0) idx (0) x: {{[0-9-]+}}
// RUN: not kiln-run %s --target=reference --grid=2 --arg=random:1:i32:8 --arg=i32:7 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not kiln-run %s --target=cpu --grid=2 --arg=random:1:i32:8 --arg=i32:7 2>&1 | FileCheck %s --check-prefix=FAIL
tt.func public @show(%x: !tt.ptr<i32>, %n: i32) {
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %p = tt.addptr %s, %range : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %v = tt.load %p : tensor<8x!tt.ptr<i32>>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %ok = arith.cmpi slt, %range, %ns : tensor<8xi32>
  // FAIL: {{^kiln-run: error: .*}}output.mlir:[[@LINE+1]]:3: too many{{$}}
  tt.assert %ok, "too many" : tensor<8xi1>
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %v : tensor<8xi32>
  tt.print " x: " {hex = true, isSigned = array<i32: 1>} : %v : tensor<8xi32>
  tt.return
}
