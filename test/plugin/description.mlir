// Descriptions print what they parse, and are verified field by field.
// RUN: kiln-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: #kiln.target<name = "a", chip = "b"
// CHECK-SAME: memories = [#kiln.memory<name = "m", scope = core, kind = cached, size = 32768, line = 64>]
// CHECK-SAME: #kiln.unit<name = "t", kind = matrix, types = [bf16, f16], homes = ["m"]>
// CHECK-SAME: m = <16>, n = <8 to 256 by 8>, k = <16>, lhs = <types = [bf16, f16], home = "m", layout = #kiln.order<row>>
// CHECK-SAME: stationary = rhs
// CHECK-SAME: tiles = <elementwise_rows = 4, contraction = [#kiln.contraction_tile<type = bf16, m = 128, n = 256, k = 64>]>
// CHECK-SAME: limits = {max_rank = 5 : i64}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  memories = [#kiln.memory<name = "m", scope = core, kind = cached, size = 32768, line = 64>],
  units = [#kiln.unit<name = "t", kind = matrix, types = [bf16, f16], homes = ["m"]>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mma", unit = "t", m = <16>, n = <8 to 256 by 8>, k = <16>,
    lhs = <types = [bf16, f16], home = "m", layout = #kiln.order<row>>, rhs = <types = [bf16], home = "m">,
    acc = <types = [f32]>, stationary = rhs>],
  tiles = <elementwise_rows = 4, contraction = [#kiln.contraction_tile<type = bf16, m = 128, n = 256, k = 64>]>,
  limits = {max_rank = 5 : i64}>} {}

// -----
// expected-error @+4 {{expected the word for the unit that shares a memory to be one of: thread, core, cluster, device, host, found 'moon'}}
// expected-error @+3 {{failed to parse Kiln_MemoryAttr parameter 'scope'}}
// expected-error @+2 {{failed to parse Kiln_TargetAttr parameter 'memories'}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  memories = [#kiln.memory<name = "m", scope = moon, kind = cached>]>} {}

// -----
// expected-error @+2 {{expected the largest size of a range to be 8 plus a multiple of 8, found 20}}
module attributes {a =
  #kiln.range<8 to 20 by 8>} {}

// -----
// CHECK: #kiln.range<8, 16, 32 to 256 by 32>
// CHECK: #kiln.interleave<4>
module attributes {test.a = #kiln.range<8, 16, 32 to 256 by 32>, test.b = #kiln.interleave<4>} {}

// -----
// expected-error @+2 {{expected the sizes of a range in ascending order, found 8 behind 16}}
module attributes {a =
  #kiln.range<16, 8>} {}

// -----
// expected-error @+5 {{failed to parse Kiln_TargetAttr parameter 'matrix_instructions'}}
// expected-error @+3 {{expected k of instruction 'mma' to be a multiple of the 4 steps that its operand interleaves, found 6}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  units = [#kiln.unit<name = "t", kind = matrix>], matrix_instructions = [
    #kiln.matrix_instruction<name = "mma", unit = "t", m = <1>, n = <8>, k = <6>,
    lhs = <types = [bf16], layout = #kiln.interleave<4>>, rhs = <types = [bf16]>, acc = <types = [f32]>>]>} {}

// -----
// expected-error @+1 {{instruction 'mma' is described twice}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  units = [#kiln.unit<name = "t", kind = matrix>], matrix_instructions = [
    #kiln.matrix_instruction<name = "mma", unit = "t", m = <1>, n = <8>, k = <1>,
    lhs = <types = [bf16]>, rhs = <types = [bf16]>, acc = <types = [f32]>>,
    #kiln.matrix_instruction<name = "mma", unit = "t", m = <1>, n = <8>, k = <2>,
    lhs = <types = [bf16]>, rhs = <types = [bf16]>, acc = <types = [f32]>>]>} {}

// -----
// expected-error @+1 {{memory 'm' is described twice}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  memories = [#kiln.memory<name = "m", scope = core, kind = cached>,
              #kiln.memory<name = "m", scope = core, kind = cached>]>} {}

// -----
// expected-error @+1 {{instruction 'mma' refers to unit 't', which the description does not have}}
module attributes {kiln.target = #kiln.target<name = "a", chip = "b",
  matrix_instructions = [#kiln.matrix_instruction<name = "mma", unit = "t", m = <16>, n = <8>, k = <16>,
    lhs = <types = [bf16]>, rhs = <types = [bf16]>, acc = <types = [f32]>>]>} {}

// -----
// expected-error @+1 {{expected attribute 'kiln.target' to be a #kiln.target, found 1 : i64}}
module attributes {kiln.target = 1 : i64} {}
