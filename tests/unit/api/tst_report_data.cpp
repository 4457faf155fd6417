// Reports become data and come back equal, whatever is in them; damaged data is refused with a sentence.

#include "engine/api/explorer.h"
#include "engine/api/report_data.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "tests/support/equal_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace sw {
namespace {

// A program compiled to its machine code, and run.
ReportPtr reportOf(const std::string &file, const std::string &device)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    Explorer explorer(registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = file;
    request.isFile = true;
    request.device = device;
    const ReportPtr compiled = explorer.compile(request, {}, {});
    std::vector<std::uint32_t> kernels(compiled->kernels.size());
    std::iota(kernels.begin(), kernels.end(), 0U);
    static_cast<void>(explorer.readMachineCode(kernels, {}));
    const ReportPtr ran = explorer.run({.repeats = 1}, {});
    return ran ? ran : compiled;
}

TEST(ReportData, ofEveryExampleReadsBackEqual)
{
    BackendRegistry registry;
    const Explorer explorer(registry, findResourceFolder());
    const std::vector<ExampleEntry> examples = explorer.examples();
    ASSERT_GE(examples.size(), 10U);
    for (const ExampleEntry &example : examples) {
        const ReportPtr report = reportOf(example.path, "c");
        ASSERT_NE(report->machine, nullptr) << example.path;
        const std::string data = reportData(*report);
        const Result<Report> again = parseReportData(data, "data");
        ASSERT_TRUE(again) << example.path << ": " << toText(again.error());
        EXPECT_EQ(firstDifference(*report, *again), "") << example.path;
        EXPECT_EQ(reportData(*again), data) << example.path;
    }
}

TEST(ReportData, keepsMessagesOfAProgramWithErrors)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    Explorer explorer(registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = "wrong.sw";
    request.text = "input x: f32[4]\noutput softmax(x, axis = 3) + y\n";
    const ReportPtr report = explorer.compile(request, {}, {});
    ASSERT_FALSE(report->messages.empty());
    const Result<Report> again = parseReportData(reportData(*report), "data");
    ASSERT_TRUE(again) << toText(again.error());
    EXPECT_EQ(firstDifference(*report, *again), "");
}

// A report that no compilation made, with everything that a document may hold.
Report randomReport(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % std::max(end, 1U)); };
    const auto text = [&] {
        static const std::vector<std::string> kTexts{
            "", "a", "%12 = add f32", "</script><script>", "\"\\\n\t", "\xC3\xA4\xE2\x88\x91", "]]>", "@TITLE@"};
        return kTexts[below(static_cast<std::uint32_t>(kTexts.size()))];
    };
    const auto maybe = [&](std::uint32_t end) { return end == 0 || below(3) == 0 ? kNoIndex : below(end); };
    Report report;
    report.device = text();
    for (std::uint32_t i = below(5) + 1; i > 0; --i)
        report.kernels.push_back({.name = text(),
                                  .flops = below(1000),
                                  .bytes = below(1000),
                                  .nodes = below(9),
                                  .medianNanoseconds = below(2) ? std::optional<std::int64_t>(below(9999)) : std::nullopt,
                                  .tensorInstruction = text(),
                                  .isOfLoad = below(2) == 1});
    const auto document = [&](StageKind kind) {
        StageDocument made;
        made.kind = kind;
        made.title = text();
        for (std::uint32_t i = below(4); i > 0; --i)
            made.groups.push_back({text(), maybe(static_cast<std::uint32_t>(made.groups.size()))});
        const std::uint32_t lines = below(20);
        for (std::uint32_t i = below(20); i > 0; --i) {
            DocumentItem item{.label = text(), .detail = text()};
            for (std::uint32_t k = below(3); k > 0; --k)
                item.fields.push_back({text(), text()});
            for (std::uint32_t k = below(3); k > 0; --k)
                item.tags.push_back(text());
            std::vector<std::uint32_t> sources;
            for (std::uint32_t k = below(4); k > 0; --k)
                sources.push_back(below(50));
            std::ranges::sort(sources);
            item.sources = sources;
            item.kernel = maybe(static_cast<std::uint32_t>(report.kernels.size()));
            item.group = maybe(static_cast<std::uint32_t>(made.groups.size()));
            item.instruction = maybe(40);
            item.node = maybe(40);
            if (lines > 0 && below(2) == 0)
                item.place = {below(lines) + 1, below(9) + 1, lines, below(9) + 1};
            made.items.push_back(item);
        }
        const auto items = static_cast<std::uint32_t>(made.items.size());
        for (std::uint32_t i = items == 0 ? 0 : below(20); i > 0; --i)
            made.edges.push_back({below(items), below(items), text(), maybe(30)});
        for (std::uint32_t i = 0; i < lines; ++i)
            made.lines.push_back({text(), maybe(items), {text()}});
        if (items > 0)
            made.charts.push_back({text(), 100, 3, {below(items), below(items)}, {{below(items), 0, 1, 5, 9}}});
        made.parts = {{0, true}, {lines, false}};
        return std::make_shared<const StageDocument>(std::move(made));
    };
    report.program = document(StageKind::Program);
    report.graph = document(StageKind::Graph);
    report.machine = document(StageKind::Machine);
    return report;
}

TEST(ReportData, ofRandomDocumentsReadsBackEqual)
{
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const Report report = randomReport(seed);
        const Result<Report> again = parseReportData(reportData(report), "data");
        ASSERT_TRUE(again) << seed << ": " << toText(again.error());
        EXPECT_EQ(firstDifference(report, *again), "") << seed;
    }
}

// Whatever stands in the text, it is read into a sound report or refused; a reader of documents may trust every number.
TEST(ReportData, withBytesChangedIsSoundOrRefused)
{
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string data = reportData(randomReport(static_cast<std::uint32_t>(i % 20)));
        for (std::uint32_t k = random() % 3 + 1; k > 0; --k)
            data[random() % data.size()] = static_cast<char>("0123456789,[]{}\"-x"[random() % 18]);
        if (random() % 8 == 0)
            data.resize(random() % data.size());
        const Result<Report> read = parseReportData(data, "data");
        refused += read ? 0 : 1;
        if (!read)
            continue;
        for (const StageDocumentPtr &document : {read->program, read->graph, read->machine}) {
            if (document == nullptr)
                continue;
            for (const DocumentLine &line : document->lines)
                ASSERT_TRUE(line.item == kNoIndex || line.item < document->items.size());
            for (const DocumentEdge &edge : document->edges)
                ASSERT_TRUE(edge.from < document->items.size() && edge.to < document->items.size());
            for (const DocumentItem &item : document->items) {
                ASSERT_TRUE(item.kernel == kNoIndex || item.kernel < std::max<std::size_t>(read->kernels.size(), kMostKernels));
                ASSERT_TRUE(item.group == kNoIndex || item.group < document->groups.size());
                ASSERT_TRUE(std::ranges::is_sorted(item.sources));
            }
        }
    }
    EXPECT_GT(refused, 1000);
}

TEST(ReportData, ofANewerVersionIsRefused)
{
    std::string data = reportData(randomReport(1));
    const std::string version = format("\"version\":{}", kReportDataVersion);
    data.replace(data.find(version), version.size(), "\"version\":99");
    const Result<Report> read = parseReportData(data, "x.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().front().code, Code::Unsupported);
    EXPECT_EQ(read.error().front().message, "x.json has version 99 of report data, and this Stepwell reads up to 1");
}

TEST(ReportData, namesWhatIsDamaged)
{
    const auto errorFor = [](std::string_view from, std::string_view to) {
        Report report;
        report.kernels = {{.name = "k0"}};
        StageDocument document;
        document.lines = {{"text", 0, {}}};
        document.items = {{.label = "item", .sources = {1, 2}}};
        report.graph = std::make_shared<const StageDocument>(document);
        std::string data = reportData(report);
        const std::size_t at = data.find(from);
        if (at == std::string::npos)
            return "no " + std::string(from) + " in " + data;
        data.replace(at, from.size(), to);
        const Result<Report> read = parseReportData(data, "x");
        return read ? std::string("it was read") : read.error().front().message;
    };
    EXPECT_EQ(errorFor("\"item\":[0]", "\"item\":[7]"), "x is damaged: report: documents 0: lines: item: 7 is outside of 0 to 0");
    EXPECT_EQ(errorFor("\"count\":1,\"label\"", "\"count\":2,\"label\""),
              "x is damaged: report: documents 0: items: label: has 1 rows, not 2");
    EXPECT_EQ(errorFor("[1,2]", "[2,1]"), "x is damaged: the sources of list 1 are not sorted");
    EXPECT_EQ(errorFor("\"stage\":\"graph\"", "\"stage\":\"soup\""),
              "x is damaged: report: documents 0: stage: there is no stage \"soup\"");
    EXPECT_EQ(errorFor("\"format\":\"stepwell report\"", "\"format\":\"x\""), "x is not the data of a report");
}

} // namespace
} // namespace sw
