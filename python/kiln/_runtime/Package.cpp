// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Objects.h"
#include <string>

using namespace kiln::python;

namespace {

PyObject *packageNew(PyTypeObject *, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"source", "keys", nullptr};
  PyObject *source = nullptr, *keys = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:Package",
                                   const_cast<char **>(names), &source, &keys))
    return nullptr;
  std::vector<std::string> paths;
  if (keys != Py_None)
    for (Py_ssize_t i = 0, n = PySequence_Size(keys); i < n; ++i) {
      PyObject *item = PySequence_GetItem(keys, i), *bytes = nullptr;
      if (!item || !PyUnicode_FSConverter(item, &bytes)) {
        Py_XDECREF(item);
        return nullptr;
      }
      paths.emplace_back(PyBytes_AsString(bytes));
      Py_DECREF(bytes);
      Py_DECREF(item);
    }
  if (PyErr_Occurred())
    return nullptr;
  std::vector<const char *> texts;
  for (const std::string &path : paths)
    texts.push_back(path.c_str());
  KilnPackage *handle = nullptr;
  int status;
  if (PyBytes_Check(source)) {
    char *bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(source, &bytes, &size) != 0)
      return nullptr;
    status = unlocked([&] {
      return keys == Py_None
                 ? kilnPackageLoad(bytes, size_t(size), &handle)
                 : kilnPackageLoadSigned(bytes, size_t(size), texts.size(),
                                         texts.data(), &handle);
    });
  } else {
    PyObject *path = nullptr;
    if (!PyUnicode_FSConverter(source, &path))
      return nullptr;
    const char *text = PyBytes_AsString(path);
    status = unlocked([&] {
      return keys == Py_None ? kilnPackageLoadFile(text, &handle)
                             : kilnPackageLoadFileSigned(text, texts.size(),
                                                         texts.data(), &handle);
    });
    Py_DECREF(path);
  }
  if (status)
    return raise();
  return makeObject<PackageObject>(packageType, handle, kilnPackageDestroy);
}

void packageFree(PyObject *self) {
  finish<PackageObject>(self, kilnPackageDestroy);
}

PyObject *packageTargets(PyObject *self, void *) {
  KilnPackage *package = packageOf(self);
  return listOf(kilnPackageNumTargets(package),
                [&](size_t i) { return kilnPackageTarget(package, i); });
}

PyObject *packageSigner(PyObject *self, void *) {
  const char *signer = kilnPackageSigner(packageOf(self));
  if (signer)
    return PyUnicode_FromString(signer);
  Py_RETURN_NONE;
}

PyGetSetDef properties[] = {
    {"targets", packageTargets, nullptr, nullptr, nullptr},
    {"signer", packageSigner, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{nullptr, nullptr, 0, nullptr}};

} // namespace

bool kiln::python::makePackageType() {
  packageType = makeType(
      "kiln._runtime.Package", sizeof(PackageObject), packageNew, packageFree,
      methods, properties,
      "A compiled package: a path or bytes, and keys if it must be signed.");
  return packageType;
}
