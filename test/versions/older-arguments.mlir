// Texts in which what is said of an argument was an attribute for each entry, as until version 0.2 of the dialects, are read.
// RUN: kiln-compile %s --target=reference --emit=prim -o - | FileCheck %s

// CHECK: func.func @update(%{{.*}}: tensor<8xf32> {kiln.argument = {domain = "positive", donated, name = "x"}}, %{{.*}}: tensor<8xi32> {kiln.argument = {range = array<i64: 0, 7>, unsigned}})
func.func @update(%x: tensor<8xf32> {kiln.name = "x", kiln.domain = "positive", kiln.donated},
                  %i: tensor<8xi32> {kiln.unsigned, kiln.range = array<i64: 0, 7>}) -> tensor<8xf32> {
  %0 = prim.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
