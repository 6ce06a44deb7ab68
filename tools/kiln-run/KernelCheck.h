// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of a call against the reference, on what it was given.
#ifndef KILN_TOOLS_KILN_RUN_KERNELCHECK_H
#define KILN_TOOLS_KILN_RUN_KERNELCHECK_H

#include "Runner.h"
#include <functional>

namespace kiln::run {

/// The reference evaluates a package several times: exactly, and with errors in
/// several directions. The latter only when somebody asks.
class Judge {
public:
  static runtime::Expected<std::unique_ptr<Judge>> create(PackagePtr package);

  /// Errors of each operation are of one sign for each element, and of the
  /// other in the opposite direction; `further` ones have other signs.
  enum Direction { exact, plus, minus, further };
  static constexpr int kDirections = further + 6;
  runtime::Expected<runtime::Session *> session(Direction direction);
  /// A call on copies of `args`, which it leaves as the call has: what is
  /// returned are these copies, then the results.
  runtime::Expected<std::vector<runtime::Tensor>>
  call(Direction direction, const runtime::Function &function,
       const std::vector<runtime::Tensor> &args,
       std::array<int64_t, 3> grid = {1, 1, 1});
  const runtime::Function *lookup(const std::string &name);
  /// The spread of what `evaluate` gives in each direction: of two, and of all
  /// where `found` does not fit with two, as errors may cancel in some.
  runtime::Expected<std::vector<double>>
  spread(const runtime::Tensor &found, const runtime::Tensor &expected,
         runtime::DType coarsest, const Options &options,
         const std::function<runtime::Expected<runtime::Tensor>(Direction)>
             &evaluate);
  /// Whether all of its kernels have bounds by contract.
  bool hasContractBounds() const;

private:
  PackagePtr package;
  std::unique_ptr<runtime::Session> sessions[kDirections];
};

/// Compares after every launch; says which kernel is the first that differs.
class KernelCheck : public runtime::LaunchObserver {
public:
  KernelCheck(Judge &judge, const Options &options)
      : judge(judge), options(options) {}

  runtime::Error before(const runtime::LaunchRecord &launch,
                        const std::vector<runtime::Tensor> &args) override;
  runtime::Error after(const runtime::LaunchRecord &launch,
                       const std::vector<runtime::Tensor> &args) override;
  /// Prints what came of it; true when every kernel fits.
  bool finish() const;

private:
  bool compareArgument(const runtime::LaunchRecord &launch,
                       const runtime::Function &function, size_t index,
                       const runtime::Tensor &found,
                       const runtime::Tensor &expected);

  Judge &judge;
  const Options &options;
  std::vector<runtime::Tensor> given;
  size_t launches = 0, passedOver = 0;
  bool differs = false;
  double share = 0;
  std::string closest; ///< kernel with the largest share of a bound
  std::string reason;  ///< why some were passed over
};

} // namespace kiln::run

#endif
