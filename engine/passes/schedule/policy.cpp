#include "engine/passes/schedule/policy.h"

#include "engine/passes/schedule/policy_numbers.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

using Verdict = std::optional<FusionVerdict>;

constexpr std::size_t kMaximumMembers = 2000;
constexpr std::size_t kMaximumPlaces = 16;
// Enough rows to keep every thread busy, with some to spare.
constexpr std::int64_t kMinimumRows = 32;
constexpr std::int64_t kRowsPerThread = 2;
// A kernel with fewer points is done before the other threads have woken up.
constexpr std::int64_t kSmallDomainPoints = 32768;
// Evaluating again is negligible below this many operations per point of the kernel's largest loop nest.
constexpr double kNegligibleOperations = 0.25;
constexpr double kCheapChain = 2;
constexpr double kQuickChain = 5; // a quotient or a root costs more
constexpr std::int64_t kFewestTiled = 2048;
constexpr double kMostWidened = 64; // points at which an element of a narrow weight is widened by each row of a tile
constexpr double kReadAgain = 8;    // reads of an element, from which on a larger value in memory costs less than computing it
constexpr double kCheapRepeats = 2;

constexpr std::string_view kPointsOrigin = "evaluations of the kernel's largest loop nest, in all places";

using Numbers = std::vector<DecisionNumber>;

FusionVerdict fuse(std::string reason, Numbers numbers = {})
{
    return {true, {}, std::move(reason), std::move(numbers)};
}

FusionVerdict keepApart(std::string reason, Numbers numbers = {})
{
    return {false, {}, std::move(reason), std::move(numbers)};
}

Verdict decideKernelBorder(const FusionQuestion &q)
{
    switch (q.border) {
    case KernelBorder::No:
        return std::nullopt;
    case KernelBorder::Input:
        return keepApart(format("{} has it as an input, which is stored before", q.kernel));
    case KernelBorder::Value:
        return keepApart(format("{} stores its value", q.kernel));
    }
    SW_UNREACHABLE();
}

// kernel() asks for one kernel, which an override cannot divide.
Verdict decideOverride(const FusionQuestion &q)
{
    if (q.wish == FusionWish::Apart && q.kernel.empty())
        return keepApart("an override keeps them apart");
    return std::nullopt;
}

Verdict decideFusionOff(const FusionQuestion &q)
{
    if (!q.isFusionOn)
        return keepApart("fusion is switched off");
    return std::nullopt;
}

Verdict decideCopy(const FusionQuestion &q)
{
    if (isTransfer(q.producer.kind))
        return keepApart("the value comes from another place in memory");
    if (q.consumer.kind == NodeKind::Choose)
        return keepApart("what chooses between branches is no part of a kernel, which runs or does not");
    if (isTransfer(q.consumer.kind))
        return keepApart("a transfer takes the value from memory");
    return std::nullopt;
}

Verdict decideScan(const FusionQuestion &q)
{
    if (q.isAcrossScan)
        return keepApart("it is computed once, and its reader in each step of a scan");
    return std::nullopt;
}

Verdict decideBranch(const FusionQuestion &q)
{
    if (q.isAcrossBranch)
        return keepApart("one of the two is computed only in runs in which a branch is chosen");
    return std::nullopt;
}

Verdict decideContiguous(const FusionQuestion &q)
{
    if (q.producer.kind == NodeKind::Contiguous)
        return keepApart("contiguous asks for the value to be stored");
    return std::nullopt;
}

Verdict decideJoin(const FusionQuestion &q)
{
    if (q.isJoinedPart)
        return keepApart("it is stored where it lies in the joined value, so that nothing is copied");
    if (q.isJoinedWhole)
        return keepApart("its parts are stored where they lie in it, so it is read from memory");
    return std::nullopt;
}

Verdict decideStoredView(const FusionQuestion &q)
{
    switch (q.storedView) {
    case StoredView::No:
        return std::nullopt;
    case StoredView::Output:
        return keepApart("the view is an output, so it is stored; its readers load it");
    case StoredView::CopySource:
        return keepApart("a transfer takes the view, so it is stored in row-major order");
    case StoredView::LookupSource:
        return keepApart("elements are looked up in the view, so it is stored in row-major order");
    case StoredView::PaddedForReduction:
        return keepApart("the padded value is stored once, so that the inner loop of the reduction needs no mask");
    case StoredView::LongChain:
        return keepApart(
            "it is the last of many views in a row, whose index arithmetic grows with each of them, so it is stored");
    case StoredView::JoinedPart:
        return keepApart("the view is part of a joined value, so it is copied to where it lies there");
    }
    SW_UNREACHABLE();
}

Verdict decideLookup(const FusionQuestion &q)
{
    if (q.kind == ReadKind::Lookup)
        return keepApart("elements are looked up at places known at run time, so the value must be in memory");
    return std::nullopt;
}

Verdict decideLimits(const FusionQuestion &q)
{
    if (q.members > kMaximumMembers)
        return keepApart(format("the kernel would have {} members, {} at most", q.members, kMaximumMembers),
                         {atMost(number("members", q.members, {}, "the kernel with this value"), kMaximumMembers, kKernelLimit)});
    if (q.buffers > kMaximumBuffers)
        return keepApart(format("the kernel would use up to {} buffers, {} at most", q.buffers, kMaximumBuffers),
                         {atMost(number("buffers", q.buffers, {}, "what the kernel would read and write"), kMaximumBuffers,
                                 "arguments that every device takes")});
    if (q.places > kMaximumPlaces)
        return keepApart(
            format("the value would be needed at {} places of the kernel's loops, {} at most", q.places, kMaximumPlaces),
            {atMost(number("places", q.places, {}, "the kernel's loops that need the value"), kMaximumPlaces, kKernelLimit)});
    return std::nullopt;
}

Verdict decidePlaces(const FusionQuestion &q)
{
    if (q.facts.isOfPlaces)
        return fuse("index arithmetic, computed wherever it is read");
    return std::nullopt;
}

Verdict decideNarrowFactor(const FusionQuestion &q)
{
    if (q.isNarrowFactor && q.place == PlaceKind::Inner && !q.isMasked)
        return fuse("a tensor instruction multiplies the narrow value, so that is what is stored");
    return std::nullopt;
}

// A weight of a narrow type that a reduction reads as the wider one that it multiplies in.
bool isWidenedFactor(const FusionQuestion &q)
{
    return q.mayWiden && q.producer.kind == NodeKind::Cast && q.place == PlaceKind::Inner && isFloat(q.producer.dtype) &&
           static_cast<std::int64_t>(bytesOf(q.producer.dtype)) * q.producer.shape.elements() > q.facts.leafBytes;
}

// What a kernel does not notice may as well be computed there: a buffer more, and a kernel more, are no gain. Quotients and roots
// are noticed, though they be few: a tile computes them again for each of its rows, and waits for them.
Verdict decideLoad(const FusionQuestion &q)
{
    if (!q.isAcrossLoad)
        return std::nullopt;
    if (q.facts.carriesReduction)
        return keepApart("it is the same in all runs, so it is reduced once, when the program is loaded");
    const auto points = static_cast<double>(std::max<std::int64_t>(1, q.domainPoints));
    const double operations = q.evaluations * q.facts.chainCost / points;
    const auto bytes = q.producer.shape.elements() * static_cast<std::int64_t>(bytesOf(q.producer.dtype));
    const bool isLarger =
        bytes > q.facts.leafBytes && q.evaluations < kReadAgain * static_cast<double>(q.producer.shape.elements());
    const bool isSlow = q.facts.chainCost > kQuickChain;
    const double uses = points / static_cast<double>(std::max<std::int64_t>(1, q.producer.shape.elements()));
    if (isWidenedFactor(q) && uses > kMostWidened)
        return keepApart("each element is multiplied at many points, so it is widened once, when the program is loaded",
                         {elementsOf(q), number("points", q.domainPoints, {}, kPointsOrigin),
                          atMost(number("points per element", uses, {}, "points / elements"), kMostWidened,
                                 "reading twice as many bytes takes as long")});
    if ((operations <= kNegligibleOperations && !isSlow) || isLarger)
        return std::nullopt;
    DecisionNumber cost = number("operations per element", q.facts.chainCost, {}, kChainOrigin);
    DecisionNumber perPoint = number("operations per point", operations, {}, "evaluations x operations per element / points");
    return keepApart("it is the same in all runs, so it is computed once, when the program is loaded",
                     {evaluationsOf(q), elementsOf(q),
                      isSlow ? atMost(cost, kQuickChain, "what has no quotient and no root in it") : cost,
                      number("points", q.domainPoints, {}, kPointsOrigin),
                      isSlow ? perPoint : atMost(perPoint, kNegligibleOperations, "what a kernel does not notice"),
                      number("value", bytes, "bytes", "the value's shape"),
                      number("made of", q.facts.leafBytes, "bytes", "the parameters and constants that it is computed from")});
}

Verdict decideReductionIntoReduction(const FusionQuestion &q)
{
    if (q.facts.carriesReduction && q.place == PlaceKind::Inner)
        return keepApart(format("a reduction would run inside the loop of another one, {:.0f} times", q.evaluations),
                         {evaluationsOf(q), elementsOf(q)});
    return std::nullopt;
}

Verdict decideReductionReread(const FusionQuestion &q)
{
    if (!q.facts.carriesReduction)
        return std::nullopt;
    if (q.isMasked)
        return keepApart("a reduction would run under a mask");
    if (q.place == PlaceKind::Scattered)
        return keepApart(format("a reduction would run {:.0f} times for {} elements", q.evaluations, q.producer.shape.elements()),
                         {evaluationsOf(q), elementsOf(q)});
    return std::nullopt;
}

Verdict decideContraction(const FusionQuestion &q)
{
    if (q.facts.carriesContraction && q.place == PlaceKind::Row)
        return keepApart("a contraction is tiled over its own elements, not computed row by row");
    if (q.facts.carriesContraction && !q.hasWholeAxis && q.producer.shape.elements() >= kFewestTiled)
        return keepApart(
            "a contraction is tiled along axes of its own, and each axis of this kernel goes through several of them",
            {atMost(elementsOf(q), kFewestTiled, "what is too little for tiles")});
    if (q.facts.carriesContraction && !q.hasWholeAxis && q.isForPart)
        return keepApart(
            "a contraction is tiled along axes of its own, and the kernel that copies it goes through several of them");
    if (q.producer.kind == NodeKind::ReduceAxis && q.hasRival)
        return keepApart("the kernel already has a reduction over other loops: a contraction's tiles would not fit both");
    if (q.facts.isContraction && q.contractionBytes > q.cacheBytes)
        return keepApart(
            format(
                "two contractions would share the registers, and their operands, {} bytes, exceed the {} bytes of a core's cache",
                q.contractionBytes, q.cacheBytes),
            {atMost(number("operands", q.contractionBytes, "bytes", "what the kernel's contractions multiply"), q.cacheBytes,
                    "cache of a core of the device")});
    return std::nullopt;
}

Verdict decideRow(const FusionQuestion &q)
{
    if (!q.facts.carriesReduction || q.place != PlaceKind::Row)
        return std::nullopt;
    const std::int64_t wanted = std::max(kMinimumRows, kRowsPerThread * static_cast<std::int64_t>(q.threads));
    Numbers numbers{
        atLeast(number("rows", q.rows, {}, "elements of the value: one for each row"), wanted,
                "32, and 2 for each thread of the device"),
        atMost(number("points", q.domainPoints, {}, kPointsOrigin), kSmallDomainPoints, "else threads are worth waking")};
    if (q.rows >= wanted)
        return fuse(format("computed once for each of {} rows, before the row's own loop", q.rows), std::move(numbers));
    if (q.domainPoints <= kSmallDomainPoints)
        return fuse(format("computed once for each of {} rows; with {} points the kernel is too small for threads", q.rows,
                           q.domainPoints),
                    std::move(numbers));
    return keepApart(format("only {} rows to share among threads, {} wanted", q.rows, wanted), std::move(numbers));
}

Verdict decideEpilogue(const FusionQuestion &q)
{
    if (q.producer.kind == NodeKind::ReduceAxis)
        return fuse(q.consumer.kind == NodeKind::ReduceAxis ? "each of its values is used within the same row"
                                                            : "the reduction is consumed one-to-one, right where it ends");
    return std::nullopt;
}

Verdict decideCat(const FusionQuestion &q)
{
    const bool isCatRead = q.consumer.kind == NodeKind::Cat && q.isMasked;
    if (isCatRead && q.facts.chainCost > kCheapChain)
        return keepApart(format("cat reads it under a mask and it costs {:.0f} operations per element", q.facts.chainCost),
                         {atMost(number("operations per element", q.facts.chainCost, {}, kChainOrigin), kCheapChain,
                                 "what is cheap enough to compute under a mask")});
    if (q.producer.kind == NodeKind::Cat && q.place == PlaceKind::Inner && q.producer.inputs.size() > 1)
        return keepApart("the joined value is stored, so that the inner loop of the reduction needs no mask");
    return std::nullopt;
}

Verdict decideRecompute(const FusionQuestion &q)
{
    const auto elements = static_cast<double>(std::max<std::int64_t>(1, q.producer.shape.elements()));
    const double factor = q.evaluations / elements;
    const double extra = (factor - 1) * std::max(q.facts.chainCost, 0.0);
    if (factor <= 1 || q.facts.chainCost == 0)
        return std::nullopt;
    if (q.evaluations * q.facts.chainCost <= kNegligibleOperations * static_cast<double>(q.domainPoints))
        return std::nullopt;
    if (q.maximumRepeats <= 1 && extra <= kCheaperThanMemory)
        return std::nullopt;
    if (factor <= kCheapRepeats && q.facts.chainCost <= kCheapChain)
        return std::nullopt;
    const auto points = static_cast<double>(std::max<std::int64_t>(1, q.domainPoints));
    Numbers numbers{evaluationsOf(q), elementsOf(q), number("operations per element", q.facts.chainCost, {}, kChainOrigin),
                    number("points", q.domainPoints, {}, kPointsOrigin),
                    atMost(number("operations per point", q.evaluations * q.facts.chainCost / points, {},
                                  "evaluations x operations per element / points"),
                           kNegligibleOperations, "what a kernel does not notice")};
    if (q.maximumRepeats <= 1)
        numbers.push_back(
            atMost(number("extra operations per element", extra, {}, "(evaluations / elements - 1) x operations per element"),
                   kCheaperThanMemory, "what costs less than memory"));
    return keepApart(format("it would be computed {:.0f} times for {} elements, {:.1f} times each, at {:.0f} operations",
                            q.evaluations, q.producer.shape.elements(), factor, q.facts.chainCost),
                     std::move(numbers));
}

Verdict decideIntoReduction(const FusionQuestion &q)
{
    if (q.place == PlaceKind::Inner)
        return fuse("computed where the reduction consumes it");
    return std::nullopt;
}

Verdict decideChain(const FusionQuestion &q)
{
    if (q.isMasked)
        return fuse("read through a mask, computed in place");
    return fuse(q.place == PlaceKind::Domain ? "read one-to-one, computed in place" : "computed once and used along the row");
}

constexpr std::array kRules = {
    FusionRule{"kernel-border", "Border of a kernel asked for",
               "What kernel() asks for is a kernel of its own: its inputs are stored before, its value after.", Overruled::Never,
               decideKernelBorder},
    FusionRule{kOverrideRule, "Decided by hand",
               "An override keeps two values apart, or has them in one kernel where only costs speak against it.",
               Overruled::Never, decideOverride},
    FusionRule{kFusionOffRule, "Fusion is off", "Without fusion, or past the limit on rewrites, every node is a kernel.",
               Overruled::ByKernel, decideFusionOff},
    FusionRule{"copy", "Copies are transfers",
               "A copy is no part of a kernel: it takes a value from memory and gives one to memory.", Overruled::Never,
               decideCopy},
    FusionRule{"scan", "Body of a scan",
               "The body of a scan is computed in each of its steps; what does not depend on the step is computed once, before.",
               Overruled::Never, decideScan},
    FusionRule{"branch", "Branch of a choice",
               "What only one branch needs is computed in runs that choose it; a kernel is run or skipped as a whole.",
               Overruled::Never, decideBranch},
    FusionRule{"contiguous", "Contiguous is stored", "A contiguous node is a fusion boundary: its value gets a buffer.",
               Overruled::Never, decideContiguous},
    FusionRule{kJoinRule, "Joined without a copy",
               "A cat whose parts lie one after the other in the whole is computed by no kernel: each part is stored where it "
               "lies in the whole, if most of them are stored anyway, or it is a view that is copied there.",
               Overruled::ByKernelAndFuse, decideJoin},
    FusionRule{
        kStoredViewRule, "View in memory",
        "Views are index arithmetic, but an output, the source of a lookup, a part of a joined value that is copied to its "
        "place, and a padded value that a reduction reads through windows are stored, unless it lies in runs that are "
        "padding as a whole or not at all.",
        Overruled::Never, decideStoredView},
    FusionRule{"lookup-source", "Lookup source in memory",
               "Gather and index read their source from a buffer; indices are computed in place.", Overruled::Never,
               decideLookup},
    FusionRule{"limits", "Limits of a kernel", "A kernel has at most 31 buffers, 2000 members, and 16 places for one value.",
               Overruled::Never, decideLimits},
    FusionRule{"places", "Index arithmetic",
               "What is computed by cheap operations from places, constants and dimensions is computed in every kernel that "
               "reads it.",
               Overruled::Never, decidePlaces},
    FusionRule{kNarrowFactorRule, "Factor of a tensor instruction",
               "The cast of a factor that a tensor instruction of the device multiplies as it is belongs to every product that "
               "reads it: the narrow value is stored.",
               Overruled::Never, decideNarrowFactor},
    FusionRule{
        kLoadRule, "Computed when loading",
        "What depends on parameters and constants alone is computed once, when the program is loaded, unless a run would not "
        "notice that it computes it, or would rather compute it than read it.",
        Overruled::ByKernelAndFuse, decideLoad},
    FusionRule{"reduction-into-reduction", "Reduction inside a reduction",
               "A reduction whose value changes with each step of another reduction's loop is stored first.", Overruled::Never,
               decideReductionIntoReduction},
    FusionRule{"reduction-reread", "Reduction read more than once",
               "A reduction that is read under a mask, through windows or repeated along outer axes is stored first.",
               Overruled::Never, decideReductionReread},
    FusionRule{"contraction", "One contraction per kernel",
               "A kernel is tiled for one contraction; a second one joins it only over the same loops and while the operands fit "
               "the cache. What mixes its axes, such as a shuffle of pixels, reads it from memory.",
               Overruled::ByKernelAndFuse, decideContraction},
    FusionRule{"row", "Row kernel",
               "A reduction that is the same for a whole row is computed once per row, before the row's loop, when there are "
               "rows enough for "
               "the threads or little work altogether.",
               Overruled::ByKernelAndFuse, decideRow},
    FusionRule{"epilogue", "Epilogue of a reduction",
               "Elementwise work on a reduction's result is done where the reduction ends.", Overruled::ByKernelAndFuse,
               decideEpilogue},
    FusionRule{"cat", "Cat reads under masks",
               "Cat picks from its inputs under masks: what is not cheap to compute is stored first.", Overruled::ByKernelAndFuse,
               decideCat},
    FusionRule{"recompute", "Recomputing costs more than memory",
               "A value that would be computed many times, because it is repeated or read through windows, is stored first.",
               Overruled::ByKernelAndFuse, decideRecompute},
    FusionRule{"producer-into-reduction", "Producer of a reduction",
               "What a reduction consumes element by element is computed in its loop.", Overruled::Never, decideIntoReduction},
    FusionRule{"elementwise-chain", "Elementwise chain", "Elementwise work joins the kernel of its consumer.", Overruled::Never,
               decideChain},
    FusionRule{kAskedForRule, "Asked for",
               "What kernel() or fuse() asks for is done where it can be, whatever it costs; what fuse() asks for is computed "
               "anew in every kernel that reads it.",
               Overruled::Never, nullptr},
    FusionRule{kSeveralReadersRule, "Read by several kernels",
               "A value that other kernels or the outputs need too is stored; it is computed in a consumer's kernel when it is "
               "one-to-one with its "
               "root or its rows.",
               Overruled::Never, nullptr},
    FusionRule{kCycleRule, "Kernels in a circle", "Two nodes do not share a kernel when a third kernel must run between them.",
               Overruled::Never, nullptr},
    FusionRule{kSiblingRule, "Siblings", "Results of the same shape that read the same values share a kernel.", Overruled::Never,
               nullptr},
    FusionRule{kStageRule, "Stages of a kernel",
               "A large or a padded value that is computed and read along the same rows stays with the work item, block by block "
               "of rows.",
               Overruled::Never, nullptr},
};

bool isByKernel(const FusionQuestion &q)
{
    return q.border == KernelBorder::No && !q.kernel.empty();
}

bool isOverruled(const FusionRule &rule, const FusionQuestion &q)
{
    switch (rule.overruled) {
    case Overruled::Never:
        return false;
    case Overruled::ByKernel:
        return isByKernel(q) || q.wish == FusionWish::Fuse;
    case Overruled::ByKernelAndFuse:
        return isByKernel(q) || q.isFuseAsked || q.wish == FusionWish::Fuse;
    }
    SW_UNREACHABLE();
}

// Says that the program or an override asked for it, and what the rules would have decided.
FusionVerdict asAskedFor(const FusionQuestion &q, FusionVerdict verdict, const FusionVerdict &overruled)
{
    const bool isByProgram = !q.kernel.empty() || q.isFuseAsked;
    if (q.border != KernelBorder::No || !(isByProgram || q.wish == FusionWish::Fuse))
        return verdict;
    const std::string who = !q.kernel.empty() ? q.kernel : q.isFuseAsked ? "fuse()" : "an override";
    if (!verdict.isFused) {
        if (q.kernel.empty())
            verdict.reason = format("{} asks for one kernel, but {}", who, verdict.reason);
        return verdict;
    }
    if (!isByProgram && overruled.reason.empty()) // the rules agree
        return verdict;
    verdict.rule = isByProgram ? kAskedForRule : kOverrideRule;
    verdict.reason = overruled.reason.empty() ? format("asked for by {}: {}", who, verdict.reason)
                                              : format("asked for by {}, although {}", who, overruled.reason);
    if (!overruled.reason.empty())
        verdict.numbers = overruled.numbers;
    return verdict;
}

} // namespace

std::span<const FusionRule> fusionRules()
{
    return kRules;
}

FusionVerdict decideFusion(const FusionQuestion &question)
{
    FusionVerdict overruled; // why the nodes would be kept apart
    for (const FusionRule &rule : kRules) {
        if (rule.decide == nullptr)
            continue;
        auto verdict = rule.decide(question);
        if (!verdict)
            continue;
        if (!verdict->isFused && isOverruled(rule, question)) {
            overruled = *std::move(verdict);
            continue;
        }
        // To keep two nodes apart is no rewrite.
        if (verdict->isFused && !question.isWithinRewriteLimit && !isByKernel(question))
            return {false, kFusionOffRule, "the limit on rewrites was reached"};
        verdict->rule = rule.id;
        return asAskedFor(question, *std::move(verdict), overruled);
    }
    SW_UNREACHABLE();
}

} // namespace sw
