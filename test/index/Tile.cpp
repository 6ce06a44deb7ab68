// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations of tile know of their results, and errors about sizes.
#include "kiln/Dialect/Tile/Tile.h"
#include "Check.h"
#include "kiln/Index/Analysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace kiln::index;
using namespace mlir;

static const char *kKernel = R"(
tile.kernel @k(%x: !tile.view<?x48xf32> {tile.size_div = array<i64: 16, 1>}, %p: !tile.ptr<f32>, %n: index) {
  %id = tile.program_id : index
  %count = tile.num_programs : index
  %m = tile.dim %x[0] : !tile.view<?x48xf32>
  %blocks = tile.num_blocks %x[0] by 8 : !tile.view<?x48xf32>
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %least = arith.maxsi %n, %c4 : index
  %size = arith.muli %least, %c12 : index
  %v = tile.make_view %p sizes [%size] : !tile.ptr<f32> -> !tile.view<?xf32>
  %made = tile.dim %v[0] : !tile.view<?xf32>
  %narrow = arith.index_cast %id : index to i32
  %c64 = arith.constant 64 : i32
  %start = arith.muli %narrow, %c64 overflow<nsw> : i32
  %wide = arith.index_cast %start : i32 to index
  %rest = arith.subi %wide, %c12 : index
  %wraps = arith.muli %narrow, %c64 : i32
}
)";

static const char *kAssumptions = R"(
tile.kernel @k(%n: i32, %m: i32, %s: i32 {tile.divisibility = 32 : i64}, %free: i32) {
  %c0 = arith.constant 0 : i32
  %c15 = arith.constant 15 : i32
  %c100 = arith.constant 100 : i32
  %low = arith.cmpi sgt, %n, %c0 : i32
  %high = arith.cmpi sge, %c100, %n : i32
  %both = arith.andi %low, %high : i1
  tile.assume %both : i1
  %bits = arith.andi %m, %c15 : i32
  %whole = arith.cmpi eq, %bits, %c0 : i32
  tile.assume %whole : i1
  %below = arith.cmpi ult, %m, %n : i32
  tile.assume %below : i1
  scf.if %low {
    %some = arith.cmpi sgt, %free, %c0 : i32
    tile.assume %some : i1
  }
}
)";

static void checkAssumptions(MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kAssumptions, &context);
  CHECK(module);
  if (!module)
    return;
  auto kernel = *module->getOps<kiln::tile::KernelOp>().begin();
  Analysis analysis;
  auto facts = [&](unsigned i) {
    return analysis.of(kernel.getBody().getArgument(i));
  };
  CHECK(facts(0).range == Interval::between(1, 100));
  CHECK(facts(1).range == Interval::between(0, 99));
  CHECK(facts(1).isMultipleOf(16));
  CHECK(facts(2).divisor == 32);
  // What is assumed in a branch says nothing elsewhere.
  CHECK(!facts(3).range.isNonNegative());
}

void checkTile() {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, scf::SCFDialect,
                      kiln::tile::TileDialect>();
  checkAssumptions(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kKernel, &context);
  CHECK(module);
  if (!module)
    return;
  auto kernel = *module->getOps<kiln::tile::KernelOp>().begin();
  SmallVector<Value> values;
  for (Operation &op : kernel.getBody().front())
    if (op.getNumResults() == 1 && !isa<arith::ConstantOp>(op))
      values.push_back(op.getResult(0));
  Analysis analysis;
  auto facts = [&](unsigned i) { return analysis.of(values[i]); };
  // Grids of more than 2^31 - 1 instances along an axis are refused.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  CHECK(facts(0).range == Interval::between(0, most - 1));
  CHECK(facts(1).range == Interval::between(1, most));
  CHECK(facts(2) == (Facts{Interval::atLeast(0), 16}));
  CHECK(facts(3) == (Facts{Interval::atLeast(0), 2}));
  CHECK(facts(7) == (Facts{Interval::atLeast(48), 12}));
  // A position in a kernel of 32-bit arithmetic, and one before it.
  CHECK(facts(10).range.isNonNegative() && facts(10).isMultipleOf(64));
  CHECK(!analysis.isNonNegative(values[11]) && facts(11).isMultipleOf(4));
  // Without the flag it may wrap around, which keeps powers of two.
  CHECK(!analysis.isNonNegative(values[12]) && facts(12).isMultipleOf(64));

  // One error at the operation for sizes that do not fit.
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    CHECK(isa<FileLineColLoc>(diagnostic.getLocation()));
  });
  OpBuilder builder(kernel.getBody());
  Math math(builder, kernel.getLoc());
  Expr size = math.mul(math.of(kernel.getArgument(2)), int64_t(1) << 62);
  CHECK(!math.failed() && !math.mul(size, 4).isKnown() && math.failed());
  CHECK(!math.add(kMost, 1).isKnown());
  CHECK_THAT(message == "unsupported: a size that does not fit 64 bits: "
                        "(4611686018427387904*s0) * (4)\n",
             message);
}
