#pragma once
// Parses the words of the command line with a table: each command lists its options, their values and their purpose; the help
// text comes from the same rows.

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
    std::string_view value; // name of its value in the help: "D"; empty for a flag
    std::string_view doc;
    OptionCount count = OptionCount::Once;
};

class Arguments {
public:
    // words: all words after the command. Errors (code Argument) name the wrong word and what would be accepted.
    [[nodiscard]] static Result<Arguments> parse(std::span<const std::string> words, std::span<const OptionInfo> options);

    [[nodiscard]] const std::vector<std::string> &positional() const { return m_positional; }
    [[nodiscard]] bool has(std::string_view option) const { return m_values.contains(option); }
    [[nodiscard]] std::string value(std::string_view option, std::string_view otherwise) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    // The value of the option: a decimal integer within the bounds.
    [[nodiscard]] Result<std::uint64_t> number(std::string_view option, std::uint64_t otherwise, std::uint64_t low,
                                               std::uint64_t high) const;

private:
    std::vector<std::string> m_positional;
    std::map<std::string, std::vector<std::string>, std::less<>> m_values;
};

// The words of an option's value: between blanks; quotes keep blanks.
[[nodiscard]] Result<std::vector<std::string>> wordsIn(std::string_view option, std::string_view text);

} // namespace sw::command
