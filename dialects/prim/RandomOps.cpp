// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits.
#include "kiln/Dialect/Prim/RandomOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/RandomOps.cpp.inc"

void PrimDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/RandomOps.cpp.inc"
      >();
}

LogicalResult RandomBitsOp::verify() {
  // C1
  if (failed(check::verifySizes(*this, getSizes().size(), getType())))
    return failure();
  // C2
  Type word = IntegerType::get(getContext(), 32);
  int64_t words = getAlgorithm() == RandomAlgorithm::threefry ? 2 : 4;
  if (failed(check::verifyElement(*this, "a key", word, getKey().getType())) ||
      failed(check::verifyShape(*this, "a key", 2, getKey().getType())) ||
      failed(check::verifyElement(*this, "a counter", word,
                                  getCounter().getType())))
    return failure();
  return check::verifyShape(*this, "a counter", words, getCounter().getType());
}
