// Products of every pair of types: small integers as values, so that sums are exact.
// RUN: for t in cpu reference; do kiln-run %s --entry=i8 --target=$t --grid=1 --arg=zeros:i32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f16_f32 --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=bf16 --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f8e4m3fn --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f8e5m2 --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f64 --target=$t --grid=1 --arg=zeros:f64:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f32_tf32 --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f32_ieee --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f32_tf32x3 --target=$t --grid=1 --arg=zeros:f32:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
// RUN: for t in cpu reference; do kiln-run %s --entry=f16_f16 --target=$t --grid=1 --arg=zeros:f16:16x16 --save=0:%t.0.npy && %python %S/Inputs/check.py %t.0.npy 5 -8 9 -4 3 5 -8 9 -4 3 5 -8 9 -4 3 5 7 -4 5 -6 ... || exit 1; done
tt.func private @values(%mul: i32, %add: i32, %mod: i32, %half: i32) -> tensor<512xi32> {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %mul0 = tt.splat %mul : i32 -> tensor<512xi32>
  %add0 = tt.splat %add : i32 -> tensor<512xi32>
  %mod0 = tt.splat %mod : i32 -> tensor<512xi32>
  %half0 = tt.splat %half : i32 -> tensor<512xi32>
  %0 = arith.muli %r, %mul0 : tensor<512xi32>
  %1 = arith.addi %0, %add0 : tensor<512xi32>
  %2 = arith.remsi %1, %mod0 : tensor<512xi32>
  %3 = arith.subi %2, %half0 : tensor<512xi32>
  tt.return %3 : tensor<512xi32>
}
// (3 i + 1) % 7 - 3 and (2 i + 3) % 5 - 2.
tt.func private @factors() -> (tensor<16x32xi32>, tensor<32x16xi32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %a = tt.call @values(%c3, %c1, %c7, %c3) : (i32, i32, i32, i32) -> tensor<512xi32>
  %b = tt.call @values(%c2, %c3, %c5, %c2) : (i32, i32, i32, i32) -> tensor<512xi32>
  %am = tt.reshape %a : tensor<512xi32> -> tensor<16x32xi32>
  %bm = tt.reshape %b : tensor<512xi32> -> tensor<32x16xi32>
  tt.return %am, %bm : tensor<16x32xi32>, tensor<32x16xi32>
}
tt.func public @i8(%c: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1> : tensor<16x16xi32>
  %a = arith.trunci %f#0 : tensor<16x32xi32> to tensor<16x32xi8>
  %b = arith.trunci %f#1 : tensor<32x16xi32> to tensor<32x16xi8>
  %d = tt.dot %a, %b, %one : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %v = tt.reshape %d : tensor<16x16xi32> -> tensor<256xi32>
  %cos = tt.splat %c : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<i32>>
  tt.return
}
tt.func public @f16_f32(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf16>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf16>
  %d = tt.dot %a, %b, %one : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @bf16(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xbf16>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xbf16>
  %d = tt.dot %a, %b, %one : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @f8e4m3fn(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %af = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf32>
  %a = tt.fp_to_fp %af, rounding = rtne : tensor<16x32xf32> -> tensor<16x32xf8E4M3FN>
  %bf = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf32>
  %b = tt.fp_to_fp %bf, rounding = rtne : tensor<32x16xf32> -> tensor<32x16xf8E4M3FN>
  %d = tt.dot %a, %b, %one : tensor<16x32xf8E4M3FN> * tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @f8e5m2(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %af = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf32>
  %a = tt.fp_to_fp %af, rounding = rtne : tensor<16x32xf32> -> tensor<16x32xf8E5M2>
  %bf = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf32>
  %b = tt.fp_to_fp %bf, rounding = rtne : tensor<32x16xf32> -> tensor<32x16xf8E5M2>
  %d = tt.dot %a, %b, %one : tensor<16x32xf8E5M2> * tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @f64(%c: !tt.ptr<f64>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf64>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf64>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf64>
  %d = tt.dot %a, %b, %one : tensor<16x32xf64> * tensor<32x16xf64> -> tensor<16x16xf64>
  %v = tt.reshape %d : tensor<16x16xf64> -> tensor<256xf64>
  %cos = tt.splat %c : !tt.ptr<f64> -> tensor<256x!tt.ptr<f64>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f64>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f64>>
  tt.return
}
tt.func public @f32_tf32(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf32>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf32>
  %d = tt.dot %a, %b, %one, inputPrecision = tf32 : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @f32_ieee(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf32>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf32>
  %d = tt.dot %a, %b, %one, inputPrecision = ieee : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @f32_tf32x3(%c: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf32>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf32>
  %d = tt.dot %a, %b, %one, inputPrecision = tf32x3 : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %v = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  %cos = tt.splat %c : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
tt.func public @f16_f16(%c: !tt.ptr<f16>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f:2 = tt.call @factors() : () -> (tensor<16x32xi32>, tensor<32x16xi32>)
  %one = arith.constant dense<1.0> : tensor<16x16xf16>
  %a = arith.sitofp %f#0 : tensor<16x32xi32> to tensor<16x32xf16>
  %b = arith.sitofp %f#1 : tensor<32x16xi32> to tensor<32x16xf16>
  %d = tt.dot %a, %b, %one : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf16>
  %v = tt.reshape %d : tensor<16x16xf16> -> tensor<256xf16>
  %cos = tt.splat %c : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %cop = tt.addptr %cos, %r : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
  tt.store %cop, %v : tensor<256x!tt.ptr<f16>>
  tt.return
}
