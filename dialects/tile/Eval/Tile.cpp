// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect as something that can be evaluated.
#include "Families.h"
#include "Fourier.h"
#include "Launch.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// One function for every operation of tile.
struct TileEvaluation : EvaluationInterface {
  explicit TileEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    addTileKernel(*this);
    addTileMemory(*this);
    addTileShape(*this);
    addTileDot(*this);
    addTileDotScaled(*this);
    addTileReduce(*this);
    addTileScan(*this);
    addTileFourier(*this);
    addTileExtern(*this);
    addTileFunctions(*this);
    addTilePointer(*this);
  }
};

} // namespace

void registerTileEvaluation(DialectRegistry &registry) {
  registry.insert<tile::TileDialect>();
  registry.addExtension(+[](MLIRContext *, tile::TileDialect *dialect) {
    dialect->addInterfaces<TileEvaluation, TileLaunch>();
  });
}

} // namespace kiln::eval
