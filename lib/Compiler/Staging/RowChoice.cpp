//===- RowChoice.cpp - Which instruction multiplies storage ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowChoice.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Staging/FactorLayouts.h"
#include "kiln/Staging/PanelBoxes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

target::MemoryAttr staging::chooseMemory(target::TargetAttr description,
                                         StringRef space) {
  if (!description)
    return {};
  if (!space.empty())
    return description.getMemory(space);
  for (auto kind : {target::MemoryKind::Explicit, target::MemoryKind::Cached})
    for (target::MemoryAttr memory : description.getMemories())
      if (memory.getKind() == kind)
        return memory;
  return {};
}

RowChoice::RowChoice(target::TargetAttr description, StringRef space,
                     bool columns, bool panels)
    : description(description), space(space), columns(columns), panels(panels) {
  if (target::MemoryAttr memory = chooseMemory(description, space))
    this->space = memory.getName().str();
}

target::MatrixInstructionAttr
RowChoice::choose(MatrixProductOpInterface product) const {
  target::Report &report = target::Report::of(product->getContext());
  for (target::MatrixInstructionAttr row :
       description.getMatrixInstructions()) {
    std::string reason = whyRefused(row, product);
    if (reason.empty())
      return row;
    report.declined(product, row.getName(), reason);
  }
  return {};
}

std::string RowChoice::whyRefused(target::MatrixInstructionAttr row,
                                  MatrixProductOpInterface product) const {
  if (!target::takesTypes(row, product))
    return target::whyTypesDiffer(row, product);
  if (!row.getAccumulate())
    return "it does not add to its sums (accumulate = false)";
  for (auto [name, operand] :
       {std::pair("lhs", row.getLhs()), std::pair("rhs", row.getRhs()),
        std::pair("acc", row.getAcc())})
    if (std::string reason = whyHome(operand); !reason.empty())
      return std::string("its ") + name + reason;
  for (auto [name, which] :
       {std::pair("lhs", Factor::Lhs), std::pair("rhs", Factor::Rhs)})
    if (std::string reason = whyLayout(row, product, which); !reason.empty())
      return std::string("its ") + name + reason;
  Attribute sums = row.getAcc().getLayout();
  auto order = dyn_cast_if_present<target::OrderAttr>(sums);
  if (sums && (!order || order.getValue() != target::Order::Row))
    return "its acc does not lie in rows, as sums do";
  return "";
}

std::string RowChoice::whyHome(target::OperandAttr operand) const {
  if (operand.getHome().empty() || space.empty() || operand.getHome() == space)
    return "";
  return (" lives in '" + operand.getHome() + "', but storage is in '" + space +
          "'")
      .str();
}

static target::OperandAttr operandOf(target::MatrixInstructionAttr row,
                                     Factor which) {
  return which == Factor::Lhs ? row.getLhs() : row.getRhs();
}
static Value factorOf(MatrixProductOpInterface product, Factor which) {
  return (which == Factor::Lhs ? product.getLhsOperand()
                               : product.getRhsOperand())
      .get();
}

/// Sizes of the instruction that are used; a range has small ones for edges.
static PanelLayout panelsOf(target::MatrixInstructionAttr row, int64_t group,
                            Factor which, unsigned rank) {
  if (which == Factor::Lhs)
    return {rank - 2, rank - 1, row.getM().getMin(), group};
  return {rank - 1, rank - 2, row.getN().getMin(), group};
}

std::string RowChoice::whyLayout(target::MatrixInstructionAttr row,
                                 MatrixProductOpInterface product,
                                 Factor which) const {
  Attribute layout = operandOf(row, which).getLayout();
  if (!layout)
    return "";
  if (auto order = dyn_cast<target::OrderAttr>(layout)) {
    if (order.getValue() == target::Order::Row || columns)
      return "";
    return " lies in columns, which the target's pipeline does not provide";
  }
  auto interleaved = dyn_cast<target::InterleaveAttr>(layout);
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (!interleaved) {
    os << " has a layout of another code generator, " << layout;
    return reason;
  }
  if (!panels) {
    os << " lies in panels (" << layout
       << "), which the target's pipeline does not provide";
    return reason;
  }
  Value factor = factorOf(product, which);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(factor.getType()).getShape();
  PanelLayout form = panelsOf(row, interleaved.getGroup(), which, shape.size());
  int64_t across = shape[form.panelDim], steps = shape[form.stepDim];
  if (across % form.width || steps % form.group) {
    os << " of sizes ";
    llvm::interleave(shape, os, "x");
    os << " is not made of whole panels of " << form.width << ", in groups of "
       << form.group << " steps";
    return reason;
  }
  int64_t boxes = countPanelBoxes(across, form.width, steps, form.group);
  for (int64_t size : shape.drop_back(2))
    boxes *= size;
  if (boxes > kMostPanelBoxes)
    os << " would be moved in " << boxes << " boxes, at most "
       << kMostPanelBoxes << " fill one tile";
  else if (!liesAs(product, which, storageOf(row, product, which)) &&
           !isFilledFor(product, which))
    os << " is computed by a region, and only copies from views fill panels";
  return reason;
}

std::array<int64_t, 3>
RowChoice::blockOf(target::MatrixInstructionAttr row,
                   MatrixProductOpInterface product) const {
  RankedTensorType type = product.getProductType();
  auto left = cast<RankedTensorType>(product.getLhsOperand().get().getType());
  int64_t rank = type.getRank();
  return {std::min(type.getDimSize(rank - 2), row.getM().getMin()),
          std::min(type.getDimSize(rank - 1), row.getN().getMin()),
          std::min(left.getDimSize(rank - 1), row.getK().getMin())};
}

MemRefType RowChoice::storageOf(target::MatrixInstructionAttr row,
                                MatrixProductOpInterface product,
                                Factor which) const {
  auto type = cast<RankedTensorType>(factorOf(product, which).getType());
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  Attribute layout = operandOf(row, which).getLayout();
  if (auto order = dyn_cast_if_present<target::OrderAttr>(layout))
    return order.getValue() == target::Order::Col ? inColumns(plain) : plain;
  if (auto interleaved = dyn_cast_if_present<target::InterleaveAttr>(layout)) {
    PanelLayout form =
        panelsOf(row, interleaved.getGroup(), which, type.getRank());
    return MemRefType::get(
        type.getShape(), type.getElementType(),
        AffineMapAttr::get(form.getMap(type.getContext(), type.getRank())));
  }
  return plain;
}

/// The storage that a factor is read from as a whole; null if it is computed.
static Value storageRead(Value factor) {
  auto read = factor.getDefiningOp<stage::StorageReadOpInterface>();
  return read && read.getOrigin().empty() ? read.getStorage() : Value();
}

bool RowChoice::isFilledFor(MatrixProductOpInterface product,
                            Factor which) const {
  Value storage = storageRead(factorOf(product, which));
  if (!storage || !storage.getDefiningOp<stage::StorageOpInterface>())
    return false;
  auto isLikeThis = [&](Operation *user) {
    auto other = dyn_cast<MatrixProductOpInterface>(user);
    Factor beside = which == Factor::Lhs ? Factor::Rhs : Factor::Lhs;
    return other && storageRead(factorOf(other, which)) == storage &&
           storageRead(factorOf(other, beside)) != storage &&
           factorOf(other, beside).getType() ==
               factorOf(product, beside).getType() &&
           other.getProductType() == product.getProductType() &&
           other.isLhsUnsigned() == product.isLhsUnsigned() &&
           other.isRhsUnsigned() == product.isRhsUnsigned() &&
           other.getProductPrecision() == product.getProductPrecision();
  };
  bool isCopied = false;
  for (Operation *user : storage.getUsers()) {
    if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(user)) {
      if (copy.getTarget() != storage || !copy.getTo().empty())
        return false;
      isCopied = true;
      continue;
    }
    auto read = dyn_cast<stage::StorageReadOpInterface>(user);
    if (!read || !read.getOrigin().empty() ||
        !llvm::all_of(read.getResult().getUsers(), isLikeThis))
      return false;
  }
  return isCopied;
}

bool RowChoice::liesAs(MatrixProductOpInterface product, Factor which,
                       MemRefType wanted) const {
  Value storage = storageRead(factorOf(product, which));
  return storage &&
         cast<MemRefType>(storage.getType()).getLayout() == wanted.getLayout();
}
