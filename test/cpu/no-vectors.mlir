// Machines without vectors have registers of 32 bits for the code generator: elements of 64 bits are scanned one by one.
// RUN: kiln-compile %s --target=cpu:rva22 --no-fallback --emit=asm -o - | FileCheck %s
// CHECK-LABEL: {{^}}wide:
// CHECK: mul {{.*}}
// CHECK: .Lfunc_end
tile.kernel @wide(%x: !tile.view<5x64xi64> {tile.readonly}, %y: !tile.view<5x64xi64> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<5x64xi64> -> tensor<5x64xi64>
  %b = tile.scan %a axis 1 : tensor<5x64xi64> -> tensor<5x64xi64> {
  ^bb0(%l: i64, %r: i64):
    %p = arith.muli %l, %r : i64
    tile.yield %p : i64
  }
  tile.store %b, %y[%c0, %c0] : tensor<5x64xi64>, !tile.view<5x64xi64>
}
