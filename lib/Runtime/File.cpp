// Reading and writing whole files.
#include "kiln/Runtime/Package.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kiln::runtime;

namespace {

/// Closes a file descriptor.
struct FileDescriptor {
  int fd;
  ~FileDescriptor() {
    if (fd >= 0)
      close(fd);
  }
};

Error systemError(const std::string &path, const char *what) {
  return Error(path + ": " + what + ": " + std::strerror(errno));
}

/// For pipes and the like, whose size is not known.
Expected<Blob> readStream(const std::string &path, int fd) {
  std::vector<uint8_t> bytes;
  uint8_t chunk[1 << 16];
  while (true) {
    ssize_t got = read(fd, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "cannot read");
    if (got == 0)
      return Blob::own(std::move(bytes));
    bytes.insert(bytes.end(), chunk, chunk + got);
  }
}

} // namespace

Expected<Blob> kiln::runtime::copyFile(const std::string &path) {
  FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return systemError(path, "cannot open");
  Expected<Blob> bytes = readStream(path, file.fd);
  if (!bytes || !bytes->size)
    return bytes;
  constexpr size_t align = 64;
  void *data =
      std::aligned_alloc(align, (bytes->size + align - 1) / align * align);
  if (!data)
    return Error(path + ": no memory for " + std::to_string(bytes->size) +
                 " bytes");
  std::memcpy(data, bytes->data, bytes->size);
  return Blob{
      std::shared_ptr<const void>(
          data, [](const void *p) { std::free(const_cast<void *>(p)); }),
      static_cast<const uint8_t *>(data), bytes->size};
}

Expected<Blob> kiln::runtime::mapFile(const std::string &path) {
  FileDescriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return systemError(path, "cannot open");
  struct stat info;
  if (fstat(file.fd, &info) != 0)
    return systemError(path, "cannot open");
  if (S_ISDIR(info.st_mode))
    return Error(path + ": cannot open: is a directory");
  if (!S_ISREG(info.st_mode))
    return readStream(path, file.fd);
  size_t size = size_t(info.st_size);
  if (!size)
    return Blob();
  void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED)
    return systemError(path, "cannot map");
  std::shared_ptr<const void> owner(
      data, [size](const void *p) { munmap(const_cast<void *>(p), size); });
  return Blob{owner, static_cast<const uint8_t *>(data), size};
}

/// Writes to an open file, whatever a single call takes.
static bool writeAll(int fd, const void *data, size_t size) {
  auto *next = static_cast<const uint8_t *>(data);
  while (size) {
    ssize_t put = write(fd, next, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    next += put;
    size -= size_t(put);
  }
  return true;
}

Error kiln::runtime::writeFile(const std::string &path, const void *data,
                               size_t size) {
  // Devices and pipes are written to directly, files whole or not at all.
  struct stat info;
  bool direct = stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  std::string name = direct ? path : path + ".tmp-" + std::to_string(getpid());
  FileDescriptor file{
      open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.fd < 0)
    return systemError(path, "cannot create");
  const char *failed = nullptr;
  if (!writeAll(file.fd, data, size))
    failed = "cannot write";
  else if (!direct && rename(name.c_str(), path.c_str()) != 0)
    failed = "cannot replace";
  if (!failed)
    return Error::success();
  Error error = systemError(path, failed);
  if (!direct)
    unlink(name.c_str());
  return error;
}
