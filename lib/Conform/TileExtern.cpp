//===- TileExtern.cpp - Calls of functions, conditions that hold ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Function {
  const char *name;
  bool hasInt; ///< an i32 beside the float
  bool isIntFirst;
  int floats;
  bool givesInt;
};

constexpr Function kFunctions[] = {{"hypot", false, false, 2, false},
                                   {"remainder", false, false, 2, false},
                                   {"nextafter", false, false, 2, false},
                                   {"lgamma", false, false, 1, false},
                                   {"tgamma", false, false, 1, false},
                                   {"logb", false, false, 1, false},
                                   {"j0", false, false, 1, false},
                                   {"j1", false, false, 1, false},
                                   {"y0", false, false, 1, false},
                                   {"y1", false, false, 1, false},
                                   {"scalbn", true, false, 1, false},
                                   {"jn", true, true, 1, false},
                                   {"yn", true, true, 1, false},
                                   {"ilogb", false, false, 1, true}};

void addCall(Plan &plan, const Function &function, StringRef type) {
  Entry &entry = plan.add("tile.call_extern", type, function.name);
  entry.profile("elementwise").profile("extern");
  KernelText kernel(entry);
  std::vector<std::string> types, views;
  if (function.hasInt && function.isIntFirst)
    types.push_back("i32");
  for (int i = 0; i < function.floats; ++i)
    types.push_back(type.str());
  if (function.hasInt && !function.isIntFirst)
    types.push_back("i32");
  StringRef result = function.givesInt ? StringRef("i32") : type;
  for (const std::string &one : types)
    views.push_back(kernel.view({-1}, one));
  std::string out = kernel.view({-1}, result, true);
  auto ids = kernel.programId();
  std::string operands, list;
  for (auto [i, view] : llvm::enumerate(views)) {
    operands += (i ? ", " : "") + kernel.load(view, ids, {64}, types[i]);
    list += (i ? ", " : "") + tensorText({64}, types[i]);
  }
  kernel.store(kernel.op("tile.call_extern \"" + Twine(function.name) +
                         "\" from \"\" pure (" + operands + ") : (" + list +
                         ") -> " + tensorText({64}, result)),
               out, ids, {64}, result);
  kernel.finish();
  // Bessel functions far from zero lose what the argument's error is.
  bool isBessel = function.name[0] == 'j' || function.name[0] == 'y';
  for (const char *fill : {"plain", "hurt", "finite"}) {
    if (isBessel && StringRef(fill) != "plain")
      continue;
    std::vector<CallArgument> args;
    for (const std::string &one : types)
      args.push_back(of({200}, one == "i32" ? Fill(0, 5)
                               : isBessel   ? Fill(0.1, 20)
                                            : Fill(fill)));
    args.push_back(of({200}));
    kiln::conform::addCall(entry, fill, args, {4, 1, 1});
  }
}

/// A condition that holds in every lane, beside work that must go on.
void addCondition(Plan &plan, StringRef op) {
  for (StringRef type : {"i32", "i64", "f32"}) {
    Entry &entry = plan.add(op, type, "holds");
    entry.profile("extern");
    KernelText kernel(entry);
    std::string in = kernel.view({-1}, type),
                out = kernel.view({-1}, type, true);
    auto ids = kernel.programId();
    std::string T = tensorText({64}, type);
    std::string x = kernel.load(in, ids, {64}, type);
    bool isFloat = isFloatText(type);
    std::string most =
        kernel.op("arith.constant dense<" + Twine(isFloat ? "5000.0" : "5000") +
                  "> : " + T);
    std::string holds =
        kernel.op(Twine(isFloat ? "arith.cmpf ole, " : "arith.cmpi sle, ") + x +
                  ", " + most + " : " + T);
    kernel.line(op + " " + Twine(holds) +
                (op == "tile.assert" ? ", \"too large\"" : "") + " : " +
                tensorText({64}, "i1"));
    kernel.store(kernel.op(Twine(isFloat ? "arith.addf " : "arith.addi ") + x +
                           ", " + x + " : " + T),
                 out, ids, {64}, type);
    kernel.finish();
    for (int64_t n : {64, 37, 150})
      kiln::conform::addCall(entry, "n" + std::to_string(n), {of({n}), of({n})},
                             {ceilDiv(n, 64), 1, 1});
  }
}

} // namespace

void kiln::conform::addTileExtern() {
  addRecipe("tile.call_extern", [](Plan &plan) {
    for (StringRef type : {"f32", "f64"})
      for (const Function &function : kFunctions)
        addCall(plan, function, type);
  });
  addRecipe("tile.assert",
            [](Plan &plan) { addCondition(plan, "tile.assert"); });
  addRecipe("tile.assume",
            [](Plan &plan) { addCondition(plan, "tile.assume"); });
  for (const char *op :
       {"tile.instance_id", "tile.num_instances", "tile.grid_coordinates"})
    exempt(op, "passes put it there, for targets that know it: "
               "test/tile/grid-run.test");
  exempt("tile.cluster_barrier",
         "few machines have clusters: test/tile/grid-run.test");
  exempt("tile.print", "it gives text and no memory: test/cpu/output.mlir");
  exempt(
      "tile.inline_asm",
      "its text is of one instruction set: the tests of targets that have it");
  exempt("tile.kernel", "every case of this level is one");
  exempt("tile.return", "it ends every kernel");
  exempt("tile.yield", "it ends the regions of tile.reduce and tile.scan");
  exempt("prim.fusion", "made by prim-fuse on the way of every case of prim");
  exempt("prim.claim",
         "made by claims of a target, and evaluated as what it holds");
  for (const char *op : {"prim.rank", "prim.all_reduce", "prim.all_gather",
                         "prim.reduce_scatter", "prim.all_to_all",
                         "prim.broadcast", "prim.permute"})
    exempt(op, "it needs several ranks, and no target has a part in it: "
               "test/runtime/ranks.test");
  for (const char *op :
       {"prim.cholesky", "prim.lu", "prim.pivots_to_permutation",
        "prim.triangular_solve", "prim.complex_cholesky", "prim.complex_lu",
        "prim.complex_triangular_solve", "prim.complex_householder_qr",
        "prim.complex_householder_product", "prim.complex_eigh",
        "prim.complex_svd", "prim.householder_qr", "prim.householder_product",
        "prim.eigh", "prim.eig", "prim.svd"})
    exempt(op, "the host does it, and no target has a part in it: "
               "test/runtime/linear-algebra.test");
  exempt("prim.callback", "the process that runs a program does it, and no "
                          "target has a part in it: test/jax/callbacks.test");
  exempt("prim.yield", "it ends the regions of prim.fusion and prim.claim");
}
