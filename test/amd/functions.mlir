// What instructions compute alone: NaN beside NaN of gfx950 and RDNA4, and powers whose results may be flushed.
// RUN: kiln-opt %s --kiln-set-target=spec=amd:gfx950 --amd-lower-math | FileCheck %s --check-prefixes=CHECK,NAN
// RUN: kiln-opt %s --kiln-set-target=spec=amd:gfx1201 --amd-lower-math | FileCheck %s --check-prefixes=CHECK,NAN
// RUN: kiln-opt %s --kiln-set-target=spec=amd:gfx942 --amd-lower-math | FileCheck %s --check-prefixes=CHECK,NUMBER

// CHECK-LABEL: func.func @larger
// NAN: llvm.call_intrinsic "llvm.maximum"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// NAN-NEXT: return
// NUMBER: llvm.call_intrinsic "llvm.maximumnum"
// NUMBER: arith.select
func.func @larger(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @powers
// CHECK: math.exp2
// CHECK: llvm.call_intrinsic "llvm.amdgcn.exp2"
// CHECK: arith.mulf
// CHECK: llvm.call_intrinsic "llvm.amdgcn.exp2"
func.func @powers(%x: f32) -> (f32, f32, f32) {
  %0 = math.exp2 %x : f32
  %1 = math.exp2 %x fastmath<afn> : f32
  %2 = math.exp %x fastmath<afn> : f32
  return %0, %1, %2 : f32, f32, f32
}

// The device library drops signs of zeros, its gamma function of f32 returns 0 for some large negative numbers, and its
// exponent of a NaN is another one.
// CHECK-LABEL: func.func @library
// CHECK: %[[NEXT:.*]] = llvm.call @__ocml_nextafter_f32
// CHECK: %[[SIGN:.*]] = arith.select %{{.*}}, %arg1, %arg0 : f32
// CHECK: %[[ZERO:.*]] = llvm.intr.copysign(%{{.*}}, %[[SIGN]])
// CHECK: arith.select %{{.*}}, %[[ZERO]], %[[NEXT]] : f32
// CHECK: %[[BESSEL:.*]] = llvm.call @__ocml_j1_f64
// CHECK: llvm.intr.copysign(%{{.*}}, %arg2)
// CHECK: %[[WIDE:.*]] = arith.extf %arg0 : f32 to f64
// CHECK: llvm.call @__ocml_tgamma_f64(%[[WIDE]])
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[EXPONENT:.*]] = llvm.call @__ocml_ilogb_f64
// CHECK: arith.select %{{.*}}, %c-2147483648_i32, %[[EXPONENT]] : i32
func.func @library(%x: f32, %y: f32, %z: f64) -> (f32, f64, f32, i32) {
  %0 = tile.call_extern "nextafter" from "" pure (%x, %y) : (f32, f32) -> f32
  %1 = tile.call_extern "j1" from "" pure (%z) : (f64) -> f64
  %2 = tile.call_extern "tgamma" from "" pure (%x) : (f32) -> f32
  %3 = tile.call_extern "ilogb" from "" pure (%z) : (f64) -> i32
  return %0, %1, %2, %3 : f32, f64, f32, i32
}
