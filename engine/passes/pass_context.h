#pragma once
// What a pass sees besides its stage: the devices, the options, whether it should stop, and where it records its rewrites.

#include "engine/backend/backend.h"
#include "engine/base/assert.h"
#include "engine/base/work_progress.h"
#include "engine/passes/overrides.h"
#include "engine/passes/rewrite_log.h"
#include "engine/passes/stage.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

class KernelMemo;
struct Tunings;

// What the user chose for a compilation; part of every cache key.
struct CompileOptions {
    bool fuse = true;               // off: one kernel per node
    bool optimize = true;           // off: plain loops, no vectors, no tiles
    bool contract = true;           // multiply-add may be fused
    bool strict = false;            // float reductions keep source order
    bool tensorInstructions = true; // off: as if the devices had none
    bool winograd = true;           // convolutions from tiles, which round a little more; off: all of their products
    bool layouts = true;            // images pixel by pixel in memory where that is quicker; off: as the program has them
    RooflineFigures figures = {};
    Overrides overrides = {};
    std::shared_ptr<const Tunings> tunings = {}; // lists that were measured, to be used where they fit; null: none are
    bool operator==(const CompileOptions &) const = default;
};

// A device that a compilation is for, and the language that its kernels are written in.
struct TargetDevice {
    DeviceInfo device;
    TargetLanguage language = TargetLanguage::C;
    bool operator==(const TargetDevice &) const = default;
};

// What a pass sees besides its stage. Devices have slots, as in the schedule: slot 0 is the device that the program is compiled
// for, the others are the devices that it names. A pass asks mayRewrite() before each rewrite and reports it with record().
class PassContext {
public:
    PassContext(const DeviceInfo &device, TargetLanguage language, const CompileOptions &options, std::stop_token stop,
                std::uint32_t rewriteBudget = kNoRewriteLimit, std::span<const TargetDevice> others = {},
                RewriteWindow told = kAllRewrites)
        : m_device(device),
          m_language(language),
          m_options(options),
          m_stop(std::move(stop)),
          m_rewriteBudget(rewriteBudget),
          m_others(others),
          m_rewrites(told)
    {
    }

    [[nodiscard]] const DeviceInfo &device() const { return m_device; }
    [[nodiscard]] TargetLanguage language() const { return m_language; }
    [[nodiscard]] std::size_t deviceCount() const { return 1 + m_others.size(); }
    [[nodiscard]] const DeviceInfo &device(DeviceSlot slot) const
    {
        return slot.value == 0 ? m_device : m_others[slot.value - 1].device;
    }
    [[nodiscard]] TargetLanguage language(DeviceSlot slot) const
    {
        return slot.value == 0 ? m_language : m_others[slot.value - 1].language;
    }
    [[nodiscard]] const CompileOptions &options() const { return m_options; }
    [[nodiscard]] bool isCancelled() const { return m_stop.stop_requested(); }

    // Who waits is told from now on; it must outlive the pass. Null: nobody waits.
    void tell(WorkProgress *progress) { m_progress = progress; }
    // The pass goes over so many kernels, and is done with one more: threads may call it side by side.
    void expectKernels(std::size_t count) const
    {
        if (m_progress != nullptr)
            m_progress->expect(count, "kernels");
    }
    void kernelDone() const
    {
        if (m_progress != nullptr)
            m_progress->advance();
    }

    // What was made of equal kernels before is taken from there, and what is made now goes there; it must outlive the pass. Null:
    // everything is made. For passes that run to their end, with rewrites that are counted only.
    void remember(KernelMemo *memo)
    {
        SW_ASSERT(memo == nullptr || (m_rewriteBudget == kNoRewriteLimit && !m_rewrites.tellsAny()), "all rewrites, none told");
        m_memo = memo;
    }
    [[nodiscard]] KernelMemo *memo() const { return m_memo; }

    // False once the budget is spent: the pass then leaves the rest as it is. Its result is still valid, or can at least be
    // printed (PassInfo::isIncompleteBetween). This is how the window shows rewrite k, and how a wrong result is traced to one
    // rule.
    [[nodiscard]] bool mayRewrite() const { return m_rewrites.size() < m_rewriteBudget; }
    [[nodiscard]] std::size_t rewritesLeft() const { return m_rewriteBudget - m_rewrites.size(); }

    // `tell` makes the RewriteDetail; it is called only when somebody wants to see this rewrite.
    template <class Tell>
    void record(std::string_view rule, Tell &&tell)
    {
        m_rewrites.add(rule, KernelId(), std::forward<Tell>(tell));
    }
    template <class Tell>
    void record(std::string_view rule, KernelId kernel, Tell &&tell)
    {
        m_rewrites.add(rule, kernel, std::forward<Tell>(tell));
    }

    // The rewrites recorded so far.
    [[nodiscard]] const RewriteLog &rewrites() const { return m_rewrites; }
    [[nodiscard]] RewriteLog &rewrites() { return m_rewrites; }

private:
    const DeviceInfo &m_device;
    TargetLanguage m_language;
    const CompileOptions &m_options;
    std::stop_token m_stop;
    std::size_t m_rewriteBudget;
    std::span<const TargetDevice> m_others;
    RewriteLog m_rewrites;
    WorkProgress *m_progress = nullptr;
    KernelMemo *m_memo = nullptr;
};

} // namespace sw
