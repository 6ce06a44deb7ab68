// Conversions between float types in both roundings, and 8-bit types both ways.
// RUN: for t in cpu reference; do kiln-run %s --entry=f16 --target=$t --grid=1 --arg=%S/Inputs/halves.npy --arg=zeros:f16:8 --arg=zeros:f16:8 --save=1:%t.1.npy --save=2:%t.2.npy && %python %S/Inputs/check.py %t.1.npy 1.0 1.0 1.001953125 -1.0009765625 inf -0.0 448.0 1000.0 && %python %S/Inputs/check.py %t.2.npy 1.0 1.0 1.0009765625 -1.0 65504.0 -0.0 448.0 1000.0 || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f8 --target=$t --grid=1 --arg=%S/Inputs/halves.npy --arg=zeros:f32:8 --arg=zeros:f32:8 --arg=zeros:f32:8 --arg=zeros:f32:8 --save=1:%t.1.npy --save=2:%t.2.npy --save=3:%t.3.npy --save=4:%t.4.npy && %python %S/Inputs/check.py %t.1.npy 1.0 1.0 1.0 -1.0 448.0 -0.0 448.0 448.0 && %python %S/Inputs/check.py %t.2.npy 1.0 1.0 1.0 -1.0 57344.0 -0.0 448.0 1024.0 && %python %S/Inputs/check.py %t.3.npy 1.0 1.0 1.0 -1.0 57344.0 -0.0 448.0 896.0 && %python %S/Inputs/check.py %t.4.npy 1.0 1.0 1.0 -1.0 69632.0 -9.968061931431293e-10 448.0 1000.0 || exit 1; done
tt.func public @f16(%x: !tt.ptr<f32>, %y: !tt.ptr<f16>, %z: !tt.ptr<f16>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %vs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<f32>>
  %a = tt.fp_to_fp %v, rounding = rtne : tensor<8xf32> -> tensor<8xf16>
  %b = tt.fp_to_fp %v, rounding = rtz : tensor<8xf32> -> tensor<8xf16>
  %yos = tt.splat %y : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %yop = tt.addptr %yos, %r : tensor<8x!tt.ptr<f16>>, tensor<8xi32>
  tt.store %yop, %a : tensor<8x!tt.ptr<f16>>
  %zos = tt.splat %z : !tt.ptr<f16> -> tensor<8x!tt.ptr<f16>>
  %zop = tt.addptr %zos, %r : tensor<8x!tt.ptr<f16>>, tensor<8xi32>
  tt.store %zop, %b : tensor<8x!tt.ptr<f16>>
  tt.return
}
// There and back; what is too large becomes the largest number.
tt.func public @f8(%x: !tt.ptr<f32>, %o0: !tt.ptr<f32>, %o1: !tt.ptr<f32>, %o2: !tt.ptr<f32>, %o3: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %vs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %vp = tt.addptr %vs, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %vp : tensor<8x!tt.ptr<f32>>
  %a8 = tt.fp_to_fp %v, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %ah = tt.fp_to_fp %a8 : tensor<8xf8E4M3FN> -> tensor<8xf16>
  %a = arith.extf %ah : tensor<8xf16> to tensor<8xf32>
  %b8 = tt.fp_to_fp %v, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %bh = tt.fp_to_fp %b8 : tensor<8xf8E5M2> -> tensor<8xf16>
  %b = arith.extf %bh : tensor<8xf16> to tensor<8xf32>
  %c8 = tt.fp_to_fp %v, rounding = rtz : tensor<8xf32> -> tensor<8xf8E5M2>
  %ch = tt.fp_to_fp %c8 : tensor<8xf8E5M2> -> tensor<8xf16>
  %c = arith.extf %ch : tensor<8xf16> to tensor<8xf32>
  %d8 = tt.fp_to_fp %v, rounding = rtz : tensor<8xf32> -> tensor<8xbf16>
  %d = tt.fp_to_fp %d8 : tensor<8xbf16> -> tensor<8xf32>
  %o0os = tt.splat %o0 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %o0op = tt.addptr %o0os, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %o0op, %a : tensor<8x!tt.ptr<f32>>
  %o1os = tt.splat %o1 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %o1op = tt.addptr %o1os, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %o1op, %b : tensor<8x!tt.ptr<f32>>
  %o2os = tt.splat %o2 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %o2op = tt.addptr %o2os, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %o2op, %c : tensor<8x!tt.ptr<f32>>
  %o3os = tt.splat %o3 : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %o3op = tt.addptr %o3os, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %o3op, %d : tensor<8x!tt.ptr<f32>>
  tt.return
}
