// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that a model of ONNX becomes.
#include "Import.h"
#include "GraphBuilder.h"
#include "kiln/Dialect/Kiln/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::onnx_file;

namespace {

/// The versions of ONNX's operators whose meaning is known here.
constexpr int64_t oldestOpset = 1, newestOpset = 28;
constexpr size_t longestSymbol = 200;

bool isOnnxDomain(StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// A symbol of letters, digits and a few signs.
std::string symbolOf(StringRef name) {
  std::string symbol = name.take_front(longestSymbol).str();
  for (char &c : symbol)
    if (!llvm::isAlnum(c) && c != '_' && c != '.' && c != '$' && c != '-')
      c = '_';
  return symbol.empty() ? "main" : symbol;
}

/// Builds the module of one file.
class Importer {
public:
  Importer(llvm::MemoryBufferRef file, MLIRContext *context)
      : file(file), builder(context) {}

  OwningOpRef<ModuleOp> run();

private:
  Location at(const Twine &place) {
    return placeIn(builder.getContext(), file.getBufferIdentifier(), place);
  }
  LogicalResult checkVersions(const ModelProto &model);
  FailureOr<SmallVector<const ValueInfoProto *>>
  arguments(const GraphProto &graph);
  /// The type of an argument of the function; null after a report.
  Type argumentType(const ValueInfoProto &info);
  func::FuncOp makeFunction(const ModelProto &model,
                            ArrayRef<const ValueInfoProto *> arguments);
  void describe(func::FuncOp fn, unsigned index, const ValueInfoProto &info,
                bool isResult);

  llvm::MemoryBufferRef file;
  OpBuilder builder;
};

LogicalResult Importer::checkVersions(const ModelProto &model) {
  for (const OperatorSetProto &set : model.operatorSets)
    if (isOnnxDomain(set.domain) &&
        (set.version < oldestOpset || set.version > newestOpset))
      return emitError(at("opset_import"))
             << "unsupported: version " << set.version
             << " of ONNX's operators, expected one from " << oldestOpset
             << " to " << newestOpset;
  return success();
}

/// The inputs that have no initializer: the others are constants.
FailureOr<SmallVector<const ValueInfoProto *>>
Importer::arguments(const GraphProto &graph) {
  llvm::StringSet<> given, seen;
  for (const TensorProto &tensor : graph.initializers)
    given.insert(tensor.name);
  SmallVector<const ValueInfoProto *> result;
  for (const ValueInfoProto &input : graph.inputs) {
    if (!seen.insert(input.name).second)
      return emitError(at("input '" + input.name + "'"))
             << "expected inputs of different names, found two of this one";
    if (!given.contains(input.name))
      result.push_back(&input);
  }
  return result;
}

Type Importer::argumentType(const ValueInfoProto &info) {
  std::string problem;
  Type type = typeOf(builder.getContext(), info.type, problem);
  auto tensor = dyn_cast_or_null<torch::VTensorType>(type);
  if (tensor && (!tensor.getRanked() || !tensor.getElement()))
    problem = "unsupported: an input without a shape or an element type";
  if (!problem.empty()) {
    emitError(at("input '" + info.name + "'")) << problem;
    return {};
  }
  // Callers pass tensors of builtin types.
  if (tensor && isa<IntegerType, FloatType>(tensor.getElement()))
    return RankedTensorType::get(tensor.getShape(), tensor.getElement());
  return type;
}

/// Keeps what the model says of an input or an output for those who call.
void Importer::describe(func::FuncOp fn, unsigned index,
                        const ValueInfoProto &info, bool isResult) {
  auto set = [&](StringRef key, Attribute value) {
    if (isResult)
      target::setResultEntry(fn, index, key, value);
    else
      target::setArgumentEntry(fn, index, key, value);
  };
  set(target::kNameEntry, builder.getStringAttr(info.name));
  // Elements of sequences, and what optionals hold, are results of their own.
  const TypeProto *inside = &info.type;
  while (inside->contained)
    inside = inside->contained.get();
  Type element = inside->kind == TypeProto::TensorType
                     ? elementType(builder.getContext(), inside->element)
                     : Type();
  if (isResult && element && element.isUnsignedInteger())
    set(target::kUnsignedEntry, builder.getUnitAttr());
  if (info.type.kind != TypeProto::TensorType)
    return;
  SmallVector<StringRef> names;
  for (const Dim &dim : info.type.shape)
    names.push_back(dim.size ? StringRef() : dim.name);
  if (llvm::any_of(names, [](StringRef name) { return !name.empty(); }))
    set(target::kDimensionNamesEntry, builder.getStrArrayAttr(names));
}

func::FuncOp
Importer::makeFunction(const ModelProto &model,
                       ArrayRef<const ValueInfoProto *> arguments) {
  SmallVector<Type> types;
  for (const ValueInfoProto *info : arguments) {
    types.push_back(argumentType(*info));
    if (!types.back())
      return {};
  }
  int64_t version = 1;
  for (const OperatorSetProto &set : model.operatorSets)
    if (isOnnxDomain(set.domain))
      version = set.version;
  auto fn =
      func::FuncOp::create(builder, at("graph"), symbolOf(model.graph->name),
                           builder.getFunctionType(types, {}));
  auto note = [&](StringRef key, Attribute value) {
    fn->setAttr(("torch.onnx_meta." + key).str(), value);
  };
  auto integer = IntegerType::get(builder.getContext(), 64,
                                  IntegerType::SignednessSemantics::Signed);
  note("ir_version", builder.getIntegerAttr(integer, model.irVersion));
  note("opset_version", builder.getIntegerAttr(integer, version));
  note("producer_name", builder.getStringAttr(model.producer));
  note("producer_version", builder.getStringAttr(model.producerVersion));
  Block *entry = fn.addEntryBlock();
  for (auto [i, info] : llvm::enumerate(arguments)) {
    entry->getArgument(i).setLoc(at("input '" + info->name + "'"));
    describe(fn, i, *info, /*isResult=*/false);
  }
  builder.setInsertionPointToStart(entry);
  return fn;
}

OwningOpRef<ModuleOp> Importer::run() {
  ModelProto model;
  std::string problem;
  size_t byte = 0;
  bool isParsed = parseModel(file.getBuffer(), model, problem, byte);
  if (isParsed && !model.graph)
    problem = "expected a graph, found none";
  if (!problem.empty()) {
    emitError(at("byte " + Twine(byte))) << "malformed ONNX file: " << problem;
    return {};
  }
  if (failed(checkVersions(model)))
    return {};
  auto inputs = arguments(*model.graph);
  if (failed(inputs))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(at("model"));
  builder.setInsertionPointToStart(module->getBody());
  func::FuncOp fn = makeFunction(model, *inputs);
  if (!fn)
    return {};
  GraphBuilder graph(model, file, builder);
  SmallVector<StringRef> names;
  for (const ValueInfoProto *info : *inputs)
    names.push_back(info->name);
  auto results = graph.build(names, fn.getArguments());
  if (failed(results))
    return {};
  func::ReturnOp::create(builder, fn.getLoc(), *results);
  fn.setFunctionType(builder.getFunctionType(fn.getArgumentTypes(),
                                             ValueRange(*results).getTypes()));
  for (auto [i, info] : llvm::enumerate(model.graph->outputs))
    describe(fn, i, info, /*isResult=*/true);
  return module;
}

} // namespace

OwningOpRef<ModuleOp> onnx_file::importModel(llvm::MemoryBufferRef file,
                                             MLIRContext *context) {
  context->loadDialect<func::FuncDialect, torch::TorchDialect>();
  return Importer(file, context).run();
}
