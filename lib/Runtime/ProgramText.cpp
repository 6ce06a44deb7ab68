// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host program -> text for people.
#include "ProgramJson.h"

using namespace kiln::runtime;

namespace {

std::string r(Reg reg) {
  return reg == kNone ? "_" : "r" + std::to_string(reg);
}
std::string b(Buf buf) { return "b" + std::to_string(buf); }

std::string list(const std::vector<int32_t> &items, char prefix) {
  std::string text;
  for (int32_t item : items)
    text += (text.empty() ? "" : ", ") + (prefix + std::to_string(item));
  return text;
}

std::string typeText(DType dtype, const std::vector<int64_t> &shape) {
  std::string text = "<";
  for (int64_t size : shape)
    text += (size == kDynamic ? "?" : std::to_string(size)) + "x";
  return text + std::string(dtypeName(dtype)) + ">";
}

/// Prints one function.
class Printer {
public:
  explicit Printer(const HostProgram &program) : program(program) {}
  std::string out;

  void print(const Function &fn) {
    bool isKernel = fn.kind == Function::Kind::kernel;
    out += std::string(isKernel ? "kernel " : "function ") + fn.name + "(";
    for (size_t i = 0; i < fn.args.size(); ++i) {
      const Argument &arg = fn.args[i];
      out += i ? ", " : "";
      out += (arg.isScalar ? r(arg.reg) : b(arg.reg)) + ": " +
             (arg.isScalar ? std::string(dtypeName(arg.dtype))
                           : typeText(arg.dtype, arg.shape));
    }
    out += ")";
    for (size_t i = 0; i < fn.results.size(); ++i)
      out += (i ? ", " : " -> ") +
             typeText(fn.results[i].dtype, fn.results[i].shape);
    out += " {\n";
    block(fn.code, 1);
    out += "}\n";
  }

private:
  void block(const std::vector<Instruction> &code, int depth) {
    for (const Instruction &inst : code) {
      indent = std::string(size_t(depth) * 2, ' ');
      level = depth;
      out += indent;
      std::visit([this](const auto &i) { print(i); }, inst.body);
      out += "\n";
    }
  }

  void print(const ConstInst &i) {
    out += r(i.dst) + " = " + std::to_string(i.value);
  }
  void print(const IntInst &i) {
    out += r(i.dst) + " = " + intOpName(i.op) + " " + r(i.lhs);
    if (i.op != IntOp::mov)
      out += ", " + r(i.rhs);
  }
  void print(const SelectInst &i) {
    out += r(i.dst) + " = select " + r(i.cond) + ", " + r(i.ifTrue) + ", " +
           r(i.ifFalse);
  }
  void print(const DimInst &i) {
    out +=
        r(i.dst) + " = dim " + b(i.buffer) + "[" + std::to_string(i.dim) + "]";
  }
  void print(const StrideInst &i) {
    out += r(i.dst) + " = stride " + b(i.buffer) + "[" + std::to_string(i.dim) +
           "]";
  }
  void print(const AlignedInst &i) {
    out +=
        r(i.dst) + " = aligned " + b(i.buffer) + ", " + std::to_string(i.bytes);
  }
  void print(const CheckInst &i) {
    out += "check " + r(i.cond) + ", \"" + i.message + "\"";
  }
  void print(const ArenaInst &i) {
    out += "arena " + device(i.device, i.memory) + ", " + r(i.bytes) + " bytes";
  }
  void print(const AllocInst &i) {
    out += b(i.dst) + " = alloc " + device(i.device, i.memory) + " [" +
           list(i.sizes, 'r') + "] " + std::string(dtypeName(i.dtype));
    if (i.offset != kNone)
      out += " at arena + " + r(i.offset);
    if (!i.name.empty())
      out += "  // " + i.name;
  }
  void print(const ConstantInst &i) {
    out += b(i.dst) + " = constant " + i.name;
  }
  void print(const ViewInst &i) {
    out += b(i.dst) + " = view " + b(i.src) + " + " + r(i.offset) + " [" +
           list(i.sizes, 'r') + "]";
    if (!i.strides.empty())
      out += " strides [" + list(i.strides, 'r') + "]";
    if (i.dtype != DType::none)
      out += " as " + std::string(dtypeName(i.dtype));
  }
  void print(const FillInst &i) {
    out += "fill " + b(i.dst) + ", " + std::to_string(i.byte);
  }
  void print(const CopyInst &i) {
    out += "copy " + b(i.src) + " to " + b(i.dst);
  }
  void print(const ReadInst &i) {
    out += r(i.dst) + " = read " + b(i.src) + "[" + r(i.index) + "]";
  }
  void print(const CollectiveInst &i) {
    out += std::string(collectiveKindName(i.kind)) + " ";
    if (i.kind == CollectiveKind::rank) {
      out += "to " + b(i.dst);
      return;
    }
    if (i.kind == CollectiveKind::allReduce ||
        i.kind == CollectiveKind::reduceScatter)
      out += std::string(combinerName(i.combiner)) + " ";
    out += b(i.src) + " to " + b(i.dst) + " ranks [";
    bool known = i.groups >= 0 && size_t(i.groups) < program.groups.size();
    for (size_t g = 0; known && g < program.groups[size_t(i.groups)].size();
         ++g) {
      out += g ? ", [" : "[";
      std::string text;
      for (int64_t rank : program.groups[size_t(i.groups)][g])
        text += (text.empty() ? "" : ", ") + std::to_string(rank);
      out += text + "]";
    }
    out += "]";
  }
  void print(const WaitInst &i) { out += "wait " + b(i.dst); }
  void print(const HostInst &i) {
    out += "host " + i.function;
    for (const std::string &flag : i.flags)
      out += " " + flag;
    out += " " + list(i.src, 'b') + " to " + list(i.dst, 'b');
  }
  void print(const LaunchInst &i) {
    out += "launch";
    for (const LaunchVariant &v : i.variants) {
      bool known = v.kernel < program.kernels.size();
      out += v.guard == kNone ? " " : " if " + r(v.guard) + " ";
      out += known ? program.kernels[v.kernel].name : "?";
      out +=
          "<" + r(v.grid[0]) + ", " + r(v.grid[1]) + ", " + r(v.grid[2]) + ">";
    }
    out += "(";
    for (size_t a = 0; a < i.args.size(); ++a)
      out += (a ? ", " : "") + (i.args[a].kind == LaunchArg::buffer
                                    ? b(i.args[a].index)
                                    : r(i.args[a].index));
    out += ")";
    if (!i.attributes.empty())
      out += " with " + attributesText(i.attributes);
  }
  void print(const IfInst &i) {
    nested("if " + r(i.cond) + " {", i.thenCode);
    if (!i.elseCode.empty())
      nested("\n" + indent + "else {", i.elseCode);
  }
  void print(const WhileInst &i) {
    nested("while {", i.before);
    nested(" " + r(i.cond) + " do {", i.body);
  }
  void print(const ReturnInst &i) { out += "return " + list(i.results, 'b'); }

  void nested(const std::string &head, const std::vector<Instruction> &code) {
    int outer = level;
    out += head + "\n";
    block(code, outer + 1);
    level = outer;
    indent = std::string(size_t(outer) * 2, ' ');
    out += indent + "}";
  }
  std::string device(int32_t index, const std::string &memory) const {
    bool known = index >= 0 && size_t(index) < program.devices.size();
    return "@" + (known ? deviceText(program.devices[index]) : "?") +
           (memory.empty() ? "" : "." + memory);
  }

  const HostProgram &program;
  std::string indent;
  int level = 0;
};

} // namespace

std::string kiln::runtime::deviceText(const DeviceRef &device) {
  return device.name +
         (device.ordinal ? "#" + std::to_string(device.ordinal) : "");
}

std::string
kiln::runtime::attributesText(const std::vector<LaunchAttribute> &attributes) {
  std::string text;
  for (const LaunchAttribute &attribute : attributes) {
    text += (text.empty() ? "" : ", ") + launchAttributeName(attribute.tag) +
            (attribute.isRequired ? "! " : " ");
    for (size_t i = 0; i < attribute.values.size(); ++i)
      text += (i ? " x " : "") + attribute.values[i].str();
  }
  return text;
}

std::string kiln::runtime::toText(const HostProgram &program) {
  Printer printer(program);
  for (const Function &function : program.functions)
    printer.print(function);
  return printer.out;
}
