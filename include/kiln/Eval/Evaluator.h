// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluation interface: how operations are executed one by one. A dialect
// takes part by a dialect interface with one function per operation:
//
//   struct MyEvaluation : kiln::eval::EvaluationInterface {
//     MyEvaluation(mlir::Dialect *dialect) : EvaluationInterface(dialect) {
//       add<MyOp>([](MyOp op, kiln::eval::Frame &frame) {
//         return frame.set(op.getResult(), …);
//       });
//     }
//   };
//   registry.addExtension(+[](mlir::MLIRContext *, MyDialect *dialect) {
//     dialect->addInterfaces<MyEvaluation>();
//   });
#ifndef KILN_EVAL_EVALUATOR_H
#define KILN_EVAL_EVALUATOR_H

#include "kiln/Eval/Value.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <functional>

namespace kiln::eval {

class Frame;
class Evaluator;
struct Box;
enum class Access : uint8_t;

/// Executes one operation: reads operands from the frame and sets results.
using EvaluateFn =
    std::function<mlir::LogicalResult(mlir::Operation *, Frame &)>;

/// The functions of one dialect. It is known by its name, not by an address:
/// plug-ins and a compiler that is loaded at run time have one each.
class EvaluationInterface
    : public mlir::DialectInterface::Base<EvaluationInterface> {
public:
  explicit EvaluationInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// `fn(OpTy, Frame &)` returns a LogicalResult.
  template <typename OpTy, typename Fn> void add(Fn fn) {
    table[mlir::TypeID::get<OpTy>()] = [fn](mlir::Operation *op, Frame &frame) {
      return fn(llvm::cast<OpTy>(op), frame);
    };
  }
  /// The function of an operation, or null.
  const EvaluateFn *lookup(mlir::OperationName name) const;

private:
  llvm::DenseMap<mlir::TypeID, EvaluateFn> table;
};

/// Accesses of several instances to the same bytes without an order between
/// them. Each place in the source is reported once.
struct Races {
  bool areErrors = false; ///< they end the launch; else they are warnings
  llvm::DenseSet<mlir::Location> reported;
};

/// What operations of a dialect keep for one program instance while it runs.
class InstanceState {
public:
  virtual ~InstanceState();
  /// Told of each access to the memory of the launch, before it is made.
  virtual mlir::LogicalResult access(mlir::Operation *op, const Box &box,
                                     Access access) {
    return mlir::success();
  }
  /// The instance has come to its end.
  virtual mlir::LogicalResult finish() { return mlir::success(); }
  /// The instance reaches a barrier of its cluster.
  virtual mlir::LogicalResult meetCluster(mlir::Operation *op) {
    return mlir::success();
  }
};

/// What may stop or watch one program instance of a kernel.
struct Instance {
  int32_t number = 0; ///< linear, from 0
  std::array<int64_t, 3> id = {0, 0, 0};
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// The kernel lets instances wait for each other: called where another one
  /// may go on.
  std::function<void()> suspend;
  /// What this instance knows of the others' progress (and its own), when they
  /// can synchronise: entry n is a time of instance n.
  std::vector<uint32_t> clock;
  /// The buffers that the kernel was given: what an address can point into.
  llvm::ArrayRef<std::shared_ptr<Buffer>> memory;
  Races *races = nullptr;
  /// Elements of the tile that the running load or store reaches: from and
  /// behind per dimension. Empty: all of them.
  llvm::SmallVector<std::pair<int64_t, int64_t>> clip;

  /// The state of this type, made on first use.
  template <typename T> T &state() {
    for (auto &[id, kept] : states)
      if (id == mlir::TypeID::get<T>())
        return static_cast<T &>(*kept);
    auto made = std::make_shared<T>();
    states.push_back({mlir::TypeID::get<T>(), made});
    return *made;
  }
  llvm::SmallVector<std::pair<mlir::TypeID, std::shared_ptr<InstanceState>>, 1>
      states;
};

/// The values of one call.
class Frame {
public:
  explicit Frame(Evaluator &evaluator, Instance *instance = nullptr)
      : evaluator(evaluator), instance(instance) {}

  Evaluator &evaluator;
  Instance *instance;
  /// The memories that the planned buffers of a host program share, by device
  /// and name.
  llvm::StringMap<std::shared_ptr<Buffer>> arenas;

  const Value &get(mlir::Value value) const;
  int64_t getInt(mlir::Value value) const { return get(value).asInt(); }
  llvm::SmallVector<Value> get(mlir::ValueRange values) const;
  llvm::SmallVector<int64_t> getInts(mlir::ValueRange values) const;
  mlir::LogicalResult set(mlir::Value value, Value result) {
    values[value] = std::move(result);
    return mlir::success();
  }

  /// Runs a region of one block on `args`; `results` are the operands of its
  /// terminator.
  mlir::LogicalResult run(mlir::Region &region, llvm::ArrayRef<Value> args,
                          llvm::SmallVectorImpl<Value> &results);
  /// Runs a single operation.
  mlir::LogicalResult step(mlir::Operation *op);

private:
  llvm::DenseMap<mlir::Value, Value> values;
};

/// Evaluates the functions of a module.
class Evaluator {
public:
  /// `root` holds the symbols.
  explicit Evaluator(mlir::Operation *root);

  /// The callable with this name, or null.
  mlir::FunctionOpInterface lookup(llvm::StringRef name);

  /// Calls a function (func.func, program.func). Diagnostics go to the
  /// operations at fault.
  mlir::LogicalResult call(mlir::FunctionOpInterface function,
                           llvm::ArrayRef<Value> args,
                           llvm::SmallVectorImpl<Value> &results,
                           mlir::Location caller);

  mlir::Operation *root() const { return rootOp; }

  Races races;

  /// Picks among the orders in which what runs beside the program may go on. 0:
  /// everything as late as it may be.
  uint64_t seed = 0;

  /// Told how many of the operations of the outermost function, or instances of
  /// the launched kernel, are done; may be null.
  void (*progress)(uint64_t done, uint64_t total) = nullptr;

  /// Tells it of a kernel that no function has called.
  void tell(uint64_t done, uint64_t total) const {
    if (progress && !depth)
      progress(done, total);
  }

  /// Values that die at an operation of a function's body.
  llvm::ArrayRef<mlir::Value> lastUses(mlir::Operation *op) const;

private:
  void findLastUses(mlir::Block &block);

  mlir::Operation *rootOp;
  mlir::SymbolTable symbols;
  friend class Frame;
  int depth = 0;
  mlir::Block *outermost = nullptr; ///< the block whose progress is told
  llvm::DenseSet<mlir::Block *> analysed;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> dying;
};

} // namespace kiln::eval

#endif // KILN_EVAL_EVALUATOR_H
