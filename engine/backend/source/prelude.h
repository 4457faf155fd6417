#pragma once
// The helper functions that generated code may call, kept as templates in resources/kernels. A file is a sequence of blocks:
//
//   ### sw_name: sw_other sw_third        a template and the templates that it needs, for the same types
//   ... text with {placeholders} ...
//
// Each language defines its placeholders. A helper goes into a text once per set of types, after the helpers that it needs.

#include "engine/base/text.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// The text with every {placeholder} replaced, inner ones first. "{{" and "}}" stand for single braces; no placeholder begins
// with another one.
using PlaceholderText = std::function<std::string(std::string_view)>;
[[nodiscard]] std::string substituted(std::string_view pattern, const PlaceholderText &replacement);

struct PreludeTemplate {
    std::vector<std::string> needs;
    std::string text;
};

class PreludeTemplates {
public:
    explicit PreludeTemplates(std::string_view file);

    [[nodiscard]] const PreludeTemplate &find(std::string_view name) const; // asserts that there is one

private:
    std::map<std::string, PreludeTemplate, std::less<>> m_templates;
};

// The helpers that one text uses.
class PreludeInstances {
public:
    explicit PreludeInstances(const PreludeTemplates &templates) : m_templates(templates) {}

    // key: names the types, so that equal keys mean equal text.
    void use(std::string_view name, std::string_view key, const PlaceholderText &replacement);
    [[nodiscard]] const std::string &text() const { return m_text; }

private:
    const PreludeTemplates &m_templates;
    std::set<std::string> m_used;
    std::string m_text;
};

// The names of the helpers ("sw_max") that a spelling calls: words that begin with sw_, cut off at the first
// placeholder.
[[nodiscard]] std::vector<std::string_view> helpersIn(std::string_view spelling);

} // namespace sw
