#include "engine/passes/rewrite_log.h"

namespace sw {

std::uint32_t RewriteLog::countOf(std::string_view rule) const
{
    const auto known = m_numbers.find(std::string(rule));
    return known == m_numbers.end() ? 0 : m_rules[known->second].rewrites;
}

void RewriteLog::append(const RewriteLog &counted, KernelId kernel)
{
    std::vector<std::uint32_t> numbers; // by rule of the other log, whose first applications come in the same order
    for (const RuleCount &rule : counted.m_rules) {
        const auto [known, isNew] = m_numbers.try_emplace(rule.rule, static_cast<std::uint32_t>(m_rules.size()));
        if (isNew)
            m_rules.push_back({rule.rule, 0});
        m_rules[known->second].rewrites += rule.rewrites;
        numbers.push_back(known->second);
    }
    for (const Mark &mark : counted.m_marks)
        m_marks.push_back({numbers[mark.rule], kernel.isValid() ? kernel : mark.kernel});
}

std::uint32_t RewriteLog::numberOf(std::string_view rule)
{
    if (!m_marks.empty() && m_rules[m_marks.back().rule].rule == rule) // rules are often applied several times in a row
        return m_marks.back().rule;
    const auto number = static_cast<std::uint32_t>(m_rules.size());
    const auto [known, isNew] = m_numbers.try_emplace(std::string(rule), number);
    if (isNew)
        m_rules.push_back({std::string(rule), 0});
    return known->second;
}

} // namespace sw
