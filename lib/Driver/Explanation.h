//===- Explanation.h - One page about a compilation -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --explain=FILE.html collects: the operations of the input, the kernels
// that they ended in, the text of every kernel after each pass that changed it,
// its assembly, who took what and who declined. The page shows it without
// anything from elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_EXPLANATION_H
#define KILN_LIB_DRIVER_EXPLANATION_H

#include "kiln/Runtime/Package.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <map>

namespace kiln::driver {

/// Watches one compilation: as long as it lives, the context has one thread.
class Explanation {
public:
  explicit Explanation(mlir::MLIRContext *context);
  ~Explanation();

  /// That of a context; null where nobody asked for a page.
  static Explanation *of(mlir::MLIRContext *context);

  /// The input, before anything has changed it.
  void begin(mlir::ModuleOp module, llvm::MemoryBufferRef source);
  /// Watches the passes of a pass manager.
  void attach(mlir::PassManager &pm);
  /// A lowered module: what the target prints of it is the kernels' assembly.
  void assembly(mlir::ModuleOp lowered, const target::BoundTarget &bound);
  /// What the launches of a package compute and move, where sizes are known.
  void measure(const runtime::Package &package);

  /// The page. `trace` is a file that `kiln-run --trace` wrote, or empty.
  llvm::Expected<std::string> page(llvm::StringRef trace) const;

private:
  class Watch;
  struct Step {
    std::string pass, text;
  };
  struct Symbol {
    bool isKernel = false;
    std::vector<Step> steps;
    llvm::SetVector<llvm::StringRef> places; ///< as `places` below has them
    llvm::SetVector<llvm::StringRef> left;   ///< those of what is left
    std::string assembly;
    int64_t launches = 0, flops = 0, bytes = 0;
  };
  struct InputOp {
    std::string name, place;
  };

  void see(llvm::StringRef pass, mlir::Operation *op);
  void seeSymbol(llvm::StringRef pass, mlir::Operation *op);

  mlir::MLIRContext *context;
  bool wasThreaded;
  std::string file, source;
  std::vector<InputOp> inputs;
  llvm::StringSet<> places; ///< locations by their text
  llvm::MapVector<llvm::StringRef, Symbol> symbols;
  llvm::StringSet<> names; ///< that `symbols` refers to
  /// Places of the operations in groups, by the function and the place of the
  /// group: kernels have few places, of what a schedule has written.
  std::map<std::pair<std::string, std::string>, llvm::StringSet<>> groups;
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_EXPLANATION_H
