// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loads of a kernel's loop that may begin early, and the waits of a ring of two slots.
#include "Ring.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <cstdio>

int main(int, char **argv) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  context.allowUnregisteredDialects();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  std::vector<mlir::Value> tiles;
  module->walk([&](mlir::scf::ForOp loop) {
    for (const isolated::EarlyLoad &early : isolated::findEarlyLoads(loop)) {
      std::printf("early load of %zu-dimensional tile, slice of %zu\n",
                  size_t(llvm::cast<mlir::RankedTensorType>(early.load->getResult(0).getType()).getRank()), early.slice.size());
      tiles.push_back(early.load->getResult(0));
    }
    tiles.push_back(loop.getResult(0));
    std::printf("end of loop\n");
  });
  if (tiles.size() < 3)
    return 1;
  isolated::Ring ring(256, 4096, 2, [](int64_t transfer) { std::printf("wait %d\n", int(transfer)); });
  auto load = [&](mlir::Value tile, int transfer, int64_t bytes = 4096) {
    auto address = ring.take(tile, bytes);
    std::printf("begin %d at %d\n", transfer, address ? int(*address) : -1);
    if (address)
      ring.begin(transfer);
  };
  auto read = [&](mlir::Value tile) {
    auto address = ring.find(tile);
    std::printf("read at %d\n", address ? int(*address) : -1);
  };
  load(tiles[0], 1);
  load(tiles[1], 2);
  read(tiles[1]); // waits for its own transfer alone
  load(tiles[2], 3); // into the first slot, whose transfer is in flight
  read(tiles[0]);    // another tile has its place
  load(tiles[0], 4, 5000);
  ring.finish();
  read(tiles[2]);
  // A loop's body is written once: what it reads of before stays through all iterations, and what it loads is gone behind it.
  isolated::Ring nested(256, 4096, 2, [](int64_t) {});
  auto place = [&](mlir::Value tile) {
    auto address = nested.take(tile, 4096);
    if (address)
      nested.begin(0);
    std::printf("in a loop at %d\n", address ? int(*address) : -1);
  };
  place(tiles[0]);
  nested.beginLoop();
  place(tiles[1]);
  place(tiles[2]); // in the place of the last one
  nested.beginLoop();
  place(tiles[1]); // both slots are kept
  nested.endLoop();
  std::printf("kept: %d %d\n", int(nested.find(tiles[0]).has_value()), int(nested.find(tiles[2]).has_value()));
  nested.endLoop();
  std::printf("kept: %d %d\n", int(nested.find(tiles[0]).has_value()), int(nested.find(tiles[2]).has_value()));
}
