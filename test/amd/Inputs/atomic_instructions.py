# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of instructions.py for atomic updates of LDS, of global memory and of buffers, of 32 and of 64 bits: each lane
updates memory of its own, and what it gets and what is left there are compared together."""
import numpy as np

from more_instructions import f, f16, half, high, i32, single, u32, u64, word

i64 = np.int64


def halves_added(x, y):
    return word((half(x) + half(y)).astype(f16), (high(x) + high(y)).astype(f16))


# The name in LDS, that on CDNA and that on RDNA in other memory, and what is left of a number and the operand.
INTEGERS = [
    ("add", "u", "add", "add_u", lambda x, y: x + y),
    ("sub", "u", "sub", "sub_u", lambda x, y: x - y),
    ("rsub", "u", None, None, lambda x, y: y - x),
    ("inc", "u", "inc", "inc_u", lambda x, y: np.where(x >= y, x - x, x + x.dtype.type(1))),
    ("dec", "u", "dec", "dec_u", lambda x, y: np.where((x == 0) | (x > y), y, x - x.dtype.type(1))),
    ("min", "i", "smin", "min_i", lambda x, y: np.where(signed(x) < signed(y), x, y)),
    ("max", "i", "smax", "max_i", lambda x, y: np.where(signed(x) > signed(y), x, y)),
    ("min", "u", "umin", "min_u", np.minimum),
    ("max", "u", "umax", "max_u", np.maximum),
    ("and", "b", "and", "and_b", lambda x, y: x & y),
    ("or", "b", "or", "or_b", lambda x, y: x | y),
    ("xor", "b", "xor", "xor_b", lambda x, y: x ^ y),
    ("wrxchg", "b", "swap", "swap_b", lambda x, y: y),
]


def signed(x):
    return x.view(i32 if x.dtype == u32 else i64)


def pair(low, up):
    return low.astype(u64) | up.astype(u64) << u64(32)


def folded(x):
    return (x ^ x >> u64(32)).astype(u32)


def single_row(function):
    return lambda a, b, c: a ^ function(a, b)


def double_row(function):
    return lambda a, b, c: folded(pair(a, b)) ^ folded(function(pair(a, b), pair(c, a)))


class Names:
    """How a generation spells accesses and what gives the old value."""

    def __init__(self, chip):
        self.is_cdna, self.is_12 = chip.startswith("gfx9"), chip.startswith("gfx12")
        self.returns = "glc" if chip == "gfx90a" or chip.startswith("gfx11") else "sc0" if self.is_cdna else \
            "th:TH_ATOMIC_RETURN"
        self.ds_read, self.ds_write = ("read", "write") if self.is_cdna else ("load", "store")
        self.sizes = {32: "dword", 64: "dwordx2"} if self.is_cdna else {32: "b32", 64: "b64"}

    def lds(self, name, letter, bits):
        name = {"wrxchg": "storexchg"}.get(name, name) if not self.is_cdna else name
        return f"ds_{name}_rtn_{letter}{bits}"

    def other(self, kind, old, new, bits):
        if self.is_cdna:
            return f"{kind}_atomic_{old}" + ("_x2" if bits == 64 else "")
        return f"{kind}_atomic_{new}{bits}"


DOUBLE = "v_lshlrev_b32 v14, 1, v20\nv_mov_b32 v12, %a\nv_mov_b32 v13, %b\nv_mov_b32 v16, %c\nv_mov_b32 v17, %a\n"
FOLD = "v_xor_b32 %d, v12, v13\nv_xor_b32 v18, v18, v19\nv_xor_b32 %d, %d, v18"
# A descriptor of the result's memory: 2 KiB from where this row's words are.
BUFFER = "s_mov_b32 s20, s6\ns_mov_b32 s21, s7\ns_mov_b32 s22, 0x800\ns_mov_b32 s23, FLAGS\n"


def of_lds(names, name, letter, function):
    read, write = names.ds_read, names.ds_write
    yield (f"ds_{write}_b32 v20, %a\n{names.lds(name, letter, 32)} v11, v20, %b\nds_{read}_b32 %d, v20\nWAITLDS\n"
           "v_xor_b32 %d, %d, v11", single_row(function))
    yield (DOUBLE + f"ds_{write}_b64 v14, v[12:13]\n{names.lds(name, letter, 64)} v[12:13], v14, v[16:17]\n"
           f"ds_{read}_b64 v[18:19], v14\nWAITLDS\n" + FOLD, double_row(function))


def of_global(names, old, new, function):
    load, store = f"global_load_{names.sizes[32]}", f"global_store_{names.sizes[32]}"
    yield (f"{store} v20, %a, s[6:7]\n{names.other('global', old, new, 32)} v11, v20, %b, s[6:7] {names.returns}\n"
           f"{load} %d, v20, s[6:7]\nWAITLOADS\nv_xor_b32 %d, %d, v11", single_row(function))
    yield (DOUBLE + f"global_store_{names.sizes[64]} v14, v[12:13], s[6:7]\n"
           f"{names.other('global', old, new, 64)} v[12:13], v14, v[16:17], s[6:7] {names.returns}\n"
           f"global_load_{names.sizes[64]} v[18:19], v14, s[6:7]\nWAITLOADS\n" + FOLD, double_row(function))


def of_buffer(names, old, new, function):
    """The old value takes the register of the operand."""
    size = names.sizes[32]
    flags = "0x27000" if names.is_cdna else "0x31016000"
    begin = BUFFER.replace("FLAGS", flags)
    none = "null" if names.is_12 else "0"
    yield (begin + f"v_mov_b32 v11, %b\nbuffer_store_{size} %a, v20, s[20:23], {none} offen offset:16\n"
           f"{names.other('buffer', old, new, 32)} v11, v20, s[20:23], {none} offen offset:16 {names.returns}\n"
           f"buffer_load_{size} %d, v20, s[20:23], {none} offen offset:16\nWAITLOADS\nv_xor_b32 %d, %d, v11",
           single_row(function))


def floats(names):
    added = ("v_mov_b32 v12, 0\nv_mov_b32 v13, %a\n", lambda a, b, c: a ^ single(f(a) + f(b)))
    read, write = names.ds_read, names.ds_write
    yield (f"ds_{write}_b32 v20, %a\nds_add_rtn_f32 v11, v20, %b\nds_{read}_b32 %d, v20\nWAITLDS\nv_xor_b32 %d, %d, v11",
           added[1])
    for name, function in (("min", np.fmin), ("max", np.fmax)):
        spelled = f"ds_{name}_num_rtn_f32" if names.is_12 else f"ds_{name}_rtn_f32"
        yield (f"ds_{write}_b32 v20, %a\n{spelled} v11, v20, %b\nds_{read}_b32 %d, v20\nWAITLDS\nv_xor_b32 %d, %d, v11",
               lambda a, b, c, function=function: a ^ single(function(f(a), f(b))))
    yield (f"global_store_{names.sizes[32]} v20, %a, s[6:7]\nglobal_atomic_add_f32 v11, v20, %b, s[6:7] {names.returns}\n"
           f"global_load_{names.sizes[32]} %d, v20, s[6:7]\nWAITLOADS\nv_xor_b32 %d, %d, v11", added[1])
    if names.is_cdna or names.is_12:
        text = (f"global_store_{names.sizes[32]} v20, %c, s[6:7]\n"
                f"global_atomic_pk_add_f16 v11, v20, %c, s[6:7] {names.returns}\n"
                f"global_load_{names.sizes[32]} %d, v20, s[6:7]\nWAITLOADS\nv_xor_b32 %d, %d, v11")
        yield text, lambda a, b, c: c ^ halves_added(c, c)


def exchanges(names):
    """A lane swaps if the old value is that of lanes with even numbers."""
    compare = f"v_mov_b32 v16, %b\nv_mov_b32 v17, %a\nv_and_b32 v15, 1, v0\nv_add{'' if names.is_cdna else '_nc'}_u32 v17, v17, v15\n"

    def wanted(a, b, c):
        even = np.arange(len(a)) % 2 == 0
        return a ^ np.where(even, b, a)
    name = names.other("global", "cmpswap", "cmpswap_b", 32)
    yield (compare + f"global_store_{names.sizes[32]} v20, %a, s[6:7]\n{name} v11, v20, v[16:17], s[6:7] {names.returns}\n"
           f"global_load_{names.sizes[32]} %d, v20, s[6:7]\nWAITLOADS\nv_xor_b32 %d, %d, v11", wanted)
    text = "ds_cmpst_rtn_b32 v11, v20, v17, v16" if names.is_cdna else "ds_cmpstore_rtn_b32 v11, v20, v16, v17"
    yield (compare + f"ds_{names.ds_write}_b32 v20, %a\n{text}\nds_{names.ds_read}_b32 %d, v20\nWAITLDS\n"
           "v_xor_b32 %d, %d, v11", wanted)


def rows(chip):
    names = Names(chip)
    for name, letter, old, new, function in INTEGERS:
        yield from of_lds(names, name, letter, function)
        if old:
            yield from of_global(names, old, new, function)
            yield from of_buffer(names, old, new, function)
    yield from exchanges(names)
    yield from floats(names)
