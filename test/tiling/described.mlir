// Blocks of products are multiples of a matrix unit's sizes, at edges too, and fit into its scratchpad together;
// where that is small, or has more to hold, they are smaller.
// RUN: kiln-compile %s --load-target=%S/Inputs/unit16.mlir --target=unit16 --emit=program | FileCheck %s
// RUN: kiln-compile %s --load-target=%S/Inputs/small16.mlir --target=small16 --emit=program | FileCheck %s --check-prefix=SMALL
// These targets have no code generator, so the host runs what they choose:
// RUN: unset KILN_NO_FALLBACK
// RUN: for entry in even odd more thin; do kiln-run %s --load-target=%S/Inputs/unit16.mlir --target=unit16 --check --entry=$entry; done
// RUN: for entry in even odd more thin; do kiln-run %s --load-target=%S/Inputs/small16.mlir --target=small16 --check --entry=$entry; done

// CHECK-LABEL: tile.kernel private @even
// CHECK: tile.dot {{.*}} tensor<64x16xf32>, tensor<16x128xf32>, tensor<64x128xf32>
// SMALL-LABEL: tile.kernel private @even
// SMALL: tile.dot {{.*}} tensor<16x16xf32>, tensor<16x32xf32>, tensor<16x32xf32>
func.func @even(%x: tensor<512x1024xf32>, %w: tensor<1024x768xf32>) -> tensor<512x768xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<512x1024xf32>, tensor<1024x768xf32> -> tensor<512x768xf32>
  return %0 : tensor<512x768xf32>
}

// CHECK-LABEL: tile.kernel private @odd
// CHECK: tile.dot {{.*}} tensor<112x48xf32>, tensor<48x48xf32>, tensor<112x48xf32>
func.func @odd(%x: tensor<100x47xf32>, %w: tensor<47x47xf32>) -> tensor<100x47xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<100x47xf32>, tensor<47x47xf32> -> tensor<100x47xf32>
  return %0 : tensor<100x47xf32>
}

// What is added to the product lives beside it.
// CHECK-LABEL: tile.kernel private @more
// CHECK: tile.dot
func.func @more(%x: tensor<128x256xf32>, %w: tensor<256x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<128x256xf32>, tensor<256x128xf32> -> tensor<128x128xf32>
  %1 = prim.add %0, %b : tensor<128x128xf32>
  %2 = prim.mul %1, %c : tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}

// A vector stays one: only what has rows is padded to the unit's.
// CHECK-LABEL: tile.kernel private @thin
// CHECK: tile.dot {{.*}} tensor<1x{{[0-9]+}}xbf16>, tensor<{{[0-9]+}}x208xbf16>, tensor<1x208xf32>
func.func @thin(%x: tensor<1x300xbf16>, %w: tensor<300x200xbf16>) -> tensor<1x200xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<1x300xbf16>, tensor<300x200xbf16> -> tensor<1x200xf32>
  return %0 : tensor<1x200xf32>
}
