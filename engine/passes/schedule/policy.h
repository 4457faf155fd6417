#pragma once
// The fusion policy: rules in order; the first that has an opinion on an edge decides it. resources/docs/fusion-policy.md
// explains them to users.

#include "engine/passes/schedule/node_facts.h"
#include "engine/schedule/decision_number.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Where in a kernel's loops a value is needed.
enum class PlaceKind : std::uint8_t {
    Domain,    // one-to-one with the elements of the kernel's root
    Row,       // once per row: along the leading axes of the domain, the same for all the others
    Inner,     // anew in each step of a reduction's loop
    Scattered, // any other pattern: repeated along outer axes, a subset, through a mask
};

// Whether the edge leads into a kernel that kernel() asks for, or out of one.
enum class KernelBorder : std::uint8_t { No, Input, Value };

// What an override says of an edge.
enum class FusionWish : std::uint8_t { None, Fuse, Apart };

// One edge under examination: would the producer go into the kernel that its consumer is in?
struct FusionQuestion {
    const Node &producer;
    const Node &consumer;
    NodeFacts facts; // of the producer
    ReadKind kind = ReadKind::Elements;
    StoredView storedView = StoredView::No; // of the producer
    std::string kernel = {};                // the request that has both ends or the border: "kernel \"row\""; empty: none
    KernelBorder border = KernelBorder::No;
    bool isAcrossScan = false;   // only one of the two is in the body of a scan
    bool isAcrossBranch = false; // other conditions decide about one than about the other
    bool isAcrossLoad = false;   // it is the same in all runs, its consumer is not
    // What is the same in all runs may be widened once: the device multiplies no narrower values than these, and a kernel more is
    // compiled quickly for it.
    bool mayWiden = false;
    // A cast of a factor that a tensor instruction of the device multiplies as it was before.
    bool isNarrowFactor = false;
    bool isJoinedPart = false;  // it is stored where it lies in its consumer, which nothing computes: see joins.h
    bool isJoinedWhole = false; // nothing computes it: its parts are stored where they lie in it
    bool isForPart = false;     // its consumer is a view that is copied to where it lies in a joined value
    bool isFuseAsked = false;   // by fuse()
    FusionWish wish = FusionWish::None;
    bool isFusionOn = true;
    bool isWithinRewriteLimit = true;

    // The worst place at which this edge needs the value.
    PlaceKind place = PlaceKind::Domain;
    bool isMasked = false;
    std::int64_t rows = 1;         // of a Row place
    std::int64_t domainPoints = 1; // evaluations of the kernel's largest loop nest
    double maximumRepeats = 1;     // evaluations per element, of the worst place in the kernel
    double evaluations = 1;        // of the producer, over all places in the kernel
    std::size_t places = 1;        // distinct ones, over all its consumers in the kernel

    bool hasWholeAxis = true; // along some axis of the kernel, elements of the producer lie side by side, or at one distance
    std::size_t members = 0;  // of the kernel, with the producer
    std::size_t buffers = 0;  // that the kernel would use at most
    bool hasRival = false;    // the kernel has a reduction that does not share its loops with the producer's
    std::int64_t contractionBytes = 0; // operands of all the kernel's contractions, with the producer, when there are several
    std::int64_t cacheBytes = 0;       // of a core
    std::uint32_t threads = 1;
};

struct FusionVerdict {
    bool isFused = false;
    std::string_view rule;
    std::string reason;
    std::vector<DecisionNumber> numbers = {}; // that the rule decided by
};

// What a program or an override asks for comes before rules that are only about cost. ByKernel: by kernel() and overrides.
enum class Overruled : std::uint8_t { Never, ByKernel, ByKernelAndFuse };

struct FusionRule {
    std::string_view id;
    std::string_view title;
    std::string_view doc;
    Overruled overruled = Overruled::Never; // which requests overrule its refusals
    // Nothing: the next rule is asked. Null: the grouping itself decides, because it sees all the readers of a value.
    std::optional<FusionVerdict> (*decide)(const FusionQuestion &) = nullptr;
};

[[nodiscard]] std::span<const FusionRule> fusionRules();
[[nodiscard]] FusionVerdict decideFusion(const FusionQuestion &question);

// The number of kernel arguments that every device takes.
inline constexpr std::size_t kMaximumBuffers = 31;

inline constexpr std::string_view kAskedForRule = "asked-for";
inline constexpr std::string_view kOverrideRule = "override";
inline constexpr std::string_view kFusionOffRule = "fusion-off";
inline constexpr std::string_view kLoadRule = "load";
inline constexpr std::string_view kSeveralReadersRule = "several-readers";
inline constexpr std::string_view kCycleRule = "cycle";
inline constexpr std::string_view kJoinRule = "join";
inline constexpr std::string_view kSiblingRule = "sibling";
inline constexpr std::string_view kStageRule = "stage";
inline constexpr std::string_view kNarrowFactorRule = "narrow-factor";
inline constexpr std::string_view kStoredViewRule = "stored-view";

} // namespace sw
