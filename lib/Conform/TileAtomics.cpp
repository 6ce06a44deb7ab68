//===- TileAtomics.cpp - Atomic accesses, instances that wait -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr int64_t kLanes = 32;

/// Adds cases in which each lane of each instance updates one element. Either
/// all instances update the same elements, by a combiner whose result does not
/// depend on the order, or each instance has elements of its own.
void addRmw(Plan &plan, StringRef kind, StringRef type, bool isShared,
            bool isMasked, StringRef order) {
  Entry &entry = plan.add("tile.atomic_rmw", type,
                          Twine(kind) + (isShared ? "-shared" : "-own") +
                              (isMasked ? ".masked" : "") +
                              (order == "relaxed" ? "" : "." + order.str()));
  entry.isProposal = true;
  entry.hasFreeZeros = isFloatText(type);
  entry.profile("pointer").profile("atomic");
  KernelText kernel(entry);
  std::string where = kernel.pointer(type, true), in = kernel.view({-1}, type);
  std::string old = isShared ? "" : kernel.view({-1}, type, true);
  std::string mask = isMasked ? kernel.view({-1}, "i1") : "";
  auto ids = kernel.programId();
  std::string I = tensorText({kLanes}, "i32"),
              P = "tensor<32x!tile.ptr<" + type.str() + ">>",
              T = tensorText({kLanes}, type);
  std::string lanes = kernel.op("tile.iota 0 : " + Twine(I));
  if (!isShared) {
    std::string narrow =
        kernel.op("arith.index_cast " + Twine(ids[0]) + " : index to i32");
    std::string size = kernel.op("arith.constant 32 : i32");
    std::string start =
        kernel.op("arith.muli " + Twine(narrow) + ", " + size + " : i32");
    std::string base = kernel.op("tile.splat " + Twine(start) + " : " + I);
    lanes = kernel.op("arith.addi " + Twine(lanes) + ", " + base + " : " + I);
  }
  std::string all = kernel.op("tile.splat " + Twine(where) + " : " + P);
  std::string p = kernel.op("tile.ptr_add " + Twine(all) + ", " + lanes +
                            " : " + P + ", " + I);
  std::string x = kernel.load(in, ids, {kLanes}, type);
  std::string clause =
      isMasked ? " mask " + kernel.load(mask, ids, {kLanes}, "i1") : "";
  std::string was =
      kernel.op("tile.atomic_rmw " + Twine(kind) + " " + order + " device " +
                p + ", " + x + clause + " : " + P + ", " + T);
  if (!isShared && !isMasked)
    kernel.store(was, old, ids, {kLanes}, type);
  kernel.finish();
  constexpr int64_t grid = 6;
  for (const char *fill : {"plain", "finite"}) {
    std::vector<CallArgument> args = {
        of({isShared ? kLanes : grid * kLanes}, fill),
        of({grid * kLanes}, fill)};
    if (!isShared)
      args.push_back(of({grid * kLanes}));
    if (isMasked)
      args.push_back(of({grid * kLanes}, "bits"));
    addCall(entry, fill, args, {grid, 1, 1});
  }
}

/// Adds a case in which all lanes of all instances increment one counter.
void addCounter(Plan &plan, StringRef type) {
  Entry &entry = plan.add("tile.atomic_rmw", type, "counter");
  entry.profile("pointer").profile("atomic").profile("concurrent");
  KernelText kernel(entry);
  std::string where = kernel.pointer(type, true);
  kernel.programId();
  std::string P = "tensor<64x!tile.ptr<" + type.str() + ">>",
              T = tensorText({64}, type);
  std::string one = kernel.op("arith.constant dense<1> : " + Twine(T));
  std::string all = kernel.op("tile.splat " + Twine(where) + " : " + P);
  kernel.op("tile.atomic_rmw add relaxed device " + Twine(all) + ", " + one +
            " : " + P + ", " + T);
  kernel.finish();
  for (int64_t grid : {1, 16, 500})
    addCall(entry, "grid" + std::to_string(grid), {of({1}, "zero")},
            {grid, 1, 1});
}

void addCas(Plan &plan, StringRef type) {
  for (StringRef order : {"relaxed", "acq_rel"}) {
    Entry &entry = plan.add("tile.atomic_cas", type, "own." + order.str());
    entry.isProposal = true;
    entry.isBitwise = true;
    entry.profile("pointer").profile("atomic");
    KernelText kernel(entry);
    std::string where = kernel.pointer(type, true),
                compare = kernel.view({-1}, type),
                value = kernel.view({-1}, type),
                old = kernel.view({-1}, type, true);
    std::string zero = kernel.index(0);
    std::string I = tensorText({kLanes}, "i32"),
                P = "tensor<32x!tile.ptr<" + type.str() + ">>",
                T = tensorText({kLanes}, type);
    std::string lanes = kernel.op("tile.iota 0 : " + Twine(I));
    std::string all = kernel.op("tile.splat " + Twine(where) + " : " + P);
    std::string p = kernel.op("tile.ptr_add " + Twine(all) + ", " + lanes +
                              " : " + P + ", " + I);
    std::string c = kernel.load(compare, {zero}, {kLanes}, type),
                v = kernel.load(value, {zero}, {kLanes}, type);
    std::string was = kernel.op("tile.atomic_cas " + Twine(order) + " device " +
                                p + ", " + c + ", " + v + " : " + P + ", " + T);
    kernel.store(was, old, {zero}, {kLanes}, type);
    kernel.finish();
    // About half of the elements equal their comparand.
    Fill few = isFloatText(type) ? Fill("zero") : Fill(0, 1);
    addCall(entry, "some",
            {of({kLanes}, few), of({kLanes}, few), of({kLanes}), of({kLanes})});
    addCall(entry, "none",
            {of({kLanes}, "bits"), of({kLanes}, "bits"), of({kLanes}),
             of({kLanes})});
  }
}

/// Adds a spin lock under which instances, one after the other, update a number
/// by a plain load and store.
void addLock(Plan &plan) {
  for (StringRef type : {"i32", "f32", "i64"}) {
    Entry &entry = plan.add("tile.atomic_cas", type, "lock");
    entry.profile("pointer").profile("atomic").profile("concurrent");
    KernelText kernel(entry);
    std::string lock = kernel.pointer("i32", true),
                sum = kernel.pointer(type, true);
    kernel.programId();
    bool isFloat = isFloatText(type);
    kernel.line(fillIn(R"(%free = arith.constant 0 : i32
  %taken = arith.constant 1 : i32
  %one = arith.constant $v : $T
  scf.while : () -> () {
    %was = tile.atomic_cas acquire device $l, %free, %taken : !tile.ptr<i32>, i32
    %again = arith.cmpi ne, %was, %free : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
  %x = tile.load_ptr $s : !tile.ptr<$T> -> $T
  %y = arith.$add %x, %one : $T
  tile.store_ptr $s, %y : !tile.ptr<$T>, $T
  %done = tile.atomic_rmw exchange release device $l, %free : !tile.ptr<i32>, i32)",
                       {{"l", lock},
                        {"s", sum},
                        {"T", type.str()},
                        {"v", isFloat ? "1.0" : "1"},
                        {"add", isFloat ? "addf" : "addi"}}));
    kernel.finish("attributes {progress = #tile<progress concurrent>}");
    for (int64_t grid : {1, 8, 64})
      addCall(entry, "grid" + std::to_string(grid),
              {of({1}, "zero"), of({1}, "zero")}, {grid, 1, 1});
  }
}

/// Adds a case in which the first instance waits for a flag that the last
/// instance sets after a delay.
void addFlag(Plan &plan) {
  Entry &entry = plan.add("tile.atomic_rmw", "i32", "flag");
  entry.profile("pointer").profile("atomic").profile("concurrent");
  KernelText kernel(entry);
  std::string flag = kernel.pointer("i32", true),
              data = kernel.pointer("f32", true),
              out = kernel.pointer("f32", true);
  auto ids = kernel.programId();
  kernel.line(fillIn(R"(%zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %value = arith.constant 42.0 : f32
  %step = arith.constant 1 : index
  %waits = arith.cmpi ne, $i, %step : index
  scf.if %waits {
    scf.while : () -> () {
      %seen = tile.atomic_rmw add acquire device $f, %none : !tile.ptr<i32>, i32
      %again = arith.cmpi eq, %seen, %none : i32
      scf.condition(%again)
    } do {
      scf.yield
    }
    %d = tile.load_ptr $d : !tile.ptr<f32> -> f32
    %mine = tile.ptr_add $o, $i : !tile.ptr<f32>, index
    tile.store_ptr %mine, %d : !tile.ptr<f32>, f32
  } else {
    %much = arith.constant 1000 : index
    scf.for %i = %zero to %much step %step {
      %idle = tile.atomic_rmw add relaxed device $f, %none : !tile.ptr<i32>, i32
    }
    tile.store_ptr $d, %value : !tile.ptr<f32>, f32
    %was = tile.atomic_rmw exchange release device $f, %one : !tile.ptr<i32>, i32
  })",
                     {{"i", ids[0]}, {"f", flag}, {"d", data}, {"o", out}}));
  kernel.finish("attributes {progress = #tile<progress concurrent>}");
  for (const char *name : {"once", "again"})
    addCall(entry, name, {of({1}, "zero"), of({1}), of({3})}, {3, 1, 1});
}

} // namespace

void kiln::conform::addTileAtomics() {
  addRecipe("tile.atomic_rmw", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"}) {
      for (StringRef kind : {"exchange", "add", "fadd", "max", "min", "umax",
                             "umin", "and", "or", "xor"}) {
        addRmw(plan, kind, type, false, false, "relaxed");
        addRmw(plan, kind, type, false, true, "relaxed");
        addRmw(plan, kind, type, false, false, "acq_rel");
        if (kind != "exchange" && kind != "fadd")
          addRmw(plan, kind, type, true, false, "relaxed");
      }
      if (!isFloatText(type))
        addCounter(plan, type);
    }
    addFlag(plan);
  });
  addRecipe("tile.atomic_cas", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      addCas(plan, type);
    addLock(plan);
  });
}
