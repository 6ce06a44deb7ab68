func.func @products(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %n: i64) {
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [2, 16] groups [2, 2] by @vdpbf16ps : bf16, bf16, f32
  cpu.micro_kernel %b, %a[%n], %c[%n] depth %n block [2, 16] groups [2, 2] by @vdpbf16ps : bf16, bf16, f32
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [2, 16] groups [1, 1] : f32, f32, f32
  cpu.acquire @tdpbssd
  cpu.micro_kernel %a, %b[%n], %c[%n] depth %n block [16, 16] groups [64, 4] by @tdpbssd : si8, si8, i32
  cpu.release @tdpbssd
  return
}
