#pragma once
// What the heuristic knows about a nest while it chooses transformations, and the means to apply them one by one.

#include "engine/loops/loop_nest.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// A read or write of memory in the nest.
struct NestAccess {
    ExprId index;
    std::int64_t bytes = 4;
    bool isStore = false;
    bool isMasked = false; // its conditions may fail
    ValueId load;          // for a load: its value
};

class NestPlan {
public:
    // The nest is a block of a kernel's stage: the loops around it are shared out among work items, not its own. A thread does so
    // many blocks one after the other.
    struct Block {
        std::int64_t rounds = 1;
        AxisId row = {};       // the axis of the block's rows, which all stages have; invalid: the block is one row
        bool mayBeFew = false; // a run may have few of the blocks
    };
    NestPlan(const Schedule &schedule, LoopNest nest, const PassContext &context, std::optional<Block> block = std::nullopt);

    [[nodiscard]] const LoopNest &nest() const { return m_nest; }
    [[nodiscard]] LoopNest take() { return std::move(m_nest); }
    [[nodiscard]] const DeviceInfo &device() const { return m_context.device(m_schedule.kernel(m_nest.kernel).device); }
    [[nodiscard]] bool isStrict() const { return m_context.options().strict; }
    // The rows of the table of tensor instructions that the kernel may use.
    [[nodiscard]] std::uint32_t tensorInstructions() const
    {
        return m_context.options().tensorInstructions ? device().tensorInstructions : 0;
    }
    [[nodiscard]] const Schedule &schedule() const { return m_schedule; }
    [[nodiscard]] const std::vector<std::vector<AxisId>> &dependencies() const { return m_dependencies; }

    [[nodiscard]] std::int64_t extentOf(AxisId axis) const { return m_nest.axes[axis.value].extent; }
    // The nest is a stage of a kernel, whose blocks of rows the threads share out.
    [[nodiscard]] bool isStage() const { return m_block.has_value(); }
    // Whether a run may have few of the points, of which the figures tell the largest number.
    [[nodiscard]] bool mayBeShort() const;
    [[nodiscard]] bool isRowOfBlock(AxisId axis) const { return m_block && m_block->row == axis; }
    [[nodiscard]] std::int64_t rounds() const { return m_block ? m_block->rounds : 1; }
    [[nodiscard]] const std::string &nameOf(AxisId axis) const { return m_nest.axes[axis.value].name; }
    // All loads and stores of the nest, or only the loads under one value, without looking into reductions.
    [[nodiscard]] std::vector<NestAccess> accesses() const;
    [[nodiscard]] std::vector<NestAccess> loadsUnder(ValueId value) const;
    // Arithmetic operations that the nest does per point, by their prices in ops.def.
    [[nodiscard]] std::int64_t operationsUnder(ValueId value) const;
    [[nodiscard]] std::int64_t operationsPerPoint() const;
    // Of a value, or of all that is stored: without what is the same all along the axis.
    [[nodiscard]] std::int64_t operationsAlong(ValueId value, AxisId axis) const;
    [[nodiscard]] std::int64_t operationsAlong(AxisId axis) const;
    // How an access moves with an axis: 0, 1, another stride, or kScattered where it is not linear.
    static constexpr std::int64_t kScattered = std::int64_t{1} << 62;
    [[nodiscard]] std::int64_t strideIn(const NestAccess &access, AxisId axis) const;
    // The bytes from what an access touches at one point of an axis to what it touches at the next, without a sign; 0 also
    // where it is not linear.
    [[nodiscard]] std::int64_t bytesApart(const NestAccess &access, AxisId axis) const;
    [[nodiscard]] bool dependsOn(const NestAccess &access, AxisId axis) const;
    // Whether it differs within a tile of so many indices of the axis. The image of a convolution in groups depends on the
    // channel by the group alone, and a tile of channels of one group reads the same.
    [[nodiscard]] bool movesInTile(const NestAccess &access, AxisId axis, std::int64_t tile) const;
    // Whether the indices of some tiles lie in two panels, so that no one stride leads from each to the next.
    [[nodiscard]] bool isUnevenInTile(const NestAccess &access, AxisId axis, std::int64_t tile) const;

    // " at n = 4096": the extents that figures are for, where a run may end earlier; empty: there is none such.
    [[nodiscard]] std::string largestText() const;

    // "about 154 thousand cycles at n = 4096", "about 870 cycles for a block"
    [[nodiscard]] std::string cyclesText(double cycles) const;

    [[nodiscard]] const PassContext &context() const { return m_context; }

    // Lanes of a full vector of the widest element that the nest computes with; a power of two, at most 16.
    [[nodiscard]] std::int64_t vectorLanes() const;
    [[nodiscard]] std::int64_t elementsOf(const std::vector<AxisId> &axes) const;

    // Applies a transformation that may not apply; false: it does not.
    bool tryApply(const Transform &transform);
    // --- transformations; each asserts that it applies
    struct Parts {
        AxisId outer; // invalid: the axis is whole
        AxisId inner;
    };
    Parts split(AxisId axis, std::int64_t factor, const std::string &reason);
    // What is known of the nest is that of its new axes.
    void divide(AxisId axis, std::int64_t divisor, const std::string &reason);
    void setType(AxisId axis, AxisType type, const std::string &reason);
    void mask(AxisId vector, const std::string &reason);
    void reorder(const std::vector<AxisId> &order, const std::string &reason);
    void pack(ValueId load, AxisId at, const std::vector<AxisId> &axes, const std::string &reason);
    void share(ValueId load, AxisId at, const std::vector<AxisId> &axes, std::int64_t apart, const std::string &reason);
    // Returns the axis that stands in its place.
    AxisId pad(AxisId axis, std::int64_t multiple, const std::string &reason);
    void prefetch(ValueId load, AxisId at, std::int64_t ahead, const std::string &reason);
    void stream(ValueId load, AxisId at, const std::string &reason);
    void nonTemporal(std::size_t store, const std::string &reason);
    void group(AxisId axis, std::int64_t items, const std::string &reason);
    void joinReduction(const Transform &join); // of two reductions; what is known of the nest is that of the joined ones
    void unroll(AxisId loop, std::int64_t copies, const std::string &reason);
    void tensorize(AxisId reduceAxis, const std::string &reason, std::optional<TensorInstruction> instruction = std::nullopt);

    // Makes `tile` neighbouring indices of an axis one step: vectors of `lanes` (1: none), repeated. Returns the loop that is
    // left outside, if any.
    AxisId tile(AxisId axis, std::int64_t tile, std::int64_t lanes, const std::string &reason);
    // Distributes the loop over work items, a few per thread so that uneven ones even out. Of a loop that may end anywhere in a
    // run, the work items take steps in turns, so that there is work for all of them in any run that has enough.
    void distribute(AxisId loop, std::int64_t operations);
    // Of loops that may stand in any order: the one for the threads. It is the first that has so many rounds for each of them, so
    // that uneven ones even out, else the longest; invalid: there are no loops.
    [[nodiscard]] AxisId loopForThreads(const std::vector<AxisId> &loops, std::int64_t roundsPerThread) const;
    // Puts the leaves into the order, with that loop outside, and distributes it.
    void shareLoops(std::vector<AxisId> order, const std::vector<AxisId> &loops, std::int64_t roundsPerThread,
                    std::int64_t operations, const std::string &reason);
    // The loops of the domain among the leaves.
    [[nodiscard]] std::vector<AxisId> loopsAmong(std::vector<AxisId> leaves) const;
    // As many work items as so many operations are worth.
    [[nodiscard]] static std::int64_t itemsFor(std::int64_t operations);
    // Fewer would leave too little that lies side by side in memory.
    static constexpr std::int64_t kOperationsPerTurn = 1 << 14;
    // How work items take turns of a loop that may end anywhere in a run, one of `rounds` and so many operations, for `tasks`
    // items at most.
    struct Turns {
        std::int64_t turn = 1;  // rounds side by side
        std::int64_t items = 1; // work items, as many as the turns of one go
    };
    [[nodiscard]] static Turns turnsOf(std::int64_t rounds, std::int64_t operations, std::int64_t tasks);
    // "1048576 operations at n = 4096", and the reasons for the splits into turns and into their items.
    [[nodiscard]] std::string operationsText(std::int64_t operations) const;
    [[nodiscard]] std::string turnReason(std::int64_t operations) const;
    [[nodiscard]] std::string itemsReason(std::int64_t operations, std::int64_t items) const;

private:
    void apply(Transform transform);
    void takeTurns(AxisId loop, std::int64_t operations, std::int64_t tasks);

    const Schedule &m_schedule;
    LoopNest m_nest;
    const PassContext &m_context;
    std::optional<Block> m_block;
    std::vector<std::vector<AxisId>> m_dependencies;
};

} // namespace sw
