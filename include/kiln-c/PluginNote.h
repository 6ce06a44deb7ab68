/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ELF note that every Kiln plug-in carries, so that its versions can be
   read before it is loaded. */
#ifndef KILN_C_PLUGINNOTE_H
#define KILN_C_PLUGINNOTE_H

/* Name, type and section of the note; desc is four u32: API major, API minor,
   LLVM major, LLVM minor (0, 0 for a plug-in without LLVM). */
#define KILN_NOTE_NAME "Kiln"
#define KILN_NOTE_TYPE 1
#define KILN_NOTE_SECTION ".note.kiln"

/* An ELF note: sizes, type, name, and the version numbers that a loader reads
   before it loads the library. */
struct KilnPluginNote {
  unsigned nameSize;
  unsigned descSize;
  unsigned type;
  char name[8]; /* padded to a multiple of four */
  unsigned apiMajor;
  unsigned apiMinor;
  unsigned llvmMajor;
  unsigned llvmMinor;
};

/* Put once, at file scope, into one source file of the plug-in. */
#define KILN_PLUGIN_NOTE(API_MAJOR, API_MINOR, LLVM_MAJOR, LLVM_MINOR)         \
  __attribute__((                                                              \
      section(KILN_NOTE_SECTION), used,                                        \
      aligned(4))) static const struct KilnPluginNote kilnPluginNote = {       \
      5,           16,          KILN_NOTE_TYPE, KILN_NOTE_NAME,                \
      (API_MAJOR), (API_MINOR), (LLVM_MAJOR),   (LLVM_MINOR)}

#endif
