//===- CpuDialect.cpp - The cpu dialect -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Cpu/RowUse.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

#include "kiln/Dialect/Cpu/CpuOpsDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Cpu/CpuOpsAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Cpu/CpuOps.cpp.inc"

void CpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Cpu/CpuOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Cpu/CpuOps.cpp.inc"
      >();
}

LogicalResult ProductAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef row, int64_t rows, int64_t columns,
                                  int64_t depth, int64_t lhsOffset,
                                  int64_t panels, bool bounded,
                                  ArrayAttr narrow) {
  // (C1) Sizes.
  auto check = [&](StringRef what, int64_t value,
                   int64_t most) -> LogicalResult {
    if (value >= 1 && value <= most)
      return success();
    return emitError() << "expected '" << what << "' to be between 1 and "
                       << most << ", found " << value;
  };
  if (failed(check("rows", rows, 256)) ||
      failed(check("columns", columns, 256)) ||
      failed(check("depth", depth, 65536)) ||
      failed(check("panels", panels, 256)))
    return failure();
  // (C4) The offset; the rest of it is checked beside a product.
  if (lhsOffset != 0 && (lhsOffset != 128 || row.empty()))
    return emitError() << "expected 'lhs_offset' to be 0, or 128 with a row, "
                          "found "
                       << lhsOffset;
  // (C5) Other ways.
  for (Attribute way : narrow ? narrow.getValue() : ArrayRef<Attribute>())
    if (auto other = dyn_cast<ProductAttr>(way);
        !other || !other.getBounded() || other.getNarrow())
      return emitError() << "expected 'narrow' to hold #cpu.product with "
                            "'bounded' and nothing narrower, found "
                         << way;
  return success();
}

/// The description of a module for this family; null where it is for others.
static target::TargetAttr descriptionOf(Operation *op) {
  target::TargetAttr description = target::getDescription(op);
  return description && description.getFamily() == "cpu" ? description
                                                         : target::TargetAttr();
}

/// Whether a row can compute a product as the attribute says.
static LogicalResult verifyProduct(MatrixProductOpInterface product,
                                   ProductAttr attr,
                                   target::TargetAttr description) {
  if (attr.getRow().empty() || !description)
    return success();
  // (C2) The row is known and takes the types.
  target::MatrixInstructionAttr row =
      description.getMatrixInstruction(attr.getRow());
  auto fail = [&]() { return product->emitOpError() << "attribute 'split': "; };
  if (!row)
    return fail() << "the description of '" << description.getName()
                  << "' has no matrix instruction '" << attr.getRow() << "'";
  std::optional<RowUse> use = useOfRow(row, product, attr.getBounded());
  if (!use)
    return fail() << "matrix instruction '" << attr.getRow()
                  << "' does not take " << product->getOperandTypes()[0]
                  << " and " << product->getOperandTypes()[1];
  // (C3) Whole instructions.
  std::pair<StringRef, std::pair<int64_t, int64_t>> sizes[] = {
      {"rows", {attr.getRows(), use->m}},
      {"columns", {attr.getColumns(), use->n}},
      {"depth", {attr.getDepth(), use->k}}};
  for (auto [what, pair] : sizes)
    if (pair.first % pair.second)
      return fail() << "expected '" << what << "' to be a multiple of "
                    << pair.second << " for matrix instruction '"
                    << attr.getRow() << "', found " << pair.first;
  // (C4) The offset.
  if (attr.getLhsOffset() != use->lhsOffset)
    return fail() << "expected 'lhs_offset' to be " << use->lhsOffset
                  << " for matrix instruction '" << attr.getRow() << "', found "
                  << attr.getLhsOffset();
  return success();
}

LogicalResult
ProductAttr::verifyProductSplit(MatrixProductOpInterface product) const {
  target::TargetAttr description = descriptionOf(product);
  if (failed(verifyProduct(product, *this, description)))
    return failure();
  for (Attribute way : getNarrowWays())
    if (failed(verifyProduct(product, cast<ProductAttr>(way), description)))
      return failure();
  return success();
}

LogicalResult CpuDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  static constexpr KnownAttribute kKnown[] = {{kRuns, AttributeRole::Decision}};
  if (failed(verifyKnownAttribute(op, attr, kKnown)))
    return failure();
  auto runs = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  auto kernel = dyn_cast<MicroKernelOp>(op);
  bool isWhole = runs && kernel && !runs.empty() && runs.size() % 2 == 0 &&
                 runs.asArrayRef().back() == 1 &&
                 llvm::all_of(runs.asArrayRef(),
                              [](int64_t number) { return number > 0; }) &&
                 kernel.getLhsGroup() > kernel.getRhsGroup() &&
                 runs[runs.size() - 2] % kernel.getRhsGroup() == 0;
  if (isWhole)
    return success();
  return op->emitOpError()
         << "expected '" << kRuns
         << "' on a micro-kernel whose 'lhs_group' is larger than its "
            "'rhs_group', as pairs of a positive number of steps and their "
            "distance; the last distance is 1, and the last number a multiple "
            "of 'rhs_group'";
}

LogicalResult CpuDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned argument,
                                                   NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "argument", argument, attribute);
}

LogicalResult CpuDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "result", result, attribute);
}

LogicalResult MicroKernelOp::verify() {
  // (C1) Positive sizes.
  std::pair<StringRef, int64_t> sizes[] = {{"rows", getRows()},
                                           {"columns", getColumns()},
                                           {"lhs_group", getLhsGroup()},
                                           {"rhs_group", getRhsGroup()}};
  for (auto [what, size] : sizes) {
    int64_t most = what == "lhs_group" ? 65536 : 256;
    if (size < 1 || size > most)
      return emitOpError() << "expected '" << what << "' to be between 1 and "
                           << most << ", found " << size;
  }
  // (C2) The row is known.
  target::TargetAttr description = descriptionOf(*this);
  if (getRow() && description && !description.getMatrixInstruction(*getRow()))
    return emitOpError() << "the description of '" << description.getName()
                         << "' has no matrix instruction '" << *getRow() << "'";
  // (C4) Numbers of one kind.
  Type lhs = getLhsType(), rhs = getRhsType(), acc = getAccType();
  for (Type type : {lhs, rhs, acc})
    if (!type.isIntOrFloat() || isa<IntegerType>(type) != isa<IntegerType>(acc))
      return emitOpError() << "expected types of integers, or of floats, found "
                           << lhs << ", " << rhs << " and " << acc;
  // (C3) What is multiplied and added has the type of the sum.
  auto width = [](Type type) { return type.getIntOrFloatBitWidth(); };
  bool isEqual = isa<FloatType>(acc)
                     ? lhs == acc && rhs == acc
                     : width(lhs) == width(acc) && width(rhs) == width(acc);
  if (!getRow() && (!isEqual || getLhsGroup() != 1 || getRhsGroup() != 1))
    return emitOpError() << "expected a row for factors of types " << lhs
                         << " and " << rhs << " in groups of " << getLhsGroup()
                         << " and " << getRhsGroup();
  return success();
}
