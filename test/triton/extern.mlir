// External functions on scalars and of f16.
// RUN: kiln-run %s --entry=scalar --target=cpu --check --grid=4 --arg=random:1:f32:4 --arg=zeros:f32:4
// RUN: kiln-run %s --entry=half --target=cpu --check --grid=1 --arg=random:1:f16:64 --arg=zeros:f16:64
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s
// CHECK-LABEL: @scalar
// CHECK: tile.call_extern "hypot" from "" pure(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
tt.func public @scalar(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %xp = tt.addptr %x, %pid : !tt.ptr<f32>, i32
  %v = tt.load %xp : !tt.ptr<f32>
  %a = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_erfinvf"} : (f32) -> f32
  %b = tt.extern_elementwise %v, %a {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} : (f32, f32) -> f32
  %c = tt.extern_elementwise %b, %v {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rz"} : (f32, f32) -> f32
  %d = tt.extern_elementwise %c {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (f32) -> f32
  %yp = tt.addptr %y, %pid : !tt.ptr<f32>, i32
  tt.store %yp, %d : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @half
// CHECK: math.sin %{{.*}} : tensor<64xf32>
// CHECK: tile.call_extern "hypot" from "" pure(%{{.*}}, %{{.*}}) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
tt.func public @half(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f16>>
  %a = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__ocml_sin_f16"} : (tensor<64xf16>) -> tensor<64xf16>
  %b = tt.extern_elementwise %v, %a {libname = "", libpath = "", pure = true, symbol = "__ocml_hypot_f16"} : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  %c = tt.extern_elementwise %b, %v {libname = "", libpath = "", pure = true, symbol = "__ocml_add_rtz_f16"} : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  %d = tt.extern_elementwise %c {libname = "", libpath = "", pure = true, symbol = "__ocml_i0_f16"} : (tensor<64xf16>) -> tensor<64xf16>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  tt.store %yp, %d : tensor<64x!tt.ptr<f16>>
  tt.return
}

// Functions that a library approximates may be approximated by a target.
// CHECK-LABEL: @fast
// CHECK: math.powf %{{.*}}, %{{.*}} fastmath<afn> : f32
// CHECK: math.log2 %{{.*}} fastmath<afn> : f32
// CHECK: math.sin %{{.*}} fastmath<afn> : f32
// CHECK: math.powf %{{.*}}, %{{.*}} : f32
tt.func public @fast(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %xp = tt.addptr %x, %pid : !tt.ptr<f32>, i32
  %v = tt.load %xp : !tt.ptr<f32>
  %a = tt.extern_elementwise %v, %v {libname = "", libpath = "", pure = true, symbol = "__nv_fast_powf"} : (f32, f32) -> f32
  %b = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_fast_log2f"} : (f32) -> f32
  %c = tt.extern_elementwise %b {libname = "", libpath = "", pure = true, symbol = "__nv_fast_sinf"} : (f32) -> f32
  %d = tt.extern_elementwise %c, %v {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (f32, f32) -> f32
  %yp = tt.addptr %y, %pid : !tt.ptr<f32>, i32
  tt.store %yp, %d : !tt.ptr<f32>
  tt.return
}
