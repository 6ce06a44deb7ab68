//===- MatrixRows.cpp - Products and rows of a description ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

/// Whether a factor of a row takes elements of a type.
static bool takesFactor(OperandAttr factor, Type element, bool isUnsigned,
                        ProductPrecision precision) {
  return llvm::any_of(factor.getTypes(), [&](Type listed) {
    if (isa<FloatTF32Type>(listed))
      return element.isF32() && precision == ProductPrecision::TF32;
    if (auto integer = dyn_cast<IntegerType>(listed);
        integer && !integer.isSignless())
      return element.isInteger(integer.getWidth()) &&
             integer.isUnsigned() == isUnsigned;
    return listed == element;
  });
}

bool target::takesSums(MatrixInstructionAttr row,
                       MatrixProductOpInterface product) {
  Type element = elementOf(product->getResult(0));
  return llvm::any_of(row.getAcc().getTypes(), [&](Type listed) {
    auto integer = dyn_cast<IntegerType>(listed);
    return listed == element ||
           (integer && element.isInteger(integer.getWidth()));
  });
}

bool target::takesTypes(MatrixInstructionAttr row,
                        MatrixProductOpInterface product) {
  ProductPrecision precision = product.getProductPrecision();
  return takesFactor(row.getLhs(), elementOf(product.getLhsOperand().get()),
                     product.isLhsUnsigned(), precision) &&
         takesFactor(row.getRhs(), elementOf(product.getRhsOperand().get()),
                     product.isRhsUnsigned(), precision) &&
         takesSums(row, product);
}

std::string target::whyTypesDiffer(MatrixInstructionAttr row,
                                   MatrixProductOpInterface product) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  auto list = [&](OperandAttr operand) {
    llvm::interleave(operand.getTypes(), os, "|");
  };
  auto factor = [&](OpOperand &operand, bool isUnsigned) {
    Type type = elementOf(operand.get());
    if (type.isSignlessInteger())
      os << (isUnsigned ? "ui" : "si") << type.getIntOrFloatBitWidth();
    else if (type.isF32() &&
             product.getProductPrecision() == ProductPrecision::TF32)
      os << "tf32";
    else
      os << type;
  };
  os << "it takes ";
  list(row.getLhs());
  os << " * ";
  list(row.getRhs());
  os << " + ";
  list(row.getAcc());
  os << ", found ";
  factor(product.getLhsOperand(), product.isLhsUnsigned());
  os << " * ";
  factor(product.getRhsOperand(), product.isRhsUnsigned());
  os << " + " << elementOf(product->getResult(0));
  return reason;
}

std::string target::whyFormDiffers(MatrixInstructionAttr row) {
  if (!row.getAccumulate())
    return "it does not add to its sums (accumulate = false)";
  switch (row.getStationary()) {
  case Stationary::None:
  case Stationary::Acc:
    return "";
  case Stationary::Lhs:
  case Stationary::Rhs:
    break;
  }
  return std::string("its ") +
         (row.getStationary() == Stationary::Lhs ? "lhs" : "rhs") +
         " stays in the unit between uses, but here sums do";
}
