#pragma once
// What the panes show at one moment: for every stage the newest document available, which may be older than the newest
// compilation if that one failed or has not reached the stage yet.

#include "engine/api/moment.h"
#include "engine/api/report.h"
#include "ui/session/partner_index.h"

#include <QString>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace stepwell::ui {

inline constexpr std::size_t kStageCount = static_cast<std::size_t>(sw::StageKind::Machine) + 1;
inline constexpr std::array<sw::StageKind, kStageCount> kStages{
    sw::StageKind::Program, sw::StageKind::Graph, sw::StageKind::Schedule, sw::StageKind::Loops,
    sw::StageKind::Lowered, sw::StageKind::Code,  sw::StageKind::Machine};

[[nodiscard]] constexpr std::size_t indexOf(sw::StageKind stage)
{
    return static_cast<std::size_t>(stage);
}

struct StageView {
    sw::StageDocumentPtr document; // null: never made
    std::shared_ptr<const PartnerIndex> partners;
    std::uint64_t compilation = 0; // number of the compilation that made it; only documents of one compilation have partners
    sw::StageMarks marks = {};     // for a moment before the end: what its rewrite touched
};

// How a kernel is marked in every pane.
struct KernelIdentity {
    QString tag; // "K3"
    std::uint32_t color = 0;
};

// The stages at a moment before the end of a compilation.
struct MomentStages {
    sw::MomentPlace place;
    std::uint64_t compilation = 0;
    bool isEmpty = false;                      // there is no such moment
    std::array<StageView, kStageCount> stages; // from the program to the lowered stage
    std::vector<KernelIdentity> kernels;       // of its schedule
    std::optional<sw::RewriteEntry> rewrite;   // the last rewrite that was done
};
using MomentStagesPtr = std::shared_ptr<const MomentStages>;

struct Snapshot {
    sw::ReportPtr report; // never null; the newest one
    sw::ReportPtr good;   // the newest with kernels and passes to show; may be null
    std::uint64_t goodCompilation = 0;
    sw::ReportPtr measured; // the newest that ran, perhaps of an earlier program; may be null
    std::uint64_t measuredCompilation = 0;
    std::array<StageView, kStageCount> stages;
    std::vector<KernelIdentity> kernels;          // of good
    std::vector<std::uint32_t> kernelsOfMeasured; // by kernel of `measured`: the same kernel in `good`; kNoIndex: it is gone
    std::uint64_t compilation = 0;
    bool isFinal = false;   // false: more stages are on their way
    MomentStagesPtr moment; // null: the end of the compilation

    [[nodiscard]] const StageView &stage(sw::StageKind kind) const { return stages[indexOf(kind)]; }
    // The compilation that made this stage; nothing: there is no such stage.
    [[nodiscard]] std::optional<std::uint64_t> madeBy(sw::StageKind kind) const
    {
        return stage(kind).document ? std::optional(stage(kind).compilation) : std::nullopt;
    }
    // The newest compilation did not reach this stage, and never will.
    [[nodiscard]] bool isOutOfDate(sw::StageKind kind) const { return isFinal && stage(kind).compilation != compilation; }
    [[nodiscard]] bool isOutOfDate() const { return isFinal && !report->succeeded; }
    // What Timings shows: the newest that ran, else the newest that could run.
    [[nodiscard]] const sw::ReportPtr &timed() const { return measured ? measured : good; }
    [[nodiscard]] std::uint64_t timedCompilation() const { return measured ? measuredCompilation : goodCompilation; }
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

// "k3_softmax" -> "softmax": the number changes when kernels before it are added or removed.
[[nodiscard]] std::string_view withoutKernelNumber(std::string_view name);

// The document of `kind` in `report`; null when the compilation stopped before it.
[[nodiscard]] const sw::StageDocumentPtr &documentOf(const sw::Report &report, sw::StageKind kind);

// `report` on top of what was shown before. Documents that it shares with the earlier snapshot keep their partner index.
[[nodiscard]] SnapshotPtr makeSnapshot(const SnapshotPtr &earlier, const sw::ReportPtr &report, std::uint64_t compilation,
                                       bool isFinal);

// Called off the GUI thread, because building the partner indices takes time.
[[nodiscard]] MomentStagesPtr makeMomentStages(const Snapshot &end, const sw::MomentDocuments &documents, sw::MomentPlace place,
                                               std::uint64_t compilation);

// The snapshot as of the moment: its stages up to the lowered one are from the moment, later stages are from the end.
[[nodiscard]] SnapshotPtr atMoment(const SnapshotPtr &end, const MomentStagesPtr &moment);

} // namespace stepwell::ui
