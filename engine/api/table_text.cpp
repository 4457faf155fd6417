#include "engine/api/table_text.h"

#include "engine/base/assert.h"
#include "engine/base/json.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace sw {

namespace {

// Of UTF-8: how many characters are seen.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Line ends and tabs become the separator; CR LF is one line end.
std::string onOneLine(std::string_view text, std::string_view separator)
{
    std::string line;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')
            continue;
        if (text[i] == '\n' || text[i] == '\r')
            line += separator;
        else
            line += text[i] == '\t' ? ' ' : text[i];
    }
    return line;
}

bool isWordCharacter(std::string_view text, std::size_t at)
{
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || (text[at] & '\x80') != 0);
}

// Every sign that could mean something within a line. An underscore inside of a word means nothing, and names are full of them.
std::string markdownCell(std::string_view text)
{
    constexpr std::string_view kMeaning = "\\`*[]<>|&~$";
    std::string cell;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isInWord = i > 0 && isWordCharacter(text, i - 1) && isWordCharacter(text, i + 1);
        if (kMeaning.find(text[i]) != std::string_view::npos || (text[i] == '_' && !isInWord))
            cell += '\\';
        cell += text[i];
    }
    return onOneLine(cell, "<br>");
}

struct Spelling {
    std::string_view sign;
    std::string_view latex;
};

// What means something to LaTeX, and the signs that its usual fonts do not have under their own number.
constexpr Spelling kLatexSpellings[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"`", "\\textasciigrave{}"},
    {"'", "\\textquotesingle{}"},
    {"-", "-{}"},
    {"×", "$\\times$"},
    {"≈", "$\\approx$"},
    {"≠", "$\\neq$"},
    {"≤", "$\\leq$"},
    {"≥", "$\\geq$"},
    {"→", "$\\rightarrow$"},
    {"←", "$\\leftarrow$"},
    {"−", "$-$"},
    {"∞", "$\\infty$"},
    {"µ", "\\textmu{}"},
    {"²", "$^2$"},
    {"·", "$\\cdot$"},
    {"…", "\\ldots{}"},
};

std::string latexText(std::string_view text)
{
    std::string made;
    while (!text.empty()) {
        const auto *found =
            std::ranges::find_if(kLatexSpellings, [&](const Spelling &one) { return text.starts_with(one.sign); });
        const bool isKnown = found != std::end(kLatexSpellings);
        made += isKnown ? found->latex : text.substr(0, 1);
        text.remove_prefix(isKnown ? found->sign.size() : 1);
    }
    return made;
}

// A bracket or a star at the beginning would belong to the line end before it.
std::string latexCell(std::string_view text)
{
    const std::string cell = latexText(onOneLine(text, " "));
    return cell.starts_with('[') || cell.starts_with('*') ? "{" + cell.substr(0, 1) + "}" + cell.substr(1) : cell;
}

std::string_view cellOf(const std::vector<std::string> &row, std::size_t column)
{
    return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

std::string plain(const TextTable &table)
{
    const std::size_t count = table.columns.size();
    std::vector<std::vector<std::string>> lines(1);
    for (const TableColumn &column : table.columns)
        lines.front().push_back(onOneLine(column.name, " "));
    for (const auto &row : table.rows) {
        lines.emplace_back();
        for (std::size_t i = 0; i < count; ++i)
            lines.back().push_back(onOneLine(cellOf(row, i), " "));
    }
    std::vector<std::size_t> widths(count);
    for (const auto &line : lines)
        for (std::size_t i = 0; i < count; ++i)
            widths[i] = std::max(widths[i], widthOf(line[i]));
    const std::size_t whole = std::accumulate(widths.begin(), widths.end(), 2 * (count - 1));
    std::string text;
    for (std::size_t l = 0; l < lines.size(); ++l) {
        std::string line;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string room(widths[i] - widthOf(lines[l][i]), ' ');
            line += table.columns[i].isRight ? room + lines[l][i] : lines[l][i] + (i + 1 == count ? std::string() : room);
            line += i + 1 == count ? "" : "  ";
        }
        text += line + '\n';
        if (l == 0)
            text += std::string(whole, '-') + '\n';
    }
    return text;
}

std::string markdown(const TextTable &table)
{
    std::string text = "|";
    for (const TableColumn &column : table.columns)
        text += ' ' + markdownCell(column.name) + " |";
    text += "\n|";
    for (const TableColumn &column : table.columns)
        text += column.isRight ? "---:|" : "---|";
    text += '\n';
    for (const auto &row : table.rows) {
        text += '|';
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            text += ' ' + markdownCell(cellOf(row, i)) + " |";
        text += '\n';
    }
    return text;
}

std::string csv(const TextTable &table)
{
    std::string text;
    const auto add = [&](std::size_t column, std::string_view cell) {
        text += column == 0 ? "" : ",";
        // A line of one empty field would be no line.
        text += cell.empty() && table.columns.size() == 1 ? "\"\"" : csvField(cell);
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        add(i, table.columns[i].name);
    text += "\r\n";
    for (const auto &row : table.rows) {
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            add(i, cellOf(row, i));
        text += "\r\n";
    }
    return text;
}

// No two alike, and none empty: a key that came twice would lose a cell.
std::vector<std::string> keysOf(const TextTable &table)
{
    std::vector<std::string> keys;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string &name = table.columns[i].name;
        const std::string wanted = name.empty() ? format("column {}", i + 1) : name;
        std::string key = wanted;
        for (std::size_t number = 2; !taken.insert(key).second; ++number)
            key = format("{} {}", wanted, number);
        keys.push_back(std::move(key));
    }
    return keys;
}

std::string json(const TextTable &table)
{
    const std::vector<std::string> keys = keysOf(table);
    JsonWriter writer;
    writer.beginArray();
    for (const auto &row : table.rows) {
        writer.beginObject();
        for (std::size_t i = 0; i < keys.size(); ++i)
            writer.field(keys[i], cellOf(row, i));
        writer.endObject();
    }
    writer.endArray();
    return writer.text();
}

std::string latex(const TextTable &table)
{
    std::string text = "\\begin{tabular}{";
    for (const TableColumn &column : table.columns)
        text += column.isRight ? 'r' : 'l';
    text += "}\n\\hline\n";
    const auto line = [&](const auto &textOfColumn) {
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            text += (i == 0 ? "" : " & ") + latexCell(textOfColumn(i));
        text += " \\\\\n";
    };
    line([&](std::size_t i) { return std::string_view(table.columns[i].name); });
    text += "\\hline\n";
    for (const auto &row : table.rows)
        line([&](std::size_t i) { return cellOf(row, i); });
    return text + "\\hline\n\\end{tabular}\n";
}

// ---- lines

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string withLineEnd(std::string_view text)
{
    return text.empty() || text.ends_with('\n') ? std::string(text) : std::string(text) + '\n';
}

// Its fence is longer than any in the text.
std::string codeBlock(std::string_view text, std::string_view language)
{
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
    return fence + std::string(language) + '\n' + withLineEnd(text) + fence + '\n';
}

std::string latexListing(std::string_view text)
{
    if (text.find("\\end{verbatim}") == std::string_view::npos)
        return "\\begin{verbatim}\n" + withLineEnd(text) + "\\end{verbatim}\n";
    std::string listing = "\\begin{flushleft}\n\\ttfamily\n";
    for (const std::string_view line : linesOf(text)) {
        std::string escaped;
        for (const char c : latexText(onOneLine(line, " ")))
            escaped += c == ' ' ? '~' : c;
        listing += "\\mbox{}" + escaped + "\\\\\n";
    }
    return listing + "\\end{flushleft}\n";
}

TextTable tableOfLines(std::string_view text)
{
    TextTable table{{{"line", true}, {"text", false}}, {}};
    for (const std::string_view line : linesOf(text))
        table.rows.push_back({std::to_string(table.rows.size() + 1), std::string(line)});
    return table;
}

std::string jsonLines(std::string_view text)
{
    std::string lines;
    std::int64_t number = 0;
    for (const std::string_view line : linesOf(text)) {
        JsonWriter writer(JsonLayout::Compact);
        lines += withLineEnd(writer.beginObject().field("line", ++number).field("text", line).endObject().text());
    }
    return lines;
}

} // namespace

std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string tableText(const TextTable &table, TextFormat format)
{
    if (table.columns.empty())
        return {};
    switch (format) {
    case TextFormat::Text:
        return plain(table);
    case TextFormat::Markdown:
        return markdown(table);
    case TextFormat::Csv:
        return csv(table);
    case TextFormat::Json:
        return json(table);
    case TextFormat::Latex:
        return latex(table);
    }
    SW_UNREACHABLE();
}

std::string listingText(std::string_view text, TextFormat format, std::string_view language)
{
    switch (format) {
    case TextFormat::Text:
        return withLineEnd(text);
    case TextFormat::Markdown:
        return codeBlock(text, language);
    case TextFormat::Csv:
        return csv(tableOfLines(text));
    case TextFormat::Json:
        return jsonLines(text);
    case TextFormat::Latex:
        return latexListing(text);
    }
    SW_UNREACHABLE();
}

} // namespace sw
