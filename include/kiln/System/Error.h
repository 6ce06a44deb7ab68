// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failure without exceptions, shared by everything in the runtime.
#ifndef KILN_SYSTEM_ERROR_H
#define KILN_SYSTEM_ERROR_H

#include <optional>
#include <string>
#include <utility>

namespace kiln::runtime {

/// Success, or a message. True means failure, as with llvm::Error.
class [[nodiscard]] Error {
public:
  Error() = default;
  explicit Error(std::string message) : text(std::move(message)) {}
  static Error success() { return Error(); }
  explicit operator bool() const { return text.has_value(); }
  const std::string &message() const { return *text; }

private:
  std::optional<std::string> text;
};

/// A value, or a message. True means that there is a value.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : stored(std::move(value)) {}
  Expected(Error error) : failure(std::move(error)) {}
  explicit operator bool() const { return stored.has_value(); }
  T &operator*() { return *stored; }
  const T &operator*() const { return *stored; }
  T *operator->() { return &*stored; }
  const T *operator->() const { return &*stored; }
  const std::string &message() const { return failure.message(); }
  Error takeError() const { return failure; }

private:
  std::optional<T> stored;
  Error failure;
};

} // namespace kiln::runtime

#endif
