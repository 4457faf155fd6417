#pragma once
// The loop stage: one loop nest per kernel. A nest has typed axes, the scalar expressions (values) that the kernel computes at
// each point, its reductions, its stores, and the list of transformations that shaped the axes. A transformation is data: it
// can be printed, read back, and applied to the untransformed nest.
//
// A split keeps the original axis for index expressions and replaces it in the loop order by two leaf axes:
// axis = outer * factor + inner. If the factor does not divide the extent, the remainder is peeled into a separate loop.
//
// A kernel in stages has a nest for each of them. The loops over rows that their orders begin with alike are run once, for all:
// in each of their rounds the stages run one after the other. What a stage stores, the later ones read in memory of the work
// item, which has room for one round. The axes of a stage have names of their own, "s0_i1", and the one list of transformations
// is that of the nest which has the stages.

#include "engine/loops/index_expr.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sw {

enum class AxisType : std::uint8_t {
    Thread, // a CPU work item: few and large
    Global, // a GPU work item's index
    Local,  // a work item's index within its group: the group's items divide the axis among them
    Loop,
    Reduce, // the loop of a reduction
    Upcast, // repeated in registers, innermost
    Unroll, // a reduction's steps written out, each with its own accumulator
    Vector, // the lanes of a vector
};
[[nodiscard]] std::string_view nameOf(AxisType type);

struct Axis {
    std::string name;
    std::int64_t extent = 1;
    AxisType type = AxisType::Loop;
    bool isReduce = false;   // belongs to a reduction
    AxisId source = {};      // part of a split: the axis that was split; else invalid
    std::int64_t factor = 1; // outer part of a split: its counter is multiplied by this
    std::int64_t group = 1;  // Global: work items per group
    std::int64_t copies = 1; // Loop, Reduce: copies of the body that the device's compiler writes out per iteration
    // Vector: what a tile leaves over is one vector too, of as many lanes; those that have no index are not loaded or stored.
    bool isMasked = false;
    // Of a padded axis and its parts: so many indices of the whole axis exist, the first ones. What the others would load is 0,
    // and they store nothing. 0: all exist.
    std::int64_t existing = 0;
    // Of an axis that is no part of a split: the i64 value where it ends in a run; invalid: at its extent. Of a domain axis, it
    // is the same at every point, and nobody reads what lies at the end or beyond, so that a tile may go past it. Of a
    // reduction's axis, it may move with the domain, and the reduction takes nothing from there.
    ValueId end = {};
    Origin origin;
};

using ReductionId = Id<struct ReductionTag>;

enum class ValueKind : std::uint8_t {
    Constant,
    Load,    // buffer[index], or `constant` where a condition fails; without a buffer: of what the stage of `node` stores
    Indexed, // buffer[operand 0], or `constant` where operand 1 (if any) is false or the index is out of range
    Alu,
    Cast,
    Bitcast,
    Custom,     // the Custom operation of the graph node
    Reduction,  // the result of a reduction
    Masked,     // operand 0 where the conditions hold, else operand 1
    IndexValue, // `index` itself as an i64
};

struct Value {
    ValueKind kind = ValueKind::Constant;
    Op op = Op::Add;
    DType dtype = DType::F32;
    std::vector<ValueId> operands = {};
    Scalar constant = {};
    BufferId buffer = {};
    ExprId index = {};
    std::vector<RangeCondition> conditions = {}; // all must hold
    ReductionId reduction = {};
    std::int64_t scale = 1;      // Indexed
    std::int64_t bound = 0;      // Indexed
    std::int32_t boundAxis = -1; // Indexed: the axis of the source, for the report; -1: its flat sequence
    NodeId node;                 // the graph node that it computes or reads
    Origin origin;
};

// How a reduction goes on in the loops of another one, its leader.
enum class JoinRule : std::uint8_t {
    Beside,    // by its own operation; the two need nothing of each other
    Place,     // the first place of what the leader, a maximum or minimum, has found: its body is the place
    Distances, // the squared distances from the mean, of which the leader is the sum: its body is the leader's
    Rescaled,  // the powers of what elements are below the leader, a maximum: its body is the leader's
};

struct Joined {
    ReductionId leader = {};
    JoinRule rule = JoinRule::Beside;
    bool isFromFinite = false; // Rescaled: from 0, where the maximum is infinite
};

struct Reduction {
    Op op = Op::Add;
    DType dtype = DType::F32; // of the accumulator
    ValueId body = {};
    std::vector<AxisId> axes = {};     // before any split
    std::vector<AxisId> order = {};    // leaf axes, outermost first; none of a joined one
    std::optional<Joined> joined = {}; // both results come from one pass over the leader's loops, see join.h
    bool isTiled = false;              // each step is a product of tiles (Wmma); see tileRolesOf
    // The tiles have the shape and the types of this instruction, and the sums of a tile stay in one accumulator over all
    // steps. Nothing: one product of all that is repeated in registers, computed in the type of the sums.
    std::optional<TensorInstruction> instruction = {};
    NodeId node = {};
    Origin origin;
};

enum class MemoryPolicy : std::uint8_t { Cached, NonTemporal };

struct StoreStatement {
    BufferId buffer; // invalid: the memory of the work item for the value of a stage, `node`
    ExprId index;
    ValueId value = {};
    MemoryPolicy policy = MemoryPolicy::Cached;
    NodeId node;
    Origin origin;
};

// A copy of what a load reads, laid out so that the innermost loops read it contiguously; filled at the start of loop `at`.
struct Pack {
    ValueId load;
    AxisId at;                 // leaf axis; the pack is per iteration of it
    std::vector<AxisId> order; // axes (unsplit or leaf, inside `at`) that index the copy, outermost first; the last is contiguous
    // The copy is in the memory of the group, and its work items make it together: see share_queries.h.
    bool isShared = false;
    std::int64_t apart = 0; // of a shared one: elements between the end of a row and the next row
};

// Where a load reads, the cache line that it will read so many rounds of a loop later is fetched: what the processor does not
// foresee by itself is then in the cache when it is needed.
struct Prefetch {
    ValueId load;
    AxisId at;              // leaf axis: a loop around the load
    std::int64_t ahead = 1; // rounds of it
};

// While a round of the loop runs, what the load will read in the next round is fetched, a part at each step: see
// stream_queries.h.
struct Stream {
    ValueId load;
    AxisId at; // a loop of the domain
};

// The program asks to unroll the loop that computes a value: its body is to be written out `copies` times.
struct UnrollRequest {
    ValueId value;
    std::int64_t copies = 1;
    bool operator==(const UnrollRequest &) const = default;
};

enum class TransformKind : std::uint8_t {
    Split,
    Reorder,
    SetType,
    Merge,
    Divide,
    Mask,
    Pack,
    NonTemporal,
    Group,
    Unroll,
    Tensorize,
    Share,
    Pad,
    Prefetch,
    Stream,
    Join
};
[[nodiscard]] std::string_view nameOf(TransformKind kind);

// "split i0 8", "set_type i0.inner vector", "merge i0 i1", "divide i0 40", "reorder r2.outer i0.inner ...", "pack v3 at i1.outer
// by r2 i1.inner", "mask i0.inner", "group i1 64", "unroll r2.outer 4", "tensorize r2", "tensorize r2 amx_bf16", "share v3 r2.o
// r2.i i0.i 4", "pad i0 64", "prefetch v3 i0.i 1", "stream v3 i0.o",
// "join r2 r3"
struct Transform {
    TransformKind kind = TransformKind::Split;
    std::vector<std::string> axes = {}; // by name
    std::int64_t factor = 0;
    AxisType type = AxisType::Loop;
    ValueId value = {};
    std::optional<TensorInstruction> instruction = {}; // Tensorize
    std::string reason = {};                           // why the heuristic chose it, with its numbers
    bool operator==(const Transform &) const = default;
};

struct LoopNest {
    KernelId kernel;
    std::vector<Axis> axes = {};
    IndexArena arena = {};
    std::vector<Value> values = {};
    std::vector<Reduction> reductions = {};
    std::vector<StoreStatement> stores = {};
    std::vector<AxisId> domain = {}; // the root's axes, before any split
    std::vector<AxisId> order = {};  // leaf axes of the domain, outermost first; Upcast and Vector ones last
    std::vector<Pack> packs = {};
    std::vector<Prefetch> prefetches = {};
    std::vector<Stream> streams = {};
    std::vector<UnrollRequest> unrolls = {};
    std::vector<Transform> transforms = {}; // applied so far
    std::vector<LoopNest> stages = {};      // that run before this one, in their order; they have no stages of their own
    std::size_t rowAxes = 0;                // so many axes at the front of the domain are rows; the stages have the same
    Origin origin;
};

struct LoopProgram {
    SchedulePtr schedule;
    std::vector<std::shared_ptr<const LoopNest>> nests = {}; // by KernelId
    std::vector<OverrideOutcome> overrides = {};             // with what became of those about loops
    std::vector<std::string> notes = {};                     // on tunings that are not used
};

using LoopProgramPtr = std::shared_ptr<const LoopProgram>;

} // namespace sw
