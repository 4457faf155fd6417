#pragma once
// What a pass sees besides its stage: the devices, the options, whether it should stop, and where it records its rewrites.

#include "engine/backend/backend.h"
#include "engine/passes/stage.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// What the user chose for a compilation; part of every cache key.
struct CompileOptions {
    bool fuse = true;     // off: one kernel per node
    bool optimize = true; // off: plain loops, no vectors, no tiles
    bool contract = true; // multiply-add may be fused
    bool strict = false;  // float reductions keep source order
    RooflineFigures figures = {};
    bool operator==(const CompileOptions &) const = default;
};

// One application of a rule, in the order they happened. Ids are those of the pass's input and output.
struct RewriteEvent {
    std::string rule;                               // id of the row
    std::string detail;                             // "mul(x, 1.0) -> x"
    std::uint32_t kernel = Id<KernelTag>::kInvalid; // where it happened, for stages below the graph
    std::vector<std::uint32_t> before;
    std::vector<std::uint32_t> after;
};

inline constexpr std::uint32_t kNoRewriteLimit = ~std::uint32_t{0};

// A device that a compilation is for, and the language that its kernels are written in.
struct TargetDevice {
    DeviceInfo device;
    TargetLanguage language = TargetLanguage::C;
};

// What a pass sees besides its stage. The devices have slots, as in the schedule: 0 is the one that the program is compiled for,
// the others are those that it names. A pass asks mayRewrite() before each rewrite and reports it with record().
class PassContext {
public:
    PassContext(const DeviceInfo &device, TargetLanguage language, const CompileOptions &options, std::stop_token stop,
                std::uint32_t rewriteBudget = kNoRewriteLimit, std::span<const TargetDevice> others = {})
        : m_device(device),
          m_language(language),
          m_options(options),
          m_stop(std::move(stop)),
          m_rewriteBudget(rewriteBudget),
          m_others(others)
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

    // False once the budget is spent: the pass then leaves the rest as it is (its result is still valid). This is how the
    // window shows rewrite k, and how a wrong result is traced to one rule.
    [[nodiscard]] bool mayRewrite() const { return m_events.size() < m_rewriteBudget; }
    void record(RewriteEvent event) { m_events.push_back(std::move(event)); }
    // For a rewrite whose result is known only after the rewrites that it gave rise to.
    void complete(std::size_t event, std::string detail, std::vector<std::uint32_t> after)
    {
        m_events.at(event).detail = std::move(detail);
        m_events.at(event).after = std::move(after);
    }
    [[nodiscard]] const std::vector<RewriteEvent> &events() const { return m_events; }

private:
    const DeviceInfo &m_device;
    TargetLanguage m_language;
    const CompileOptions &m_options;
    std::stop_token m_stop;
    std::uint32_t m_rewriteBudget;
    std::span<const TargetDevice> m_others;
    std::vector<RewriteEvent> m_events;
};

} // namespace sw
