//===- Contradictions.cpp - Parts of a description that disagree ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DescriptionChecks.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::target;

/// What the operands of an instruction have is among the types of its unit,
/// where that lists any. A sum may be wider than what it is the sum of.
static LogicalResult checkUnitTypes(EmitError emitError,
                                    MatrixInstructionAttr inst,
                                    ExecutionUnitAttr unit) {
  ArrayRef<Type> known = unit.getTypes();
  if (known.empty())
    return success();
  for (auto [name, operand] :
       {std::pair("lhs", inst.getLhs()), std::pair("rhs", inst.getRhs())})
    for (Type type : operand.getTypes()) {
      // A unit for i8 is one for si8, ui8 and what leaves bits of them unused.
      auto integer = dyn_cast<IntegerType>(type);
      if (!llvm::is_contained(known, type) &&
          !(integer &&
            llvm::is_contained(known,
                               Type(IntegerType::get(
                                   type.getContext(),
                                   llvm::PowerOf2Ceil(integer.getWidth()))))))
        return emitError() << "instruction '" << inst.getName() << "' has "
                           << name << " elements of type " << type
                           << ", which unit '" << unit.getName()
                           << "' does not list";
    }
  return success();
}

/// An instruction that lists no types is never chosen, and one whose operands
/// have fractions has no room for them in accumulators of integers.
static LogicalResult checkOperandTypes(EmitError emitError,
                                       MatrixInstructionAttr inst) {
  for (auto [name, operand] :
       {std::pair("lhs", inst.getLhs()), std::pair("rhs", inst.getRhs()),
        std::pair("acc", inst.getAcc())})
    if (operand.getTypes().empty())
      return emitError() << "expected instruction '" << inst.getName()
                         << "' to list the types of " << name
                         << " elements, found none";
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  if (llvm::all_of(inst.getLhs().getTypes(), isFloat) &&
      llvm::none_of(inst.getAcc().getTypes(), isFloat))
    return emitError() << "expected instruction '" << inst.getName()
                       << "' to add products of "
                       << inst.getLhs().getTypes().front()
                       << " to accumulators of floats, found "
                       << inst.getAcc().getTypes().front();
  return success();
}

/// The smallest operand of an instruction fits into the memory that holds it.
/// Registers are shared out among threads, so their size says less.
static LogicalResult checkOperandsFit(EmitError emitError,
                                      MatrixInstructionAttr inst,
                                      ArrayRef<MemoryAttr> memories) {
  int64_t m = inst.getM().getMin(), n = inst.getN().getMin(),
          k = inst.getK().getMin();
  struct Block {
    StringRef name;
    OperandAttr operand;
    int64_t rows, columns;
  };
  for (auto [name, operand, rows, columns] :
       {Block{"lhs", inst.getLhs(), m, k}, Block{"rhs", inst.getRhs(), k, n},
        Block{"acc", inst.getAcc(), m, n}})
    for (MemoryAttr memory : memories) {
      if (memory.getName() != operand.getHome() || !memory.getSize() ||
          memory.getKind() != MemoryKind::Explicit)
        continue;
      unsigned bits = ~0u;
      for (Type type : operand.getTypes())
        if (type.isIntOrFloat())
          bits = std::min(bits, type.getIntOrFloatBitWidth());
      bool isHuge = bits == ~0u, isMore = false;
      uint64_t elements =
          llvm::SaturatingMultiply<uint64_t>(rows, columns, &isMore);
      uint64_t bytes =
          llvm::SaturatingMultiply<uint64_t>(elements, bits, &isMore) / 8;
      if (!isHuge && (isMore || bytes > uint64_t(memory.getSize())))
        return emitError() << "expected memory '" << memory.getName()
                           << "' to hold the " << rows << "x" << columns
                           << " elements of " << name << " of instruction '"
                           << inst.getName() << "', " << bytes
                           << " bytes, found " << memory.getSize();
    }
  return success();
}

LogicalResult kiln::target::checkInstruction(EmitError emitError,
                                             MatrixInstructionAttr inst,
                                             ExecutionUnitAttr unit,
                                             ArrayRef<MemoryAttr> memories) {
  if (unit.getKind() != UnitKind::Matrix && unit.getKind() != UnitKind::Vector)
    return emitError() << "expected instruction '" << inst.getName()
                       << "' to be of a matrix or a vector unit, found '"
                       << unit.getName() << "' of kind "
                       << stringifyUnitKind(unit.getKind());
  if (failed(checkOperandTypes(emitError, inst)) ||
      failed(checkUnitTypes(emitError, inst, unit)))
    return failure();
  return checkOperandsFit(emitError, inst, memories);
}

LogicalResult
kiln::target::checkTilesFit(EmitError emitError, DictionaryAttr limits,
                            ArrayRef<MatrixInstructionAttr> instructions) {
  auto limit = limits.getAs<IntegerAttr>("max_tile_elements");
  if (!limit || limit.getValue().isZero())
    return success();
  for (MatrixInstructionAttr inst : instructions) {
    int64_t m = inst.getM().getMin(), n = inst.getN().getMin(),
            k = inst.getK().getMin();
    for (auto [rows, columns] :
         {std::pair(m, n), std::pair(m, k), std::pair(k, n)}) {
      bool isHuge = false;
      APInt elements = APInt(64, rows).smul_ov(APInt(64, columns), isHuge);
      if (isHuge || elements.sgt(limit.getValue().sextOrTrunc(64)))
        return emitError() << "expected limit 'max_tile_elements' to admit the "
                           << rows << "x" << columns
                           << " elements of instruction '" << inst.getName()
                           << "', found " << limit.getValue().getSExtValue();
    }
  }
  return success();
}
