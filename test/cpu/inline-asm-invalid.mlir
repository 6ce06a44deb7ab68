// What is wrong with assembly is said where it stands.
// REQUIRES: x86_64
// RUN: not kiln-compile %s --entry=mnemonic --target=cpu -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=MNEMONIC
// RUN: not kiln-compile %s --entry=register --target=cpu -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=REGISTER
// RUN: not kiln-compile %s --entry=count --target=cpu -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not kiln-compile %s --entry=other --target=cpu -o %t.kpkg 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not kiln-run %s --entry=mnemonic --target=reference --grid=1 --arg=i32:1 --arg=zeros:i32:1 2>&1 | FileCheck %s --check-prefix=REFERENCE

tile.kernel @mnemonic(%n: i32, %y: !tile.ptr<i32>) {
  // MNEMONIC: inline-asm-invalid.mlir:[[@LINE+2]]:8: error: inline assembly: invalid instruction mnemonic 'frobnicate'
  // REFERENCE: inline-asm-invalid.mlir:[[@LINE+1]]:8: unsupported: evaluation of 'tile.inline_asm'
  %r = tile.inline_asm "frobnicate $1, $0" isa "x86_64" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  tile.store_ptr %y, %r : !tile.ptr<i32>, i32
}

tile.kernel @register(%n: f64, %y: !tile.ptr<i32>) {
  // REGISTER: inline-asm-invalid.mlir:[[@LINE+1]]:8: error: inline assembly: couldn't allocate {{.*}} constraint '{xyz}'
  %r = tile.inline_asm "mov $1, $0" isa "x86_64" constraints "=r,{xyz}" pack 1 pure (%n) : (f64) -> i32
  tile.store_ptr %y, %r : !tile.ptr<i32>, i32
}

tile.kernel @count(%n: i32, %y: !tile.ptr<i32>) {
  // COUNT: inline-asm-invalid.mlir:[[@LINE+1]]:8: note: cpu.inline_asm declined: the constraints do not fit 1 results and 1 operands in registers
  %r = tile.inline_asm "mov $1, $0" isa "x86_64" constraints "=r,r,r" pack 1 pure (%n) : (i32) -> i32
  tile.store_ptr %y, %r : !tile.ptr<i32>, i32
}

tile.kernel @other(%n: i32, %y: !tile.ptr<i32>) {
  // OTHER: inline-asm-invalid.mlir:[[@LINE+1]]:8: note: cpu.inline_asm declined: its text is for 'aarch64', not for 'x86_64'
  %r = tile.inline_asm "mov $0, $1" isa "aarch64" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  tile.store_ptr %y, %r : !tile.ptr<i32>, i32
}
