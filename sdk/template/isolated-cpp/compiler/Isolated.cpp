// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Isolated.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <unistd.h>

using namespace isolated;
using llvm::StringRef;
namespace json = llvm::json;
namespace endian = llvm::support::endian;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Ends the program where an operation of `tile` or `prim` can have no attribute of this name: by a slip it would always have its
/// default.
static void checkName(StringRef op, StringRef name) {
  static const auto *const kNames = new llvm::StringMap<StringRef>{
#define KILN_ATTRIBUTES(OPERATION, NAMES) {OPERATION, NAMES},
#include "Attributes.inc"
#undef KILN_ATTRIBUTES
  };
  auto known = kNames->find(op);
  if (known == kNames->end() || name.contains('.'))
    return; // of a later version
  llvm::SmallVector<StringRef> names;
  known->second.split(names, ' ', -1, /*KeepEmpty=*/false);
  if (!llvm::is_contained(names, name))
    llvm::report_fatal_error("'" + op + "' has no attribute '" + name + "', only: " + llvm::join(names, ", "),
                             /*gen_crash_diag=*/false);
}

/// The attribute, of any name; null if there is none.
static mlir::Attribute attributeIfAny(mlir::Operation *op, StringRef name) {
  if (mlir::Attribute found = op->getAttr(name))
    return found;
  // An operation without a definition has its properties as one attribute.
  auto all = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(op->getPropertiesAsAttribute());
  return all ? all.get(name) : nullptr;
}

mlir::Attribute isolated::attribute(mlir::Operation *op, StringRef name) {
  if (mlir::Attribute found = attributeIfAny(op, name))
    return found;
  checkName(op->getName().getStringRef(), name);
  return nullptr;
}

int64_t isolated::integer(mlir::Operation *op, StringRef name, int64_t otherwise) {
  auto found = llvm::dyn_cast_or_null<mlir::IntegerAttr>(attribute(op, name));
  return found ? found.getInt() : otherwise;
}

std::string isolated::symbol(mlir::Operation *kernel) {
  auto name = llvm::dyn_cast_or_null<mlir::StringAttr>(attribute(kernel, "sym_name"));
  return name ? name.getValue().str() : "";
}

std::vector<mlir::OperandRange> isolated::segments(mlir::Operation *op) {
  std::vector<mlir::OperandRange> groups;
  auto sizes = llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(attributeIfAny(op, "operandSegmentSizes"));
  unsigned at = 0;
  if (sizes)
    for (int32_t size : sizes.asArrayRef()) {
      if (size < 0 || at + unsigned(size) > op->getNumOperands())
        return {};
      groups.push_back(op->getOperands().slice(at, unsigned(size)));
      at += unsigned(size);
    }
  return groups;
}

std::optional<llvm::APInt> isolated::padding(mlir::Operation *load) {
  auto tile = llvm::cast<mlir::RankedTensorType>(load->getResult(0).getType()).getElementType();
  int64_t kind = integer(load, "padding");
  if (kind == 3) { // a number, which is an operand
    auto groups = segments(load);
    mlir::Attribute number;
    if (groups.size() != 3 || groups[2].empty() || !mlir::matchPattern(groups[2][0], mlir::m_Constant(&number)))
      return std::nullopt;
    if (auto real = llvm::dyn_cast<mlir::FloatAttr>(number))
      return real.getValue().bitcastToAPInt();
    auto whole = llvm::dyn_cast<mlir::IntegerAttr>(number);
    return whole ? std::optional(whole.getValue()) : std::nullopt;
  }
  if (auto type = llvm::dyn_cast<mlir::FloatType>(tile); type && kind == 1)
    return llvm::APFloat::getNaN(type.getFloatSemantics()).bitcastToAPInt();
  return llvm::APInt(tile.isIndex() ? 64 : tile.getIntOrFloatBitWidth(), 0);
}

std::optional<View> isolated::viewOf(mlir::Type type) {
  auto opaque = llvm::dyn_cast<mlir::OpaqueType>(type);
  if (!opaque || opaque.getDialectNamespace() != "tile")
    return std::nullopt;
  StringRef text = opaque.getTypeData();
  if (!text.consume_front("view<") || !text.consume_back(">"))
    return std::nullopt;
  text = text.split(", strides").first;
  View view;
  while (true) {
    auto [size, rest] = text.split('x');
    int64_t number = mlir::ShapedType::kDynamic;
    if (rest.empty() || (size != "?" && size.getAsInteger(10, number)))
      break;
    view.shape.push_back(number);
    text = rest;
  }
  mlir::ScopedDiagnosticHandler quiet(type.getContext(), [](mlir::Diagnostic &) {});
  view.element = mlir::parseType(text, type.getContext());
  if (!view.element)
    return std::nullopt;
  return view;
}

/// The number of an operation within its kernel, in the order of the text.
static int64_t numberOf(mlir::Operation *kernel, mlir::Operation *op) {
  int64_t number = 0, found = 0;
  kernel->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *other) {
    if (other == op)
      found = number;
    ++number;
  });
  return found;
}

//===----------------------------------------------------------------------===//
// The conversation
//===----------------------------------------------------------------------===//

namespace {
constexpr uint64_t kMostHead = uint64_t(16) << 20, kMostBody = uint64_t(1) << 30;

/// What a kernel says may be any bytes; JSON is UTF-8.
std::string jsonText(StringRef text) { return json::fixUTF8(text); }

/// Where the compiler's messages arrive.
int input = 0;

bool readAll(char *to, size_t size) {
  while (size) {
    ssize_t got = read(input, to, size);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    size -= size_t(got);
  }
  return true;
}

/// Reads the body as it arrives, so that a promise alone takes no memory.
bool readBody(std::string &to, uint64_t size) {
  char part[65536];
  while (size) {
    size_t now = size_t(std::min<uint64_t>(size, sizeof part));
    if (!readAll(part, now))
      return false;
    to.append(part, now);
    size -= now;
  }
  return true;
}

class Server {
public:
  Server(Target &target, int output)
      : target(target), output(output), context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.allowUnregisteredDialects();
    addToBuild("/proc/self/exe");
    for (const std::string &file : target.files)
      addToBuild(file);
  }

  /// Whether the target's files are there.
  bool hasFiles() const {
    for (const std::string &file : target.files)
      if (access(file.c_str(), R_OK)) {
        llvm::errs() << "expected files of the target to be paths of files, found '" << file << "'\n";
        return false;
      }
    return true;
  }

  /// Whether this program's traits are those of MLIR's library.
  bool seesTraits() {
    auto yield = mlir::RegisteredOperationName::lookup("scf.yield", &context);
    return yield && yield->hasTrait<mlir::OpTrait::IsTerminator>();
  }

  void run() {
    while (true) {
      char header[16];
      std::string text, body;
      if (!readAll(header, sizeof header) || StringRef(header, 4) != "KTP1")
        return;
      uint64_t headBytes = endian::read32le(header + 4), bodyBytes = endian::read64le(header + 8);
      if (headBytes > kMostHead || bodyBytes > kMostBody || !readBody(text, headBytes) || !readBody(body, bodyBytes))
        return;
      auto head = isShallow(text) ? json::parse(text) : json::parse("");
      if (!head) {
        llvm::consumeError(head.takeError());
        return;
      }
      json::Object *message = head->getAsObject();
      if (!message)
        return;
      json::Value *id = message->get("id");
      if (!id)
        continue; // "cancel", and what later versions add
      StringRef method = message->getString("method").value_or("");
      answer(*id, method, message->getObject("params"), body);
      if (method == "bye")
        return;
    }
  }

private:
  void addToBuild(const std::string &path) {
    if (auto file = llvm::MemoryBuffer::getFile(path))
      build += llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef((*file)->getBuffer())), true);
  }

  /// LLVM's parser recurses.
  static bool isShallow(StringRef text) {
    int depth = 0;
    bool isQuoted = false;
    for (size_t at = 0; at < text.size(); ++at) {
      char c = text[at];
      if (c == '"')
        isQuoted = !isQuoted;
      else if (isQuoted && c == '\\')
        ++at;
      else if (!isQuoted)
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (depth > 64)
        return false;
    }
    return true;
  }

  void send(json::Object head, StringRef body) {
    std::string text, bytes(16, 0);
    llvm::raw_string_ostream(text) << json::Value(std::move(head));
    std::copy_n("KTP1", 4, bytes.begin());
    endian::write32le(&bytes[4], uint32_t(text.size()));
    endian::write64le(&bytes[8], body.size());
    bytes.append(text).append(body.begin(), body.end());
    for (StringRef rest = bytes; !rest.empty();) {
      ssize_t put = write(output, rest.data(), rest.size());
      if (put < 0 && errno != EINTR)
        return;
      rest = rest.drop_front(put > 0 ? size_t(put) : 0);
    }
  }

  void answer(const json::Value &id, StringRef method, const json::Object *params, StringRef body) {
    json::Object result;
    std::string bytes, error;
    Spec spec;
    if (params) {
      spec.chip = params->getString("chip").value_or("").str();
      if (const json::Object *options = params->getObject("options"))
        for (const auto &entry : *options)
          if (auto value = entry.second.getAsString())
            spec.options[entry.first.str()] = value->str();
    }
    if (method == "hello")
      result = hello();
    else if (method == "describe")
      result["description"] = target.describe(spec);
    else if (method == "tile" && target.choosesBlocks)
      result["candidates"] = candidates(params, spec);
    else if (method == "accepts" && target.answersAccepts)
      accepts(body, spec, result, error);
    else if (method == "compile" || (method == "emit" && target.printsAssembly))
      compile(body, spec, method == "emit", result, bytes, error);
    else if (method == "claims" && target.takesClaims)
      result["claims"] = claims(body, spec, error);
    else if (method != "bye")
      error = "no such method";
    if (error.empty())
      send(json::Object{{"id", id}, {"result", std::move(result)}}, bytes);
    else
      send(json::Object{{"id", id}, {"error", json::Object{{"message", jsonText(error)}}}}, "");
  }

  json::Object hello() const {
    json::Array chips, options, methods;
    for (const auto &[name, help] : target.chips)
      chips.push_back(json::Object{{"name", name}, {"help", help}});
    for (const Target::Option &option : target.options)
      options.push_back(json::Object{{"key", option.key}, {"value", option.value}, {"help", option.help}});
    if (target.printsAssembly)
      methods.push_back("emit");
    if (target.takesClaims)
      methods.push_back("claims");
    if (target.choosesBlocks)
      methods.push_back("tile");
    if (target.answersAccepts)
      methods.push_back("accepts");
    // The program alone says how it compiles, if its libraries stay what they are.
    return json::Object{{"protocol", 1},
                        {"wire", 4},
                        {"name", target.name},
                        {"version", target.version},
                        {"help", target.help},
                        {"device", target.device},
                        {"build", build + " LLVM " LLVM_VERSION_STRING},
                        {"chips", std::move(chips)},
                        {"options", std::move(options)},
                        {"methods", std::move(methods)},
                        {"files", json::Array(target.files)},
                        {"operations", json::Array(target.operations)},
                        {"types", json::Array(target.types)}};
  }

  mlir::OwningOpRef<mlir::ModuleOp> read(StringRef text, std::string &error) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
      if (error.empty() && diag.getSeverity() == mlir::DiagnosticSeverity::Error)
        llvm::raw_string_ostream(error) << diag.getLocation() << ": " << diag;
      return mlir::success();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module && error.empty())
      error = "no kernel can be read";
    return module;
  }

  json::Array candidates(const json::Object *params, const Spec &spec) {
    json::Array candidates;
    for (const std::vector<int64_t> &blocks : target.tile(params ? params->getString("problem").value_or("") : "", spec))
      candidates.push_back(json::Array(blocks));
    return candidates;
  }

  static json::Object declinedOf(mlir::Operation &kernel, const Declined &declined, std::string &error) {
    if (declined.reason.empty())
      error = "declined without a reason";
    return json::Object{{"kernel", jsonText(symbol(&kernel))},
                        {"op", declined.op ? numberOf(&kernel, declined.op) : 0},
                        {"reason", jsonText(declined.reason)}};
  }

  void accepts(StringRef text, const Spec &spec, json::Object &result, std::string &error) {
    if (auto module = read(text, error))
      for (mlir::Operation &kernel : *module->getBody()) {
        Declined declined;
        if (kernel.getName().getStringRef() != "tile.kernel" || target.accepts(&kernel, spec, declined))
          continue;
        result["declined"] = declinedOf(kernel, declined, error);
        return;
      }
  }

  json::Array claims(StringRef text, const Spec &spec, std::string &error) {
    json::Array claims;
    if (auto module = read(text, error))
      for (mlir::Operation &function : *module->getBody())
        for (auto &[name, operations] : target.claims(&function, spec)) {
          json::Array numbers;
          for (mlir::Operation *op : operations)
            numbers.push_back(numberOf(&function, op));
          claims.push_back(json::Object{{"name", jsonText(name)}, {"ops", std::move(numbers)}});
        }
    return claims;
  }

  void compile(StringRef text, const Spec &spec, bool asText, json::Object &result, std::string &bytes, std::string &error) {
    auto module = read(text, error);
    if (!module)
      return;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
      if (error.empty() && diag.getSeverity() == mlir::DiagnosticSeverity::Error)
        llvm::raw_string_ostream(error) << diag.getLocation() << ": " << diag;
      return mlir::success();
    });
    json::Array kernels, blobs, metadata;
    std::set<std::string> requirements;
    std::string more;
    for (mlir::Operation &kernel : *module->getBody()) {
      if (kernel.getName().getStringRef() != "tile.kernel")
        continue;
      Declined declined;
      std::optional<std::string> assembly;
      std::optional<Code> code;
      asText ? void(assembly = target.assembly(&kernel, spec, declined)) : void(code = target.compile(&kernel, spec, declined));
      if (!error.empty())
        return;
      if (!assembly && !code) {
        result["declined"] = declinedOf(kernel, declined, error);
        bytes.clear();
        return;
      }
      if (assembly) {
        bytes += *assembly;
        continue;
      }
      kernels.push_back(entryOf(kernel, *code, int64_t(blobs.size()), int64_t(metadata.size())));
      blobs.push_back(int64_t(code->data.size()));
      bytes += code->data;
      if (!code->metadata.empty())
        metadata.push_back(int64_t(code->metadata.size()));
      more += code->metadata;
      requirements.insert(code->requirements.begin(), code->requirements.end());
    }
    if (asText)
      return;
    bytes += more;
    result = json::Object{{"kernels", std::move(kernels)},
                          {"blobs", std::move(blobs)},
                          {"metadata", std::move(metadata)},
                          {"requirements", json::Array(requirements)}};
  }

  static json::Object entryOf(mlir::Operation &kernel, const Code &code, int64_t blob, int64_t metadata) {
    json::Array attributes;
    for (const auto &[name, values] : code.attributes)
      attributes.push_back(json::Object{{"name", jsonText(name)}, {"values", json::Array(values)}});
    json::Object notes;
    for (const auto &[name, text] : code.notes)
      notes[jsonText(name)] = jsonText(text);
    json::Array lowerings;
    for (const auto &[op, name] : code.lowerings)
      lowerings.push_back(json::Object{{"op", numberOf(&kernel, op)}, {"name", jsonText(name)}});
    json::Object entry{{"name", jsonText(symbol(&kernel))},
                       {"symbol", jsonText(code.symbol.empty() ? symbol(&kernel) : code.symbol)},
                       {"blob", blob},
                       {"scratch", code.scratch},
                       {"attributes", std::move(attributes)},
                       {"notes", std::move(notes)},
                       {"lowerings", std::move(lowerings)}};
    if (!code.metadata.empty())
      entry["metadata"] = metadata;
    if (code.workspace)
      entry["workspace"] = json::Object{{"bytes", *code.workspace}};
    return entry;
  }

  Target &target;
  int output;
  mlir::MLIRContext context;
  std::string build;
};
} // namespace

int isolated::serve(Target &target) {
  // Programs that the target starts would wait for, or take, bytes of the protocol: for them the standard input is empty.
  int output = fcntl(1, F_DUPFD_CLOEXEC, 3), empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  input = fcntl(0, F_DUPFD_CLOEXEC, 3);
  if (output < 0 || empty < 0 || input < 0 || dup2(empty, 0) < 0 || dup2(2, 1) < 0)
    return 1;
  close(empty);
  // What is printed is there before the answer, and before a message that ends the program.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  llvm::outs().SetUnbuffered();
  Server server(target, output);
  if (!server.seesTraits()) {
    llvm::errs() << "expected traits of MLIR's operations to be known, which MLIR's library shares by their symbols: "
                    "compile without -fvisibility=hidden, or with the compiler that built the library\n";
    return 1;
  }
  if (!server.hasFiles())
    return 1;
  server.run();
  return 0;
}
