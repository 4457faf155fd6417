#pragma once
// What a pass did, rewrite by rewrite. Every compilation counts its rewrites, but tells what each found and made only for those
// that a person asks for: a large program has more than a hundred thousand, and nobody reads them all.

#include "engine/base/id.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sw {

// What one application of a rule found and made. Ids are those of the pass's input and output: nodes of a graph or schedule,
// lines of a kernel's loop nest, instructions of a kernel.
struct RewriteDetail {
    std::string text; // "mul(x, 1.0) -> x"
    std::vector<std::uint32_t> before = {};
    std::vector<std::uint32_t> after = {};
};

// One application of a rule, told in full.
struct RewriteEvent {
    std::string rule;     // id of the row
    std::string detail;   // RewriteDetail::text
    KernelId kernel = {}; // where it happened, for stages below the graph
    std::vector<std::uint32_t> before = {};
    std::vector<std::uint32_t> after = {};
};

inline constexpr std::uint32_t kNoRewriteLimit = ~std::uint32_t{0};

// The rewrites that are told in full: `count` of them from `first` on.
struct RewriteWindow {
    std::uint32_t first = 0;
    std::uint32_t count = kNoRewriteLimit;

    [[nodiscard]] bool contains(std::size_t rewrite) const { return rewrite >= first && rewrite - first < count; }
    bool operator==(const RewriteWindow &) const = default;
};
inline constexpr RewriteWindow kAllRewrites = {};
inline constexpr RewriteWindow kNoRewrites = {0, 0};

struct RuleCount {
    std::string rule;
    std::uint32_t rewrites = 0;
    bool operator==(const RuleCount &) const = default;
};

// The rewrites of one run of a pass, in the order they happened: 8 bytes for each, and the events of the window.
class RewriteLog {
public:
    explicit RewriteLog(RewriteWindow told = kNoRewrites) : m_told(told) {}

    [[nodiscard]] std::size_t size() const { return m_marks.size(); }
    [[nodiscard]] bool empty() const { return m_marks.empty(); }
    [[nodiscard]] const std::string &rule(std::size_t rewrite) const { return m_rules[m_marks[rewrite].rule].rule; }
    [[nodiscard]] std::uint32_t ruleNumber(std::size_t rewrite) const { return m_marks[rewrite].rule; } // in rules()
    [[nodiscard]] KernelId kernel(std::size_t rewrite) const { return m_marks[rewrite].kernel; }

    // The rules that were applied, in the order of their first application.
    [[nodiscard]] std::span<const RuleCount> rules() const { return m_rules; }
    [[nodiscard]] std::uint32_t countOf(std::string_view rule) const;

    [[nodiscard]] bool tells(std::size_t rewrite) const { return m_told.contains(rewrite); }
    [[nodiscard]] bool tellsAny() const { return m_told.count > 0; }
    // The rewrites of the window that happened.
    [[nodiscard]] const std::vector<RewriteEvent> &events() const { return m_events; }

    // The next rewrite. `tell` makes its RewriteDetail; it is called at once or never.
    template <class Tell>
    void add(std::string_view rule, KernelId kernel, Tell &&tell)
    {
        const std::size_t rewrite = size();
        m_marks.push_back({numberOf(rule), kernel});
        ++m_rules[m_marks.back().rule].rewrites;
        if (!tells(rewrite))
            return;
        RewriteDetail detail = tell();
        m_events.push_back(
            {std::string(rule), std::move(detail.text), kernel, std::move(detail.before), std::move(detail.after)});
    }

    // Threads that work side by side count their rewrites apart, and the pass adds their logs to its own when all is done.
    // canAppend: none of them would be one that this log tells. Otherwise they have to be made again, with this log.
    [[nodiscard]] bool canAppend(const RewriteLog &counted) const
    {
        const bool isBefore = size() + counted.size() <= m_told.first;
        const bool isBehind = size() >= m_told.first && size() - m_told.first >= m_told.count;
        return counted.empty() || !tellsAny() || isBefore || isBehind;
    }
    // kernel: the one that all of them are of now; invalid: each stays with its own.
    void append(const RewriteLog &counted, KernelId kernel = {});

    // For a rewrite whose result is known only after the rewrites that it caused. `change` gets its event, if it is told.
    template <class Change>
    void complete(std::size_t rewrite, Change &&change)
    {
        if (tells(rewrite))
            change(m_events.at(rewrite - m_told.first));
    }

private:
    struct Mark {
        std::uint32_t rule = 0; // in m_rules
        KernelId kernel;
    };

    std::uint32_t numberOf(std::string_view rule);

    RewriteWindow m_told;
    std::vector<Mark> m_marks;
    std::vector<RuleCount> m_rules;
    std::unordered_map<std::string, std::uint32_t> m_numbers; // by rule
    std::vector<RewriteEvent> m_events;
};

} // namespace sw
