//===- Output.cpp - Writing files whole or not at all ---------------------===//

#include "kiln/Driver/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using llvm::StringRef;

bool kiln::driver::writeOutput(StringRef path, StringRef bytes,
                               std::string &error) {
  if (path == "-") {
    llvm::outs() << bytes;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return true;
    llvm::outs().clear_error();
    error = "cannot write to the standard output";
    return false;
  }
  // A device or a pipe is written to directly.
  struct stat info;
  bool direct = stat(path.str().c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  llvm::SmallString<128> temporary(path);
  int fd = -1;
  std::error_code code =
      direct
          ? llvm::sys::fs::openFileForWrite(path, fd)
          : llvm::sys::fs::createUniqueFile(path + ".tmp-%%%%%%", fd, temporary,
                                            llvm::sys::fs::OF_None, 0666);
  if (code) {
    error = path.str() + ": cannot be written: " + code.message();
    return false;
  }
  llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
  os << bytes;
  os.close();
  code = os.error();
  os.clear_error();
  if (!code && !direct)
    code = llvm::sys::fs::rename(temporary, path);
  if (!code)
    return true;
  if (!direct)
    (void)llvm::sys::fs::remove(temporary);
  error = path.str() + ": cannot be written: " + code.message();
  return false;
}
