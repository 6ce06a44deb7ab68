//===- OutputVariable.cpp - Space for what kernels tell the host ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/Lowering.h"
#include "kiln/Gpu/OutputRecord.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The module's variable, which the device driver fills in.
static LLVM::GlobalOp outputVariable(ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(kOutputSymbol))
    return known;
  OpBuilder b(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), kOutputWords);
  auto words = RankedTensorType::get({kOutputWords}, b.getI64Type());
  return LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External,
      kOutputSymbol, DenseElementsAttr::get(words, b.getI64IntegerAttr(0)),
      /*alignment=*/8, kGlobal);
}

LLVM::GlobalOp simt::lowerOutput(OutputOp op, OpBuilder &b,
                                 StringRef deviceScope) {
  Location loc = op.getLoc();
  LLVM::GlobalOp variable = outputVariable(op->getParentOfType<ModuleOp>());
  Type i64 = b.getI64Type();
  Value words = LLVM::AddressOfOp::create(b, loc, variable);
  auto at = [&](OutputVariable word) -> Value {
    return LLVM::GEPOp::create(b, loc, words.getType(), i64, words,
                               ArrayRef<LLVM::GEPArg>{int32_t(word)});
  };
  auto load = [&](OutputVariable word) -> Value {
    return LLVM::LoadOp::create(b, loc, i64, at(word), /*alignment=*/8,
                                /*isVolatile=*/true);
  };
  Value bytes =
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(op.getBytes()));
  Value begin = LLVM::AtomicRMWOp::create(
      b, loc, LLVM::AtomicBinOp::add, at(kOutputUsed), bytes,
      LLVM::AtomicOrdering::monotonic, deviceScope);
  Value end = LLVM::AddOp::create(b, loc, begin, bytes);
  Value fits = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ule, end,
                                    load(kOutputCapacity));
  Value place = LLVM::AddOp::create(b, loc, load(kOutputAddress), begin);
  Value none = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  place = LLVM::SelectOp::create(b, loc, fits, place, none);
  op.replaceAllUsesWith(
      LLVM::IntToPtrOp::create(b, loc, op.getType(), place).getResult());
  return variable;
}
