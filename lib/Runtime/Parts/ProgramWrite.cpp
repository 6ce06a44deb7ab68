// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host program -> JSON.
#include "CollectiveJson.h"
#include "LaunchJson.h"

using namespace kiln::runtime;

namespace {

Json codeToJson(const std::vector<Instruction> &code);

/// Absent members mean kNone.
void put(Json &json, const char *key, int32_t index) {
  if (index != kNone)
    json[key] = index;
}

void putGrid(Json &json, const std::array<Reg, 3> &grid) {
  if (grid[0] != kNone || grid[1] != kNone || grid[2] != kNone)
    json["grid"] = grid;
}

/// Writes one instruction.
struct Writer {
  Json operator()(const ConstInst &i) {
    return {{"op", "const"}, {"dst", i.dst}, {"value", i.value}};
  }
  Json operator()(const IntInst &i) {
    Json json = {{"op", intOpName(i.op)}, {"dst", i.dst}, {"a", i.lhs}};
    put(json, "b", i.rhs);
    return json;
  }
  Json operator()(const SelectInst &i) {
    return {{"op", "select"},
            {"dst", i.dst},
            {"cond", i.cond},
            {"a", i.ifTrue},
            {"b", i.ifFalse}};
  }
  Json operator()(const DimInst &i) {
    return {
        {"op", "dim"}, {"dst", i.dst}, {"buffer", i.buffer}, {"dim", i.dim}};
  }
  Json operator()(const StrideInst &i) {
    return {
        {"op", "stride"}, {"dst", i.dst}, {"buffer", i.buffer}, {"dim", i.dim}};
  }
  Json operator()(const AlignedInst &i) {
    return {{"op", "aligned"},
            {"dst", i.dst},
            {"buffer", i.buffer},
            {"bytes", i.bytes}};
  }
  Json operator()(const CheckInst &i) {
    return {{"op", "check"}, {"cond", i.cond}, {"message", i.message}};
  }
  Json operator()(const ArenaInst &i) {
    Json json = {{"op", "arena"}, {"device", i.device}, {"bytes", i.bytes}};
    if (!i.memory.empty())
      json["memory"] = i.memory;
    return json;
  }
  Json operator()(const AllocInst &i) {
    Json json = {{"op", "alloc"},
                 {"dst", i.dst},
                 {"dtype", dtypeName(i.dtype)},
                 {"sizes", i.sizes},
                 {"device", i.device}};
    put(json, "offset", i.offset);
    if (!i.name.empty())
      json["name"] = i.name;
    if (!i.memory.empty())
      json["memory"] = i.memory;
    return json;
  }
  Json operator()(const ConstantInst &i) {
    return {{"op", "constant"},
            {"dst", i.dst},
            {"name", i.name},
            {"device", i.device}};
  }
  Json operator()(const ViewInst &i) {
    Json json = {
        {"op", "view"}, {"dst", i.dst}, {"src", i.src}, {"sizes", i.sizes}};
    if (i.dtype != DType::none)
      json["dtype"] = dtypeName(i.dtype);
    put(json, "offset", i.offset);
    if (!i.strides.empty())
      json["strides"] = i.strides;
    return json;
  }
  Json operator()(const FillInst &i) {
    return {{"op", "fill"}, {"dst", i.dst}, {"byte", i.byte}};
  }
  Json operator()(const CopyInst &i) {
    return {{"op", "copy"}, {"dst", i.dst}, {"src", i.src}};
  }
  Json operator()(const ReadInst &i) {
    Json json = {{"op", "read"}, {"dst", i.dst}, {"src", i.src}};
    put(json, "index", i.index);
    return json;
  }
  Json operator()(const CollectiveInst &i) { return collectiveToJson(i); }
  Json operator()(const WaitInst &i) {
    return {{"op", "wait"}, {"dst", i.dst}};
  }
  Json operator()(const HostInst &i) {
    Json json = {{"op", "host"},
                 {"function", i.function},
                 {"src", i.src},
                 {"dst", i.dst}};
    if (!i.flags.empty())
      json["flags"] = i.flags;
    return json;
  }
  Json operator()(const LaunchInst &i) {
    Json json = {{"op", "launch"}};
    if (!i.name.empty())
      json["name"] = i.name;
    Json &variants = json["variants"] = Json::array();
    for (const LaunchVariant &v : i.variants) {
      Json one = {{"kernel", v.kernel}};
      put(one, "guard", v.guard);
      putGrid(one, v.grid);
      variants.push_back(std::move(one));
    }
    Json &args = json["args"] = Json::array();
    for (const LaunchArg &a : i.args)
      args.push_back({{a.kind == LaunchArg::buffer ? "b" : "r", a.index}});
    put(json, "flops", i.flops);
    put(json, "bytes", i.bytes);
    putAttributes(json, i.attributes);
    return json;
  }
  Json operator()(const IfInst &i) {
    return {{"op", "if"},
            {"cond", i.cond},
            {"then", codeToJson(i.thenCode)},
            {"else", codeToJson(i.elseCode)}};
  }
  Json operator()(const WhileInst &i) {
    return {{"op", "while"},
            {"before", codeToJson(i.before)},
            {"cond", i.cond},
            {"body", codeToJson(i.body)}};
  }
  Json operator()(const ReturnInst &i) {
    return {{"op", "return"}, {"results", i.results}};
  }
};

Json codeToJson(const std::vector<Instruction> &code) {
  Json json = Json::array();
  for (const Instruction &inst : code)
    json.push_back(std::visit(Writer(), inst.body));
  return json;
}

Json argumentToJson(const Argument &arg) {
  Json json = {{"name", arg.name},
               {"dtype", dtypeName(arg.dtype)},
               {"shape", arg.shape},
               {"reg", arg.reg}};
  if (arg.isScalar)
    json["scalar"] = true;
  if (arg.device)
    json["device"] = arg.device;
  if (arg.writable)
    json["writable"] = true;
  if (arg.strided)
    json["strided"] = true;
  if (arg.align != 1)
    json["align"] = arg.align;
  if (arg.low <= arg.high) {
    json["low"] = arg.low;
    json["high"] = arg.high;
  }
  if (arg.domain != Domain::any)
    json["domain"] = domainName(arg.domain);
  if (!arg.dims.empty())
    json["dims"] = arg.dims;
  if (arg.isUnsigned)
    json["unsigned"] = true;
  if (arg.bits)
    json["bits"] = arg.bits;
  return json;
}

Json resultToJson(const Result &result) {
  Json tolerance = {{"accumulation", result.tolerance.accumulation}};
  if (result.tolerance.dtype != DType::none)
    tolerance["dtype"] = dtypeName(result.tolerance.dtype);
  put(tolerance, "accumulationReg", result.tolerance.accumulationReg);
  if (result.tolerance.exact)
    tolerance["exact"] = true;
  Json json = {{"name", result.name},
               {"dtype", dtypeName(result.dtype)},
               {"shape", result.shape},
               {"tolerance", std::move(tolerance)}};
  if (result.device)
    json["device"] = result.device;
  if (!result.dims.empty())
    json["dims"] = result.dims;
  if (result.isUnsigned)
    json["unsigned"] = true;
  if (result.bits)
    json["bits"] = result.bits;
  return json;
}

Json functionToJson(const Function &function) {
  bool isKernel = function.kind == Function::Kind::kernel;
  Json json = {{"name", function.name},
               {"kind", isKernel ? "kernel" : "function"},
               {"public", function.isPublic},
               {"regs", function.numRegs},
               {"bufs", function.numBufs}};
  if (isKernel)
    putGrid(json, function.grid);
  Json &args = json["args"] = Json::array();
  for (const Argument &arg : function.args)
    args.push_back(argumentToJson(arg));
  Json &results = json["results"] = Json::array();
  for (const Result &result : function.results)
    results.push_back(resultToJson(result));
  json["code"] = codeToJson(function.code);
  return json;
}

Json kernelToJson(const KernelInfo &kernel) {
  Json json = {{"name", kernel.name},
               {"symbol", kernel.symbol},
               {"module", kernel.module},
               {"device", kernel.device},
               {"scratch", kernel.scratchBytes}};
  Json &params = json["params"] = Json::array();
  for (const KernelParam &param : kernel.params) {
    Json one = {{"name", param.name}, {"dtype", dtypeName(param.dtype)}};
    if (param.kind == KernelParam::Kind::view) {
      one["rank"] = param.rank;
      if (param.readonly)
        one["readonly"] = true;
      if (param.align != 1)
        one["align"] = param.align;
      if (param.shape)
        one["shape"] = *param.shape;
      if (param.strides) {
        Json &strides = one["strides"] = Json::array();
        for (int64_t stride : *param.strides)
          strides.push_back(stride == kAnyStride ? Json() : Json(stride));
      }
    }
    params.push_back(std::move(one));
  }
  if (!kernel.notes.empty())
    json["notes"] = kernel.notes;
  putLaunchContract(json, kernel);
  return json;
}

} // namespace

Json kiln::runtime::programToJson(const HostProgram &program) {
  Json json;
  Json &devices = json["devices"] = Json::array();
  for (const DeviceRef &device : program.devices) {
    Json one = {{"name", device.name}, {"options", device.options}};
    if (!device.requirements.empty())
      one["requires"] = device.requirements;
    if (device.ordinal)
      one["ordinal"] = device.ordinal;
    devices.push_back(std::move(one));
  }
  Json &kernels = json["kernels"] = Json::array();
  for (const KernelInfo &kernel : program.kernels)
    kernels.push_back(kernelToJson(kernel));
  Json &functions = json["functions"] = Json::array();
  for (const Function &function : program.functions)
    functions.push_back(functionToJson(function));
  if (!program.groups.empty())
    json["groups"] = program.groups;
  return json;
}

Expected<std::string> kiln::runtime::dumpJson(const Json &json) {
  try {
    return json.dump();
  } catch (const std::exception &) {
    return Error("a name in the program is not valid UTF-8");
  }
}
