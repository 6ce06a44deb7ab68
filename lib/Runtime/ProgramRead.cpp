// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON -> host program. Only the form is checked here; verify() checks the
// meaning.
#include "CollectiveJson.h"
#include "LaunchJson.h"
#include "kiln/Runtime/Tensor.h"
#include <limits>

using namespace kiln::runtime;

namespace {

/// Blocks of `if` and `while` may nest this deep.
constexpr int kMaxNesting = 64;

class ProgramReader {
public:
  ProgramReader(JsonReader &reader) : r(reader) {}

  HostProgram program(const Json &json, const std::string &where) {
    HostProgram result;
    r.keys(json, where, {"devices", "kernels", "functions"}, {"groups"});
    if (!json.is_object())
      return result;
    each(json, "devices", where, [&](const Json &one, const std::string &at) {
      r.keys(one, at, {"name", "options", "requires"}, {"ordinal"});
      result.devices.push_back(
          {r.text(one, "name", at), r.text(one, "options", at, ""),
           r.texts(one, "requires", at), r.number(one, "ordinal", at)});
    });
    each(json, "kernels", where, [&](const Json &one, const std::string &at) {
      result.kernels.push_back(kernel(one, at));
    });
    if (JsonReader::member(json, "groups"))
      result.groups = readGroups(r, json, where);
    each(json, "functions", where, [&](const Json &one, const std::string &at) {
      result.functions.push_back(function(one, at));
    });
    return result;
  }

private:
  template <typename Fn>
  void each(const Json &object, const char *key, const std::string &where,
            Fn fn) {
    const Json *list = r.array(object, key, where);
    if (!list)
      return;
    for (size_t i = 0; i < list->size() && !r.failed(); ++i)
      fn((*list)[i], where + "." + key + "[" + std::to_string(i) + "]");
  }

  std::array<Reg, 3> grid(const Json &json, const std::string &where) {
    std::array<Reg, 3> result = {kNone, kNone, kNone};
    std::vector<int32_t> regs = r.indices(json, "grid", where, false);
    if (!regs.empty() && regs.size() != 3)
      r.fail(where, "expected three grid registers");
    else if (!regs.empty())
      std::copy(regs.begin(), regs.end(), result.begin());
    return result;
  }

  std::vector<int64_t> shape(const Json &json, const std::string &where) {
    std::vector<int64_t> result = r.integers(json, "shape", where);
    if (result.size() > size_t(kMaxRank))
      r.fail(where, "a rank of " + std::to_string(result.size()) +
                        " is more than " + std::to_string(kMaxRank));
    for (int64_t size : result)
      if (size < kDynamic)
        r.fail(where, "a size of " + std::to_string(size) + " is negative");
    return result;
  }

  /// Integers, or null where any stride will do.
  std::vector<int64_t> strides(const Json &json, const std::string &where) {
    std::vector<int64_t> result;
    const Json *list = r.array(json, "strides", where);
    for (size_t i = 0; list && i < list->size() && !r.failed(); ++i)
      result.push_back((*list)[i].is_null()
                           ? kAnyStride
                           : r.element((*list)[i], "strides", where));
    return result;
  }

  KernelInfo kernel(const Json &json, const std::string &where) {
    KernelInfo result;
    r.keys(json, where,
           {"name", "symbol", "module", "device", "scratch", "params", "notes"},
           {"attributes", "recipes", "workspace", "metadata"});
    readLaunchContract(r, json, where, result);
    result.name = r.text(json, "name", where);
    result.symbol = r.text(json, "symbol", where);
    int32_t module = r.index(json, "module", where);
    result.module = module < 0 ? ~0u : uint32_t(module);
    result.device = r.number(json, "device", where);
    result.scratchBytes = r.integer(json, "scratch", where, 0);
    each(json, "params", where, [&](const Json &one, const std::string &at) {
      KernelParam param;
      r.keys(
          one, at,
          {"name", "dtype", "rank", "readonly", "align", "shape", "strides"});
      param.name = r.text(one, "name", at, "");
      param.dtype = r.dtype(one, "dtype", at);
      int64_t rank = r.integer(one, "rank", at, -1);
      param.kind =
          rank < 0 ? KernelParam::Kind::scalar : KernelParam::Kind::view;
      if (rank < -1)
        r.fail(at, "a rank of " + std::to_string(rank) + " is negative");
      if (rank > kMaxRank)
        r.fail(at, "a rank of " + std::to_string(rank) + " is too high");
      param.rank = rank < 0 ? 0 : int32_t(rank);
      param.readonly = r.flag(one, "readonly", at);
      param.align = r.integer(one, "align", at, 1);
      if (JsonReader::member(one, "shape"))
        param.shape = shape(one, at);
      if (JsonReader::member(one, "strides"))
        param.strides = strides(one, at);
      result.params.push_back(std::move(param));
    });
    if (const Json *notes = JsonReader::member(json, "notes")) {
      if (!notes->is_object())
        r.fail(where, "expected 'notes' to be an object");
      else
        for (const auto &item : notes->items())
          result.notes[item.key()] =
              r.text(*notes, item.key().c_str(), where + ".notes");
    }
    return result;
  }

  Domain domain(const Json &json, const std::string &where) {
    std::string text = r.text(json, "domain", where, "");
    for (Domain known :
         {Domain::any, Domain::nonzero, Domain::nonnegative, Domain::positive})
      if (text == domainName(known))
        return known;
    r.fail(where, "unknown domain '" + text + "'");
    return Domain::any;
  }

  /// Names of dimensions, or none.
  std::vector<std::string> dims(const Json &json,
                                const std::vector<int64_t> &shape,
                                const std::string &where) {
    std::vector<std::string> names = r.texts(json, "dims", where);
    if (!names.empty() && names.size() != shape.size())
      r.fail(where, "expected one name for each dimension");
    return names;
  }

  Argument argument(const Json &json, const std::string &where) {
    Argument arg;
    r.keys(json, where,
           {"name", "dtype", "shape", "reg", "scalar", "device", "writable",
            "strided", "align", "low", "high", "domain", "dims", "unsigned", "bits"});
    arg.name = r.text(json, "name", where, "");
    arg.dtype = r.dtype(json, "dtype", where);
    arg.shape = shape(json, where);
    arg.reg = r.index(json, "reg", where);
    arg.isScalar = r.flag(json, "scalar", where);
    arg.device = r.number(json, "device", where);
    arg.writable = r.flag(json, "writable", where);
    arg.strided = r.flag(json, "strided", where);
    arg.align = r.integer(json, "align", where, 1);
    arg.low = r.integer(json, "low", where, 0);
    arg.high = r.integer(json, "high", where, -1);
    arg.domain = domain(json, where);
    arg.dims = dims(json, arg.shape, where);
    arg.isUnsigned = r.flag(json, "unsigned", where);
    arg.bits = r.number(json, "bits", where);
    return arg;
  }

  Result result(const Json &json, const std::string &where) {
    Result result;
    r.keys(
        json, where,
        {"name", "dtype", "shape", "device", "tolerance", "dims", "unsigned", "bits"});
    result.name = r.text(json, "name", where, "");
    result.dtype = r.dtype(json, "dtype", where);
    result.shape = shape(json, where);
    result.device = r.number(json, "device", where);
    result.dims = dims(json, result.shape, where);
    result.isUnsigned = r.flag(json, "unsigned", where);
    result.bits = r.number(json, "bits", where);
    if (const Json *tolerance = JsonReader::member(json, "tolerance")) {
      std::string at = where + ".tolerance";
      r.keys(*tolerance, at,
             {"dtype", "accumulation", "accumulationReg", "exact"});
      result.tolerance.dtype = r.dtype(*tolerance, "dtype", at, false);
      result.tolerance.accumulation =
          r.integer(*tolerance, "accumulation", at, 1);
      result.tolerance.accumulationReg =
          r.index(*tolerance, "accumulationReg", at);
      result.tolerance.exact = r.flag(*tolerance, "exact", at);
    }
    return result;
  }

  Function function(const Json &json, const std::string &parent) {
    Function result;
    result.name = r.text(json, "name", parent);
    std::string where = parent + " '" + result.name + "'";
    r.keys(json, where,
           {"name", "kind", "public", "regs", "bufs", "grid", "args", "results",
            "code"});
    std::string kind = r.text(json, "kind", where, "function");
    if (kind == "kernel")
      result.kind = Function::Kind::kernel;
    else if (kind != "function")
      r.fail(where, "unknown kind '" + kind + "'");
    result.isPublic = r.flag(json, "public", where);
    result.numRegs = r.number(json, "regs", where);
    result.numBufs = r.number(json, "bufs", where);
    result.grid = grid(json, where);
    each(json, "args", where, [&](const Json &one, const std::string &at) {
      result.args.push_back(argument(one, at));
    });
    each(json, "results", where, [&](const Json &one, const std::string &at) {
      result.results.push_back(this->result(one, at));
    });
    result.code = code(json, "code", where, 0);
    return result;
  }

  std::vector<Instruction> code(const Json &json, const char *key,
                                const std::string &where, int depth) {
    std::vector<Instruction> result;
    if (depth > kMaxNesting) {
      r.fail(where, "blocks nest too deeply");
      return result;
    }
    each(json, key, where, [&](const Json &one, const std::string &at) {
      result.push_back(instruction(one, at, depth));
    });
    return result;
  }

  LaunchInst launch(const Json &json, const std::string &where) {
    LaunchInst inst;
    r.keys(json, where, {"op", "name", "variants", "args", "flops", "bytes"},
           {"attributes"});
    inst.attributes = readAttributes(r, json, where);
    inst.name = r.text(json, "name", where, "");
    each(json, "variants", where, [&](const Json &one, const std::string &at) {
      r.keys(one, at, {"kernel", "guard", "grid"});
      int32_t kernel = r.index(one, "kernel", at);
      inst.variants.push_back({r.index(one, "guard", at),
                               kernel < 0 ? ~0u : uint32_t(kernel),
                               grid(one, at)});
    });
    each(json, "args", where, [&](const Json &one, const std::string &at) {
      bool isBuffer = JsonReader::member(one, "b");
      r.keys(one, at, {isBuffer ? "b" : "r"});
      inst.args.push_back({isBuffer ? LaunchArg::buffer : LaunchArg::scalar,
                           r.index(one, isBuffer ? "b" : "r", at)});
    });
    inst.flops = r.index(json, "flops", where);
    inst.bytes = r.index(json, "bytes", where);
    return inst;
  }

  /// The fields that each instruction may have; launches are looked at apart.
  void checkKeys(const std::string &op, const Json &json,
                 const std::string &where) {
    struct Fields {
      std::string_view op;
      std::initializer_list<std::string_view> keys;
      std::initializer_list<std::string_view> newer = {};
    };
    static const Fields all[] = {
        {"const", {"op", "dst", "value"}},
        {"select", {"op", "dst", "cond", "a", "b"}},
        {"dim", {"op", "dst", "buffer", "dim"}},
        {"stride", {"op", "dst", "buffer", "dim"}},
        {"aligned", {"op", "dst", "buffer", "bytes"}},
        {"check", {"op", "cond", "message"}},
        {"arena", {"op", "device", "bytes"}, {"memory"}},
        {"alloc",
         {"op", "dst", "dtype", "sizes", "offset", "device", "name"},
         {"memory"}},
        {"constant", {"op", "dst", "name", "device"}},
        {"view", {"op", "dst", "src", "dtype", "offset", "sizes", "strides"}},
        {"fill", {"op", "dst", "byte"}},
        {"copy", {"op", "dst", "src"}},
        {"read", {"op", "dst", "src", "index"}},
        {"collective", {"op"}, {"kind", "combiner", "dst", "src", "groups"}},
        {"wait", {"op"}, {"dst"}},
        {"host", {"op"}, {"function", "flags", "src", "dst"}},
        {"if", {"op", "cond", "then", "else"}},
        {"while", {"op", "before", "cond", "body"}},
        {"return", {"op", "results"}}};
    for (const Fields &fields : all)
      if (fields.op == op)
        r.keys(json, where, fields.keys, fields.newer);
  }

  Instruction instruction(const Json &json, const std::string &where,
                          int depth) {
    std::string op = r.text(json, "op", where);
    auto index = [&](const char *key) { return r.index(json, key, where); };
    auto device = [&] { return r.number(json, "device", where); };
    for (int i = 0; i < kNumIntOps; ++i)
      if (op == intOpName(IntOp(i))) {
        if (IntOp(i) == IntOp::mov)
          r.keys(json, where, {"op", "dst", "a"});
        else
          r.keys(json, where, {"op", "dst", "a", "b"});
        return IntInst{IntOp(i), index("dst"), index("a"), index("b")};
      }
    checkKeys(op, json, where);
    if (op == "const")
      return ConstInst{index("dst"), r.required(json, "value", where)};
    if (op == "select")
      return SelectInst{index("dst"), index("cond"), index("a"), index("b")};
    if (op == "dim")
      return DimInst{index("dst"), index("buffer"), index("dim")};
    if (op == "stride")
      return StrideInst{index("dst"), index("buffer"), index("dim")};
    if (op == "aligned")
      return AlignedInst{index("dst"), index("buffer"),
                         r.required(json, "bytes", where)};
    if (op == "check")
      return CheckInst{index("cond"), r.text(json, "message", where)};
    if (op == "arena")
      return ArenaInst{device(), index("bytes"),
                       r.text(json, "memory", where, "")};
    if (op == "alloc")
      return AllocInst{index("dst"),
                       r.dtype(json, "dtype", where),
                       r.indices(json, "sizes", where),
                       index("offset"),
                       device(),
                       r.text(json, "name", where, ""),
                       r.text(json, "memory", where, "")};
    if (op == "constant")
      return ConstantInst{index("dst"), r.text(json, "name", where), device()};
    if (op == "view")
      return ViewInst{index("dst"),
                      index("src"),
                      r.dtype(json, "dtype", where, false),
                      index("offset"),
                      r.indices(json, "sizes", where),
                      r.indices(json, "strides", where, false)};
    if (op == "fill") {
      int64_t byte = r.required(json, "byte", where);
      if (byte < 0 || byte > 255)
        r.fail(where, "expected 'byte' to be from 0 to 255");
      return FillInst{index("dst"), uint8_t(byte)};
    }
    if (op == "copy")
      return CopyInst{index("dst"), index("src")};
    if (op == "read")
      return ReadInst{index("dst"), index("src"), index("index")};
    if (op == "collective")
      return readCollective(r, json, where);
    if (op == "wait")
      return WaitInst{index("dst")};
    if (op == "host")
      return HostInst{
          r.text(json, "function", where), r.texts(json, "flags", where),
          r.indices(json, "src", where), r.indices(json, "dst", where)};
    if (op == "launch")
      return launch(json, where);
    if (op == "if")
      return IfInst{index("cond"), code(json, "then", where, depth + 1),
                    code(json, "else", where, depth + 1)};
    if (op == "while")
      return WhileInst{code(json, "before", where, depth + 1), index("cond"),
                       code(json, "body", where, depth + 1)};
    if (op == "return")
      return ReturnInst{r.indices(json, "results", where)};
    r.fail(where, "unknown instruction '" + op + "'");
    return Instruction();
  }

  JsonReader &r;
};

} // namespace

HostProgram kiln::runtime::programFromJson(JsonReader &reader, const Json &json,
                                           const std::string &where) {
  return ProgramReader(reader).program(json, where);
}

Expected<HostProgram> kiln::runtime::programFromJson(std::string_view text) {
  Expected<Json> json = parseJson(text, "the host program");
  if (!json)
    return json.takeError();
  JsonReader reader;
  HostProgram program = programFromJson(reader, *json, "program");
  if (reader.failed())
    return Error(reader.error);
  return program;
}
