// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms.
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Interfaces/Fourier.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/FourierOps.cpp.inc"

LogicalResult FourierOp::verify() {
  // C1 to C5
  std::string why =
      kiln::whyNoFourier(getOperands().getTypes(), getResults().getTypes(),
                         static_cast<int64_t>(getDim()));
  if (!why.empty())
    return emitOpError(why);
  // C6
  if (ShapedType::isDynamic(
          kiln::fourierLength(getOperands().getTypes(), getResults().getTypes(),
                              static_cast<int64_t>(getDim()))))
    return emitOpError("expected a size of 'dim' that is known");
  return success();
}

kiln::Accumulation FourierOp::getAccumulation() {
  return kiln::Accumulation::sumOver(
      {kiln::fourierLength(getOperands().getTypes(), getResults().getTypes(),
                           static_cast<int64_t>(getDim()))},
      4);
}
