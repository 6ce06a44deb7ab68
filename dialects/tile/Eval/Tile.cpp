// The tile dialect as something that can be evaluated.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

void kiln::eval::registerTileEvaluation(mlir::DialectRegistry &registry) {
  registry.insert<tile::TileDialect>();
}
