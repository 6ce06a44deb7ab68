//===- Hello.cpp - What answers of a target's program say -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/Hello.h"
#include "kiln-c/Runtime.h"
#include "kiln/Dialect/Kiln/Suggest.h"
#include "kiln/Interfaces/Version.h"
#include "kiln/Isolated/Frame.h"
#include "kiln/Isolated/Vocabulary.h"
#include "kiln/Target/CoreOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace kiln;
using namespace kiln::isolated;
using llvm::StringRef;
using runtime::Error;
using runtime::Expected;
namespace json = llvm::json;

/// Names and texts that end up in messages and tables: bounded and printable.
static constexpr size_t kMostText = 4096;
static constexpr size_t kMostEntries = 65536;
static constexpr int64_t kMostJobs = 256;

namespace {
/// A string that can be shown.
struct Text {
  std::string text;
};
bool fromJSON(const json::Value &value, Text &out, json::Path path) {
  if (!json::fromJSON(value, out.text, path))
    return false;
  // Frames hold UTF-8.
  if (out.text.size() <= kMostText && llvm::none_of(out.text, [](char c) {
        return llvm::isASCII(c) && !llvm::isPrint(c);
      }))
    return true;
  path.report("expected at most 4096 printable characters");
  return false;
}

/// A list that is no longer than any that makes sense.
template <typename T> struct List {
  std::vector<T> all;
};
template <typename T>
bool fromJSON(const json::Value &value, List<T> &out, json::Path path) {
  if (const json::Array *array = value.getAsArray();
      array && array->size() > kMostEntries) {
    path.report("expected at most 65536 entries");
    return false;
  }
  return json::fromJSON(value, out.all, path);
}

struct Chip {
  Text name, help;
};
bool fromJSON(const json::Value &value, Chip &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", out.name) && map.mapOptional("help", out.help);
}

struct Option {
  Text key, value, help;
};
bool fromJSON(const json::Value &value, Option &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("key", out.key) &&
         map.mapOptional("value", out.value) &&
         map.mapOptional("help", out.help);
}

struct HelloReply {
  int64_t protocol = 0, wire = 0, jobs = 1;
  bool conversations = false;
  Text name, version, build, help, device;
  List<Chip> chips;
  List<Option> options;
  List<Text> methods, files, operations, types;
};
bool fromJSON(const json::Value &value, HelloReply &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("protocol", out.protocol) &&
         map.map("wire", out.wire) && map.map("name", out.name) &&
         map.mapOptional("version", out.version) &&
         map.mapOptional("build", out.build) &&
         map.mapOptional("help", out.help) &&
         map.mapOptional("device", out.device) &&
         map.mapOptional("jobs", out.jobs) &&
         map.mapOptional("conversations", out.conversations) &&
         map.mapOptional("chips", out.chips) &&
         map.mapOptional("options", out.options) &&
         map.mapOptional("methods", out.methods) &&
         map.mapOptional("files", out.files) &&
         map.mapOptional("operations", out.operations) &&
         map.mapOptional("types", out.types);
}

/// An integer, or an expression as text.
struct Number {
  runtime::Expression value;
};
bool fromJSON(const json::Value &value, Number &out, json::Path path) {
  if (auto number = value.getAsInteger()) {
    out.value = runtime::Expression(*number);
    return true;
  }
  auto text = value.getAsString();
  if (!text) {
    path.report("expected an integer or an expression");
    return false;
  }
  auto parsed = runtime::Expression::parse(*text);
  if (!parsed) {
    path.report("expected an integer or an expression over the launch");
    return false;
  }
  out.value = std::move(*parsed);
  return true;
}

struct Attribute {
  Text name;
  bool required = false;
  std::vector<Number> values;
};
bool fromJSON(const json::Value &value, Attribute &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", out.name) &&
         map.mapOptional("required", out.required) &&
         map.map("values", out.values);
}

struct Recipe {
  int64_t param = 0;
  Text name;
  std::vector<Number> words;
};
bool fromJSON(const json::Value &value, Recipe &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("param", out.param) && map.map("name", out.name) &&
         map.mapOptional("words", out.words);
}

struct Workspace {
  Number bytes;
  bool zeroed = false;
};
bool fromJSON(const json::Value &value, Workspace &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("bytes", out.bytes) &&
         map.mapOptional("zeroed", out.zeroed);
}

struct LoweringReply {
  Text name;
  int64_t op = 0;
};
bool fromJSON(const json::Value &value, LoweringReply &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("op", out.op) && map.map("name", out.name);
}

struct Kernel {
  Text name, symbol;
  int64_t blob = 0, scratch = 0;
  std::optional<int64_t> metadata;
  List<Attribute> attributes;
  List<Recipe> recipes;
  std::optional<Workspace> workspace;
  std::map<std::string, Text> notes;
  List<LoweringReply> lowerings;
};
bool fromJSON(const json::Value &value, Kernel &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", out.name) && map.map("symbol", out.symbol) &&
         map.mapOptional("blob", out.blob) &&
         map.mapOptional("scratch", out.scratch) &&
         map.mapOptional("metadata", out.metadata) &&
         map.mapOptional("attributes", out.attributes) &&
         map.mapOptional("recipes", out.recipes) &&
         map.mapOptional("workspace", out.workspace) &&
         map.mapOptional("notes", out.notes) &&
         map.mapOptional("lowerings", out.lowerings);
}

struct CompileReply {
  List<Kernel> kernels;
  List<int64_t> blobs, metadata;
  List<Text> requirements;
};
bool fromJSON(const json::Value &value, CompileReply &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("kernels", out.kernels) &&
         map.map("blobs", out.blobs) &&
         map.mapOptional("metadata", out.metadata) &&
         map.mapOptional("requirements", out.requirements);
}

struct DeclinedReply {
  Text kernel, reason;
  int64_t op = 0;
};
bool fromJSON(const json::Value &value, DeclinedReply &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.mapOptional("kernel", out.kernel) &&
         map.map("reason", out.reason) && map.mapOptional("op", out.op);
}

struct ClaimReply {
  Text name;
  List<int64_t> ops;
};
bool fromJSON(const json::Value &value, ClaimReply &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", out.name) && map.map("ops", out.ops);
}

struct ClaimsReply {
  List<ClaimReply> claims;
};
bool fromJSON(const json::Value &value, ClaimsReply &out, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("claims", out.claims);
}

std::vector<runtime::Expression> valuesOf(const std::vector<Number> &numbers) {
  std::vector<runtime::Expression> values;
  for (const Number &number : numbers)
    values.push_back(number.value);
  return values;
}

/// Maps a whole answer.
template <typename T>
Expected<T> parse(const json::Object &result, StringRef name) {
  T reply;
  json::Path::Root root(name);
  if (fromJSON(json::Value(json::Object(result)), reply, root))
    return reply;
  return Error("breaks the protocol: " +
               quoteForeign(llvm::toString(root.getError()), 240));
}

/// Cuts byte strings of these sizes off the front of `body`.
Error cut(llvm::ArrayRef<int64_t> sizes, StringRef &body, StringRef what,
          std::vector<std::string> &parts) {
  for (int64_t size : sizes) {
    if (size < 0 || uint64_t(size) > body.size())
      return Error(("breaks the protocol: expected a body with " +
                    llvm::Twine(size) + " more bytes for " + what + ", found " +
                    llvm::Twine(body.size()))
                       .str());
    parts.push_back(body.take_front(size_t(size)).str());
    body = body.drop_front(size_t(size));
  }
  return Error::success();
}
} // namespace

/// Letters, digits, `_`, `-`, and the characters in `others`. Names of claims
/// become part of a kernel's name, those of chips and options of a SPEC.
static bool isName(StringRef name, StringRef others = "") {
  return !name.empty() && llvm::all_of(name, [&](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-' || others.contains(c);
  });
}

/// What is wrong with the methods that `hello` lists; empty: nothing.
static std::string findMethodProblem(const HelloReply &reply) {
  static constexpr StringRef kAlways[] = {"hello", "describe", "compile",
                                          "cancel", "bye"};
  static constexpr StringRef kListed[] = {"tile", "claims", "accepts", "emit"};
  llvm::StringSet<> methods;
  for (const Text &method : reply.methods.all) {
    if (!methods.insert(method.text).second)
      return "expected each method once, found '" + method.text + "' twice";
    // Later versions of the wire form may come with methods.
    if (reply.wire <= kWireVersion &&
        !llvm::is_contained(kAlways, method.text) &&
        !llvm::is_contained(kListed, method.text))
      return "expected methods of the protocol, found '" + method.text + "'" +
             suggestNames(method.text, kListed);
  }
  return "";
}

/// What is wrong with the lists of `hello`; empty: nothing.
static std::string findListProblem(const HelloReply &reply) {
  llvm::StringSet<> chips, keys;
  for (const Chip &chip : reply.chips.all)
    if (!chips.insert(chip.name.text).second)
      return "expected each chip once, found '" + chip.name.text + "' twice";
    else if (chip.name.text != "*" && !isName(chip.name.text, "."))
      return "expected a chip name of letters, digits, '_', '-' and '.', "
             "found '" +
             chip.name.text + "'";
  // Names a file of the driver.
  if (!reply.device.text.empty() && !isName(reply.device.text, "."))
    return "expected a device of letters, digits, '_', '-' and '.', found '" +
           reply.device.text + "'";
  if (std::string problem = findMethodProblem(reply); !problem.empty())
    return problem;
  for (const Text &file : reply.files.all)
    if (!llvm::sys::path::is_absolute(file.text))
      return "expected files by their whole paths, found '" + file.text + "'";
  for (const Option &option : reply.options.all) {
    if (!keys.insert(option.key.text).second)
      return "expected each option once, found '" + option.key.text + "' twice";
    if (llvm::any_of(target::coreOptions(), [&](const auto &known) {
          return known.key == option.key.text;
        }))
      return "expected options that Kiln does not have for every target, "
             "found '" +
             option.key.text + "'";
    if (!isName(option.key.text, "."))
      return "expected an option key of letters, digits, '_', '-' and '.', "
             "found '" +
             option.key.text + "'";
    auto [low, high] = StringRef(option.value.text).split("..");
    int64_t least, most;
    if (!low.getAsInteger(10, least) && !high.getAsInteger(10, most) &&
        least > most)
      return "expected an option of a range that begins where it ends or "
             "before, found '" +
             option.key.text + "' of " + option.value.text;
  }
  // Later versions, and dialects of plug-ins, have names that this one lacks.
  if (reply.wire > kWireVersion)
    return "";
  static constexpr StringRef kOwn[] = {"tile", "prim", "arith", "math",
                                       "scf",  "func", "tensor"};
  for (const Text &name : reply.operations.all)
    if (llvm::is_contained(kOwn, StringRef(name.text).split('.').first) &&
        !findWireOperation(name.text))
      return "expected operations of the wire form, found '" + name.text + "'" +
             suggestNames(name.text, wireOperationNames());
  for (const Text &type : reply.types.all)
    if (!StringRef(type.text).contains('.') && !wireTypeSince(type.text))
      return "expected types of the wire form, found '" + type.text + "'";
  return "";
}

json::Object kiln::isolated::helloParams() {
  return json::Object{
      {"protocol", json::Array{kOldestProtocol, kNewestProtocol}},
      {"wire", kWireVersion},
      {"kiln", kilnRuntimeVersion()},
      {"dialects", json::Object{{"tile", std::to_string(kDialectMajor) + "." +
                                             std::to_string(kDialectMinor)}}}};
}

Expected<Hello> kiln::isolated::parseHello(const json::Object &result,
                                           StringRef name) {
  Expected<HelloReply> reply = parse<HelloReply>(result, "hello");
  if (!reply)
    return reply.takeError();
  auto expects = [&](const llvm::Twine &what, const llvm::Twine &found) {
    return Error(
        ("answers 'hello' wrongly: expected " + what + ", found " + found)
            .str());
  };
  if (reply->protocol < kOldestProtocol || reply->protocol > kNewestProtocol)
    return expects("protocol " + llvm::Twine(kOldestProtocol) + " to " +
                       llvm::Twine(kNewestProtocol),
                   llvm::Twine(reply->protocol));
  if (reply->wire < 1 || reply->wire > 1 << 20)
    return expects("a version of the wire form", llvm::Twine(reply->wire));
  if (reply->name.text != name)
    return expects("the name '" + name + "' of its file",
                   "'" + llvm::Twine(reply->name.text) + "'");
  if (reply->jobs < 1 || reply->jobs > kMostJobs)
    return expects("1 to " + llvm::Twine(kMostJobs) + " jobs",
                   llvm::Twine(reply->jobs));
  if (std::string problem = findListProblem(*reply); !problem.empty())
    return Error("answers 'hello' wrongly: " + quoteForeign(problem, 240));
  Hello hello;
  hello.name = reply->name.text;
  hello.version = reply->version.text;
  hello.build = reply->build.text;
  hello.help = reply->help.text;
  hello.device = reply->device.text;
  hello.jobs = unsigned(reply->jobs);
  hello.conversations = reply->conversations;
  // Words that came later are no concern of the reader.
  hello.reader.version = unsigned(std::min<int64_t>(reply->wire, kWireVersion));
  for (Chip &chip : reply->chips.all)
    hello.chips.push_back({chip.name.text, chip.help.text});
  for (Option &option : reply->options.all)
    hello.options.push_back(
        {option.key.text, option.value.text, option.help.text});
  for (Text &method : reply->methods.all)
    hello.methods.insert(method.text);
  for (Text &file : reply->files.all)
    hello.files.push_back(file.text);
  for (Text &operation : reply->operations.all)
    hello.reader.operations.insert(operation.text);
  for (Text &type : reply->types.all)
    hello.reader.types.insert(type.text);
  return hello;
}

Expected<std::optional<Declined>>
kiln::isolated::parseDeclined(const json::Object &result) {
  const json::Value *given = result.get("declined");
  if (!given)
    return std::optional<Declined>();
  const json::Object *found = given->getAsObject();
  if (!found)
    return Error("breaks the protocol: expected object at declined");
  auto reply = parse<DeclinedReply>(*found, "declined");
  if (!reply)
    return reply.takeError();
  if (reply->reason.text.empty())
    return Error("breaks the protocol: expected a reason in 'declined'");
  return std::optional<Declined>(
      Declined{reply->kernel.text, reply->reason.text, reply->op});
}

Expected<std::vector<Claim>>
kiln::isolated::parseClaims(const json::Object &result, int64_t numOps) {
  auto reply = parse<ClaimsReply>(result, "claims");
  if (!reply)
    return reply.takeError();
  std::vector<Claim> claims;
  std::set<int64_t> named;
  for (ClaimReply &claim : reply->claims.all) {
    if (!isName(claim.name.text))
      return Error("breaks the protocol: expected a claim's name of letters, "
                   "digits, '_' and '-', found '" +
                   claim.name.text + "'");
    auto wrong = [&](const llvm::Twine &what) {
      return Error(("breaks the protocol: claim '" +
                    llvm::Twine(claim.name.text) + "' " + what)
                       .str());
    };
    if (claim.ops.all.empty())
      return wrong("has no operations");
    for (int64_t op : claim.ops.all) {
      if (op < 1 || op >= numOps)
        return wrong("has operation " + llvm::Twine(op) +
                     ", expected one of 1 to " + llvm::Twine(numOps - 1));
      if (!named.insert(op).second)
        return wrong("has operation " + llvm::Twine(op) +
                     ", which is claimed already");
    }
    claims.push_back({claim.name.text, std::move(claim.ops.all)});
  }
  return claims;
}

Expected<target::Executable>
kiln::isolated::parseExecutable(const json::Object &result, StringRef body,
                                std::vector<Lowered> *lowered) {
  auto reply = parse<CompileReply>(result, "compile");
  if (!reply)
    return reply.takeError();
  target::Executable all;
  std::vector<std::string> metadata;
  if (Error error = cut(reply->blobs.all, body, "blobs", all.blobs))
    return error;
  if (Error error = cut(reply->metadata.all, body, "metadata", metadata))
    return error;
  if (!body.empty())
    return Error("breaks the protocol: expected as many bytes as 'blobs' and "
                 "'metadata' say, found " +
                 std::to_string(body.size()) + " more");
  for (Kernel &kernel : reply->kernels.all) {
    auto wrong = [&](const llvm::Twine &what) {
      return Error(("breaks the protocol: kernel '" +
                    llvm::Twine(kernel.name.text) + "' " + what)
                       .str());
    };
    target::CompiledKernel out;
    out.name = kernel.name.text;
    out.symbol = kernel.symbol.text;
    if (kernel.blob < 0 || size_t(kernel.blob) >= all.blobs.size())
      return wrong("is in blob " + llvm::Twine(kernel.blob) + ", of " +
                   llvm::Twine(all.blobs.size()));
    out.blob = unsigned(kernel.blob);
    out.scratchBytes = kernel.scratch;
    for (Attribute &attribute : kernel.attributes.all) {
      auto tag = runtime::launchAttributeTag(attribute.name.text);
      if (!tag)
        return wrong("has a launch attribute '" +
                     llvm::Twine(attribute.name.text) +
                     "', which there is not");
      if (attribute.values.empty() ||
          attribute.values.size() > runtime::launchAttributeArity(*tag))
        return wrong("has " + llvm::Twine(attribute.values.size()) +
                     " values for launch attribute '" +
                     llvm::Twine(attribute.name.text) + "'");
      out.attributes.push_back(
          {*tag, attribute.required, valuesOf(attribute.values)});
    }
    for (Recipe &recipe : kernel.recipes.all) {
      if (recipe.param < 0 || recipe.param > 65535)
        return wrong("has a recipe for parameter " + llvm::Twine(recipe.param));
      out.recipes.push_back(
          {uint32_t(recipe.param), recipe.name.text, valuesOf(recipe.words)});
    }
    if (kernel.workspace)
      out.workspace = runtime::Workspace{
          std::move(kernel.workspace->bytes.value), kernel.workspace->zeroed};
    if (kernel.metadata) {
      if (*kernel.metadata < 0 || size_t(*kernel.metadata) >= metadata.size())
        return wrong("has metadata " + llvm::Twine(*kernel.metadata) + ", of " +
                     llvm::Twine(metadata.size()));
      out.metadata = metadata[size_t(*kernel.metadata)];
    }
    for (auto &[key, value] : kernel.notes)
      out.notes.emplace_back(key, value.text);
    for (LoweringReply &one : kernel.lowerings.all) {
      if (!isName(one.name.text, "."))
        return wrong("has a lowering whose name is not of letters, digits, "
                     "'_', '-' and '.': '" +
                     llvm::Twine(one.name.text) + "'");
      if (lowered)
        lowered->push_back({kernel.name.text, one.name.text, one.op});
    }
    all.kernels.push_back(std::move(out));
  }
  for (Text &requirement : reply->requirements.all)
    all.requirements.push_back(requirement.text);
  return all;
}
