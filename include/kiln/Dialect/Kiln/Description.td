//===- Description.td - Machine descriptions as attributes ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target describes its chip as data: memory spaces, units, topology, matrix
// instructions, preferred tile sizes. The data is an attribute, so it prints,
// diffs, parses from a file and is verified field by field.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_KILNDIALECT_TD
#define KILN_TARGET_KILNDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"

def Kiln_Dialect : Dialect {
  let name = "kiln";
  let summary = "descriptions of machines, and what a module is compiled for";
  let description = [{
    The `kiln` dialect has no operations. Its attributes describe machines;
    nothing in them presumes lanes, warps or blocks. Two module attributes say
    what a module is compiled for: `kiln.spec`, the SPEC string, and
    `kiln.target`, the description. Both are set by the pass `kiln-set-target`.
  }];
  let cppNamespace = "::kiln::target";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The report that passes running in this context write to.
    Report &getReport() const { return *report; }

  private:
    std::shared_ptr<Report> report;

  public:
  }];
}

class Kiln_Attr<string name, string attrMnemonic> : AttrDef<Kiln_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

/// An attribute of named fields. Those that are given are checked before they are read, so that a field that is
/// not there, or is called otherwise now, is an error at its place that says which there are.
class Kiln_Struct<string name, string attrMnemonic> : Kiln_Attr<name, attrMnemonic> {
  list<string> fieldNames = !foreach(i, !range(!size(parameters)), !getdagname(parameters, i));
  let assemblyFormat = "`<` custom<Fields>(\"KILN_WORDS(" # attrMnemonic # ")\", \"KILN_WORDS("
                       # !interleave(fieldNames, ", ") # ")\") `` struct(params) `>`";
}

class Kiln_Int<string default, string doc>
    : DefaultValuedParameter<"int64_t", default, doc>;
class Kiln_Str<string doc> : StringRefParameter<doc, "\"\"">;
class Kiln_Name<string doc> : StringRefParameter<doc>;
/// `[a, b]`: attributes or types of one class.
class Kiln_List<string cppClass, string doc>
    : OptionalArrayRefParameter<cppClass, doc> {
  let parser = "::kiln::target::parseList<" # cppClass # ">($_parser)";
  let printer = "::kiln::target::printList($_printer, $_self)";
}
/// `[0, 1, 4]`: numbers.
class Kiln_Ints<string doc> : OptionalArrayRefParameter<"int64_t", doc> {
  let parser = "::kiln::target::parseNumbers($_parser)";
  let printer = "::kiln::target::printList($_printer, $_self)";
}
class Kiln_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::kiln::target";
  let genSpecializedAttr = 0;
  let parameterParser = "::kiln::target::parseWord<::kiln::target::" # name # ">($_parser, \"" # summary # "\")";
}

def Kiln_MemoryScope : Kiln_Enum<"MemoryScope", "the unit that shares a memory", [
  I32EnumAttrCase<"Thread", 0, "thread">, I32EnumAttrCase<"Core", 1, "core">,
  I32EnumAttrCase<"Cluster", 2, "cluster">, I32EnumAttrCase<"Device", 3, "device">,
  I32EnumAttrCase<"Host", 4, "host">]>;

def Kiln_MemoryKind : Kiln_Enum<"MemoryKind", "how data gets into a memory", [
  I32EnumAttrCase<"Register", 0, "register">, I32EnumAttrCase<"Explicit", 1, "explicit">,
  I32EnumAttrCase<"Cached", 2, "cached">]>;

def Kiln_UnitKind : Kiln_Enum<"UnitKind", "what a unit works on", [
  I32EnumAttrCase<"Scalar", 0, "scalar">, I32EnumAttrCase<"Vector", 1, "vector">,
  I32EnumAttrCase<"Matrix", 2, "matrix">, I32EnumAttrCase<"DMA", 3, "dma">]>;

def Kiln_Stationary : Kiln_Enum<"Stationary", "the operand that stays in a unit between uses", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Lhs", 1, "lhs">,
  I32EnumAttrCase<"Rhs", 2, "rhs">, I32EnumAttrCase<"Acc", 3, "acc">]>;

def Kiln_MoveKind : Kiln_Enum<"MoveKind", "which way a tile moves", [
  I32EnumAttrCase<"Load", 0, "load">, I32EnumAttrCase<"Store", 1, "store">]>;

def Kiln_Order : Kiln_Enum<"Order", "which dimension of a matrix is contiguous", [
  I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Col", 1, "col">]>;

def Kiln_OrderAttr : EnumAttr<Kiln_Dialect, Kiln_Order, "order"> {
  let summary = "rows or columns of a matrix are contiguous";
  let description = [{
    The plainest layout: `#kiln.order<row>` holds the elements of a row beside
    each other, `#kiln.order<col>` those of a column.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Kiln_InterleaveAttr : Kiln_Attr<"Interleave", "interleave"> {
  let summary = "how many steps of the summed dimension lie beside each other";
  let description = [{
    The layout of a panel, which holds some rows of a left operand or some columns of a right one:
    `#kiln.interleave<g>` holds `g` consecutive steps of the summed dimension of one row (column) beside
    each other, then those of the next row (column), then the next `g` steps. With `r` rows (columns), step k of
    row i is element `(k floordiv g * r + i) * g + k mod g`. `#kiln.interleave<1>` holds the rows (columns) of one
    step beside each other.
  }];
  let parameters = (ins "int64_t":$group);
  let assemblyFormat = "`<` $group `>`";
}

def Kiln_RangeAttr : Kiln_Attr<"Range", "range"> {
  let summary = "sizes: numbers, and ranges with a granule";
  let description = [{
    `#kiln.range<16>` is exactly 16, `#kiln.range<8 to 256 by 8>` any multiple
    of 8 between 8 and 256, `#kiln.range<8, 16, 32 to 256 by 32>` a list of both, in ascending order.
  }];
  // Smallest, largest and granule of each piece.
  let parameters = (ins ArrayRefParameter<"int64_t">:$pieces);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether `size` is one of the sizes this range stands for.
    bool contains(int64_t size) const;
    /// The smallest and the largest size.
    int64_t getMin() const { return getPieces().front(); }
    int64_t getMax() const { return getPieces()[getPieces().size() - 2]; }
  }];
}

def Kiln_LanePhaseAttr : Kiln_Struct<"LanePhase", "lane_phase"> {
  let summary = "lanes whose accesses of one width a memory serves together";
  let description = [{
    A memory with banks serves an access of a warp in phases. Lanes whose numbers differ only in the bits `lane_bits` are
    served in one phase if each of them accesses `bytes` bytes.

    ```mlir
    // Accesses of 16 bytes: lanes 0 to 3 and 16 to 19 in one phase.
    #kiln.lane_phase<bytes = 16, lane_bits = [0, 1, 4]>
    ```
  }];
  let parameters = (ins
    "int64_t":$bytes,
    Kiln_Ints<"bits of the lane's number, in ascending order">:$lane_bits);
}

def Kiln_MemoryAttr : Kiln_Struct<"Memory", "memory"> {
  let summary = "one memory space";
  let description = [{
    `scope` is the unit that shares it: `thread`, `core`, `cluster`, `device`, `host`.
    `kind` is `register`, `explicit` (moved into by the program) or `cached`
    (filled by the hardware). Sizes in bytes, 0 for unknown or unlimited.

    Word w of `bank_bytes` bytes lies in bank w mod `banks`. Lanes that are served in one phase and access different words
    of one bank wait for each other. `lane_phases` lists the lanes of a phase for each width of an access; for a width
    that it does not list, a phase has as many consecutive lanes as all banks hold words for.

    In a `bounded` memory the target's accesses by base, offset and extent are checked by the hardware: a load outside of
    the extent gives zeros, a store writes nothing. The GPU family then keeps the three together
    (`simt.load`, `simt.store`).

    Where a barrier of a block does not order accesses to a memory that blocks share at no cost, `barriers_order = false` has the
    GPU family say of each barrier which memories it orders (`simt.barrier`).

    ```mlir
    #kiln.memory<name = "l1", scope = core, kind = cached, size = 32768, line = 64>
    ```
  }];
  let parameters = (ins
    Kiln_Name<"name that units and instructions refer to">:$name,
    EnumParameter<Kiln_MemoryScope>:$scope,
    EnumParameter<Kiln_MemoryKind>:$kind,
    Kiln_Int<"0", "bytes, 0 for unknown">:$size,
    Kiln_Int<"1", "smallest alignment of an allocation in bytes">:$align,
    Kiln_Int<"0", "bytes of a line or of the smallest efficient transfer">:$line,
    Kiln_Int<"1", "number of banks">:$banks,
    Kiln_Int<"0", "bytes per second, per sharer, 0 for unknown">:$bandwidth,
    Kiln_Int<"0", "bytes of a bank's word, 0 for a line over the banks">:$bank_bytes,
    Kiln_List<"LanePhaseAttr", "which lanes are served together">:$lane_phases,
    DefaultValuedParameter<"bool", "false", "whether accesses can be checked against an extent">:$bounded,
    DefaultValuedParameter<"bool", "true", "whether barriers order accesses to it at no cost">:$barriers_order);
}

def Kiln_UnitAttr : Kiln_Struct<"ExecutionUnit", "unit"> {
  let summary = "one kind of execution unit or queue";
  let description = [{
    `kind` is `scalar`, `vector`, `matrix` or `dma`. `bits` is the width of a
    vector, `rate` the operations (multiply-adds for `matrix`, bytes for `dma`)
    that one unit starts per cycle, `count` the units per core, `homes` the
    memories its operands may live in.

    ```mlir
    #kiln.unit<name = "fma", kind = vector, bits = 256, registers = 16,
               types = [f32, f64], homes = ["register"], count = 2>
    ```
  }];
  let parameters = (ins
    Kiln_Name<"name that instructions refer to">:$name,
    EnumParameter<Kiln_UnitKind>:$kind,
    Kiln_Int<"0", "bits of a vector register">:$bits,
    Kiln_Int<"0", "number of architectural registers">:$registers,
    Kiln_Int<"1", "units of this kind per core">:$count,
    Kiln_Int<"1", "operations started per cycle and unit">:$rate,
    Kiln_List<"::mlir::Type", "element types">:$types,
    Kiln_List<"::mlir::StringAttr", "names of memories">:$homes);
}

def Kiln_OperandAttr : Kiln_Struct<"Operand", "operand"> {
  let summary = "an operand of a matrix instruction";
  let parameters = (ins
    Kiln_List<"::mlir::Type", "element types, of which each use has one">:$types,
    Kiln_Str<"name of the memory it lives in">:$home,
    OptionalParameter<"::mlir::Attribute", "its layout: #kiln.order<...>, #kiln.interleave<...>, or one of the family or the vendor">:$layout);
}

def Kiln_MatrixInstructionAttr : Kiln_Struct<"MatrixInstruction", "matrix_instruction"> {
  let summary = "a matrix instruction";
  let description = [{
    Computes `acc[m,n] (+)= lhs[m,k] * rhs[k,n]`. `stationary` names the operand
    that stays in the unit between uses (`none`, `lhs`, `rhs`, `acc`).
    `output_stage` names what may be fused behind it, such as `relu`.
    Integers may be given as signed (`si8`) or unsigned (`ui8`) where only such operands are multiplied; `i8` stands for
    both. `temporaries` is the number of registers that it needs beside its operands, `flushes_subnormals` says that
    subnormal operands and accumulators are read as zero. Every row has a name of its own. `instruction` is the name of
    the instruction that code for the row uses, where that is not the row's: rows of one instruction may differ in the
    layouts of their operands.
    `loses_held_lhs`, in each row of an instruction, says that registers of its left operand may be overwritten. This
    concerns loops that branch and do not change them, where another product takes a left operand that the loop computes.
    Code generators leave such an operand in memory, or take another instruction.

    `cycles` is the number of cycles from the start of one instruction to the start of the next independent one on the same
    unit, for the smallest `m`, `n` and `k`; larger sizes take proportionally more. An instruction of several warps keeps the
    unit of each of them busy for so long. Where the rows that take a product say it, the GPU family chooses the one with
    the least time, else the first.

    ```mlir
    #kiln.matrix_instruction<name = "mma", unit = "tensor", m = <16>, n = <8 to 256 by 8>,
      k = <16>, lhs = <types = [bf16], home = "register", layout = #kiln.order<row>>,
      rhs = <types = [bf16], home = "register", layout = #kiln.order<col>>,
      acc = <types = [f32], home = "register">>
    ```
  }];
  let parameters = (ins
    Kiln_Name<"name">:$name,
    Kiln_Name<"the unit that runs it">:$unit,
    "RangeAttr":$m, "RangeAttr":$n, "RangeAttr":$k,
    "OperandAttr":$lhs, "OperandAttr":$rhs, "OperandAttr":$acc,
    DefaultValuedParameter<"Stationary", "Stationary::None", "what stays in the unit">:$stationary,
    DefaultValuedParameter<"bool", "true", "whether it adds to acc">:$accumulate,
    Kiln_Int<"0", "registers needed beside the operands">:$temporaries,
    DefaultValuedParameter<"bool", "false", "whether subnormal factors and sums are zero">:$flushes_subnormals,
    Kiln_Str<"what may be fused behind it">:$output_stage,
    Kiln_Int<"0", "cycles of the unit for the smallest sizes, 0 for unknown">:$cycles,
    DefaultValuedParameter<"bool", "false", "whether registers of a left operand may be overwritten in a loop that holds them">:$loses_held_lhs,
    Kiln_Str<"the instruction's own name; empty: that of the row">:$instruction);
  let extraClassDeclaration = [{
    /// The name of the instruction that code for this row uses.
    ::llvm::StringRef getInstructionName() const {
      return getInstruction().empty() ? getName() : getInstruction();
    }
  }];
}

def Kiln_TileMoveAttr : Kiln_Struct<"TileMove", "tile_move"> {
  let summary = "an instruction by which the lanes of a warp move matrices between memory and registers";
  let description = [{
    Each matrix has rows of elements that lie side by side in the memory `home`; each row may lie anywhere. `held` is the
    layout of one matrix in registers: the row and the column of the element that a lane holds. `addressed` tells which lane
    gives the address of which row (and column); the lanes that follow give those of the next matrices, of which one
    instruction moves up to `matrices`. A move of other elements than those of `bits` bits is a row of its own.

    Both are layouts of the family that generates the code, of rank 2: (row, column).

    ```mlir
    // Lane l of 32 holds word l mod 4 of row l / 4 of each matrix of 8 rows; lane 8 m + r has the address of row r of matrix m.
    #kiln.tile_move<name = "rows", kind = load, home = "shared", bits = 32, matrices = 4,
      held = #simt.layout<rank = 2, register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>,
      addressed = #simt.layout<rank = 2, register = [], lane = [[1, 0], [2, 0], [4, 0]], warp = []>>
    ```
  }];
  let parameters = (ins
    Kiln_Name<"name">:$name,
    EnumParameter<Kiln_MoveKind>:$kind,
    Kiln_Str<"name of the memory">:$home,
    "int64_t":$bits,
    Kiln_Int<"1", "most matrices of one instruction, a power of two">:$matrices,
    "::mlir::Attribute":$held, "::mlir::Attribute":$addressed);
}

def Kiln_ExchangeCostAttr : Kiln_Struct<"ExchangeCost", "exchange_cost"> {
  let summary = "the cost of an exchange between lanes that differ in few bits";
  let description = [{
    An exchange of one word by which every lane reads that of the lane whose number differs in bits of `lane_bits` only costs
    `cost`, in the unit of `#kiln.costs`.
  }];
  let parameters = (ins
    Kiln_Ints<"bits of the lane's number, in ascending order">:$lane_bits,
    "int64_t":$cost);
}

def Kiln_CostsAttr : Kiln_Struct<"Costs", "costs"> {
  let summary = "the costs of the ways by which threads exchange elements";
  let description = [{
    All are in tenths of a cycle of the unit that issues for all lanes of a warp. The GPU family compares by them an
    exchange through the lanes of a warp with one through memory.

    - `shuffle`: every lane reads one word of 32 bits of the lane whose number differs by a constant exclusive or.
      `exchanges` lists what costs less: the first entry whose bits cover the constant counts.
    - `indexed`: the same from a lane whose number was computed; 0: as `shuffle`.
    - `select`: a choice between two words. `pack`: one part of a word into it or out of it.
    - `wavefront`: one access to all banks of the shared memory.
    - `barrier`, `warp_barrier`: the wait of all threads of a block, of a warp, for each other.
  }];
  let parameters = (ins
    Kiln_Int<"20", "one word from another lane">:$shuffle,
    Kiln_Int<"0", "one word from a computed lane, 0 as shuffle">:$indexed,
    Kiln_Int<"5", "choice between two words">:$select,
    Kiln_Int<"5", "part of a word">:$pack,
    Kiln_Int<"10", "access to all banks">:$wavefront,
    Kiln_Int<"200", "barrier of a block">:$barrier,
    Kiln_Int<"100", "barrier of a warp">:$warp_barrier,
    Kiln_List<"ExchangeCostAttr", "exchanges that cost less than a shuffle">:$exchanges);
}

def Kiln_TopologyAttr : Kiln_Struct<"Topology", "topology"> {
  let summary = "cores and the links between them";
  let description = [{
    `clusters` groups of `cores` cores, each running `threads` programs at once.
    `links` lists names of the networks between cores, `frequency` is in Hz.

    Of machines whose program instances are blocks of threads, `lanes` threads run in step (a warp, a wavefront), and a block
    has at most `threads_per_block` threads. 0 says nothing: the GPU family then assumes what most machines have.
    `grid_axes` is the number of axes along which a launch numbers blocks: 3 if the driver launches the extents of a
    grid as they are where it can, and else one axis; 1 if it always launches one axis, so that a program
    computes its coordinates and need not look at the extents.
  }];
  let parameters = (ins
    Kiln_Int<"1", "cores per cluster">:$cores,
    Kiln_Int<"1", "clusters per device">:$clusters,
    Kiln_Int<"1", "hardware threads per core">:$threads,
    Kiln_Int<"0", "cycles per second, 0 for unknown">:$frequency,
    Kiln_List<"::mlir::StringAttr", "names of links">:$links,
    Kiln_Int<"0", "threads that run in step, a power of two">:$lanes,
    Kiln_Int<"0", "most threads of a block">:$threads_per_block,
    Kiln_Int<"3", "axes of the grid of blocks that is launched">:$grid_axes);
}

def Kiln_ContractionTileAttr : Kiln_Struct<"ContractionTile", "contraction_tile"> {
  let summary = "preferred block sizes of a contraction";
  let parameters = (ins
    OptionalParameter<"::mlir::Type", "element type of the inputs; none: any">:$type,
    "int64_t":$m, "int64_t":$n, "int64_t":$k);
}

def Kiln_TilesAttr : Kiln_Struct<"Tiles", "tiles"> {
  let summary = "preferred tile sizes, which schedules consult";
  let description = [{
    Preferences, never semantics, named after the kinds of groups.
    `elementwise_rows` x `elementwise_cols` is the tile of an elementwise kernel,
    `reduction_elements` the longest row that is kept as one tile,
    `reduction_rows` how many of them, `contraction` has one entry per element
    type, of which the first that matches counts.
  }];
  let parameters = (ins
    Kiln_Int<"8", "rows of an elementwise tile">:$elementwise_rows,
    Kiln_Int<"512", "columns of an elementwise tile">:$elementwise_cols,
    Kiln_Int<"8192", "elements of the longest row kept as one tile">:$reduction_elements,
    Kiln_Int<"1", "rows of a tile that holds whole rows">:$reduction_rows,
    Kiln_List<"ContractionTileAttr", "block sizes of products">:$contraction);
}

def Kiln_TargetAttr : Kiln_Struct<"Target", "target"> {
  let summary = "the description of one chip";
  let description = [{
    `family` names the public library that generates code for it (`cpu`),
    `triple`, `cpu` and `features` are LLVM's names where
    LLVM has a back end. A description without a triple gets its kernels run on
    the host. `limits` holds what the target cannot do (checked early):
    `max_rank`, `max_tile_elements`. `deviations` lists declared departures from
    the numerics contract. `extra` is the vendor's own.

    ```mlir
    #kiln.target<name = "toy", chip = "t1", memories = [
      #kiln.memory<name = "main", scope = device, kind = explicit, size = 1048576>]>
    ```
  }];
  let parameters = (ins
    Kiln_Name<"name of the target">:$name,
    Kiln_Name<"name of the chip">:$chip,
    Kiln_Str<"family that generates its code">:$family,
    Kiln_Str<"LLVM triple">:$triple,
    Kiln_Str<"LLVM processor name">:$cpu,
    Kiln_Str<"LLVM features, +a,-b">:$features,
    OptionalParameter<"::kiln::target::TopologyAttr">:$topology,
    Kiln_List<"MemoryAttr", "memories, nearest first">:$memories,
    Kiln_List<"ExecutionUnitAttr", "execution units">:$units,
    Kiln_List<"MatrixInstructionAttr", "matrix instructions">:$matrix_instructions,
    OptionalParameter<"::kiln::target::TilesAttr">:$tiles,
    OptionalParameter<"::mlir::DictionaryAttr">:$limits,
    Kiln_List<"::mlir::StringAttr", "declared departures from the numerics contract">:$deviations,
    OptionalParameter<"::mlir::DictionaryAttr">:$extra,
    Kiln_List<"TileMoveAttr", "instructions that move matrices">:$tile_moves,
    OptionalParameter<"::kiln::target::CostsAttr">:$costs);
  let extraClassDeclaration = [{
    /// The memory of that name, or null.
    MemoryAttr getMemory(::llvm::StringRef name) const;
    /// The memory that the threads of a block share: the only one of scope
    /// `core` and kind `explicit`. Null, and in `reason` why, if there are none
    /// or several.
    MemoryAttr getSharedMemory(std::string *reason = nullptr) const;
    /// The first unit of that kind, or null.
    ExecutionUnitAttr getUnitOfKind(UnitKind kind) const;
    /// The matrix instruction of that name, or null.
    MatrixInstructionAttr getMatrixInstruction(::llvm::StringRef name) const;
    /// The integer limit of that name, or `otherwise`.
    int64_t getLimit(::llvm::StringRef name, int64_t otherwise) const;
  }];
}

#endif // KILN_TARGET_KILNDIALECT_TD
