//===- ExpandInlineAsm.cpp - Assembly of a virtual machine, by meaning ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tile.inline_asm` says of packs and registers becomes reshapes of tiles
// and shifts; AssemblyMachine does the rest.
//
//===----------------------------------------------------------------------===//

#include "AssemblyMachine.h"
#include "kiln/Conversion/PtxToTile.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDINLINEASM
#include "kiln/Conversion/PtxToTile.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// Bits of a register that a letter of the constraints names; 0 for others.
unsigned registerBits(StringRef letter) {
  return llvm::StringSwitch<unsigned>(letter)
      .Case("c", 8)
      .Case("h", 16)
      .Cases({"r", "f"}, 32)
      .Cases({"l", "d"}, 64)
      .Default(0);
}

/// `$0` and `${0}` as names of registers, `$$` as a dollar.
std::string withPlainNames(StringRef text) {
  std::string plain;
  while (!text.empty()) {
    if (text.consume_front("$$")) {
      plain += '$';
    } else if (text.starts_with("${")) {
      size_t end = text.find('}');
      plain += ("$" + text.slice(2, end)).str();
      text = end == StringRef::npos ? StringRef() : text.substr(end + 1);
    } else {
      plain += text.front();
      text = text.drop_front();
    }
  }
  return plain;
}

/// Translates one operation.
class Translation {
public:
  Translation(InlineAsmOp op, OpBuilder &builder)
      : op(op), b(builder), loc(op.getLoc()), pack(op.getPack()) {}

  /// The results; nothing, and `problem`, where something is not known.
  std::optional<SmallVector<Value>> run() {
    SmallVector<StringRef> letters;
    op.getConstraints().split(letters, ',', -1, /*KeepEmpty=*/false);
    llvm::erase_if(letters, [](StringRef l) { return l.starts_with("~"); });
    Type first = op->getNumResults()    ? op->getResult(0).getType()
                 : op->getNumOperands() ? op->getOperand(0).getType()
                                        : Type();
    if (!first || !op->getNumResults())
      return fail("text without results");
    auto tile = dyn_cast<RankedTensorType>(first);
    elements = tile ? tile.getNumElements() : 1;
    packs = llvm::divideCeil(elements, pack);
    // Registers hold one element for each pack.
    Type like = b.getI32Type();
    if (tile)
      like =
          pack == 1 ? tile.clone(like) : RankedTensorType::get({packs}, like);
    else if (pack > 1)
      return fail("packs of scalars");
    AssemblyMachine machine(b, loc, like,
                            bool(op->getParentOfType<scf::WhileOp>()));

    unsigned number = 0; // of the register
    auto nextLetter = [&]() -> StringRef {
      return number < letters.size() ? letters[number] : StringRef();
    };
    SmallVector<Register> results;
    for (Value result : op->getResults()) {
      Type element = elementOf(result);
      if (!element)
        return fail("a result of type " + spell(result.getType()));
      int64_t shared = sharing(element);
      for (int64_t i = 0; i < pack; i += shared, ++number) {
        StringRef letter = nextLetter();
        if (!letter.consume_front("="))
          return fail("the constraints '" + op.getConstraints() + "'");
        letter.consume_front("&");
        unsigned bits = registerBits(letter);
        if (!bits || bits < shared * widthOf(element))
          return fail("the constraint '" + letter + "' for " +
                      spell(result.getType()));
        std::string name = ("$" + Twine(number)).str();
        machine.define(name, bits, Value());
        results.push_back({name, bits});
      }
    }
    for (Value operand : op->getOperands()) {
      Type element = elementOf(operand);
      if (!element)
        return fail("an operand of type " + spell(operand.getType()));
      int64_t shared = sharing(element);
      SmallVector<Value> parts = partsOf(machine, operand);
      for (int64_t i = 0; i < pack; i += shared, ++number) {
        StringRef letter = nextLetter();
        size_t same;
        bool isTied = !letter.empty() && !letter.getAsInteger(10, same);
        unsigned bits = isTied && same < results.size() ? results[same].bits
                                                        : registerBits(letter);
        if (!bits || bits < shared * widthOf(element))
          return fail("the constraint '" + letter + "' for " +
                      spell(operand.getType()));
        Value value = joined(machine, ArrayRef(parts).slice(i, shared), bits);
        machine.define(("$" + Twine(number)).str(), bits, value);
        if (isTied)
          machine.define(results[same].name, bits, value);
      }
    }
    if (number != letters.size())
      return fail("the constraints '" + op.getConstraints() + "'");

    if (!machine.run(withPlainNames(op.getText())))
      return fail(machine.problem);
    SmallVector<Value> values;
    const Register *next = results.begin();
    for (Value result : op->getResults()) {
      Type element = elementOf(result);
      SmallVector<Value> parts;
      int64_t shared = sharing(element);
      for (int64_t i = 0; i < pack; i += shared, ++next) {
        Value whole = machine.lookup(next->name);
        if (!whole)
          return fail("the result '" + next->name + "', which is not written");
        split(machine, whole, element, shared, parts);
      }
      values.push_back(fromParts(parts, result.getType()));
    }
    return values;
  }

  std::string problem;

private:
  struct Register {
    std::string name;
    unsigned bits;
  };

  std::nullopt_t fail(const Twine &why) {
    problem = why.str();
    return std::nullopt;
  }

  static std::string spell(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  /// The elements as they are passed; null for what is not.
  static Type elementOf(Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    bool fits = element.isIntOrFloat() &&
                llvm::is_contained({8u, 16u, 32u, 64u},
                                   element.getIntOrFloatBitWidth());
    return fits ? element : Type();
  }
  static unsigned widthOf(Type element) {
    return element.getIntOrFloatBitWidth();
  }
  /// How many elements share a register.
  int64_t sharing(Type element) const {
    return std::clamp<int64_t>(32 / widthOf(element), 1, pack);
  }

  /// Element 0 of all packs, element 1, and so on, as integers.
  SmallVector<Value> partsOf(AssemblyMachine &machine, Value operand) {
    Type element = elementOf(operand);
    Type bits = b.getIntegerType(widthOf(element));
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (pack == 1)
      return {operand};
    if (element != bits)
      operand = arith::BitcastOp::create(b, loc, type.clone(bits), operand);
    auto flat = RankedTensorType::get({elements}, bits);
    Value padded = ReshapeOp::create(b, loc, flat, operand);
    if (packs * pack != elements) {
      // What is missing in the last pack is unspecified.
      auto rest = RankedTensorType::get({packs * pack - elements}, bits);
      Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(rest));
      padded =
          CatOp::create(b, loc, RankedTensorType::get({packs * pack}, bits),
                        ValueRange{padded, zeros}, 0);
    }
    if (llvm::isPowerOf2_64(pack))
      return alternating(padded, pack);
    Value table = ReshapeOp::create(
        b, loc, RankedTensorType::get({packs, pack}, bits), padded);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < pack; ++i) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value at = arith::ConstantIndexOp::create(b, loc, i);
      Value column =
          ExtractOp::create(b, loc, RankedTensorType::get({packs, 1}, bits),
                            table, ValueRange{zero, at});
      parts.push_back(ReshapeOp::create(
          b, loc, RankedTensorType::get({packs}, bits), column));
    }
    return parts;
  }

  /// Every `count`-th element of a row, from the first `count` on: halves of
  /// halves, which are other names for what registers hold.
  SmallVector<Value> alternating(Value row, int64_t count) {
    if (count == 1)
      return {row};
    auto type = cast<RankedTensorType>(row.getType());
    int64_t half = type.getNumElements() / 2;
    auto part = type.clone(ArrayRef<int64_t>{half});
    Value pairs =
        ReshapeOp::create(b, loc, type.clone(ArrayRef<int64_t>{half, 2}), row);
    auto split = SplitOp::create(b, loc, part, part, pairs);
    SmallVector<Value> even = alternating(split.getFirst(), count / 2),
                       odd = alternating(split.getSecond(), count / 2), all;
    for (auto [x, y] : llvm::zip_equal(even, odd))
      all.append({x, y});
    return all;
  }

  /// One row of what `alternating` takes apart.
  Value interleaved(ArrayRef<Value> parts) {
    if (parts.size() == 1)
      return parts.front();
    SmallVector<Value> even, odd;
    for (auto [i, part] : llvm::enumerate(parts))
      (i % 2 ? odd : even).push_back(part);
    Value x = interleaved(even), y = interleaved(odd);
    auto type = cast<RankedTensorType>(x.getType());
    int64_t count = type.getNumElements();
    Value pairs =
        JoinOp::create(b, loc, type.clone(ArrayRef<int64_t>{count, 2}), x, y);
    return ReshapeOp::create(b, loc, type.clone(ArrayRef<int64_t>{2 * count}),
                             pairs);
  }

  /// Elements in one register, the first one in the low bits.
  Value joined(AssemblyMachine &machine, ArrayRef<Value> parts, unsigned bits) {
    unsigned width = widthOf(elementOf(parts.front()));
    if (width == bits && parts.size() == 1)
      return parts.front();
    Value whole = machine.resize(parts.front(), bits);
    for (auto [k, part] : llvm::enumerate(parts.drop_front())) {
      Value moved = machine.make(
          "arith.shli",
          {machine.resize(part, bits), machine.integer(bits, (k + 1) * width)},
          b.getIntegerType(bits));
      whole = machine.make("arith.ori", {whole, moved}, b.getIntegerType(bits));
    }
    return whole;
  }

  void split(AssemblyMachine &machine, Value whole, Type element, int64_t count,
             SmallVector<Value> &parts) {
    unsigned width = widthOf(element);
    Type held = getElementTypeOrSelf(whole.getType());
    unsigned bits = held.getIntOrFloatBitWidth();
    for (int64_t k = 0; k < count; ++k) {
      Value part = whole;
      if (k)
        part = machine.make("arith.shrui",
                            {machine.as(whole, b.getIntegerType(bits)),
                             machine.integer(bits, k * width)},
                            b.getIntegerType(bits));
      if (held != element || k)
        part = machine.as(machine.resize(part, width), element);
      parts.push_back(part);
    }
  }

  Value fromParts(ArrayRef<Value> parts, Type type) {
    if (pack == 1)
      return parts.front();
    auto tile = cast<RankedTensorType>(type);
    Type element = tile.getElementType();
    Value table;
    if (llvm::isPowerOf2_64(pack)) {
      table = interleaved(parts);
    } else {
      SmallVector<Value> columns;
      for (Value part : parts)
        columns.push_back(ReshapeOp::create(
            b, loc, RankedTensorType::get({packs, 1}, element), part));
      table = CatOp::create(
          b, loc, RankedTensorType::get({packs, pack}, element), columns, 1);
    }
    if (packs * pack != elements) {
      Value flat = ReshapeOp::create(
          b, loc, RankedTensorType::get({packs * pack}, element), table);
      // The elements themselves, one by one from the front.
      auto places = RankedTensorType::get({elements}, b.getI32Type());
      Value iota = IotaOp::create(b, loc, places, 0);
      table = GatherOp::create(
          b, loc, RankedTensorType::get({elements}, element), flat, iota, 0);
    }
    return ReshapeOp::create(b, loc, tile, table);
  }

  InlineAsmOp op;
  OpBuilder &b;
  Location loc;
  int64_t pack, elements = 1, packs = 1;
};

struct TileExpandInlineAsm
    : tile::impl::TileExpandInlineAsmBase<TileExpandInlineAsm> {
  using TileExpandInlineAsmBase::TileExpandInlineAsmBase;

  void runOnOperation() override {
    bool failed = false;
    getOperation().walk([&](InlineAsmOp op) {
      if (op.isVirtual())
        failed |= !expand(op);
    });
    if (failed)
      signalPassFailure();
  }

private:
  bool expand(InlineAsmOp op) {
    // Tried aside first: what is not understood to its end leaves no trace.
    Block aside;
    OpBuilder trial(op.getContext());
    trial.setInsertionPointToEnd(&aside);
    Translation attempt(op, trial);
    if (!attempt.run()) {
      if (!keep) {
        op.emitOpError("unsupported: inline assembly with ") << attempt.problem;
        return false;
      }
      op.setUntranslated(attempt.problem);
      return true;
    }
    OpBuilder builder(op);
    op->replaceAllUsesWith(*Translation(op, builder).run());
    op.erase();
    return true;
  }
};
} // namespace
