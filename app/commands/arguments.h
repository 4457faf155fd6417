#pragma once
// The command line's words, read by a table: each command lists its options, what they take and what they are for; the help text
// comes from the same rows.

#include "engine/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sw::command {

enum class OptionCount : std::uint8_t { Once, Many };

struct OptionInfo {
    std::string_view name;  // "--device"
    std::string_view value; // what it takes, for the help: "D"; empty: a flag
    std::string_view doc;
    OptionCount count = OptionCount::Once;
};

class Arguments {
public:
    // words: all that follow the command. Errors (code Argument) name the word and what would have been accepted.
    [[nodiscard]] static Result<Arguments> parse(std::span<const std::string> words, std::span<const OptionInfo> options);

    [[nodiscard]] const std::vector<std::string> &positional() const { return m_positional; }
    [[nodiscard]] bool has(std::string_view option) const { return m_values.contains(option); }
    [[nodiscard]] std::string value(std::string_view option, std::string_view otherwise) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    // A whole number within the bounds, in decimal.
    [[nodiscard]] Result<std::uint64_t> number(std::string_view option, std::uint64_t otherwise, std::uint64_t low,
                                               std::uint64_t high) const;

private:
    std::vector<std::string> m_positional;
    std::map<std::string, std::vector<std::string>, std::less<>> m_values;
};

} // namespace sw::command
