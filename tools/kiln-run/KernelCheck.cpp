// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of a call against the reference, on what it was given.
#include "KernelCheck.h"
#include "Spread.h"
#include <cstdio>
#include <cstring>
#include <map>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

/// Copies that share storage as the originals do.
Expected<std::vector<Tensor>> copyOf(const std::vector<Tensor> &tensors) {
  std::map<void *, Storage> copies;
  std::vector<Tensor> result = tensors;
  for (Tensor &tensor : result) {
    Storage &storage = copies[tensor.storage.data];
    if (!storage.data) {
      Expected<Storage> fresh =
          Storage::allocate(tensor.storage.bytes, /*zeroed=*/false);
      if (!fresh)
        return fresh.takeError();
      storage = *fresh;
      std::memcpy(storage.data, tensor.storage.data, storage.bytes);
    }
    tensor.storage = storage;
  }
  return result;
}

bool isEstimated(const KernelInfo &kernel) {
  auto note = kernel.notes.find("bounds");
  return note != kernel.notes.end() && note->second == "estimated";
}

/// The narrowest float among a kernel's parameters; none when all are wide.
DType coarsestOf(const KernelInfo &kernel) {
  DType coarsest = DType::none;
  for (const KernelParam &param : kernel.params)
    if (isFloat(param.dtype) && dtypeBits(param.dtype) < 32 &&
        (coarsest == DType::none ||
         dtypeEpsilon(param.dtype) > dtypeEpsilon(coarsest)))
      coarsest = param.dtype;
  return coarsest;
}

} // namespace

Expected<std::unique_ptr<Judge>> Judge::create(PackagePtr package) {
  auto judge = std::make_unique<Judge>();
  judge->package = std::move(package);
  Expected<Session *> opened = judge->session(exact);
  if (!opened)
    return opened.takeError();
  return judge;
}

Expected<Session *> Judge::session(Direction direction) {
  std::unique_ptr<Session> &session = sessions[direction];
  if (session)
    return session.get();
  // 0, 1, -1, 2, -2 ...
  int number = (direction + 1) / 2 * (direction % 2 ? 1 : -1);
  std::string spec = "reference";
  if (number)
    spec += ",perturb=" + std::to_string(number);
  Expected<Session> opened = Session::create(package, spec);
  if (!opened)
    return opened.takeError();
  session = std::make_unique<Session>(std::move(*opened));
  return session.get();
}

Expected<std::vector<Tensor>> Judge::call(Direction direction,
                                          const Function &function,
                                          const std::vector<Tensor> &args,
                                          std::array<int64_t, 3> grid) {
  Expected<Session *> on = session(direction);
  if (!on)
    return on.takeError();
  Expected<std::vector<Tensor>> copies = copyOf(args);
  if (!copies)
    return copies;
  CallOptions call;
  call.grid = grid;
  const Function *same = (*on)->lookup(function.name);
  Expected<std::vector<Tensor>> results =
      (*on)->call(same ? *same : function, *copies, call);
  if (!results)
    return results;
  copies->insert(copies->end(), results->begin(), results->end());
  return copies;
}

Expected<std::vector<double>>
Judge::spread(const Tensor &found, const Tensor &expected, DType coarsest,
              const Options &options,
              const std::function<Expected<Tensor>(Direction)> &evaluate) {
  std::vector<Tensor> others;
  std::vector<double> result;
  for (int direction = plus; direction < kDirections; ++direction) {
    Expected<Tensor> other = evaluate(Direction(direction));
    if (!other)
      return other.takeError();
    others.push_back(std::move(*other));
    if (direction % 2)
      continue;
    result = spreadOf(expected, others);
    if (fitsWithin(found, expected, result, 0, coarsest, options))
      break;
  }
  return result;
}

const Function *Judge::lookup(const std::string &name) {
  return sessions[exact]->lookup(name);
}

bool Judge::hasContractBounds() const {
  for (const KernelInfo &kernel : sessions[exact]->target().program.kernels)
    if (isEstimated(kernel))
      return false;
  return true;
}

Error KernelCheck::before(const LaunchRecord &,
                          const std::vector<Tensor> &args) {
  if (!differs)
    given = args;
  return Error::success();
}

bool KernelCheck::compareArgument(const LaunchRecord &launch,
                                  const Function &function, size_t index,
                                  const Tensor &found, const Tensor &expected) {
  const KernelInfo &kernel = *launch.kernel;
  auto place = kernel.notes.find("location");
  std::string name =
      "kernel '" + kernel.name + "'" +
      (place == kernel.notes.end() ? "" : " (" + place->second + ")") +
      ", launch " + std::to_string(launches) + ", " +
      labelOf("argument", index, kernel.params[index].name);
  if (isSame(found, expected))
    return true;
  // What is estimated counts for nothing where an error is one that operations
  // may make.
  bool estimated = isEstimated(kernel);
  Tolerance tolerance;
  tolerance.dtype = coarsestOf(kernel);
  tolerance.accumulation = 1024;
  if (estimated && fits(found, expected, tolerance, options))
    return true;
  Expected<std::vector<double>> spread =
      judge.spread(found, expected, coarsestOf(kernel), options,
                   [&](Judge::Direction direction) -> Expected<Tensor> {
                     Expected<std::vector<Tensor>> moved =
                         judge.call(direction, function, given, launch.grid);
                     if (!moved)
                       return moved.takeError();
                     return (*moved)[index].contiguous();
                   });
  if (!spread) {
    printError(spread.message());
    return false;
  }
  if (estimated &&
      !fitsWithin(found, expected, *spread, 0, coarsestOf(kernel), options))
    return compare(name, found, expected, tolerance, 1024, options);
  double part = 0;
  bool isGood =
      compareWithin(name, found, expected, *spread, 0, coarsestOf(kernel),
                    options, /*quiet=*/true, &part);
  if (part > share || closest.empty()) {
    share = part;
    closest = kernel.name;
  }
  return isGood;
}

Error KernelCheck::after(const LaunchRecord &launch,
                         const std::vector<Tensor> &args) {
  if (differs)
    return Error::success();
  ++launches;
  const Function *function = judge.lookup(launch.kernel->name);
  if (!function || function->kind != Function::Kind::kernel ||
      function->args.size() != args.size()) {
    ++passedOver;
    reason = "the reference has no kernel '" + launch.kernel->name + "'";
    return Error::success();
  }
  Expected<std::vector<Tensor>> expected =
      judge.call(Judge::exact, *function, given, launch.grid);
  if (!expected) {
    ++passedOver;
    reason = "kernel '" + launch.kernel->name + "': " + expected.message();
    return Error::success();
  }
  for (size_t i = 0; i < args.size() && !differs; ++i) {
    if (launch.kernel->params[i].readonly ||
        launch.kernel->params[i].kind != KernelParam::Kind::view)
      continue;
    Expected<Tensor> left = args[i].contiguous();
    Expected<Tensor> wanted = (*expected)[i].contiguous();
    if (!left || !wanted)
      return left ? wanted.takeError() : left.takeError();
    differs = !compareArgument(launch, *function, i, *left, *wanted);
  }
  return Error::success();
}

bool KernelCheck::finish() const {
  if (passedOver)
    std::fprintf(stderr,
                 "kiln-run: note: %zu of %zu launches were not compared one by "
                 "one: %s\n",
                 passedOver, launches, reason.c_str());
  if (!differs && launches > passedOver)
    std::printf("kernels: ok: %zu launches, each on what it was given%s\n",
                launches - passedOver,
                closest.empty()
                    ? ", as exact as the reference"
                    : (", at most " + std::to_string(share).substr(0, 4) +
                       " of its bound ('" + closest + "')")
                          .c_str());
  return !differs;
}
