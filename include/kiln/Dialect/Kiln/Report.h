//===- Report.h - What was lowered where, and why not -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The what-lowered-where report of `--explain`. Kiln's own registries write to
// it; passes add rows of their own through `Report::of(context)`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_KILN_REPORT_H
#define KILN_DIALECT_KILN_REPORT_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <mutex>
#include <string>
#include <vector>

namespace kiln::target {

/// Something that was offered an operation and said no.
struct Decline {
  std::string name;   ///< the lowering, schedule or target that declined
  std::string reason; ///< lower case, no full stop
};

/// One row: an operation or group, the lowering or target that took it, and
/// those that declined it before.
struct ReportRow {
  std::string
      stage; ///< "raise", "claim", "schedule", "lowering", "placement", ...
  std::string function; ///< function of the input program
  std::string kernel;   ///< kernel it ended in, if any
  std::string subject;  ///< operation name or kind of the fusion group
  std::string target;   ///< target it was lowered for
  std::string chosen;   ///< lowering or schedule; empty: nothing took it
  std::string detail;   ///< free text: tile sizes, variants ...
  std::string location; ///< file:line:column
  std::vector<Decline> declines;
  unsigned count = 1; ///< equal rows are counted, not repeated
};

/// Collects rows from passes that may run in parallel.
class Report {
public:
  /// The report of a context. A context without the `kiln` dialect loaded
  /// gets a report that is dropped.
  static Report &of(mlir::MLIRContext *context);

  void add(ReportRow row);

  /// Records that `name` declined `op`; the reason is kept until the next
  /// `chose` or `failed` for the same operation.
  void declined(mlir::Operation *op, llvm::StringRef name,
                const llvm::Twine &reason);
  /// Records that `name` of stage `stage` took `op`, with the declines so far.
  void chose(mlir::Operation *op, llvm::StringRef stage, llvm::StringRef target,
             llvm::StringRef name, const llvm::Twine &detail = "");
  /// Records that nothing took `op`.
  void failed(mlir::Operation *op, llvm::StringRef stage,
              llvm::StringRef target);

  /// The declines recorded for `op` and not yet attached to a row.
  std::vector<Decline> pendingDeclines(mlir::Operation *op) const;

  /// Records that something of `owner` went wrong with `op` and was reported:
  /// no other lowering gets it, and it is not called unsupported as well.
  void broke(mlir::Operation *op, llvm::StringRef owner);
  /// Whose code went wrong so far.
  std::vector<std::string> brokenOwners() const;
  /// Whether that happened to `op` or to an operation in it; it is then
  /// forgotten.
  bool takeBroken(mlir::Operation *op);

  /// Records that verification refused the asynchronous code of `function`.
  void refusedAsync(mlir::Operation *function);
  /// Whether that happened to `function`; it is then forgotten.
  bool takeRefusedAsync(mlir::Operation *function);

  std::vector<ReportRow> rows() const;
  /// Orders the rows from number `first` on by their kernels, whatever thread
  /// added them first: as `order` says, those it does not know before.
  void orderByKernel(size_t first, const llvm::StringMap<size_t> &order);
  void clear();
  /// Forgets the rows from number `first` on: what they tell of was undone.
  void truncate(size_t first);

  void printText(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;

  /// What a row says about `op` itself. Lowerings that replace the operation
  /// take it before, and pass it to the second form of `chose`.
  ReportRow describe(mlir::Operation *op) const;
  void chose(const ReportRow &subject, mlir::Operation *key,
             llvm::StringRef stage, llvm::StringRef target,
             llvm::StringRef name, const llvm::Twine &detail = "");

private:
  mutable std::mutex mutex;
  std::vector<ReportRow> table;
  llvm::StringMap<size_t> numbers; ///< row of everything but the declines
  llvm::DenseMap<mlir::Operation *, std::vector<Decline>> pending;
  llvm::DenseSet<mlir::Operation *> broken;
  std::vector<std::string> brokenBy;
  llvm::DenseSet<mlir::Operation *> refused; ///< functions
};

/// `file:line:column` of a location, or "" where it has none.
std::string locationString(mlir::Location loc);

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_REPORT_H
