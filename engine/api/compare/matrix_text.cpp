#include "engine/api/compare/matrix_text.h"

#include "engine/api/quantity.h"
#include "engine/base/assert.h"
#include "engine/base/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sw {

namespace {

using Cells = std::vector<std::vector<std::string>>;

// Of UTF-8: how many characters are seen.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string ratioText(std::optional<double> ratio)
{
    return ratio ? format(" ×{:.2f}", *ratio) : std::string();
}

std::string cellText(const Matrix &matrix, std::size_t row, std::size_t column)
{
    const MatrixKernel *kernel = matrix.cell(row, column);
    if (kernel == nullptr)
        return "-";
    return format("{}{} {}", nanosecondsText(kernel->time.median), ratioText(matrix.ratio(row, column)),
                  shortTextOf(kernel->verdict));
}

std::string totalText(const Matrix &matrix, std::size_t column)
{
    const MatrixColumnResult &result = matrix.columns[column];
    if (!result.isTimed)
        return std::string(nameOf(result.state));
    return nanosecondsText(result.total.median) + ratioText(matrix.totalRatio(column));
}

std::vector<std::string> outputNames(const Matrix &matrix)
{
    for (const MatrixColumnResult &column : matrix.columns)
        if (!column.outputs.empty()) {
            std::vector<std::string> names;
            for (const MatrixOutput &output : column.outputs)
                names.push_back(output.name);
            return names;
        }
    return {};
}

// The worse one of the two verdicts is told: both are of the same value.
std::string outputText(const MatrixColumnResult &column, std::size_t output)
{
    if (output >= column.outputs.size())
        return "-";
    const MatrixOutput &made = column.outputs[output];
    if (made.byReference.conformance == Conformance::Unknown || made.byFirst.conformance == Conformance::Different)
        return shortTextOf(made.byFirst);
    return shortTextOf(made.byReference);
}

Cells cellsOf(const Matrix &matrix, std::span<const std::size_t> rows)
{
    Cells cells{{"kernel"}};
    for (const MatrixColumnResult &column : matrix.columns)
        cells.front().push_back(titleOf(column.column));
    const auto add = [&](const std::string &name, const auto &textOfColumn) {
        cells.push_back({name});
        for (std::size_t c = 0; c < matrix.columns.size(); ++c)
            cells.back().push_back(textOfColumn(c));
    };
    for (const std::size_t row : rows)
        add(matrix.rows.at(row).name, [&](std::size_t c) { return cellText(matrix, row, c); });
    add("whole run", [&](std::size_t c) { return totalText(matrix, c); });
    const std::vector<std::string> names = outputNames(matrix);
    for (std::size_t i = 0; i < names.size(); ++i)
        add("output " + names[i], [&](std::size_t c) { return outputText(matrix.columns[c], i); });
    return cells;
}

// What the table has no room for.
std::vector<std::string> notesOf(const Matrix &matrix)
{
    std::vector<std::string> notes;
    for (const MatrixColumnResult &column : matrix.columns) {
        const std::string title = titleOf(column.column);
        if (!column.reason.empty())
            notes.push_back(format("{}: {}: {}", title, nameOf(column.state), column.reason));
        for (const MatrixKernel &kernel : column.kernels)
            if (kernel.verdict.conformance == Conformance::Different ||
                (kernel.verdict.conformance == Conformance::Unknown && column.state == ColumnState::Done))
                notes.push_back(format("{}: {}: {}", title, kernel.name, textOf(kernel.verdict)));
        for (const MatrixOutput &output : column.outputs) {
            if (output.byReference.conformance == Conformance::Different ||
                output.byReference.conformance == Conformance::Unknown)
                notes.push_back(format("{}: output {}, by the reference: {}", title, output.name, textOf(output.byReference)));
            if (output.byFirst.conformance == Conformance::Different)
                notes.push_back(
                    format("{}: output {}, against the first column: {}", title, output.name, textOf(output.byFirst)));
        }
    }
    return notes;
}

std::string plain(const Cells &cells)
{
    std::vector<std::size_t> widths(cells.front().size());
    for (const auto &row : cells)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], widthOf(row[i]));
    std::string text;
    for (std::size_t r = 0; r < cells.size(); ++r) {
        std::string line;
        for (std::size_t i = 0; i < cells[r].size(); ++i)
            line += cells[r][i] + std::string(i + 1 == cells[r].size() ? 0 : widths[i] - widthOf(cells[r][i]) + 2, ' ');
        text += line + '\n';
        if (r == 0)
            text += std::string(widthOf(line), '-') + '\n';
    }
    return text;
}

std::string markdown(const Cells &cells)
{
    std::string text;
    for (std::size_t r = 0; r < cells.size(); ++r) {
        text += '|';
        for (const std::string &cell : cells[r]) {
            text += ' ';
            for (const char c : cell)
                text += c == '|' ? std::string("\\|") : std::string(1, c);
            text += " |";
        }
        text += '\n';
        if (r == 0) {
            text += "|---|";
            for (std::size_t i = 1; i < cells[r].size(); ++i)
                text += "---:|";
            text += '\n';
        }
    }
    return text;
}

// ---- CSV, by RFC 4180

std::string field(std::string_view text)
{
    if (text.find_first_of(",\"\n\r") == std::string_view::npos)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string verdictFields(const MatrixVerdict &verdict)
{
    const bool isDifferent = verdict.conformance == Conformance::Different;
    std::string text = format(",{},", nameOf(verdict.conformance));
    text += verdict.conformance == Conformance::Unknown ? "," : format("{},", verdict.maxUlp);
    text += isDifferent ? format("{},{},{},{},{:.9g},", verdict.index, field(verdict.place), field(verdict.expected),
                                 field(verdict.actual), verdict.bound)
                        : ",,,,,";
    return text + field(verdict.reason) + '\n';
}

std::string csv(const Matrix &matrix, std::span<const std::size_t> rows)
{
    std::string text = "what,name,column,kernel,median_ns,min_ns,max_ns,ratio,share,conformance,max_ulp,index,place,expected,"
                       "actual,bound,reason\n";
    const auto timeFields = [](const MatrixTime &time) { return format("{},{},{}", time.median, time.min, time.max); };
    const auto number = [](std::optional<double> value) { return value ? format("{:.6g}", *value) : std::string(); };
    for (const std::size_t row : rows)
        for (std::size_t c = 0; c < matrix.columns.size(); ++c)
            if (const MatrixKernel *kernel = matrix.cell(row, c))
                text += format("kernel,{},{},{},{},{},{}{}", field(matrix.rows[row].name),
                               field(titleOf(matrix.columns[c].column)), field(kernel->name), timeFields(kernel->time),
                               number(matrix.ratio(row, c)), number(matrix.share(row, c)), verdictFields(kernel->verdict));
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        const MatrixColumnResult &column = matrix.columns[c];
        const std::string title = field(titleOf(column.column));
        MatrixVerdict state;
        state.reason = column.reason.empty() ? std::string(nameOf(column.state)) : column.reason;
        text += format("run,,{},,{},{},{}", title, column.isTimed ? timeFields(column.total) : ",,", number(matrix.totalRatio(c)),
                       verdictFields(state));
        for (const MatrixOutput &output : column.outputs) {
            text += format("output,{},{},,,,,,{}", field(output.name), title, verdictFields(output.byReference));
            text +=
                format("output against the first column,{},{},,,,,,{}", field(output.name), title, verdictFields(output.byFirst));
        }
    }
    return text;
}

} // namespace

std::string_view signOf(Conformance conformance)
{
    switch (conformance) {
    case Conformance::Unknown:
        return "?";
    case Conformance::Equal:
        return "=";
    case Conformance::Within:
        return "≈";
    case Conformance::Different:
        return "≠";
    }
    SW_UNREACHABLE();
}

std::string shortTextOf(const MatrixVerdict &verdict)
{
    const std::string_view sign = signOf(verdict.conformance);
    switch (verdict.conformance) {
    case Conformance::Unknown:
    case Conformance::Equal:
        return std::string(sign);
    case Conformance::Within:
        return format("{} {} ULP", sign, verdict.maxUlp);
    case Conformance::Different:
        return format("{} at [{}]", sign, verdict.place);
    }
    SW_UNREACHABLE();
}

std::string matrixText(const Matrix &matrix, MatrixFormat format, std::span<const std::size_t> rows)
{
    std::string text;
    std::string_view bullet;
    switch (format) {
    case MatrixFormat::Csv:
        return csv(matrix, rows);
    case MatrixFormat::Text:
        text = plain(cellsOf(matrix, rows));
        break;
    case MatrixFormat::Markdown:
        text = markdown(cellsOf(matrix, rows));
        bullet = "- ";
        break;
    }
    const std::vector<std::string> notes = notesOf(matrix);
    if (!notes.empty())
        text += '\n';
    for (const std::string &note : notes)
        text += sw::format("{}{}\n", bullet, note);
    return text;
}

std::string matrixText(const Matrix &matrix, MatrixFormat format)
{
    std::vector<std::size_t> rows(matrix.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return matrixText(matrix, format, rows);
}

} // namespace sw
