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
