#pragma once
// The breakpoints of one kernel: lines of its text. When the text changes, they move to where their lines now are.

#include <cstdint>
#include <string>
#include <vector>

namespace stepwell::ui {

struct Breakpoint {
    std::uint32_t line = 0; // from 1
    std::string check = {}; // "acc > 0.5"; empty: it always stops
    bool isEnabled = true;
    bool operator==(const Breakpoint &) const = default;
};

// The condition that stops there, for KernelTrace::run.
[[nodiscard]] std::string conditionOf(const Breakpoint &breakpoint);

class BreakpointList {
public:
    [[nodiscard]] const std::vector<Breakpoint> &all() const { return m_all; } // by line
    [[nodiscard]] const Breakpoint *at(std::uint32_t line) const;              // null: there is none
    void set(const Breakpoint &breakpoint);
    void remove(std::uint32_t line);
    // Moves each to the nearest line with the same text, or else leaves it where it is. Those behind the end go.
    void follow(const std::vector<std::string> &before, const std::vector<std::string> &now);

private:
    std::vector<Breakpoint> m_all;
};

} // namespace stepwell::ui
