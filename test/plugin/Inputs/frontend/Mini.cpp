// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A frontend of a plug-in: a text format with magic bytes, a dialect that it is
// read into, and a pass that leads to prim.
//
//   mini 1
//   function twice 4x8 x
//   y = add x x
//   return y
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Operations are `mini.NAME`, of tensors of one type.
class MiniDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MiniDialect)
  explicit MiniDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<MiniDialect>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "mini"; }
};

/// Reads one line after the other.
class Reader {
public:
  Reader(llvm::MemoryBufferRef input, MLIRContext *context)
      : input(input), context(context), builder(context),
        module(ModuleOp::create(locate(1))) {}

  OwningOpRef<ModuleOp> read() {
    context->loadDialect<MiniDialect, func::FuncDialect>();
    SmallVector<StringRef> lines;
    input.getBuffer().split(lines, '\n');
    for (auto [i, line] : llvm::enumerate(lines))
      if (i && failed(readLine(i + 1, line)))
        return {};
    return std::move(module);
  }

private:
  Location locate(unsigned line) {
    return FileLineColLoc::get(context, input.getBufferIdentifier(), line, 1);
  }

  LogicalResult readLine(unsigned number, StringRef line) {
    SmallVector<StringRef> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    if (words.empty())
      return success();
    Location loc = locate(number);
    if (words[0] == "function" && words.size() > 2)
      return beginFunction(loc, words);
    if (!function)
      return emitError(loc, "expected 'function NAME SHAPE ARGUMENTS', found '")
             << line << "'";
    SmallVector<Value> operands;
    bool returns = words[0] == "return";
    for (StringRef word : ArrayRef(words).drop_front(returns ? 1 : 3)) {
      Value value = values.lookup(word);
      if (!value)
        return emitError(loc, "expected a value, found '") << word << "'";
      operands.push_back(value);
    }
    if (returns) {
      func::ReturnOp::create(builder, loc, operands);
      function.setType(builder.getFunctionType(
          function.getArgumentTypes(), ValueRange(operands).getTypes()));
      return success();
    }
    if (words.size() < 4 || words[1] != "=")
      return emitError(loc, "expected 'NAME = OPERATION VALUES', found '")
             << line << "'";
    OperationState state(loc, ("mini." + words[2]).str());
    state.addOperands(operands);
    state.addTypes(type);
    values[words[0]] = builder.create(state)->getResult(0);
    return success();
  }

  LogicalResult beginFunction(Location loc, ArrayRef<StringRef> words) {
    SmallVector<int64_t> shape;
    for (StringRef size : llvm::split(words[2], 'x'))
      if (size.getAsInteger(10, shape.emplace_back()))
        return emitError(loc, "expected a shape, found '") << words[2] << "'";
    type = RankedTensorType::get(shape, builder.getF32Type());
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> types(words.size() - 3, type);
    function = func::FuncOp::create(builder, loc, words[1],
                                    builder.getFunctionType(types, {}));
    Block *block = function.addEntryBlock();
    for (auto [word, argument] :
         llvm::zip(words.drop_front(3), block->getArguments()))
      values[word] = argument;
    builder.setInsertionPointToStart(block);
    return success();
  }

  llvm::MemoryBufferRef input;
  MLIRContext *context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  RankedTensorType type;
  llvm::StringMap<Value> values;
};

struct ConvertMini : public PassWrapper<ConvertMini, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertMini)
  ConvertMini() = default;
  ConvertMini(const ConvertMini &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "convert-mini-to-prim"; }
  StringRef getDescription() const final { return "From mini to prim"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<prim::PrimDialect>();
  }
  void runOnOperation() override {
    WalkResult walked = getOperation().walk([&](Operation *op) -> WalkResult {
      StringRef name = op->getName().getStringRef();
      OpBuilder builder(op);
      Value value;
      if (name == "mini.add" && op->getNumOperands() == 2)
        value = prim::AddOp::create(builder, op->getLoc(), op->getOperand(0),
                                    op->getOperand(1));
      else if (name == "mini.exp" && op->getNumOperands() == 1)
        value = prim::ExpOp::create(builder, op->getLoc(), op->getOperand(0));
      else if (name == "mini.keep" && forgets)
        return WalkResult::advance();
      else if (name.starts_with("mini."))
        return op->emitError("unsupported: '")
               << name << "' of " << op->getNumOperands() << " values";
      else
        return WalkResult::advance();
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
  Option<bool> forgets{*this, "forget", llvm::cl::desc("leave mini.keep")};
};

void registerAll(target::TargetRegistry &registry) {
  registerPass([] { return std::make_unique<ConvertMini>(); });
  frontend::Frontend mini;
  mini.name = "mini";
  mini.help = "a line for each operation";
  mini.functions = {"func.func"};
  mini.dialects = {"mini"};
  mini.magic = "mini 1\n";
  mini.suffixes = {".mini"};
  mini.read = [](llvm::MemoryBufferRef input, MLIRContext *context) {
    return Reader(input, context).read();
  };
  mini.registerDialects = [](DialectRegistry &dialects) {
    dialects.insert<MiniDialect, func::FuncDialect>();
  };
  mini.options = {{"forget", "on|off", "leave mini.keep where it is"}};
  mini.pipeline = [](const frontend::Options &options) -> std::string {
    return options.get("forget") == "on" ? "convert-mini-to-prim{forget=true}"
                                         : "convert-mini-to-prim";
  };
  registry.addFrontend(std::move(mini));
}
} // namespace

KILN_TARGET_PLUGIN("mini", "1.0", registerAll)
