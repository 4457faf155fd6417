#include "engine/api/compare/table_difference.h"

#include "engine/api/compare/line_lexer.h"
#include "engine/api/compare/sequence_match.h"

#include <algorithm>

namespace sw {

namespace {

enum class Column : std::uint8_t { Count, Time };

struct Cell {
    std::string_view name;
    Column column = Column::Count;
    std::optional<std::int64_t> value;
};

// A table of one report.
struct TableRow {
    std::string name;
    std::vector<Cell> cells; // the same columns in all rows
};
using Table = std::vector<TableRow>;

std::uint64_t keyOf(const TableRow &row)
{
    std::vector<LineWord> words;
    splitLine(row.name, StageKind::Schedule, words);
    return canonicalHash(row.name, words);
}

TableRowDifference alone(const TableRow &row, ItemKind kind, std::uint32_t index)
{
    TableRowDifference made{kind, row.name, kNoIndex, kNoIndex, {}};
    (kind == ItemKind::Removed ? made.before : made.after) = index;
    for (const Cell &cell : row.cells) {
        made.cells.push_back({std::string(cell.name), std::nullopt, std::nullopt});
        (kind == ItemKind::Removed ? made.cells.back().before : made.cells.back().after) = cell.value;
    }
    return made;
}

TableRowDifference paired(const TableRow &before, const TableRow &after, const MatchedPair &rows)
{
    TableRowDifference made{ItemKind::Same, after.name, rows.before, rows.after, {}};
    for (std::size_t i = 0; i < after.cells.size(); ++i) {
        const Cell &cell = after.cells[i];
        made.cells.push_back({std::string(cell.name), before.cells[i].value, cell.value});
        if (cell.column == Column::Count && before.cells[i].value != cell.value)
            made.kind = ItemKind::Changed;
    }
    return made;
}

TableDifference differenceOfTables(const Table &before, const Table &after)
{
    std::vector<std::uint64_t> from;
    std::vector<std::uint64_t> to;
    std::ranges::transform(before, std::back_inserter(from), keyOf);
    std::ranges::transform(after, std::back_inserter(to), keyOf);
    TableDifference made;
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    const auto addUntil = [&](std::size_t endBefore, std::size_t endAfter) {
        for (; left < endBefore; ++left)
            made.push_back(alone(before[left], ItemKind::Removed, left));
        for (; right < endAfter; ++right)
            made.push_back(alone(after[right], ItemKind::Added, right));
    };
    for (const MatchedPair &pair : matchSequences(from, to)) {
        addUntil(pair.before, pair.after);
        made.push_back(paired(before[left++], after[right++], pair));
    }
    addUntil(before.size(), after.size());
    return made;
}

Table kernelsOf(const Report &report)
{
    Table table;
    for (const KernelEntry &kernel : report.kernels)
        table.push_back({kernel.name,
                         {{"median", Column::Time, kernel.medianNanoseconds},
                          {"flops", Column::Count, kernel.flops},
                          {"mathematical flops", Column::Count, kernel.mathFlops},
                          {"bytes", Column::Count, kernel.bytes},
                          {"nodes", Column::Count, kernel.nodes},
                          {"compile time", Column::Time, kernel.compileNanoseconds}}});
    return table;
}

Table passesOf(const Report &report)
{
    Table table;
    for (const PassEntry &pass : report.passes)
        table.push_back({pass.id,
                         {{"rewrites", Column::Count, pass.rewrites},
                          {"changed", Column::Count, pass.changed ? 1 : 0},
                          {"time", Column::Time, pass.nanoseconds}}});
    return table;
}

Table stageTimesOf(const Report &report)
{
    Table table;
    for (const StageTime &stage : report.compileTimes)
        table.push_back({stage.name, {{"time", Column::Time, stage.nanoseconds}}});
    return table;
}

Table figuresOf(const Report &report)
{
    if (!report.figures)
        return {};
    const ProgramFigures &figures = *report.figures;
    return {{"program",
             {{"kernels", Column::Count, figures.kernels},
              {"bytes", Column::Count, figures.bytes},
              {"instructions", Column::Count, figures.instructions},
              {"estimate", Column::Time, figures.estimatedNanoseconds},
              {"median", Column::Time, figures.medianNanoseconds}}}};
}

} // namespace

std::optional<std::int64_t> CellDifference::change() const
{
    return before && after ? std::optional(*after - *before) : std::nullopt;
}

TableDifference kernelDifferences(const Report &before, const Report &after)
{
    return differenceOfTables(kernelsOf(before), kernelsOf(after));
}

TableDifference passDifferences(const Report &before, const Report &after)
{
    return differenceOfTables(passesOf(before), passesOf(after));
}

TableDifference stageTimeDifferences(const Report &before, const Report &after)
{
    return differenceOfTables(stageTimesOf(before), stageTimesOf(after));
}

TableDifference figureDifferences(const Report &before, const Report &after)
{
    return differenceOfTables(figuresOf(before), figuresOf(after));
}

} // namespace sw
