#include "engine/api/compare/matrix_text.h"

#include "engine/api/quantity.h"
#include "engine/api/table_text.h"
#include "engine/base/assert.h"
#include "engine/base/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sw {

namespace {

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

TextTable tableOf(const Matrix &matrix, std::span<const std::size_t> rows, bool isRight)
{
    TextTable table{{{"kernel"}}, {}};
    for (const MatrixColumnResult &column : matrix.columns)
        table.columns.push_back({titleOf(column.column), isRight});
    const auto add = [&](const std::string &name, const auto &textOfColumn) {
        table.rows.push_back({name});
        for (std::size_t c = 0; c < matrix.columns.size(); ++c)
            table.rows.back().push_back(textOfColumn(c));
    };
    for (const std::size_t row : rows)
        add(matrix.rows.at(row).name, [&](std::size_t c) { return cellText(matrix, row, c); });
    add("whole run", [&](std::size_t c) { return totalText(matrix, c); });
    const std::vector<std::string> names = outputNames(matrix);
    for (std::size_t i = 0; i < names.size(); ++i)
        add("output " + names[i], [&](std::size_t c) { return outputText(matrix.columns[c], i); });
    return table;
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

// ---- CSV

std::string verdictFields(const MatrixVerdict &verdict)
{
    const bool isDifferent = verdict.conformance == Conformance::Different;
    std::string text = format(",{},", nameOf(verdict.conformance));
    text += verdict.conformance == Conformance::Unknown ? "," : format("{},", verdict.maxUlp);
    text += isDifferent ? format("{},{},{},{},{:.9g},", verdict.index, csvField(verdict.place), csvField(verdict.expected),
                                 csvField(verdict.actual), verdict.bound)
                        : ",,,,,";
    return text + csvField(verdict.reason) + '\n';
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
                text += format("kernel,{},{},{},{},{},{}{}", csvField(matrix.rows[row].name),
                               csvField(titleOf(matrix.columns[c].column)), csvField(kernel->name), timeFields(kernel->time),
                               number(matrix.ratio(row, c)), number(matrix.share(row, c)), verdictFields(kernel->verdict));
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        const MatrixColumnResult &column = matrix.columns[c];
        const std::string title = csvField(titleOf(column.column));
        MatrixVerdict state;
        state.reason = column.reason.empty() ? std::string(nameOf(column.state)) : column.reason;
        text += format("run,,{},,{},{},{}", title, column.isTimed ? timeFields(column.total) : ",,", number(matrix.totalRatio(c)),
                       verdictFields(state));
        for (const MatrixOutput &output : column.outputs) {
            text += format("output,{},{},,,,,,{}", csvField(output.name), title, verdictFields(output.byReference));
            text += format("output against the first column,{},{},,,,,,{}", csvField(output.name), title,
                           verdictFields(output.byFirst));
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
        text = tableText(tableOf(matrix, rows, false), TextFormat::Text);
        break;
    case MatrixFormat::Markdown:
        text = tableText(tableOf(matrix, rows, true), TextFormat::Markdown);
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
