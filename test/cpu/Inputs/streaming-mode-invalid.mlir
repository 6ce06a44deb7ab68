func.func @unreleased(%a: !llvm.ptr) {
  cpu.acquire @fmopa.f32
  return
}

// -----
func.func @block(%a: !llvm.ptr, %n: i64) {
  cpu.micro_kernel %a, %a[%n], %a[%n] depth %n block [16, 24] groups [4, 4] by @smopa : si8, si8, i32
  return
}
