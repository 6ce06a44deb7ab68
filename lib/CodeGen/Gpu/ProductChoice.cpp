//===- ProductChoice.cpp - Matrix instructions of products ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductChoice.h"
#include "FragmentLayouts.h"
#include "MemoryProducts.h"
#include "NarrowOperands.h"
#include "ScaledProductChoice.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The products of a block whose results a value is computed from in it.
static void addProductsBehind(Value value, Block *block,
                              SmallPtrSetImpl<Operation *> &seen,
                              SmallPtrSetImpl<Operation *> &products) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || !seen.insert(op).second)
    return;
  if (isa<MatrixProductOpInterface>(op)) {
    products.insert(op);
    return;
  }
  for (Value operand : op->getOperands())
    addProductsBehind(operand, block, seen, products);
}

bool simt::isChained(MatrixProductOpInterface op) {
  Block *block = op->getBlock();
  SmallVector<MatrixProductOpInterface> all(
      block->getOps<MatrixProductOpInterface>());
  if (all.size() < 2)
    return false;
  return llvm::any_of(all, [&](MatrixProductOpInterface other) {
    SmallPtrSet<Operation *, 16> seen, behind;
    addProductsBehind(other.getLhsOperand().get(), block, seen, behind);
    return other == op ? !behind.empty() : behind.contains(op);
  });
}

/// Whether the left factor is computed from the result of a product of its
/// block, element by element.
static bool followsResult(Value value, Block *block) {
  SmallVector<Value> work = {value};
  SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value part = work.pop_back_val();
    Operation *op = part.getDefiningOp();
    if (!isa<RankedTensorType>(part.getType()) || !op ||
        op->getBlock() != block || !seen.insert(op).second)
      continue;
    if (isa<MatrixProductOpInterface>(op))
      return true;
    if (op->hasTrait<OpTrait::Elementwise>())
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// Whether lanes have the same elements of a left factor as of the columns of
/// a result, as far as an instruction is deep.
static bool takesResults(target::MatrixInstructionAttr row) {
  auto lhs = dyn_cast_or_null<LayoutAttr>(row.getLhs().getLayout()),
       acc = dyn_cast_or_null<LayoutAttr>(row.getAcc().getLayout());
  if (!lhs || !acc || lhs.getRank() != 2 || acc.getRank() != 2)
    return false;
  auto below = [&](LayoutAttr layout) {
    SmallVector<int64_t> steps;
    for (const LayoutAttr::Basis &basis : layout.getRegisterBases())
      if (basis[1] && basis[1] < row.getK().getMin())
        steps.push_back(basis[1]);
    return steps;
  };
  return lhs.getLaneBases(0) == acc.getLaneBases(0) && below(lhs) == below(acc);
}

/// The instruction that a schedule script names.
static StringRef askedInstruction(const target::Asked &asked) {
  return cast<DictionaryAttr>(asked.value)
      .getAs<StringAttr>("instruction")
      .getValue();
}

std::string simt::whyNotAsked(MatrixProductOpInterface op,
                              const target::Asked &asked,
                              target::TargetAttr description, int64_t warps) {
  auto value = cast<DictionaryAttr>(asked.value);
  if (value.size() > 1)
    return "register blocks of threads follow from the warps and the "
           "instruction: expected no rows, columns or depth";
  StringRef name = askedInstruction(asked);
  target::MatrixInstructionAttr row = description.getMatrixInstruction(name);
  std::string why = !row                     ? "there is none"
                    : op.hasEncodedFactors() ? "its operands are encoded"
                    : op.getLhsScaleOperand()
                        ? "its operands have scales"
                        : whyRefused(op, row, description, warps);
  return why.empty() ? "" : "matrix instruction '" + name.str() + "': " + why;
}

target::MatrixInstructionAttr
simt::findInstruction(MatrixProductOpInterface op,
                      target::TargetAttr description, int64_t warps) {
  bool hasFormats = tile::hasFormats(op);
  if (!description ||
      (!hasFormats && (op.hasEncodedFactors() || op.getLhsScaleOperand())))
    return {};
  target::MatrixInstructionAttr best;
  RowCost bestCost;
  std::optional<target::Asked> asked = target::findAsked(op, "instruction");
  for (target::MatrixInstructionAttr row :
       description.getMatrixInstructions()) {
    if (asked && row.getName() != askedInstruction(*asked))
      continue;
    if (hasFormats ? !tile::takesScales(row, op, description)
                   : (readsMemory(row) && !warps) ||
                         !whyRefused(op, row, description, warps).empty())
      continue;
    RowCost cost = costOf(op, row, description, warps);
    bool sparesExchange =
        best && cost.isLike(bestCost) && takesResults(row) &&
        !takesResults(best) &&
        followsResult(op.getLhsOperand().get(), op->getBlock());
    if (best && !cost.isBetterThan(bestCost) && !sparesExchange)
      continue;
    best = row;
    bestCost = cost;
  }
  return best;
}

/// Why an operand of a row is not one that threads have in registers.
static std::string whyNoFragment(StringRef name, target::OperandAttr operand,
                                 target::TargetAttr description) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  target::MemoryAttr home = description.getMemory(operand.getHome());
  if (home && home.getKind() != target::MemoryKind::Register)
    os << "its " << name << " lives in '" << home.getName()
       << "', but threads have it in registers"
       << (home == description.getSharedMemory()
               ? "; both factors in shared memory need #simt.swizzle as layout"
               : "");
  else if (!operand.getLayout())
    os << "its " << name << " has no layout of threads";
  else if (!isa<LayoutAttr>(operand.getLayout()))
    os << "its " << name << " lies as " << operand.getLayout()
       << ", which is no layout of threads";
  return reason;
}

/// Why the layout of an operand that threads have in registers is none of its
/// elements.
static std::string whyMisfits(StringRef name, target::OperandAttr operand,
                              target::RangeAttr rows, target::RangeAttr columns,
                              int64_t lanes) {
  auto layout = cast<LayoutAttr>(operand.getLayout());
  int64_t shape[] = {rows.getMin(), columns.getMin()};
  std::string why, sizes = (Twine(shape[0]) + "x" + Twine(shape[1])).str();
  int64_t own = int64_t(1) << layout.getLaneBases(0).size();
  if (!layout.getWarps().empty())
    return ("its " + name + " has a layout for several warps, where one has it")
        .str();
  if (own > lanes)
    return ("its " + name + " has a layout for " + Twine(own) +
            " lanes, found warps of " + Twine(lanes))
        .str();
  if (!llvm::isPowerOf2_64(shape[0]) || !llvm::isPowerOf2_64(shape[1]))
    return ("its " + name + " of " + sizes +
            " elements has a layout, which is for powers of two")
        .str();
  OwnDiagnostics handler(layout.getContext(), [&](Diagnostic &diag) {
    why = diag.str();
    return success();
  });
  Location loc = UnknownLoc::get(layout.getContext());
  if (succeeded(layout.verifyLayoutFor(shape, [&] { return emitError(loc); })))
    return "";
  return ("its " + name + " has no layout of " + sizes + " elements: " + why)
      .str();
}

static bool isFloat8(Type factor) {
  return isa<FloatType>(factor) && factor.getIntOrFloatBitWidth() == 8;
}

static bool isPartOfSum(int64_t terms) {
  return terms > 0 && terms < kAllTermsImprecise;
}

bool simt::sumsWithFewerBits(MatrixProductOpInterface op) {
  return isFloat8(getElementTypeOrSelf(op.getLhsOperand().get().getType()));
}

bool simt::sumsWithFewerBits(stage::ProductOp op) {
  return isFloat8(op.getFactorType(0).getElementType());
}

bool simt::sumsInParts(MatrixProductOpInterface op) {
  return sumsWithFewerBits(op) && isPartOfSum(op.getImpreciseTerms());
}

bool simt::sumsInParts(stage::ProductOp op) {
  return sumsWithFewerBits(op) && isPartOfSum(op.getMaxImpreciseAcc());
}

std::string simt::whyImprecise(MatrixProductOpInterface op,
                               target::MatrixInstructionAttr row) {
  int64_t depth = row.getK().getMin(), allowed = op.getImpreciseTerms();
  if (!sumsWithFewerBits(op) || allowed >= depth)
    return "";
  return ("it may sum " + Twine(depth) +
          " terms with fewer bits, the product allows " + Twine(allowed))
      .str();
}

/// Whether the contract lets a product read subnormal numbers as zero.
static bool mayFlush(MatrixProductOpInterface op) {
  auto isBf16 = [](OpOperand &factor) {
    return getElementTypeOrSelf(factor.get().getType()).isBF16();
  };
  return (isBf16(op.getLhsOperand()) && isBf16(op.getRhsOperand())) ||
         mayFlushSubnormals(op);
}

std::string simt::whyRefused(MatrixProductOpInterface op,
                             target::MatrixInstructionAttr row,
                             target::TargetAttr description, int64_t warps) {
  if (!target::takesTypes(row, op))
    return target::whyTypesDiffer(row, op);
  if (std::string form = target::whyFormDiffers(row); !form.empty())
    return form;
  if (row.getFlushesSubnormals() && !mayFlush(op))
    return "it reads subnormal numbers as zero";
  if (readsMemory(row))
    return whyNotFromMemory(op, row, description, warps);
  for (auto [name, operand] :
       {std::pair("lhs", row.getLhs()), std::pair("rhs", row.getRhs()),
        std::pair("acc", row.getAcc())})
    if (std::string reason = whyNoFragment(name, operand, description);
        !reason.empty())
      return reason;
  for (auto [name, operand, rows, columns] :
       {std::tuple("lhs", row.getLhs(), row.getM(), row.getK()),
        std::tuple("rhs", row.getRhs(), row.getK(), row.getN()),
        std::tuple("acc", row.getAcc(), row.getM(), row.getN())})
    if (std::string reason =
            whyMisfits(name, operand, rows, columns, lanesOf(description));
        !reason.empty())
      return reason;
  auto lhs = cast<RankedTensorType>(op.getLhsOperand().get().getType());
  auto acc = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = acc.getRank(), depth = row.getK().getMin();
  int64_t m = acc.getDimSize(rank - 2), n = acc.getDimSize(rank - 1);
  int64_t k = lhs.getDimSize(rank - 1);
  std::string reason;
  llvm::raw_string_ostream os(reason);
  auto isPower = [](int64_t size) { return llvm::isPowerOf2_64(size); };
  if (!llvm::all_of(acc.getShape(), isPower) || !isPower(k))
    os << "layouts of threads are for powers of two, found " << m << "x" << k
       << " by " << k << "x" << n;
  else if (k < depth)
    os << "it sums at least " << depth << " terms, found " << m << "x" << k
       << " by " << k << "x" << n;
  else
    return whyImprecise(op, row);
  return reason;
}

std::string simt::whyNoInstruction(MatrixProductOpInterface op,
                                   target::TargetAttr description) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  ArrayRef<target::MatrixInstructionAttr> rows;
  if (description)
    rows = description.getMatrixInstructions();
  auto element = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type lhs = element(op.getLhsOperand().get()),
       rhs = element(op.getRhsOperand().get());
  auto acc = cast<RankedTensorType>(op->getResult(0).getType());
  if (llvm::none_of(rows,
                    [&](auto row) { return target::takesTypes(row, op); })) {
    os << "none takes " << lhs << " * " << rhs << " + " << acc.getElementType();
    if (lhs.isF32() && op.getProductPrecision() == ProductPrecision::IEEE)
      os << " with all bits of the factors";
    return reason;
  }
  os << "those for " << lhs << " * " << rhs
     << " do not divide a product of sizes ";
  llvm::interleave(acc.getShape(), os, "x");
  os << ", depth "
     << cast<RankedTensorType>(op.getLhsOperand().get().getType())
            .getShape()
            .back();
  if (op.getImpreciseTerms() == 0 && isa<FloatType>(lhs) &&
      lhs.getIntOrFloatBitWidth() == 8)
    os << ", or sum with fewer bits";
  return reason;
}

std::optional<ProductChoice> simt::chooseProduct(MatrixProductOpInterface op,
                                                 target::TargetAttr description,
                                                 int64_t warps,
                                                 bool inRegisters) {
  target::MatrixInstructionAttr row =
      findInstruction(op, description, inRegisters ? 0 : warps);
  if (!row)
    return std::nullopt;
  if (tile::hasFormats(op))
    return chooseScaledProduct(op, row, description, warps);
  if (readsMemory(row))
    return chooseMemoryProduct(op, row, warps);
  auto lhs = cast<RankedTensorType>(op.getLhsOperand().get().getType());
  RankedTensorType acc = op.getProductType();
  int64_t rank = acc.getRank();
  int64_t m = acc.getDimSize(rank - 2), n = acc.getDimSize(rank - 1);
  int64_t k = lhs.getDimSize(rank - 1), deep = row.getK().getMin();
  FragmentLayouts layouts(op, row, description, warps);
  const RowFit &fit = layouts.getFit();
  ProductChoice choice;
  choice.row = row;
  choice.isExchanged = fit.isExchanged;
  choice.lhs = layouts.of(0, {m, k}, fit.m, deep);
  choice.rhs = layouts.of(1, {k, n}, deep, fit.n);
  choice.acc = layouts.of(2, {m, n}, fit.m, fit.n);
  return choice;
}

LayoutAttr FragmentLayouts::of(LayoutAttr atom, int operand,
                               std::pair<int64_t, int64_t> shape, int64_t first,
                               int64_t second) const {
  // Rows and columns that the product does not have are copies.
  auto lift = [&](const Basis &basis) {
    return at(basis[0] < shape.first ? basis[0] : 0,
              basis[1] < shape.second ? basis[1] : 0);
  };
  auto isCopy = [](const Basis &basis) {
    return llvm::all_of(basis, [](int64_t n) { return n == 0; });
  };
  SmallVector<Basis> registers, lanes, ofWarps;
  for (const Basis &basis : atom.getRegisterBases())
    if (Basis own = lift(basis); !isCopy(own))
      registers.push_back(own);
  for (const Basis &basis : atom.getLaneBases(0))
    lanes.push_back(lift(basis));
  // Rows of warps run fastest; a factor has copies along the other side.
  bool hasRows = operand != 1, hasColumns = operand != 0;
  for (int64_t w = 1; w < grid.rows; w *= 2)
    ofWarps.push_back(at(hasRows ? first * w : 0, 0));
  for (int64_t w = 1; w < grid.columns; w *= 2)
    ofWarps.push_back(at(0, hasColumns ? second * w : 0));
  auto batch = [&](int64_t x) {
    Basis basis(acc.size(), 0);
    basis[0] = x;
    return basis;
  };
  for (int64_t x = 1; x < grid.batches; x *= 2)
    ofWarps.push_back(batch(x));
  for (int64_t x = second * (hasColumns ? grid.columns : 1); x < shape.second;
       x *= 2)
    registers.push_back(at(0, x));
  for (int64_t x = first * (hasRows ? grid.rows : 1); x < shape.first; x *= 2)
    registers.push_back(at(x, 0));
  if (acc.size() == 3)
    for (int64_t x = grid.batches; x < acc[0]; x *= 2)
      registers.push_back(batch(x));
  return LayoutAttr::get(row.getContext(), acc.size(), registers, lanes,
                         ofWarps);
}
