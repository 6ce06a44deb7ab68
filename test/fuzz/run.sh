#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh [SECONDS [TARGET...]]: builds the fuzz targets of this folder that do
# without LLVM and runs each for a while (300 seconds unless told). Scripts
# beside this one (*-fuzz.sh) run those that need the compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
seconds=${1:-300}
[ $# -gt 0 ] && shift
out=${KILN_FUZZ_OUT:-$root/build-fuzz}
cxx=${CXX:-clang++-22}
cc=${CC:-clang-22}
mkdir -p "$out"

flags=(-std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
       -I"$root/include" -DKILN_VERSION="\"fuzz\"" -DKILN_STATIC_PARTS
       -I"$root/lib/Runtime")
lib="$root/lib/Runtime"
objects=()
for source in "$lib"/*.cpp "$lib"/Parts/*.cpp "$root"/lib/Support/System/*.cpp; do
  object="$out/$(basename "$(dirname "$source")")-$(basename "$source" .cpp).o"
  if [ ! "$object" -nt "$source" ]; then
    "$cxx" "${flags[@]}" -fsanitize=fuzzer-no-link -c "$source" -o "$object"
  fi
  objects+=("$object")
done

# Seeds: a package that uses every instruction, its program, a tensor, a driver.
seeds="$out/seeds"
mkdir -p "$seeds"/{package,program,npy,note,elf,signature}
inputs="$root/test/runtime/Inputs"
"$cc" -O1 -fPIC -shared -nostdlib -fno-asynchronous-unwind-tables -fuse-ld=lld \
  -Wl,--build-id=none,--hash-style=gnu,-z,noexecstack -DPART=1 -I"$root/include" "$inputs/kernels.c" \
  -o "$seeds/note/kernels.so"
cp "$seeds/note/kernels.so" "$seeds/elf/kernels.so"
printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n' \
  > "$seeds/signature/public.pem"
"$cxx" -std=c++17 -shared -fPIC -I"$root/include" "$inputs/fake-device.cpp" \
  -o "$seeds/note/device.so"
"$cxx" "${flags[@]}" "$inputs/make-package.cpp" "${objects[@]}" -lz -lsodium -ldl \
  -o "$out/make-package"
head -c 64 "$seeds/note/kernels.so" > "$out/small-module"
"$out/make-package" "$out/small-module" "$out/small-module" "$seeds/package/seed.kpkg"
python3 - "$seeds" <<'PYTHON'
import json, sys
seeds = sys.argv[1]
data = open(seeds + "/package/seed.kpkg", "rb").read()
start = data.index(b'{"format"')
package, _ = json.JSONDecoder().raw_decode(data[start:].decode("latin-1"))
program = json.dumps(package["targets"][0]["program"], separators=(",", ":"))
open(seeds + "/program/seed.json", "w").write(program)
head = b"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n"
npy = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(24)
open(seeds + "/npy/seed.npy", "wb").write(npy)
PYTHON
"$cxx" "${flags[@]}" -fsanitize=fuzzer "$here/package.cpp" "${objects[@]}" -lz \
  -lsodium -ldl -o "$out/fuzz-package" &
"$cxx" "${flags[@]}" -fsanitize=fuzzer "$here/program.cpp" "${objects[@]}" -lz \
  -lsodium -ldl -o "$out/fuzz-program"
"$cxx" "${flags[@]}" -fsanitize=fuzzer "$here/npy.cpp" "${objects[@]}" -lz \
  -lsodium -ldl -o "$out/fuzz-npy"
"$cxx" "${flags[@]}" -fsanitize=fuzzer "$here/signature.cpp" "${objects[@]}" -lz \
  -lsodium -ldl -o "$out/fuzz-signature" &
"$cxx" "${flags[@]}" -fsanitize=fuzzer "$here/elf.cpp" \
  "$root/targets/cpu/device/ElfCheck.cpp" -o "$out/fuzz-elf"
"$cxx" "${flags[@]}" -fsanitize=fuzzer "$here/note.cpp" "${objects[@]}" -lz \
  -lsodium -ldl -o "$out/fuzz-note"
wait

status=0
for target in ${*:-package program npy note elf signature}; do
  mkdir -p "$out/corpus-$target"
  log="$out/$target.log"
  if (cd "$out" && "./fuzz-$target" -max_total_time="$seconds" -timeout=20 \
      -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=65536 -verbosity=1 \
      "corpus-$target" "seeds/$target") > "$log" 2>&1; then
    echo "fuzz $target: ok, $(grep -o 'Done .*' "$log" | tail -1)"
  else
    echo "fuzz $target: FAILED, see $log"
    status=1
  fi
done
if [ $# -eq 0 ]; then
  for script in "$here"/*-fuzz.sh; do
    if [ -e "$script" ]; then
      bash "$script" "${KILN_BUILD:-$root/build}" "$seconds" || status=1
    fi
  done
fi
exit $status
