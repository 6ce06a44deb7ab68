// Unsigned operations on indices and on 64 bits: negative numbers are large ones.
// RUN: kiln-run %s --target=cpu --arg=index:-2 --arg=index:10 --entry=scalars | FileCheck %s --check-prefix=LARGE
// RUN: kiln-run %s --target=reference --arg=index:-2 --arg=index:10 --entry=scalars | FileCheck %s --check-prefix=LARGE
// RUN: kiln-run %s --target=cpu --arg=index:-2 --arg=index:-3 --entry=scalars | FileCheck %s --check-prefix=BOTH
// RUN: kiln-run %s --target=cpu --arg=index:17 --arg=index:5 --entry=scalars | FileCheck %s --check-prefix=SMALL
// RUN: kiln-run %s --target=cpu --entry=band | FileCheck %s --check-prefix=BAND
// RUN: kiln-opt %s --convert-linalg-to-prim | FileCheck %s --check-prefix=PRIM

// LARGE: result 0: i1: 0
// LARGE-NEXT: result 1: i64: 1844674407370955161
// LARGE-NEXT: result 2: i64: 4
// LARGE-NEXT: result 3: i64: 1844674407370955162
// BOTH: result 0: i1: 0
// BOTH-NEXT: result 1: i64: 1
// BOTH-NEXT: result 2: i64: 1
// BOTH-NEXT: result 3: i64: 2
// SMALL: result 0: i1: 0
// SMALL-NEXT: result 1: i64: 3
// SMALL-NEXT: result 2: i64: 2
// SMALL-NEXT: result 3: i64: 4
func.func @scalars(%a: index, %b: index) -> (i1, index, index, index) {
  %0 = arith.cmpi ult, %a, %b : index
  %1 = arith.divui %a, %b : index
  %2 = arith.remui %a, %b : index
  %3 = arith.ceildivui %a, %b : index
  return %0, %1, %2, %3 : i1, index, index, index
}

// Positions 3 to 7 of 12.
// BAND: result 0: 12xi64: 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0
func.func @band() -> tensor<12xi64> {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %yes = arith.constant 1 : i64
  %no = arith.constant 0 : i64
  %e = tensor.empty() : tensor<12xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<12xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %d = arith.subi %i, %c3 : index
    %inside = arith.cmpi ult, %d, %c5 : index
    %s = arith.select %inside, %yes, %no : i64
    linalg.yield %s : i64
  } -> tensor<12xi64>
  return %r : tensor<12xi64>
}

// What cannot be negative is divided as signed numbers are.
// PRIM-LABEL: func.func @positions
// PRIM: prim.div
// PRIM-NOT: prim.bitwise_xor
// PRIM: return
func.func @positions() -> tensor<12xi64> {
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<12xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<12xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %d = arith.divui %i, %c5 : index
    %s = arith.index_cast %d : index to i64
    linalg.yield %s : i64
  } -> tensor<12xi64>
  return %r : tensor<12xi64>
}
