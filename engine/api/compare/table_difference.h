#pragma once
// The tables of two reports, row beside row: kernels, passes, the times of compiling, and the program as a whole.

#include "engine/api/compare/graph_difference.h"
#include "engine/api/report.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// A number of both reports; nothing where one does not have it: a kernel that was not run yet.
struct CellDifference {
    std::string column; // "median", "bytes"
    std::optional<std::int64_t> before;
    std::optional<std::int64_t> after;

    [[nodiscard]] std::optional<std::int64_t> change() const; // after - before
};

struct TableRowDifference {
    ItemKind kind = ItemKind::Same;  // Same: all numbers of the columns that are not times are equal
    std::string name;                // in the second report, or in the only one that has the row
    std::uint32_t before = kNoIndex; // row of the table
    std::uint32_t after = kNoIndex;
    std::vector<CellDifference> cells;
};

using TableDifference = std::vector<TableRowDifference>; // in the order of the second report; removed rows where they stood

// Paired by their names without numbers, in order.
[[nodiscard]] TableDifference kernelDifferences(const Report &before, const Report &after);
[[nodiscard]] TableDifference passDifferences(const Report &before, const Report &after);
[[nodiscard]] TableDifference stageTimeDifferences(const Report &before, const Report &after);
// Of the program as a whole: kernels, bytes, instructions, estimated and measured time.
[[nodiscard]] TableDifference figureDifferences(const Report &before, const Report &after);

} // namespace sw
