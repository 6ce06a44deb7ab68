//===- MicroKernel.cpp - Register-blocked products ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c[rows, vectors * lanes] += a * b over k steps: `a` is packed k-major with
// `rows` elements per step, `b` has `ldb` elements from one step to the next.
// Accumulators are separate registers, carried through the loop.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Builds the function of one micro-kernel.
struct MicroKernelBuilder {
  OpBuilder &b;
  Location loc;
  Type element;
  int64_t rows, vectors, lanes;

  Value c64(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Type registerType() {
    return lanes == 1 ? element : VectorType::get({lanes}, element);
  }
  Value at(Value base, Value index) {
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               ValueRange{index});
  }
  Value at(Value base, int64_t index) {
    if (index == 0)
      return base;
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  }
  unsigned align() { return element.getIntOrFloatBitWidth() / 8; }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(element))
      return math::FmaOp::create(b, loc, x, y, sum);
    return arith::AddIOp::create(b, loc, sum,
                                 arith::MulIOp::create(b, loc, x, y));
  }

  /// One step of k on all accumulators.
  void step(Value a, Value right, SmallVector<Value> &sums) {
    SmallVector<Value> row;
    for (int64_t j = 0; j < vectors; ++j)
      row.push_back(LLVM::LoadOp::create(b, loc, registerType(),
                                         at(right, j * lanes), align()));
    for (int64_t i = 0; i < rows; ++i) {
      Value x = LLVM::LoadOp::create(b, loc, element, at(a, i), align());
      if (lanes > 1)
        x = vector::BroadcastOp::create(b, loc, registerType(), x);
      for (int64_t j = 0; j < vectors; ++j) {
        Value &sum = sums[i * vectors + j];
        sum = multiplyAdd(x, row[j], sum);
      }
    }
  }

  void loop(Value lo, Value hi, int64_t unroll, Value a, Value right, Value ldb,
            SmallVector<Value> &sums) {
    auto loop = scf::ForOp::create(b, loc, lo, hi, c64(unroll), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar();
    SmallVector<Value> next(loop.getRegionIterArgs());
    Value left = at(a, arith::MulIOp::create(b, loc, k, c64(rows)));
    Value from = at(right, arith::MulIOp::create(b, loc, k, ldb));
    for (int64_t u = 0; u < unroll; ++u) {
      step(at(left, u * rows), from, next);
      if (u + 1 < unroll)
        from = at(from, ldb);
    }
    scf::YieldOp::create(b, loc, next);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }

  void build(func::FuncOp function) {
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    Value depth = entry->getArgument(0), a = entry->getArgument(1);
    Value right = entry->getArgument(2), ldb = entry->getArgument(3);
    Value c = entry->getArgument(4), ldc = entry->getArgument(5);
    SmallVector<Value> sums, places;
    Value row = c;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < vectors; ++j) {
        places.push_back(at(row, j * lanes));
        sums.push_back(LLVM::LoadOp::create(b, loc, registerType(),
                                            places.back(), align()));
      }
      if (i + 1 < rows)
        row = at(row, ldc);
    }
    constexpr int64_t unroll = 4;
    Value whole = arith::AndIOp::create(b, loc, depth, c64(-unroll));
    loop(c64(0), whole, unroll, a, right, ldb, sums);
    loop(whole, depth, 1, a, right, ldb, sums);
    for (auto [sum, place] : llvm::zip_equal(sums, places))
      LLVM::StoreOp::create(b, loc, sum, place, align());
    func::ReturnOp::create(b, loc);
  }
};
} // namespace

func::FuncOp KernelEmitter::microKernel(Type element, int64_t rows,
                                        int64_t vectors, int64_t lanes) {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name;
  llvm::raw_string_ostream(name) << "kiln_gemm_" << element << "_" << rows
                                 << "x" << vectors << "x" << lanes;
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto function = func::FuncOp::create(
      b, loc, name,
      b.getFunctionType({i64, pointer, pointer, i64, pointer, i64}, {}));
  function.setPrivate();
  function->setAttr("passthrough",
                    b.getArrayAttr({b.getStringAttr("noinline")}));
  MicroKernelBuilder{b, loc, element, rows, vectors, lanes}.build(function);
  return function;
}
