//===- LaunchCosts.cpp - What launches compute and move -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchCosts.h"
#include "kiln/Index/Expr.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace kiln;
using namespace kiln::driver;
using namespace kiln::runtime;
using index::Expr;

namespace {

using Sizes = llvm::SmallVector<Expr>;

/// Runs a function with expressions in its registers.
class Reading {
public:
  Reading(const HostProgram &program, const Package &package,
          const Function &function)
      : program(program), package(package), function(function),
        regs(size_t(function.numRegs), Expr(0)),
        bufs(size_t(function.numBufs)) {}

  void run(std::vector<LaunchCost> &costs) {
    for (auto [number, argument] : llvm::enumerate(function.args)) {
      std::string name = argument.name.empty() ? "arg" + std::to_string(number)
                                               : argument.name;
      if (argument.isScalar) {
        regs[size_t(argument.reg)] = named(name);
        continue;
      }
      Sizes &sizes = bufs[size_t(argument.reg)];
      for (auto [dim, size] : llvm::enumerate(argument.shape))
        sizes.push_back(size == kDynamic ? named("size(" + name + ", " +
                                                 std::to_string(dim) + ")")
                                         : Expr(size));
    }
    for (size_t axis = 0; axis < function.grid.size(); ++axis)
      if (function.grid[axis] != kNone)
        regs[size_t(function.grid[axis])] =
            named("grid(" + std::to_string(axis) + ")");
    run(function.code);
    for (auto &[kernel, found] : sums) {
      LaunchCost &cost = found.cost;
      cost.function = function.name;
      cost.kernel = program.kernels[kernel].name;
      cost.device =
          deviceText(program.devices[size_t(program.kernels[kernel].device)]);
      cost.flops = text(found.flops);
      cost.bytes = text(found.bytes);
      costs.push_back(cost);
    }
  }

private:
  struct Sum {
    LaunchCost cost;
    Expr flops, bytes;
  };

  Expr named(const std::string &name) {
    auto [it, isNew] = numbers.try_emplace(name, unsigned(names.size()));
    if (isNew)
      names.push_back(name);
    return Expr::symbol(it->second);
  }

  /// With the sizes that were checked to be equal written the same way.
  Expr settled(const Expr &expr) const {
    if (!expr.isKnown())
      return expr;
    return expr.substitute([&](unsigned symbol) {
      auto it = equal.find(symbol);
      return it == equal.end() ? Expr::symbol(symbol) : it->second;
    });
  }

  /// Empty for what is not known, and for 0: nobody has told.
  std::string text(const Expr &unsettled) const {
    Expr expr = settled(unsettled);
    if (!expr.isKnown() || expr.is(0))
      return "";
    std::string text;
    auto add = [&](int64_t number, const std::string &product) {
      if (!text.empty())
        text += number < 0 ? " - " : " + ";
      else if (number < 0)
        text += "-";
      uint64_t size = number < 0 ? -uint64_t(number) : uint64_t(number);
      if (product.empty())
        text += std::to_string(size);
      else
        text += (size == 1 ? "" : std::to_string(size) + "*") + product;
    };
    for (const Expr::Term &term : expr.getTerms()) {
      std::string product;
      for (unsigned factor : term.factors)
        product += (product.empty() ? "" : "*") + names[factor];
      add(term.coefficient, product);
    }
    if (expr.getNumber())
      add(expr.getNumber(), "");
    return text;
  }

  Expr &reg(Reg r) { return regs[size_t(r)]; }
  Expr value(Reg r) const { return r == kNone ? Expr(0) : regs[size_t(r)]; }

  Sizes sizesOf(const std::vector<Reg> &from) const {
    Sizes sizes;
    for (Reg r : from)
      sizes.push_back(value(r));
    return sizes;
  }

  Expr compute(IntOp op, const Expr &a, const Expr &b) {
    if (a.isStatic() && b.isStatic()) {
      std::optional<int64_t> number = computeInt(op, a.get(), b.get());
      return number ? Expr(*number) : Expr::unknown();
    }
    switch (op) {
    case IntOp::add:
      return a + b;
    case IntOp::sub:
      return a - b;
    case IntOp::mul:
      return a * b;
    case IntOp::mov:
      return a;
    default:
      break;
    }
    static const std::map<IntOp, const char *> functions = {
        {IntOp::floordiv, "floordiv"},
        {IntOp::ceildiv, "ceildiv"},
        {IntOp::mod, "mod"},
        {IntOp::min, "min"},
        {IntOp::max, "max"}};
    auto function = functions.find(op);
    Expr x = settled(a), y = settled(b);
    if (function == functions.end() || !x.isKnown() || !y.isKnown())
      return Expr::unknown();
    if ((op == IntOp::floordiv || op == IntOp::ceildiv) && y.is(1))
      return x;
    if ((op == IntOp::min || op == IntOp::max) && x.same(y))
      return x;
    auto shown = [&](const Expr &expr) {
      return expr.is(0) ? std::string("0") : text(expr);
    };
    return named(std::string(function->second) + "(" + shown(x) + ", " +
                 shown(y) + ")");
  }

  void run(const std::vector<Instruction> &code) {
    for (const Instruction &instruction : code)
      std::visit([&](const auto &one) { step(one); }, instruction.body);
  }

  void step(const ConstInst &i) { reg(i.dst) = i.value; }
  void step(const IntInst &i) {
    Expr a = value(i.lhs), b = value(i.rhs);
    reg(i.dst) = compute(i.op, a, b);
    if (i.op == IntOp::eq)
      equations[i.dst] = {a, b};
    else
      equations.erase(i.dst);
  }
  void step(const SelectInst &i) {
    Expr cond = value(i.cond), a = value(i.ifTrue), b = value(i.ifFalse);
    if (cond.isStatic())
      reg(i.dst) = cond.get() ? a : b;
    else
      reg(i.dst) = a.same(b) ? a : Expr::unknown();
  }
  void step(const DimInst &i) {
    const Sizes &sizes = bufs[size_t(i.buffer)];
    reg(i.dst) =
        size_t(i.dim) < sizes.size() ? sizes[size_t(i.dim)] : Expr::unknown();
  }
  void step(const StrideInst &i) { reg(i.dst) = Expr::unknown(); }
  void step(const AlignedInst &i) { reg(i.dst) = Expr::unknown(); }
  void step(const CheckInst &i) {
    auto found = equations.find(i.cond);
    if (found == equations.end() || depth)
      return;
    Expr a = settled(found->second.first), b = settled(found->second.second);
    if (!a.isKnown() || !b.isKnown() || a.same(b))
      return;
    // Everything that is replaced leads to what stays.
    int from = asSymbol(b), other = asSymbol(a);
    const Expr *to = &a;
    if (other >= 0 && (from < 0 || other > from))
      from = other, to = &b;
    if (from < 0 || mentions(*to, unsigned(from)))
      return;
    Expr target = *to;
    auto replace = [&](unsigned symbol) {
      return symbol == unsigned(from) ? target : Expr::symbol(symbol);
    };
    for (auto &[symbol, expr] : equal)
      expr = expr.substitute(replace);
    equal[unsigned(from)] = target;
  }
  static bool mentions(const Expr &expr, unsigned symbol) {
    for (const Expr::Term &term : expr.getTerms())
      if (llvm::is_contained(term.factors, symbol))
        return true;
    return false;
  }
  void step(const ArenaInst &) {}
  void step(const AllocInst &i) { bufs[size_t(i.dst)] = sizesOf(i.sizes); }
  void step(const ConstantInst &i) {
    Sizes &sizes = bufs[size_t(i.dst)];
    sizes.clear();
    for (const Constant &constant : package.constants)
      if (constant.name == i.name)
        sizes.assign(constant.shape.begin(), constant.shape.end());
  }
  void step(const ViewInst &i) { bufs[size_t(i.dst)] = sizesOf(i.sizes); }
  void step(const FillInst &) {}
  void step(const CopyInst &) {}
  void step(const ReadInst &i) { reg(i.dst) = Expr::unknown(); }
  void step(const CollectiveInst &) {}
  void step(const WaitInst &) {}
  void step(const HostInst &) {}
  void step(const ReturnInst &) {}

  void step(const LaunchInst &i) {
    for (const LaunchVariant &variant : i.variants) {
      Sum &sum = sums[variant.kernel];
      ++sum.cost.launches;
      sum.flops = sum.flops + value(i.flops);
      sum.bytes = sum.bytes + value(i.bytes);
      sum.cost.isRepeated |= rounds > 0;
      sum.cost.isSometimes |= depth > rounds || i.variants.size() > 1;
    }
  }

  void step(const IfInst &i) {
    std::vector<Expr> before = regs;
    std::vector<Sizes> beforeBufs = bufs;
    ++depth;
    run(i.thenCode);
    regs.swap(before);
    bufs.swap(beforeBufs);
    run(i.elseCode);
    --depth;
    join(before, beforeBufs);
  }

  void step(const WhileInst &i) {
    forgetWritten(i.before);
    forgetWritten(i.body);
    ++depth;
    ++rounds;
    run(i.before);
    run(i.body);
    --rounds;
    --depth;
    // What was computed in there differs from round to round.
    forgetWritten(i.before);
    forgetWritten(i.body);
  }

  /// Keeps what both sides agree on.
  void join(const std::vector<Expr> &others,
            const std::vector<Sizes> &otherBufs) {
    for (auto [mine, other] : llvm::zip(regs, others))
      if (!mine.same(other))
        mine = Expr::unknown();
    for (auto [mine, other] : llvm::zip(bufs, otherBufs)) {
      if (mine.size() != other.size())
        mine.clear();
      for (auto [size, otherSize] : llvm::zip(mine, other))
        if (!size.same(otherSize))
          size = Expr::unknown();
    }
  }

  /// Runs code for what it writes, which is unknown then.
  void forgetWritten(const std::vector<Instruction> &code) {
    for (const Instruction &instruction : code)
      std::visit([&](const auto &one) { forget(one); }, instruction.body);
  }
  template <typename T> void forget(const T &i) {
    if constexpr (std::is_same_v<T, IfInst>) {
      forgetWritten(i.thenCode);
      forgetWritten(i.elseCode);
    } else if constexpr (std::is_same_v<T, WhileInst>) {
      forgetWritten(i.before);
      forgetWritten(i.body);
    } else if constexpr (std::is_same_v<T, AllocInst> ||
                         std::is_same_v<T, ConstantInst> ||
                         std::is_same_v<T, ViewInst>) {
      bufs[size_t(i.dst)].clear();
    } else if constexpr (std::is_same_v<T, ConstInst> ||
                         std::is_same_v<T, IntInst> ||
                         std::is_same_v<T, SelectInst> ||
                         std::is_same_v<T, DimInst> ||
                         std::is_same_v<T, StrideInst> ||
                         std::is_same_v<T, AlignedInst> ||
                         std::is_same_v<T, ReadInst>) {
      reg(i.dst) = Expr::unknown();
      equations.erase(i.dst);
    }
  }

  const HostProgram &program;
  const Package &package;
  const Function &function;
  std::vector<Expr> regs;
  std::vector<Sizes> bufs;
  std::vector<std::string> names;
  std::map<std::string, unsigned> numbers;
  std::map<Reg, std::pair<Expr, Expr>> equations;
  std::map<unsigned, Expr> equal;
  unsigned depth = 0, rounds = 0;
  llvm::MapVector<uint32_t, Sum> sums;
};

} // namespace

std::vector<LaunchCost> kiln::driver::launchCosts(const Package &package) {
  std::vector<LaunchCost> costs;
  if (package.targets.empty())
    return costs;
  const HostProgram &program = package.targets.front().program;
  for (const Function &function : program.functions)
    Reading(program, package, function).run(costs);
  return costs;
}

std::string kiln::driver::costText(const LaunchCost &cost) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (!cost.flops.empty())
    add(cost.flops + " FLOP");
  if (!cost.bytes.empty())
    add(cost.bytes + " bytes");
  if (cost.isRepeated)
    add("each round of a loop");
  if (cost.isSometimes)
    add("where its condition holds");
  return text;
}
