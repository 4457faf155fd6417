#pragma once
// Reads the documents of report data; private to report_data_reader.cpp.

#include "engine/api/json_fields.h"
#include "engine/api/stage_document.h"

#include <optional>
#include <string_view>

namespace sw {

[[nodiscard]] std::optional<StageKind> stageKindNamed(std::string_view name);

// The tables of texts and lists, as DocumentItem holds them. Every list is made once, however many items share it.
class ReportTables {
public:
    ReportTables(const JsonFields &data, JsonFailure &failure);

    [[nodiscard]] std::string text(std::int64_t number);
    [[nodiscard]] const JsonValue::Integers &list(std::int64_t number);
    [[nodiscard]] SharedList<std::string> tags(std::int64_t number);
    [[nodiscard]] SharedList<DocumentField> fields(std::int64_t number);
    [[nodiscard]] SharedList<std::uint32_t> sources(std::int64_t number);

private:
    template <class T>
    struct Made {
        std::vector<std::optional<SharedList<T>>> lists; // by number
    };

    JsonFailure &m_failure;
    std::vector<std::string> m_texts;
    std::vector<const JsonValue::Integers *> m_lists;
    Made<std::string> m_tags;
    Made<DocumentField> m_fields;
    Made<std::uint32_t> m_sources;
};

// kernels: how many the report has.
[[nodiscard]] StageDocument readDocument(const JsonFields &data, ReportTables &tables, std::size_t kernels);

} // namespace sw
