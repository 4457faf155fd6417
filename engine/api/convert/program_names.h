#pragma once
// Names of the language for values that another program named: identifiers, all different, that hide no function.

#include "engine/language/identifier.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sw {

class ProgramNames {
public:
    explicit ProgramNames(const std::filesystem::path &libraryFolder);

    // "layer1.0.bias" becomes layer1_0_bias; a name that is taken gets a number.
    [[nodiscard]] std::string whole(std::string_view name);
    // The last part of a path, without what exporters add: "/block/Conv_output_0" and "model/block/Conv:0" become Conv.
    [[nodiscard]] std::string last(std::string_view name);

private:
    std::string take(std::string name);

    std::set<std::string, std::less<>> m_taken;
    std::map<std::string, std::size_t> m_lastNumbers;
};

} // namespace sw
