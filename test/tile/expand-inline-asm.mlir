// The text of a virtual instruction set, by what it means.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-inline-asm{keep=true}))' | FileCheck %s
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-inline-asm))' 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK-LABEL: tile.kernel @predicated
// CHECK-SAME: %[[X:.*]]: f32
tile.kernel @predicated(%x: f32, %y: !tile.ptr<f32>) {
  // CHECK: %[[P:.*]] = arith.cmpf ogt, %[[X]], %{{.*}} : f32
  // CHECK: %[[E:.*]] = math.exp2 %[[X]] : f32
  // CHECK: %[[R:.*]] = arith.select %[[P]], %[[X]], %[[E]] : f32
  // CHECK: tile.store_ptr %{{.*}}, %[[R]]
  %r = tile.inline_asm "{ .reg .pred p; setp.gt.f32 p, $1, 0f41A00000; ex2.approx.f32 $0, $1; @p mov.f32 $0, $1; }" isa "ptx"
    constraints "=f,f" pack 1 pure (%x) : (f32) -> f32
  tile.store_ptr %y, %r : !tile.ptr<f32>, f32
}

// Two elements share a register; the last pack is not full.
// CHECK-LABEL: tile.kernel @packs
tile.kernel @packs(%x: f16, %y: !tile.view<5xf16>) {
  %c0 = arith.constant 0 : index
  %a = tile.splat %x : tensor<5xf16>
  // CHECK: tile.cat {{.*}} : tensor<5xi16>, tensor<1xi16> -> tensor<6xi16>
  // CHECK: tile.reshape {{.*}} : tensor<6xi16> -> tensor<3x2xi16>
  // CHECK: tile.split {{.*}} : tensor<3x2xi16> -> tensor<3xi16>
  // CHECK: arith.addf {{.*}} : tensor<3xf16>
  // CHECK: arith.addf {{.*}} : tensor<3xf16>
  // CHECK: tile.join {{.*}} : tensor<3xf16> -> tensor<3x2xf16>
  // CHECK-NOT: tile.inline_asm
  %r = tile.inline_asm "add.f16x2 $0, $1, $1;" isa "ptx" constraints "=r,r" pack 2 pure (%a) : (tensor<5xf16>) -> tensor<5xf16>
  tile.store %r, %y[%c0] : tensor<5xf16>, !tile.view<5xf16>
}

// A block is an instance, on the one processor; no time passes.
// CHECK-LABEL: tile.kernel @specials
// CHECK-SAME: %[[OUT:.*]]: !tile.ptr<i32>
tile.kernel @specials(%y: !tile.ptr<i32>, %t: !tile.ptr<i64>) {
  // CHECK: %[[IDS:.*]]:3 = tile.program_id : index, index, index
  // CHECK: %[[ID:.*]] = arith.index_cast %[[IDS]]#1 : index to i32
  // CHECK: %[[NS:.*]]:3 = tile.num_programs : index, index, index
  // CHECK: %[[N:.*]] = arith.index_cast %[[NS]]#0 : index to i32
  // CHECK: %[[R:.*]] = arith.addi %[[ID]], %[[N]] : i32
  // CHECK: tile.store_ptr %[[OUT]], %[[R]]
  %r = tile.inline_asm "{ .reg .u32 i, n; mov.u32 i, %ctaid.y; mov.u32 n, %nctaid.x; add.u32 $0, i, n; }" isa "ptx" constraints "=r" pack 1 pure () : () -> i32
  tile.store_ptr %y, %r : !tile.ptr<i32>, i32
  // CHECK: %[[SM:.*]] = arith.constant 0 : i32
  // CHECK: tile.store_ptr %[[OUT]], %[[SM]]
  %s = tile.inline_asm "mov.u32 $0, %smid;" isa "ptx" constraints "=r" pack 1 pure () : () -> i32
  tile.store_ptr %y, %s : !tile.ptr<i32>, i32
  // CHECK: %[[TIME:.*]] = arith.constant 0 : i64
  // CHECK: tile.store_ptr %{{.*}}, %[[TIME]]
  %g = tile.inline_asm "mov.u64 $0, %globaltimer;" isa "ptx" constraints "=l" pack 1 () : () -> i64
  tile.store_ptr %t, %g : !tile.ptr<i64>, i64
}

// Nothing may wait for a clock that stands still; threads have no meaning.
// CHECK-LABEL: tile.kernel @waits
tile.kernel @waits(%end: i64) {
  scf.while : () -> () {
    // CHECK: tile.inline_asm "mov.u64 $0, %globaltimer;"{{.*}}{untranslated = "the instruction 'mov.u64 $0, %globaltimer': the clock '%globaltimer', which is always 0 here, in a loop that may wait for it"}
    // ERROR: [[#@LINE+1]]:10: error: 'tile.inline_asm' op unsupported: inline assembly with the instruction 'mov.u64 $0, %globaltimer': the clock '%globaltimer', which is always 0 here, in a loop that may wait for it
    %t = tile.inline_asm "mov.u64 $0, %globaltimer;" isa "ptx" constraints "=l" pack 1 () : () -> i64
    %c = arith.cmpi slt, %t, %end : i64
    scf.condition(%c)
  } do {
    scf.yield
  }
  // CHECK: tile.inline_asm "mov.u32 $0, %tid.x;"{{.*}}{untranslated = "the instruction 'mov.u32 $0, %tid.x': the operand '%tid.x'"}
  %i = tile.inline_asm "mov.u32 $0, %tid.x;" isa "ptx" constraints "=r" pack 1 () : () -> i32
}

// Text of a machine stays.
// CHECK-LABEL: tile.kernel @machine
tile.kernel @machine(%x: i32) {
  // CHECK: tile.inline_asm "bswap $0"
  %r = tile.inline_asm "bswap $0" isa "x86_64" constraints "=r,0" pack 1 pure (%x) : (i32) -> i32
}

// What is not known is named.
// CHECK-LABEL: tile.kernel @unknown
tile.kernel @unknown(%x: i64, %f: f32) {
  // CHECK: tile.inline_asm "ld.global.f32 $0, [$1];"{{.*}}{untranslated = "the instruction 'ld.global.f32 $0, [$1]': the operand '[$1]'"}
  // ERROR: [[#@LINE+1]]:8: error: 'tile.inline_asm' op unsupported: inline assembly with the instruction 'ld.global.f32 $0, [$1]': the operand '[$1]'
  %a = tile.inline_asm "ld.global.f32 $0, [$1];" isa "ptx" constraints "=f,l" pack 1 (%x) : (i64) -> f32
  // ERROR: [[#@LINE+1]]:8: error: 'tile.inline_asm' op unsupported: inline assembly with the instruction 'add.f32 $0, $1, t': the register 't', which is read before it is written
  %b = tile.inline_asm "{ .reg .f32 t; add.f32 $0, $1, t; }" isa "ptx" constraints "=f,f" pack 1 (%f) : (f32) -> f32
  // ERROR: [[#@LINE+1]]:8: error: 'tile.inline_asm' op unsupported: inline assembly with the result '$0', which is not written
  %c = tile.inline_asm "{ .reg .f32 t; mov.f32 t, $1; }" isa "ptx" constraints "=f,f" pack 1 (%f) : (f32) -> f32
  // ERROR: [[#@LINE+1]]:8: error: 'tile.inline_asm' op unsupported: inline assembly with a brace that is not closed
  %d = tile.inline_asm "{ mov.f32 $0, $1;" isa "ptx" constraints "=f,f" pack 1 (%f) : (f32) -> f32
  // ERROR: [[#@LINE+1]]:8: error: 'tile.inline_asm' op unsupported: inline assembly with the instruction 'bar.sync 0'
  %e = tile.inline_asm "bar.sync 0; mov.f32 $0, $1;" isa "ptx" constraints "=f,f" pack 1 (%f) : (f32) -> f32
}
