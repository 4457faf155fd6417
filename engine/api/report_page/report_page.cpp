#include "engine/api/report_page/report_page.h"

#include "embedded/ReportDrawing.h"
#include "embedded/ReportPage.h"
#include "embedded/ReportPanes.h"
#include "embedded/ReportPartners.h"
#include "embedded/ReportScript.h"
#include "embedded/ReportStyle.h"
#include "engine/api/describe.h"
#include "engine/api/report_data.h"
#include "engine/api/report_page/page_drawing.h"
#include "engine/base/sha256.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <zlib.h>

namespace sw {

namespace {

// As the browser's DecompressionStream("deflate") reads it.
std::string deflated(const std::string &text)
{
    uLongf size = compressBound(text.size());
    std::string bytes(size, '\0');
    const int result = compress2(reinterpret_cast<Bytef *>(bytes.data()), &size, reinterpret_cast<const Bytef *>(text.data()),
                                 text.size(), Z_DEFAULT_COMPRESSION);
    SW_ASSERT(result == Z_OK, "there is room for the largest result");
    bytes.resize(size);
    return bytes;
}

std::string escapedHtml(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

// Only these very texts may run or style the page, and nothing is ever loaded.
std::string policyFor(std::string_view script, std::string_view style)
{
    const auto digest = [](std::string_view text) {
        const Sha256 bytes = sha256Of(text);
        return base64Of({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    };
    return format("default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                  digest(script), digest(style));
}

std::string dataOf(const Report &report, std::vector<std::string> &leftOut)
{
    JsonWriter json(JsonLayout::Compact);
    json.beginObject().key("drawings").beginObject();
    for (const StageDocumentPtr &document : {report.graph, report.schedule}) {
        if (document == nullptr)
            continue;
        if (const std::size_t boxes = drawnBoxes(*document); boxes > kMostDrawnBoxes) {
            leftOut.push_back(
                format("the drawing of the {}: it has {} boxes, more than {}", nameOf(document->kind), boxes, kMostDrawnBoxes));
            continue;
        }
        json.key(nameOf(document->kind));
        writeDrawing(json, *document);
    }
    std::string text = json.endObject().endObject().text();
    text.resize(text.rfind('}')); // the report follows inside of it
    return text + ",\"report\":" + reportData(report) + "}";
}

// Replaces each @NAME@ of the page; what is put in is not looked at again.
std::string filled(std::string_view page, std::span<const std::pair<std::string_view, std::string>> values)
{
    std::string out;
    while (!page.empty()) {
        const std::size_t at = page.find('@');
        out += page.substr(0, at);
        if (at == std::string_view::npos)
            break;
        page.remove_prefix(at + 1);
        const std::size_t end = page.find('@');
        const std::string_view name = page.substr(0, end);
        const auto value = std::ranges::find(values, name, &std::pair<std::string_view, std::string>::first);
        SW_ASSERT(end != std::string_view::npos && value != values.end(), "a name of a value between two @");
        out += value->second;
        page.remove_prefix(end + 1);
    }
    return out;
}

std::string pageOf(const Report &report, const PageRequest &request, std::vector<std::string> &leftOut)
{
    const std::string data = base64Of(deflated(dataOf(report, leftOut)));
    const std::string script = format("{}\n{}\n{}\n{}", embedded::kReportPartners, embedded::kReportPanes,
                                      embedded::kReportDrawing, embedded::kReportScript);
    const std::string leftOutText = leftOut.empty() ? std::string() : "Left out: " + join(leftOut, "; ");
    const std::array<std::pair<std::string_view, std::string>, 7> values{{
        {"POLICY", policyFor(script, embedded::kReportStyle)},
        {"TITLE", escapedHtml(request.title)},
        {"SUMMARY", escapedHtml(request.summary)},
        {"LEFT_OUT", escapedHtml(leftOutText)},
        {"STYLE", std::string(embedded::kReportStyle)},
        {"SCRIPT", script},
        {"DATA", data},
    }};
    return filled(embedded::kReportPage, values);
}

} // namespace

ReportPage reportPage(const Report &report, const PageRequest &request)
{
    constexpr std::array kLeavable{&Report::machine, &Report::code,     &Report::lowered,
                                   &Report::loops,   &Report::schedule, &Report::graph};
    Report kept = report;
    std::vector<std::string> stages;
    auto next = kLeavable.begin();
    for (;;) {
        std::vector<std::string> leftOut = stages;
        std::string html = pageOf(kept, request, leftOut);
        while (next != kLeavable.end() && kept.*(*next) == nullptr)
            ++next;
        if (html.size() <= request.mostBytes || next == kLeavable.end())
            return {std::move(html), std::move(leftOut)};
        constexpr double kMebibyte = 1 << 20;
        stages.push_back(format("the stage {}: the page would have {:.1f} MiB, more than {:.1f} MiB",
                                nameOf((kept.*(*next))->kind), static_cast<double>(html.size()) / kMebibyte,
                                static_cast<double>(request.mostBytes) / kMebibyte));
        kept.*(*next) = nullptr;
    }
}

} // namespace sw
