#pragma once
// Lowers one nest. The work is split over files by what is emitted: the loops, indices, values, reductions, stores and packs.

#include "engine/loops/loop_nest.h"
#include "engine/lowered/builder.h"
#include "engine/passes/loops/padded_steps.h"
#include "engine/passes/loops/reduction_slots.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace sw {

// The buffers of a kernel by argument position: those that it writes, then those that it only reads.
[[nodiscard]] std::vector<BufferId> argumentsOf(const ScheduledKernel &kernel);

// The origins of a scheduled kernel and of its arguments.
struct FrameOrigins {
    Origin kernel;
    std::vector<Origin> arguments; // by position
};

struct StreamedRegion;

class KernelLowering {
public:
    KernelLowering(const Schedule &schedule, const LoopNest &nest, FrameOrigins origins);

    [[nodiscard]] LoweredKernel run();

private:
    // Of a stage of the kernel that `kernel` lowers: it writes to the same builder.
    KernelLowering(const LoopNest &stage, KernelLowering &kernel);
    KernelLowering(const Schedule &schedule, const LoopNest &nest, FrameOrigins origins, std::unique_ptr<LoweredBuilder> own,
                   LoweredBuilder *builder);

    // An index is base + constant + lane * coefficient. base may be invalid: 0.
    struct IndexParts {
        InstructionId base;
        std::int64_t constant = 0;
        std::int64_t coefficient = 0;
        bool isLinear = true;  // in the lanes; else the index must be emitted lane by lane
        bool isAligned = true; // a copy's index: lane 0 is at a multiple of the lanes
    };
    using CacheKey = std::vector<std::int64_t>;
    // Where every axis stood when a memory of the nest's own was opened, as a number of terms: an index in it counts from there
    // on.
    using Standing = std::vector<std::size_t>;
    struct Copy {
        InstructionId scratch;
        Standing start;
    };
    // What the loops inside of a loop over blocks of a reduction are open for.
    enum class BlockPhase : std::uint8_t { None, Clear, Add, Read };
    struct Scope {
        std::map<CacheKey, InstructionId> cache;
        std::set<ReductionId> reductions; // emitted here
        std::set<std::size_t> stores;     // emitted here
        std::map<ValueId, Copy> packs;    // scratch copies that are valid here
    };
    // What an open loop, or the rest of a split, adds to the index of an unsplit axis: counter * stride, or the stride alone.
    struct IndexTerm {
        InstructionId counter; // invalid: the term is a constant
        std::int64_t stride = 0;
        AxisId part; // the loop's axis, or the split one
    };
    // How the loops over a leaf are emitted: the splits that are decided there, innermost first, and what stands inside.
    struct LeafLoops {
        AxisId leaf;
        std::vector<AxisId> splits;
        std::function<void()> body;
    };

    // --- loops (lower_kernel.cpp)
    void defineArguments();
    void defineOwnMemory();
    void emitLoops(const std::vector<AxisId> &leaves, std::size_t position, const std::function<void(std::size_t)> &before,
                   const std::function<void()> &innermost);
    void emitMain(AxisId leaf, std::int64_t task, const std::function<void()> &body);
    void openWorkItems(AxisId leaf, std::int64_t index, std::int64_t count, const std::function<void(InstructionId)> &body);
    void openGroupItems(AxisId leaf, const std::function<void(InstructionId)> &body);
    void emitReady(const std::vector<AxisId> &leaves, std::size_t position);
    [[nodiscard]] Standing standing() const;
    [[nodiscard]] bool isBound(const std::vector<AxisId> &axes, const std::vector<AxisId> &leaves, std::size_t position) const;
    [[nodiscard]] std::vector<Point> pointsOver(std::vector<AxisId> axes) const;
    [[nodiscard]] std::uint32_t lanesOf(const Point &point) const;
    void withScope(const std::function<void()> &body);

    // --- ends of axes that a run tells (lower_ends.cpp)
    void defineEnds();
    [[nodiscard]] std::vector<InstructionId> endsBefore(const Reduction &reduction);
    [[nodiscard]] bool hasEnd(AxisId axis) const { return m_ends[m_tiling.unsplit(axis).value].isValid(); }
    InstructionId loopEnd(ValueId end);
    InstructionId leftAt(AxisId leaf);
    InstructionId countAt(AxisId leaf);
    InstructionId wholeCountAt(AxisId leaf);
    [[nodiscard]] bool isLastLoop(AxisId leaf) const;
    [[nodiscard]] std::int64_t spanOf(AxisId leaf) const;
    InstructionId openLoop(AxisId leaf, InstructionId count);
    void emitEndingLoop(AxisId leaf, const std::function<void(const std::vector<InstructionId> &)> &inside);
    bool beginBeforeEnd(AxisId leaf);
    InstructionId withinEnds(const Reduction &reduction, InstructionId value, const Point &point);

    // --- steps that read padding (lower_padded_steps.cpp)
    [[nodiscard]] bool mayLeaveOut(ReductionId id) const;
    void definePadding();
    void defineGuards();
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> boundsOf(const PaddedCoordinate &coordinate, const Point &point) const;
    [[nodiscard]] bool isLeftOut(const Reduction &reduction, const Point &point) const;
    InstructionId outsideOfPadding(const PaddedCoordinate &coordinate);
    void emitWrittenOut(AxisId leaf, const PaddedCoordinate &coordinate, const std::function<void()> &body);
    void emitPlaceByPlace(AxisId leaf, const PaddedCoordinate &coordinate, const std::function<void()> &body);
    void emitGuarded(const PaddedCoordinate &coordinate, const std::function<void()> &body);
    [[nodiscard]] bool isHolding(const RangeCondition &condition) const;
    [[nodiscard]] bool isFailing(const Value &load) const;

    // --- main parts and rests of splits (lower_splits.cpp)
    void findFirstLeaves();
    [[nodiscard]] std::vector<AxisId> splitsAt(AxisId leaf) const;
    std::int64_t emitSplits(const LeafLoops &loops, std::size_t count, std::int64_t task);
    std::int64_t emitRest(const LeafLoops &loops, std::size_t count, std::int64_t task);
    void emitFixed(AxisId leaf, std::int64_t task, const std::function<void()> &body);
    [[nodiscard]] std::int64_t launched(AxisId leaf) const;
    [[nodiscard]] std::int64_t tasksOf(const std::vector<AxisId> &splits, std::size_t count, std::int64_t extent,
                                       AxisId leaf) const;

    // --- indices (lower_index.cpp)
    [[nodiscard]] bool isSameInAllLanes(ExprId expr, const Point &point) const;
    [[nodiscard]] bool isOneElement(const Value &value, const Point &point) const;
    IndexParts indexParts(const Origin &origin, ExprId expr, const Point &point);
    IndexParts indexParts(const Origin &origin, const IndexArena::Sum &sum, const Point &point);
    [[nodiscard]] std::int64_t laneStep(ExprId expr, const Point &point) const;
    [[nodiscard]] bool goesByBlocks(const IndexExpr &term, const Point &point) const;
    [[nodiscard]] std::int64_t stepInBlock(const IndexExpr &term, const Point &point) const;
    void addAxis(const Origin &origin, IndexParts &parts, AxisId axis, std::int64_t factor, const Point &point);
    InstructionId scalarIndex(const Origin &origin, ExprId expr, const Point &point); // of lane 0
    InstructionId scalarIndex(const Origin &origin, const IndexParts &parts);
    InstructionId sumTerm(const Origin &origin, InstructionId total, InstructionId part, std::int64_t factor);
    InstructionId vectorIndex(const Origin &origin, const IndexParts &parts, std::uint32_t lanes);
    [[nodiscard]] bool isMultipleOf(ExprId expr, const Point &point, std::int64_t lanes) const;
    [[nodiscard]] bool isAlignedRun(ExprId index, const Point &point, DType dtype) const; // see Instruction::isAligned
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> boundsAt(const IndexArena::Sum &sum, const Point &point) const;
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> boundsAt(ExprId expr, const Point &point) const;
    // All conditions combined; invalid: always true. One lane unless one depends on the vector axis. nullopt: not linear in it.
    std::optional<InstructionId> conditionsAt(const Origin &origin, const std::vector<RangeCondition> &conditions,
                                              const Point &point);

    // --- vectors whose last lanes have no index (lower_masks.cpp)
    [[nodiscard]] static std::uint32_t missingOf(const Point &point);
    [[nodiscard]] static Point existingLaneOf(const Point &point, std::uint32_t lane);
    InstructionId existingLanes(const Origin &origin, const Point &point);
    InstructionId loadWhere(const Origin &origin, InstructionId memory, InstructionId at, InstructionId valid, const Value &value,
                            const Point &point);

    // --- vectors that padding may take the place of (lower_border.cpp)
    // A vector of a load whose conditions may fail: where it lies if those that move with loops alone hold, and in which of its
    // lanes the others hold, begin <= lane < end.
    struct BorderVector {
        IndexParts at;
        std::int64_t low = 0; // the least value of `at`
        std::int64_t high = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::vector<RangeCondition> moving; // those that move with loops
    };
    std::optional<BorderVector> borderVectorOf(const Value &value, const Point &point);
    std::optional<InstructionId> borderLoad(const Value &value, const Point &point);
    InstructionId loadAllOrNone(const Value &value, InstructionId memory, InstructionId at, InstructionId valid,
                                std::uint32_t lanes);

    // A part of a value that is stored at once.
    struct StoredPart {
        Point point;
        InstructionId value;
    };
    std::vector<StoredPart> storedParts(const Origin &origin, InstructionId value, const Point &point);

    // --- padded axes (lower_padding.cpp)
    [[nodiscard]] std::vector<AxisId> paddedAxesOf(const StoreStatement &statement) const;
    [[nodiscard]] bool isWhole(AxisId padded, const Point &point) const;
    InstructionId existsAt(const Origin &origin, AxisId padded, const Point &point);
    void storeExisting(const StoreStatement &statement, const std::vector<AxisId> &padded, const Point &point);
    void storeLanes(const StoreStatement &statement, const std::vector<AxisId> &padded, const Point &point);
    [[nodiscard]] bool isKnownToExist(const RangeCondition &condition) const;

    // --- values (lower_value.cpp)
    InstructionId valueAt(ValueId id, const Point &point);
    InstructionId makeValue(ValueId id, const Point &point);
    InstructionId customAt(const Value &value, const Point &point);
    InstructionId loadAt(ValueId id, const Point &point);

    // --- what is fetched ahead, where the nest says so (lower_prefetch.cpp)
    struct Progress {
        InstructionId begin;
        InstructionId steps; // invalid: none
    };
    void emitPrefetch(ValueId load, InstructionId at, const Point &point); // at: the element that it reads now
    [[nodiscard]] Progress progressOf(const Value &load, const StreamedRegion &region);
    void emitStreams(ValueId load, const Point &point);

    [[nodiscard]] const SymbolicVariable *dimensionOf(const Value &load) const;
    [[nodiscard]] bool isIndexedRun(const Value &value, const Point &point) const;
    InstructionId indexedRun(const Value &value, InstructionId base, InstructionId index, InstructionId valid,
                             std::uint32_t lanes);
    InstructionId indexedLoad(const Value &value, const Point &point);
    InstructionId maskedAt(const Value &value, const Point &point);
    InstructionId laneByLane(ValueId id, const Point &point);
    [[nodiscard]] static Point laneOf(const Point &point, std::uint32_t lane);
    InstructionId laneAddresses(const Origin &origin, InstructionId memory, ExprId index, const Point &point);
    InstructionId aluAt(const Value &value, const Point &point);
    InstructionId widened(const Origin &origin, InstructionId value, std::uint32_t lanes);
    [[nodiscard]] CacheKey keyOf(ValueId id, const Point &point) const;
    [[nodiscard]] Point restricted(const Point &point, const std::vector<AxisId> &axes) const;
    [[nodiscard]] InstructionId cached(const CacheKey &key) const;

    // --- vectors of lanes that lie a few elements apart (lower_spread.cpp)
    [[nodiscard]] bool isSpread(const Value &value, const IndexParts &parts, const Point &point) const;
    InstructionId spreadLoad(const Value &value, InstructionId memory, InstructionId at, std::int64_t step, const Point &point);
    [[nodiscard]] bool isEvenInHalves(ExprId index, const Point &point) const;
    std::optional<InstructionId> interleavedLoad(ValueId id, const Point &point);

    // --- blocks of a reduction (lower_blocks.cpp)
    void defineBlocks();
    void emitBlocks(const std::vector<AxisId> &leaves, std::size_t position, const std::function<void(std::size_t)> &before,
                    const std::function<void()> &innermost);
    [[nodiscard]] std::int64_t partialSpan(AxisId axis) const;
    InstructionId partialAt(const Point &point);
    void clearPartials(const std::vector<Point> &points);
    void addToPartial(ReductionId id, InstructionId part, const Point &point);
    InstructionId stepsBefore(const Reduction &reduction);
    void readPartials(const std::vector<Point> &points);

    // --- stages of a kernel (lower_stages.cpp)
    void defineStages();
    void emitStages();
    void emitAsStage(const KernelLowering &kernel);
    void enterSharedLoop(const KernelLowering &kernel, std::size_t position);
    void takeRowsOf(const KernelLowering &kernel);
    [[nodiscard]] std::vector<std::pair<AxisId, AxisId>> axesOfRows(const KernelLowering &kernel) const;
    InstructionId keptLoad(ValueId id, const Point &point);
    void keepValue(const StoreStatement &statement, const Point &point);
    void countFromBlock(const std::function<void()> &body);

    // --- reductions and stores (lower_reduction.cpp)
    void emitReduction(ReductionId id, const Point &outer);
    [[nodiscard]] WrittenOutSteps writtenOutSteps(const Reduction &reduction) const;
    [[nodiscard]] std::vector<Point> stepsNow(const std::vector<AxisId> &tiles) const;
    void emitStore(std::size_t store);
    bool beginWhereNeeded(ReductionId id); // lower_needed.cpp
    InstructionId horizontal(const Reduction &reduction, InstructionId vector);
    InstructionId combined(const Reduction &reduction, std::vector<InstructionId> parts);
    InstructionId overGroup(ReductionId id, InstructionId part);
    void emitTileStep(ReductionId id, const std::vector<Point> &points, const std::vector<InstructionId> &sums,
                      const std::vector<Point> &steps);
    void emitPoints(const StoreStatement &statement);
    void storeInto(InstructionId memory, const StoreStatement &statement, const StoredPart &part);
    void storeRun(InstructionId memory, const StoreStatement &statement, const Point &start, InstructionId value);

    // --- reductions that share their loops (lower_joined.cpp)
    class JoinedReductions;
    void emitJoined(ReductionId leader, const std::vector<Point> &points);
    void finishPowers(ReductionId id, const std::vector<Point> &points); // lower_blocks.cpp

    // --- stores of tiles that lie across the memory (lower_store.cpp)
    std::vector<InstructionId> transposed(const Origin &origin, std::vector<InstructionId> vectors);
    std::vector<InstructionId> interleaved(const Origin &origin, std::vector<InstructionId> vectors);
    [[nodiscard]] AxisId rowAxisOf(const StoreStatement &statement, const Point &point) const;
    [[nodiscard]] std::int64_t stepOfLanes(const StoreStatement &statement, const Point &point) const;
    void storeRows(InstructionId memory, const StoreStatement &statement, std::span<const Point> rows);
    void storeTransposedRuns(InstructionId memory, const StoreStatement &statement, const Point &first,
                             std::vector<InstructionId> vectors);
    bool storeTransposed(InstructionId memory, const StoreStatement &statement, std::span<const Point> points);

    // --- rows of tiles of sums, in memory (lower_tile_rows.cpp)
    // The sums of one tile of registers: the rows of each vector of columns lie one behind the other.
    struct TileRows {
        ReductionId reduction;
        AxisId leaf; // repeated in registers while the sums are made, and a loop over them when they are done
        std::int64_t rows = 0;
        std::map<Chunk, std::int64_t> places; // by columns: where their rows begin
    };
    void defineTileSums();
    [[nodiscard]] std::optional<TileRows> tileRowsOf(ReductionId id, const std::vector<Point> &points) const;
    [[nodiscard]] bool readsReduction(ValueId value, ReductionId id) const;
    [[nodiscard]] bool isStoredByRows(const StoreStatement &statement) const;
    void emitByRows(const std::vector<std::size_t> &stores);

    // --- products of tiles by a tensor instruction (lower_tensor.cpp)
    void emitTensorReduction(ReductionId id, const std::vector<Point> &points);
    [[nodiscard]] std::vector<Point> wholeTileOf(const std::vector<Point> &rows, const std::vector<Point> &all,
                                                 std::int64_t count, bool isCopied) const;
    InstructionId rowsOfA(ValueId narrow, const std::vector<Point> &rows, const std::vector<Point> &steps);
    InstructionId columnsOfB(ValueId narrow, const Point &columns, const std::vector<Point> &steps);
    InstructionId packedTile(ValueId load, const std::vector<Point> &elements);
    [[nodiscard]] std::optional<std::int64_t> placeInTile(ExprId index, const Point &point) const;
    InstructionId storedTile(ValueId load, const std::vector<Point> &elements);
    InstructionId joined(const Origin &origin, const std::vector<std::pair<InstructionId, std::uint32_t>> &lanes);
    [[nodiscard]] std::vector<Point> withChunks(const std::vector<Point> &points, AxisId tile,
                                                const std::vector<std::int64_t> &extents) const;

    // --- copies of what loads read (lower_pack.cpp)
    void emitPacksAt(AxisId leaf);
    void emitPack(const Pack &pack);
    void emitPackedElements(const Pack &pack, std::span<const std::pair<InstructionId, std::int64_t>> row, const Point &point);
    // How far apart in the source the indices of a leaf are. Nothing: their places are no plain sum, or some are padding.
    [[nodiscard]] std::optional<std::int64_t> strideInSource(const Pack &pack, AxisId axis) const;
    // The same elements in vectors, where the points are single ones along the copy's last axis, which the source runs along.
    [[nodiscard]] std::vector<Point> runsAlongSource(const Pack &pack, std::vector<Point> points) const;
    // Axes of a pack that the source runs along, element after element, innermost first, as one count of `steps`; none: it is
    // not copied in blocks.
    struct SourceRun {
        std::vector<AxisId> axes = {};
        std::int64_t steps = 1;
    };
    [[nodiscard]] SourceRun runToTranspose(const Pack &pack) const;
    void emitTransposed(const Pack &pack, const SourceRun &run, std::span<const std::pair<InstructionId, std::int64_t>> row,
                        std::span<const Point> points);
    void emitTransposedBlock(const Pack &pack, const Point &point, InstructionId at, std::int64_t offset, std::int64_t step);
    // --- copies that a group shares (lower_share.cpp)
    [[nodiscard]] std::int64_t placesInside(AxisId leaf) const;
    [[nodiscard]] std::int64_t placesOf(AxisId leaf) const;
    InstructionId groupPlaceOf(AxisId leaf);
    InstructionId isFirstInGroup(const Origin &origin);
    void emitSharedAt(AxisId leaf);
    void emitShared(const Pack &pack);
    // One axis of a copy, in the order in which neighbouring work items run through the elements.
    struct Side {
        AxisId axis;
        std::int64_t extent = 1;
        std::int64_t stride = 1; // in the copy
        std::int64_t inner = 1;  // elements that lie inside of one step of the axis, in that order
    };
    [[nodiscard]] std::vector<Side> sidesOf(const Pack &pack) const;
    InstructionId placeAlong(const Origin &origin, const Side &side, std::int64_t elements, InstructionId round);

    IndexParts packedIndex(const Pack &pack, const Copy &copy, const Point &point);
    InstructionId packedLoad(ValueId id, const Copy &copy, const Point &point);
    [[nodiscard]] std::vector<std::pair<AxisId, std::int64_t>> packLayout(const Pack &pack) const;
    [[nodiscard]] bool hasRoomForMasked(const Pack &pack) const;
    [[nodiscard]] std::int64_t roomFor(AxisId leaf, std::int64_t extent) const;
    [[nodiscard]] bool endsInSteps(const Pack &pack) const;
    void emitPackOfSteps(const Pack &pack);
    void emitStepsOfColumns(const Pack &pack, InstructionId row, const Point &columns);
    [[nodiscard]] std::int64_t partOfTile(AxisId part, std::int64_t offset) const;
    [[nodiscard]] std::int64_t placeInPack(const Pack &pack, const Point &point) const;
    [[nodiscard]] const Copy *copyOf(ValueId load) const;
    [[nodiscard]] const Pack &packOf(ValueId load) const;

    const Schedule &m_schedule;
    const LoopNest &m_nest;
    FrameOrigins m_origins;
    Tiling m_tiling;
    std::unique_ptr<LoweredBuilder> m_ownBuilder; // null in a stage
    LoweredBuilder &m_builder;
    std::vector<std::vector<AxisId>> m_dependencies; // by value
    std::vector<std::int64_t> m_extents;             // by axis: how many indices it has in the part that is emitted now
    std::vector<char> m_isFixed;                     // by axis: does not move (in the rest of a split)
    std::vector<InstructionId> m_ends;               // by unsplit axis: where its loops end; invalid: at its extent
    std::vector<char> m_isOpen;                      // by axis: its loop is open
    std::vector<char> m_isBelowEnd;                  // by unsplit axis: all that the open loops reach lies below its end
    std::vector<std::vector<IndexTerm>> m_axes;      // by unsplit axis: its current index
    std::vector<AxisId> m_firstLeaves;               // by axis: its outermost loop
    std::vector<Scope> m_scopes;
    std::map<BufferId, InstructionId> m_memory;
    std::map<ReductionId, ValueId> m_reductionValues;
    std::map<const Pack *, InstructionId> m_scratch;
    std::map<AxisId, PaddedCoordinate> m_padding; // by axis of a reduction whose steps are written out
    std::map<AxisId, PaddedCoordinate> m_guards;  // by axis of a reduction: what is told once for all that a step reads
    std::vector<RangeCondition> m_holding;        // of loads: known to hold, or to fail, where code is emitted now
    std::vector<RangeCondition> m_failing;
    std::map<AxisId, std::int64_t> m_places; // of those, by axis: the coordinate at which points have their step now
    AxisId m_blockLoop;                      // invalid: no reduction is done in blocks
    BlockPhase m_blockPhase = BlockPhase::None;
    std::map<ReductionId, InstructionId> m_tileSums;               // memory through which the sums of tiles become rows
    std::optional<TileRows> m_tileRows;                            // what lies there, until the next sums are made
    std::map<ReductionId, InstructionId> m_partials;               // memory for them
    std::vector<std::pair<AxisId, std::int64_t>> m_partialStrides; // of the domain's unsplit axes
    Standing m_blockStart;
    std::int64_t m_groupItems = 1;                 // work items that share reductions
    InstructionId m_groupItem;                     // which of them this work item is
    std::vector<AxisId> m_groupLeaves;             // of the domain: those that tell the items of a group apart
    std::vector<char> m_isGuarded;                 // by padded axis: what is computed now is computed where its index exists
    std::map<ReductionId, InstructionId> m_shared; // the group's memory for its parts of a reduction
    std::map<AxisId, SpecialIndex> m_workItemDimensions;
    std::vector<std::unique_ptr<KernelLowering>> m_stages;
    std::size_t m_sharedLoops = 0;          // of the stages
    std::map<NodeId, InstructionId> m_kept; // the memory for what each stage hands on
    Standing m_blockRows;                   // where that memory is counted from
};

} // namespace sw
