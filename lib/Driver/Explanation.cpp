//===- Explanation.cpp - What a compilation does to each kernel -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Explanation.h"
#include "ExplanationPage.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Runtime/Session.h"
#include "kiln/Target/Activity.h"
#include "kiln/Text/Json.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

namespace {

/// Those that live, by context.
struct Living {
  std::mutex mutex;
  llvm::DenseMap<MLIRContext *, Explanation *> all;
};
Living &living() {
  static Living living;
  return living;
}

/// A page is to be read: of long texts the beginning.
constexpr size_t kMostLines = 400;

std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags()
                    .elideLargeElementsAttrs(32)
                    .elideLargeResourceString(32)
                    .useLocalScope());
  size_t at = 0;
  for (size_t lines = 0; lines < kMostLines && at != std::string::npos; ++lines)
    at = text.find('\n', at + 1);
  if (at == std::string::npos)
    return text;
  size_t rest = llvm::count(StringRef(text).drop_front(at + 1), '\n') + 1;
  text.resize(at + 1);
  return text + "... " + std::to_string(rest) + " more lines";
}

/// The places in files that a location stands for.
void addPlaces(Location loc, llvm::function_ref<void(FileLineColLoc)> add) {
  loc->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(part))
      add(place);
    return WalkResult::advance();
  });
}

std::string textOf(FileLineColLoc place) {
  return (place.getFilename().getValue() + ":" + Twine(place.getLine()) + ":" +
          Twine(place.getColumn()))
      .str();
}

/// Whether a line of assembly begins the code of `symbol`.
bool beginsCode(StringRef line, StringRef symbol) {
  if (line.starts_with(symbol) &&
      line.drop_front(symbol.size()).starts_with(":"))
    return true;
  SmallVector<StringRef, 4> words;
  line.split(words, ' ', 3, /*KeepEmpty=*/false);
  return words.size() > 1 && words[1].take_while([](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
  }) == symbol &&
         (words[0] == ".kernel" || words[0] == ".entry" ||
          words[0] == ".visible" || words[0] == ".func");
}

} // namespace

/// Sees what every pass leaves.
class Explanation::Watch : public PassInstrumentation {
public:
  explicit Watch(Explanation &all) : all(all) {}
  void runBeforePass(Pass *, Operation *op) override { all.see("", op); }
  void runAfterPass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    all.see(name.empty() ? pass->getName() : name, op);
  }

private:
  Explanation &all;
};

Explanation::Explanation(MLIRContext *context)
    : context(context), wasThreaded(context->isMultithreadingEnabled()) {
  context->disableMultithreading();
  std::lock_guard<std::mutex> lock(living().mutex);
  living().all[context] = this;
}

Explanation::~Explanation() {
  context->disableMultithreading(!wasThreaded);
  std::lock_guard<std::mutex> lock(living().mutex);
  living().all.erase(context);
}

Explanation *Explanation::of(MLIRContext *context) {
  std::lock_guard<std::mutex> lock(living().mutex);
  return living().all.lookup(context);
}

void Explanation::begin(ModuleOp module, llvm::MemoryBufferRef buffer) {
  file = buffer.getBufferIdentifier().str();
  if (llvm::json::isUTF8(buffer.getBuffer()))
    source = buffer.getBuffer().str();
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module || op->hasTrait<OpTrait::IsTerminator>() ||
        isa<FunctionOpInterface>(op))
      return;
    std::string place;
    addPlaces(op->getLoc(), [&](FileLineColLoc one) {
      if (place.empty())
        place = textOf(one);
    });
    inputs.push_back({op->getName().getStringRef().str(), place});
  });
}

void Explanation::attach(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<Watch>(*this));
}

void Explanation::see(StringRef pass, Operation *op) {
  if (op->hasTrait<OpTrait::SymbolTable>()) {
    for (Operation &symbol : op->getRegion(0).getOps())
      seeSymbol(pass, &symbol);
    return;
  }
  while (op && !isa<FunctionOpInterface>(op))
    op = op->getParentOp();
  if (op)
    seeSymbol(pass, op);
}

void Explanation::seeSymbol(StringRef pass, Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  if (!name || !isa<FunctionOpInterface>(op))
    return;
  std::string text = textOf(op);
  StringRef key = names.insert(name.getValue()).first->getKey();
  Symbol &symbol = symbols[key];
  if (!symbol.steps.empty() && symbol.steps.back().text == text)
    return;
  symbol.steps.push_back({pass.empty() ? "as it came" : pass.str(), text});
  if (isa<tile::Kernel>(op))
    symbol.isKernel = true;
  symbol.left.clear();
  op->walk([&](Operation *part) {
    if (part == op || part->hasTrait<OpTrait::IsTerminator>())
      return;
    addPlaces(part->getLoc(), [&](FileLineColLoc place) {
      symbol.left.insert(places.insert(textOf(place)).first->getKey());
    });
  });
  symbol.places.insert_range(symbol.left);
  op->walk([&](prim::GroupOpInterface group) {
    if (group.isClaim())
      return;
    llvm::StringSet<> &held =
        groups[{name.getValue().str(), locationString(group.getLoc())}];
    group.walk([&](Operation *part) {
      if (!part->hasTrait<OpTrait::IsTerminator>())
        addPlaces(part->getLoc(),
                  [&](FileLineColLoc place) { held.insert(textOf(place)); });
    });
  });
}

void Explanation::assembly(ModuleOp lowered, const BoundTarget &bound) {
  // A target that prints none says so; nobody needs to hear it here.
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) {});
  OwningOpRef<ModuleOp> copy = lowered.clone();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(runGuardedActivity(
          describeTarget(*bound.target, "text of"), *copy, [&] {
            return bound.target->emit(*copy, EmitKind::Assembly, bound.options,
                                      os);
          })))
    return;
  Symbol *current = nullptr;
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    for (auto &[name, symbol] : symbols)
      if (symbol.isKernel && beginsCode(line, name))
        current = &symbol;
    if (line.starts_with(".Lfunc_end"))
      current = nullptr;
    if (current)
      (current->assembly += line) += '\n';
  }
}

void Explanation::measure(const runtime::Package &package) {
  if (package.targets.empty())
    return;
  const runtime::TargetProgram &target = package.targets.front();
  for (const runtime::Function &function : target.program.functions) {
    std::vector<std::vector<int64_t>> shapes;
    bool isStatic =
        function.kind == runtime::Function::Kind::function && function.isPublic;
    for (const runtime::Argument &argument : function.args) {
      shapes.push_back(argument.shape);
      isStatic &= !llvm::is_contained(argument.shape, runtime::kDynamic);
    }
    if (!isStatic)
      continue;
    auto report = runtime::measure(package, target, function, shapes);
    if (!report)
      continue;
    for (const runtime::LaunchRecord &launch : report->launches) {
      auto found = symbols.find(launch.kernel->name);
      if (found == symbols.end())
        continue;
      ++found->second.launches;
      found->second.flops += launch.flops;
      found->second.bytes += launch.bytes;
    }
  }
}

llvm::Expected<std::string> Explanation::page(StringRef trace) const {
  llvm::json::Array ops, kernels, functions, rows;
  llvm::StringMap<SmallVector<const llvm::StringSet<> *>> groupsOf;
  for (const ReportRow &row : Report::of(context).rows()) {
    auto group = groups.find({row.function, row.location});
    if (!row.kernel.empty() && group != groups.end() &&
        StringRef(row.subject).starts_with("prim.fusion"))
      groupsOf[row.kernel].push_back(&group->second);
  }
  auto isIn = [&](StringRef kernel, StringRef place) {
    return llvm::any_of(groupsOf.lookup(kernel), [&](const auto *group) {
      return group->contains(place);
    });
  };
  for (const InputOp &op : inputs) {
    llvm::json::Array ended;
    bool isOnHost = false;
    for (const auto &[name, symbol] : symbols) {
      if (symbol.isKernel &&
          (symbol.places.contains(op.place) || isIn(name, op.place)))
        ended.push_back(name);
      isOnHost |= !symbol.isKernel && symbol.left.contains(op.place);
    }
    ops.push_back(llvm::json::Object{{"name", op.name},
                                     {"place", op.place},
                                     {"kernels", std::move(ended)},
                                     {"host", isOnHost}});
  }
  for (const auto &[name, symbol] : symbols) {
    llvm::json::Array steps;
    for (const Step &step : symbol.steps)
      steps.push_back(llvm::json::Object{
          {"pass", step.pass}, {"text", llvm::json::fixUTF8(step.text)}});
    if (!symbol.assembly.empty())
      steps.push_back(
          llvm::json::Object{{"pass", "assembly"},
                             {"text", llvm::json::fixUTF8(symbol.assembly)}});
    llvm::json::Object one{{"name", name}, {"steps", std::move(steps)}};
    if (symbol.launches) {
      one["launches"] = symbol.launches;
      one["flops"] = symbol.flops;
      one["bytes"] = symbol.bytes;
    }
    (symbol.isKernel ? kernels : functions).push_back(std::move(one));
  }
  for (const ReportRow &row : Report::of(context).rows()) {
    llvm::json::Array declines;
    for (const Decline &decline : row.declines)
      declines.push_back(llvm::json::Object{{"name", decline.name},
                                            {"reason", decline.reason}});
    rows.push_back(llvm::json::Object{{"stage", row.stage},
                                      {"kernel", row.kernel},
                                      {"subject", row.subject},
                                      {"target", row.target},
                                      {"chosen", row.chosen},
                                      {"detail", row.detail},
                                      {"place", row.location},
                                      {"count", row.count},
                                      {"declines", std::move(declines)}});
  }
  llvm::json::Object all{{"file", file},
                         {"source", source},
                         {"ops", std::move(ops)},
                         {"kernels", std::move(kernels)},
                         {"functions", std::move(functions)},
                         {"rows", std::move(rows)}};
  if (!trace.empty()) {
    auto file = llvm::MemoryBuffer::getFile(trace);
    if (!file)
      return llvm::createStringError(
          file.getError(),
          trace.str() + ": cannot be read: " + file.getError().message());
    llvm::Expected<llvm::json::Value> events = parseJson((*file)->getBuffer());
    if (!events)
      return llvm::createStringError(trace.str() + ": " +
                                     llvm::toString(events.takeError()));
    if (!events->getAsObject() ||
        !events->getAsObject()->getArray("traceEvents"))
      return llvm::createStringError(
          trace.str() + ": expected a file that kiln-run --trace wrote");
    all["profile"] = std::move(*events);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(std::move(all));
  // Nothing in it ends the element that holds it.
  for (size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3)
    text.replace(at, 2, "<\\/");
  return std::string(kPageHead) + text + kPageTail;
}
