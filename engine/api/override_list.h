#pragma once
// A file of overrides as a list that people change line by line. The text form is that of resources/docs/overrides.md.

#include "engine/api/kernel_code.h"
#include "engine/api/report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct OverrideLine {
    std::string text; // "apart softmax/exp -> softmax/sum"; of code, with the lines of its text
    bool isOn = true;
    std::string note = {};
    std::string above = {}; // lines of comments and empty lines, each with its end
    std::string below = {}; // of the last override
    bool operator==(const OverrideLine &) const = default;
};

struct OverrideFile {
    std::vector<OverrideLine> lines;
    std::vector<Message> messages; // why it cannot be read; empty: it was read
};

// name: for messages.
[[nodiscard]] OverrideFile readOverrides(std::string_view text, std::string_view name);
[[nodiscard]] std::string overridesText(const std::vector<OverrideLine> &lines);

// What is wrong with the text of one override; nothing: it can be read.
[[nodiscard]] std::optional<Message> problemOf(const std::string &override);
// The text as the engine writes it; as it is if it cannot be read.
[[nodiscard]] std::string canonicalOverride(const std::string &override);
// The override in one line; as it is if it cannot be read.
[[nodiscard]] std::string overrideTitle(const std::string &override);
// The list with one more override, in place of one about the same edge, value or kernel: the index says where it is.
struct OverridesWith {
    std::vector<OverrideLine> lines;
    std::size_t index = 0;
};
[[nodiscard]] OverridesWith withOverride(std::vector<OverrideLine> lines, const std::string &override);

// One of the texts that a list keeps for a kernel.
struct CodeVariant {
    std::size_t index = 0; // in the list
    std::string name;
    std::string text;
    bool isOn = true;
};
// Those for the kernel that stores a value, on a device, of the form ("source", "lowered"), in the order of the list.
[[nodiscard]] std::vector<CodeVariant> codeVariants(const std::vector<OverrideLine> &lines, const KernelCode &kernel);
// The list in which of these variants only the one at `index` is on; none of them: no index.
[[nodiscard]] std::vector<OverrideLine> withVariantOn(std::vector<OverrideLine> lines, const KernelCode &kernel,
                                                      std::optional<std::size_t> index);

} // namespace sw
