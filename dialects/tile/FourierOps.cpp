//===- FourierOps.cpp - Discrete Fourier transforms of tiles --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/FourierOps.h"
#include "kiln/Interfaces/Fourier.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/FourierOps.cpp.inc"

LogicalResult FourierOp::verify() {
  // (C1) to (C5)
  std::string why =
      kiln::whyNoFourier(getSources().getTypes(), getResults().getTypes(),
                         static_cast<int64_t>(getAxis()));
  if (!why.empty())
    return emitOpError(why);
  return success();
}

kiln::Accumulation FourierOp::getAccumulation() {
  return kiln::Accumulation::sumOver(
      {kiln::fourierLength(getSources().getTypes(), getResults().getTypes(),
                           static_cast<int64_t>(getAxis()))},
      4);
}
