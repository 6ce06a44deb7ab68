# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh INPUTS FOLDER ARGUMENTS...: runs the body on standard input, on two waves. MEMORY is the most address space of the simulator, in KiB.
inputs=$1 folder=$2
shift 2
{ cat "$inputs/begin.s"; cat; cat "$inputs/end.s"; } > "$folder/k.s"
llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj "$folder/k.s" -o "$folder/k.o" &&
ld.lld -shared "$folder/k.o" -o "$folder/k.hsaco" &&
ulimit -v "${MEMORY:-unlimited}" &&
kiln-amd-sim "$folder/k.hsaco" --threads=128 --arg=buffer:512 "$@"
