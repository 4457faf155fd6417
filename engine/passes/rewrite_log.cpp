#include "engine/passes/rewrite_log.h"

namespace sw {

std::uint32_t RewriteLog::countOf(std::string_view rule) const
{
    const auto known = m_numbers.find(std::string(rule));
    return known == m_numbers.end() ? 0 : m_rules[known->second].rewrites;
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
