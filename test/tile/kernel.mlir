// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel private @facts(%{{.*}}: !tile.view<?xf32> {tile.facts = {align = 64 : i64, readonly}}
// CHECK-SAME: !tile.view<?x8xbf16, strides = [?, -1]> {tile.facts = {size_div = array<i64: 16, 8>}}
// CHECK-SAME: %{{.*}}: !tile.ptr<i8>, %{{.*}}: f32, %{{.*}}: index)
// CHECK-SAME: hints = {cpu = {unroll = 4 : i64}}
// CHECK-SAME: numerics = #tile.numerics<contract = true, reassoc = true>
// CHECK-SAME: progress = #tile<progress concurrent>
tile.kernel private @facts(%x: !tile.view<?xf32> {tile.readonly, tile.align = 64 : i64},
                           %y: !tile.view<?x8xbf16, strides = [?, -1]> {tile.size_div = array<i64: 16, 8>},
                           %p: !tile.ptr<i8>, %s: f32, %n: index)
    attributes {numerics = #tile.numerics<contract = true, reassoc = true>,
                progress = #tile<progress concurrent>, hints = {cpu = {unroll = 4}}} {
  // CHECK-NEXT: tile.program_id : index, index, index
  %i:3 = tile.program_id : index, index, index
  // CHECK-NEXT: tile.num_programs : index
  %c = tile.num_programs : index
  // CHECK-NEXT: }
}

// The terminator is there although neither text shows it.
// CHECK-LABEL: tile.kernel @empty() {
// CHECK-NEXT: }
tile.kernel @empty() {
  tile.return
}
