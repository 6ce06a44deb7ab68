// What copies of operands cost is a part of the description: other rates, other blocks. Without them the rates follow from the bandwidth of
// memory, here with the same choices. Few rows have rates of their own.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' > %t.stated.mlir
// RUN: sed 's/operand_copies = {[^{}]*{[^{}]*}[^{}]*}, //' %t.stated.mlir > %t.none.mlir
// RUN: not grep -q operand_copies %t.none.mlir
// RUN: sed 's/together = 50/together = 8/; s/whole = 66/whole = 8/' %t.stated.mlir > %t.slow.mlir
// RUN: for kind in stated none; do kiln-compile %s --target=nvidia:sm_90a,description=%t.$kind.mlir --emit=tile -o - | FileCheck %s || exit 1; done
// RUN: kiln-compile %s --target=nvidia:sm_90a,description=%t.slow.mlir --emit=tile -o - | FileCheck %s --check-prefix=SLOW
// CHECK-LABEL: tile.kernel {{.*}}@many
// CHECK-SAME: -> 128x160x64"
// CHECK-LABEL: tile.kernel {{.*}}@few
// CHECK-SAME: -> 16x32x256"
// SLOW-LABEL: tile.kernel {{.*}}@many
// SLOW-SAME: -> {{[0-9]+}}x32x{{[0-9]+}}"
// SLOW-LABEL: tile.kernel {{.*}}@few
// SLOW-SAME: -> 16x32x256"
func.func @many(%a: tensor<1536x1536xbf16>, %b: tensor<1536x1536xbf16>) -> tensor<1536x1536xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<1536x1536xbf16>, tensor<1536x1536xbf16> -> tensor<1536x1536xf32>
  return %d : tensor<1536x1536xf32>
}

func.func @few(%a: tensor<16x14336xbf16>, %b: tensor<4096x14336xbf16>) -> tensor<16x4096xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<16x14336xbf16>, tensor<4096x14336xbf16> -> tensor<16x4096xf32>
  return %d : tensor<16x4096xf32>
}
