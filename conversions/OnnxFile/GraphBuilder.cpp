// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of an ONNX file as operations.
#include "GraphBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::onnx_file;

namespace {
/// What local functions may expand to beyond the nodes that a file of this size
/// could hold.
constexpr int64_t mostExpanded = 65536;
/// No node takes fewer in a file.
constexpr int64_t bytesOfNode = 8;
/// Graphs in nodes and calls of local functions in each other.
constexpr int deepestNesting = 128;
/// Of a node's name, and of the nodes around it, in messages.
constexpr size_t longestName = 120, longestPath = 400;

std::string keyOf(StringRef domain, StringRef name, StringRef overload) {
  if (domain == "ai.onnx")
    domain = "";
  return (domain + ":" + name + ":" + overload).str();
}

/// The beginning of a path that is too long for a message.
std::string shorten(std::string path) {
  if (path.size() > longestPath)
    path = path.substr(0, longestPath) + "..., ";
  return path;
}

Type anyTensor(MLIRContext *context) {
  return torch::VTensorType::get(context, {}, /*ranked=*/false, Type());
}

Type tensorType(MLIRContext *context, const TypeProto &type,
                std::string &problem) {
  Type element;
  if (type.element && !(element = elementType(context, type.element))) {
    problem =
        "unsupported: elements of data type " + std::to_string(type.element);
    return {};
  }
  SmallVector<int64_t> shape;
  for (const Dim &dim : type.shape) {
    if (dim.size && *dim.size < 0) {
      problem =
          "expected a size of at least 0, found " + std::to_string(*dim.size);
      return {};
    }
    shape.push_back(dim.size.value_or(ShapedType::kDynamic));
  }
  return torch::VTensorType::get(context, shape, type.hasShape, element);
}
} // namespace

Location onnx_file::placeIn(MLIRContext *context, StringRef file,
                            const Twine &place) {
  return NameLoc::get(StringAttr::get(context, place),
                      FileLineColLoc::get(context, file, 0, 0));
}

Type onnx_file::typeOf(MLIRContext *context, const TypeProto &type,
                       std::string &problem) {
  switch (type.kind) {
  case TypeProto::Missing:
    return anyTensor(context);
  case TypeProto::TensorType:
    return tensorType(context, type, problem);
  case TypeProto::Sequence:
  case TypeProto::Optional: {
    Type contained = type.contained ? typeOf(context, *type.contained, problem)
                                    : anyTensor(context);
    if (!contained)
      return {};
    if (type.kind == TypeProto::Sequence)
      return torch::ListType::get(context, contained);
    return torch::OptionalType::get(context, contained);
  }
  case TypeProto::SparseTensor:
    problem = "unsupported: a sparse tensor";
    return {};
  case TypeProto::Other:
    break;
  }
  problem = "unsupported: a value that is no tensor, sequence or optional";
  return {};
}

Value GraphBuilder::Scope::find(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->outer)
    if (Value value = scope->values.lookup(name))
      return value;
  return {};
}

GraphBuilder::GraphBuilder(const ModelProto &model, llvm::MemoryBufferRef file,
                           OpBuilder &builder)
    : model(model), file(file), builder(builder), context(builder.getContext()),
      elements(context, file.getBufferIdentifier()),
      most(mostExpanded + int64_t(file.getBufferSize()) / bytesOfNode),
      budget(most) {
  for (const FunctionProto &function : model.functions)
    functions[keyOf(function.domain, function.name, function.overload)] =
        &function;
}

Value GraphBuilder::none() {
  if (!noValue) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    noValue = torch::ConstantNoneOp::create(builder, at("graph"));
  }
  return noValue;
}

void GraphBuilder::declare(ArrayRef<ValueInfoProto> values, Scope &scope) {
  for (const ValueInfoProto &value : values)
    scope.declared[value.name] = &value;
}

/// What the model does not say follows from the operands.
Type GraphBuilder::resultType(StringRef name, const Scope &scope) {
  std::string problem;
  Type type;
  if (const ValueInfoProto *info = scope.declared.lookup(name))
    type = typeOf(context, info->type, problem);
  return type ? type : anyTensor(context);
}

LogicalResult GraphBuilder::define(StringRef name, Value value, Scope &scope,
                                   Location loc) {
  if (scope.values.try_emplace(name, value).second)
    return success();
  return emitError(loc) << "expected values of different names, found two of '"
                        << name << "'";
}

LogicalResult GraphBuilder::buildInitializers(const GraphProto &graph,
                                              Scope &scope) {
  if (graph.hasSparse)
    return emitError(at(scope.path + "graph"))
           << "unsupported: sparse initializers";
  for (const TensorProto &tensor : graph.initializers) {
    Location loc = at(scope.path + "initializer '" + tensor.name + "'");
    std::string problem;
    auto value = dyn_cast_or_null<ElementsAttr>(elements.make(tensor, problem));
    if (!value)
      return emitError(loc) << problem;
    Type type = torch::VTensorType::get(context, tensor.dims, /*ranked=*/true,
                                        value.getElementType());
    auto op = torch::OperatorOp::create(builder, loc, type, "onnx.Constant",
                                        ValueRange(), /*regionsCount=*/0);
    op->setAttr("torch.onnx.value", value);
    if (failed(define(tensor.name, op->getResult(0), scope, loc)))
      return failure();
  }
  return success();
}

const AttributeProto *GraphBuilder::resolve(const AttributeProto &attribute,
                                            const Scope &scope) {
  if (attribute.reference.empty())
    return &attribute;
  for (const Scope *at = &scope; at; at = at->outer)
    if (at->attributes)
      return at->attributes->lookup(attribute.reference);
  return nullptr;
}

FailureOr<Attribute>
GraphBuilder::makeAttribute(const AttributeProto &attribute, StringRef name,
                            Location loc) {
  Type integer = IntegerType::get(context, 64, IntegerType::Signed);
  auto all = [&](const auto &values, auto make) {
    SmallVector<Attribute> result;
    for (const auto &value : values)
      result.push_back(make(value));
    return builder.getArrayAttr(result);
  };
  auto text = [&](StringRef value) { return builder.getStringAttr(value); };
  auto number = [&](int64_t value) {
    return builder.getIntegerAttr(integer, value);
  };
  auto real = [&](float value) { return builder.getF32FloatAttr(value); };
  Attribute value;
  std::string problem;
  switch (attribute.kind) {
  case AttributeProto::Float:
    return Attribute(real(attribute.f));
  case AttributeProto::Int:
    return Attribute(number(attribute.i));
  case AttributeProto::String:
    return Attribute(text(attribute.s));
  case AttributeProto::Floats:
    return Attribute(all(attribute.floats, real));
  case AttributeProto::Ints:
    return Attribute(all(attribute.ints, number));
  case AttributeProto::Strings:
    return Attribute(all(attribute.strings, text));
  case AttributeProto::TensorValue:
    if (attribute.t)
      value = elements.make(*attribute.t, problem);
    break;
  case AttributeProto::TypeValue:
    if (attribute.type)
      if (Type type = typeOf(context, *attribute.type, problem))
        value = TypeAttr::get(type);
    break;
  default:
    problem =
        "unsupported: attributes of type " + std::to_string(attribute.kind);
    break;
  }
  if (value)
    return value;
  return emitError(loc) << (problem.empty() ? "expected a value" : problem)
                        << " (attribute '" << name << "')";
}

FailureOr<SmallVector<Value>>
GraphBuilder::findAll(ArrayRef<ValueInfoProto> outputs, const Scope &scope,
                      Location loc) {
  SmallVector<Value> values;
  for (const ValueInfoProto &output : outputs) {
    values.push_back(scope.find(output.name));
    if (!values.back())
      return emitError(loc) << "expected a value for the output '"
                            << output.name << "', found none";
  }
  return values;
}

LogicalResult GraphBuilder::buildRegion(const GraphProto &graph, Region &region,
                                        const Scope &outer, Location loc,
                                        std::string path) {
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&region);
  Scope scope;
  scope.outer = &outer;
  scope.path = shorten(std::move(path));
  for (const ValueInfoProto &input : graph.inputs) {
    std::string problem;
    Type type = typeOf(context, input.type, problem);
    if (!type)
      return emitError(loc) << problem;
    Value value =
        block->addArgument(type, at(scope.path + "input '" + input.name + "'"));
    if (failed(define(input.name, value, scope, loc)))
      return failure();
  }
  declare(graph.values, scope);
  declare(graph.outputs, scope);
  if (failed(buildInitializers(graph, scope)) ||
      failed(buildNodes(graph.nodes, scope)))
    return failure();
  auto results = findAll(graph.outputs, scope, loc);
  if (failed(results))
    return failure();
  torch::OperatorTerminatorOp::create(builder, loc, *results);
  return success();
}

LogicalResult GraphBuilder::buildCall(const FunctionProto &function,
                                      const NodeProto &node, ValueRange inputs,
                                      Scope &outer, Location loc,
                                      const std::string &place) {
  auto fail = [&](const Twine &message) {
    return emitError(loc) << "local function '" << function.name << "' "
                          << message;
  };
  if (llvm::is_contained(calls, &function))
    return fail("calls itself");
  if (inputs.size() > function.inputs.size() ||
      node.outputs.size() > function.outputs.size())
    return fail("has " + Twine(function.inputs.size()) + " inputs and " +
                Twine(function.outputs.size()) + " outputs, found " +
                Twine(inputs.size()) + " and " + Twine(node.outputs.size()));
  Attributes given;
  for (const AttributeProto &one : function.defaults)
    given[one.name] = &one;
  for (const AttributeProto &one : node.attributes)
    if (const AttributeProto *value = resolve(one, outer))
      given[one.name] = value;
  Scope scope;
  scope.attributes = &given;
  scope.path = shorten(
      (place + ", function '" + function.name.take_front(longestName) + "' ")
          .str());
  for (auto [i, name] : llvm::enumerate(function.inputs))
    if (failed(
            define(name, i < inputs.size() ? inputs[i] : none(), scope, loc)))
      return failure();
  declare(function.values, scope);
  calls.push_back(&function);
  LogicalResult built = buildNodes(function.nodes, scope);
  calls.pop_back();
  if (failed(built))
    return failure();
  for (auto [name, inside] : llvm::zip(node.outputs, function.outputs)) {
    Value value = scope.find(inside);
    if (!value)
      return fail("gives no value for its output '" + inside + "'");
    if (!name.empty() && failed(define(name, value, outer, loc)))
      return failure();
  }
  return success();
}

LogicalResult GraphBuilder::buildOperator(const NodeProto &node,
                                          ValueRange inputs, Scope &scope,
                                          Location loc,
                                          const std::string &place) {
  NamedAttrList attributes;
  SmallVector<std::pair<StringRef, const GraphProto *>> graphs;
  for (const AttributeProto &one : node.attributes) {
    const AttributeProto *value = resolve(one, scope);
    if (!value)
      continue; // left out where the local function is called
    if (value->kind == AttributeProto::GraphValue && value->g) {
      graphs.push_back({one.name, value->g.get()});
      continue;
    }
    auto made = makeAttribute(*value, one.name, loc);
    if (failed(made))
      return failure();
    attributes.set(("torch.onnx." + one.name).str(), *made);
  }
  // Which of the regions a graph is, where some may be left out.
  llvm::sort(graphs, llvm::less_first());
  for (auto [i, graph] : llvm::enumerate(graphs))
    attributes.set(("torch.onnx." + graph.first).str(),
                   builder.getI64IntegerAttr(i));
  SmallVector<Type> types;
  for (StringRef name : node.outputs)
    types.push_back(name.empty() ? Type(torch::NoneType::get(context))
                                 : resultType(name, scope));
  std::string name = "onnx.";
  if (!node.domain.empty() && node.domain != "ai.onnx")
    name += (node.domain + ".").str();
  auto op = torch::OperatorOp::create(builder, loc, types, name + node.op.str(),
                                      inputs, graphs.size());
  for (NamedAttribute one : attributes)
    op->setAttr(one.getName(), one.getValue());
  for (auto [i, graph] : llvm::enumerate(graphs))
    if (failed(buildRegion(*graph.second, op->getRegion(i), scope, loc,
                           (place + ", " + graph.first + " ").str())))
      return failure();
  for (auto [result, name] : llvm::zip_equal(op->getResults(), node.outputs))
    if (!name.empty() && failed(define(name, result, scope, loc)))
      return failure();
  return success();
}

LogicalResult GraphBuilder::buildNode(const NodeProto &node, Scope &scope,
                                      const std::string &place) {
  Location loc = at(place);
  if (node.op.empty())
    return emitError(loc) << "expected the name of an operator, found none";
  if (--budget < 0)
    return emitError(loc) << "unsupported: local functions expand to more than "
                          << most << " nodes";
  SmallVector<Value> inputs;
  for (StringRef name : node.inputs) {
    inputs.push_back(name.empty() ? none() : scope.find(name));
    if (!inputs.back())
      return emitError(loc) << "expected an input that an earlier node gives, "
                               "found '"
                            << name << "'";
  }
  auto function = functions.find(keyOf(node.domain, node.op, node.overload));
  if (function != functions.end())
    return buildCall(*function->second, node, inputs, scope, loc, place);
  return buildOperator(node, inputs, scope, loc, place);
}

LogicalResult GraphBuilder::buildNodes(ArrayRef<NodeProto> nodes,
                                       Scope &scope) {
  if (depth >= deepestNesting)
    return emitError(at(scope.path + "graph"))
           << "unsupported: graphs and functions nested more than "
           << deepestNesting << " deep";
  ++depth;
  LogicalResult built = success();
  for (size_t i = 0; succeeded(built) && i < nodes.size(); ++i) {
    std::string place = scope.path + "node " + std::to_string(i);
    if (StringRef name = nodes[i].name.take_front(longestName); !name.empty())
      place += (" '" + name + "'").str();
    built = buildNode(nodes[i], scope, place);
  }
  --depth;
  return built;
}

FailureOr<SmallVector<Value>> GraphBuilder::build(ArrayRef<StringRef> inputs,
                                                  ValueRange arguments) {
  entry = builder.getInsertionBlock();
  Scope scope;
  for (auto [name, argument] : llvm::zip_equal(inputs, arguments))
    scope.values[name] = argument;
  const GraphProto &graph = *model.graph;
  declare(graph.values, scope);
  declare(graph.outputs, scope);
  if (failed(buildInitializers(graph, scope)) ||
      failed(buildNodes(graph.nodes, scope)))
    return failure();
  return findAll(graph.outputs, scope, at("graph"));
}
