// What lies along one dimension and is stored along another is read in squares of vectors, which are transposed in registers:
// whole lines of memory on both sides. Tiles at edges that are smaller than a square are read by elements.
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=tile | FileCheck %s --check-prefix=BLOCKS
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --entry=whole --emit=asm | FileCheck %s --check-prefix=WHOLE
// RUN: kiln-run %s --target=cpu --entry=whole --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=rests --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=fused --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=bytes --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=open --dim=a=129 --dim=b=70 --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=open --dim=a=3 --dim=b=100 --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu:x86-64-v3 --entry=rests --check | FileCheck %s --check-prefix=RESULT
// REQUIRES: x86_64

// RESULT: ok: {{.*}} largest error 0,

// BLOCKS-LABEL: tile.kernel @whole
// BLOCKS: tile.load {{.*}} -> tensor<64x64xf32>
// WHOLE-COUNT-32: {{vpermt2|vunpck|vshuf|vblend|vpermi2|vinsert}}
func.func @whole(%x: tensor<256x512xf32>) -> tensor<512x256xf32> {
  %0 = prim.transpose %x permutation [1, 0] : tensor<256x512xf32> -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// The last square of a tile begins before the end of the one in front.
func.func @rests(%x: tensor<3x149x131xf64>) -> tensor<131x3x149xf64> {
  %0 = prim.transpose %x permutation [2, 0, 1] : tensor<3x149x131xf64> -> tensor<131x3x149xf64>
  return %0 : tensor<131x3x149xf64>
}

// Functions of what is read, and of what is the same for all of a row.
func.func @fused(%x: tensor<200x90xbf16>, %y: tensor<90xf32>) -> tensor<90x200xf32> {
  %0 = prim.transpose %x permutation [1, 0] : tensor<200x90xbf16> -> tensor<90x200xbf16>
  %1 = prim.convert_element_type %0 : tensor<90x200xbf16> -> tensor<90x200xf32>
  %2 = prim.broadcast_in_dim %y dims [0] : tensor<90xf32> -> tensor<90x200xf32>
  %3 = prim.add %1, %2 : tensor<90x200xf32>
  return %3 : tensor<90x200xf32>
}

func.func @bytes(%x: tensor<2x77x100xi8>) -> tensor<2x100x77xi8> {
  %0 = prim.transpose %x permutation [0, 2, 1] : tensor<2x77x100xi8> -> tensor<2x100x77xi8>
  return %0 : tensor<2x100x77xi8>
}

func.func @open(%x: tensor<?x?xf32> {kiln.argument = {dims = ["a", "b"]}}) -> tensor<?x?xf32> {
  %0 = prim.transpose %x permutation [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
