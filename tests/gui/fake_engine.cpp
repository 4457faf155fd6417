#include "tests/gui/fake_engine.h"

#include "engine/api/tensor_files.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace stepwell::ui {

namespace {

struct Statement {
    std::string name;
    std::string scope;
    std::string operation;
    std::vector<std::string> operands;
    std::uint32_t line = 0; // from 1
    std::uint32_t column = 0;
    std::uint32_t endColumn = 0;
    std::uint32_t kernel = sw::kNoIndex;
};

std::string trimmed(const std::string &text)
{
    const auto first = text.find_first_not_of(' ');
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool isLeaf(const Statement &statement)
{
    return statement.operation == "input" || statement.operation == "param" || statement.operation == "constant";
}

class Maker {
public:
    explicit Maker(const sw::ExploreRequest &request) : m_request(request), m_report(std::make_shared<sw::Report>())
    {
        m_report->device = request.device;
    }

    void parse()
    {
        std::istringstream text(m_request.text);
        std::string line;
        for (std::uint32_t number = 1; std::getline(text, line); ++number) {
            m_lines.push_back(line);
            if (const auto question = line.find('?'); question != std::string::npos)
                fail(number, static_cast<std::uint32_t>(question) + 1);
            else
                parseLine(line, number);
        }
        m_report->succeeded = m_report->messages.empty();
    }

    [[nodiscard]] bool isGood() const { return m_report->succeeded; }

    void makeProgram()
    {
        sw::StageDocument document;
        document.kind = sw::StageKind::Program;
        for (const std::string &line : m_lines)
            document.lines.push_back({line, sw::kNoIndex, {}});
        for (const Statement &statement : m_statements) {
            sw::DocumentItem item = itemOf(statement, statement.name, {});
            item.kernel = sw::kNoIndex;
            item.place = {statement.line, statement.column, statement.line, statement.endColumn};
            document.lines[statement.line - 1].item = add(document, std::move(item));
        }
        m_report->program = finish(std::move(document));
    }

    void makeGraph()
    {
        sw::StageDocument document;
        document.kind = sw::StageKind::Graph;
        std::map<std::string, std::uint32_t> groups;
        std::map<std::string, sw::ItemIndex> nodes;
        for (const Statement &statement : m_statements) {
            sw::DocumentItem item = itemOf(statement, isLeaf(statement) ? statement.name : statement.operation, "f32[64, 128]");
            item.fields = {{"operation", statement.operation}, {"type", "f32[64, 128]"}, {"name", statement.name}};
            item.node = static_cast<std::uint32_t>(document.items.size());
            if (!statement.scope.empty()) {
                const auto [group, isNew] =
                    groups.try_emplace(statement.scope, static_cast<std::uint32_t>(document.groups.size()));
                if (isNew)
                    document.groups.push_back({statement.scope, sw::kNoIndex});
                item.group = group->second;
            }
            const sw::ItemIndex index = add(document, std::move(item));
            for (const std::string &operand : statement.operands)
                if (const auto from = nodes.find(operand); from != nodes.end())
                    document.edges.push_back({from->second, index, "f32[64, 128]", sw::kNoIndex});
            nodes[statement.name] = index;
            document.lines.push_back({"%" + std::to_string(index) + " = " + statement.operation, index, {}});
        }
        m_report->graph = finish(std::move(document));
    }

    void makeSchedule()
    {
        sw::StageDocument document;
        document.kind = sw::StageKind::Schedule;
        std::map<std::string, const Statement *> known;
        for (const Statement &statement : m_statements) {
            known[statement.name] = &statement;
            if (isLeaf(statement)) {
                m_buffers[statement.name] = add(document, buffer(statement));
                continue;
            }
            if (statement.kernel == document.items.size() - m_buffers.size() || m_kernelItems.size() <= statement.kernel) {
                sw::DocumentItem item;
                item.label = m_report->kernels[statement.kernel].name;
                item.detail = "64 x 128";
                item.tags = {"kernel"};
                item.kernel = statement.kernel;
                m_kernelItems.push_back(add(document, std::move(item)));
            }
            const sw::ItemIndex kernel = m_kernelItems[statement.kernel];
            document.items[kernel].sources.push_back(sourceOf(statement));
            for (const std::string &operand : statement.operands) {
                const auto from = known.find(operand);
                if (from == known.end() || from->second->kernel == statement.kernel)
                    continue;
                document.edges.push_back({bufferOf(document, *from->second), kernel, "32 KiB", sw::kNoIndex});
            }
        }
        document.charts.push_back(memoryOf(document));
        m_report->schedule = finish(std::move(document));
    }

    void makeText(sw::StageKind kind, int linesPerNode)
    {
        sw::StageDocument document;
        document.kind = kind;
        document.title = kind == sw::StageKind::Code ? "LLVM IR" : "";
        std::uint32_t kernel = sw::kNoIndex;
        int number = 0;
        for (const Statement &statement : m_statements) {
            if (isLeaf(statement))
                continue;
            if (statement.kernel != kernel) {
                kernel = statement.kernel;
                number = 0;
                document.lines.push_back({headOf(kind, m_report->kernels[kernel].name), sw::kNoIndex, {"frame"}});
            }
            for (int i = 0; i < linesPerNode; ++i) {
                sw::DocumentItem item = itemOf(statement, "%" + std::to_string(number), {});
                item.fields = {{"what it does", "part " + std::to_string(i) + " of " + statement.name}};
                const sw::ItemIndex index = add(document, std::move(item));
                document.lines.push_back({lineOf(kind, statement, number++), index, {}});
            }
        }
        const sw::StageDocumentPtr made = finish(std::move(document));
        if (kind == sw::StageKind::Loops)
            m_report->loops = made;
        else if (kind == sw::StageKind::Lowered)
            m_report->lowered = made;
        else if (kind == sw::StageKind::Code)
            m_report->code = made;
        else
            m_report->machine = made;
    }

    void makePasses()
    {
        const auto count = static_cast<std::uint32_t>(m_statements.size());
        m_report->passes = {
            {"fold-constants",
             "Fold constants",
             "Evaluates operations on constants.",
             sw::StageKind::Graph,
             sw::StageKind::Graph,
             true,
             std::min(count, 3U),
             {{"fold", std::min(count, 3U)}},
             12'000,
             false},
            {"remove-views",
             "Remove views",
             "Drops views that change nothing.",
             sw::StageKind::Graph,
             sw::StageKind::Graph,
             false,
             0,
             {},
             4'000,
             false},
            {"group-kernels",
             "Group into kernels",
             "Decides which nodes share a loop nest.",
             sw::StageKind::Graph,
             sw::StageKind::Schedule,
             true,
             std::min(count, 2U),
             {{"row", std::min(count, 2U)}},
             31'000,
             false},
        };
        m_report->compileTimes = {{"parse", 90'000}, {"graph passes", 47'000}, {"schedule", 60'000}, {"lower", 300'000}};
    }

    [[nodiscard]] std::shared_ptr<sw::Report> copy() const { return std::make_shared<sw::Report>(*m_report); }

private:
    void fail(std::uint32_t line, std::uint32_t column)
    {
        sw::Message message;
        message.code = "syntax";
        message.text = "found \"?\" where an operand was expected";
        message.hint = "write a name or a number";
        message.file = m_request.fileName;
        message.isInProgram = true;
        message.line = line;
        message.column = column;
        message.endLine = line;
        message.endColumn = column + 1;
        m_report->messages.push_back(std::move(message));
    }

    void parseLine(const std::string &line, std::uint32_t number)
    {
        const auto equals = line.find('=');
        const auto open = line.find('(');
        const auto close = line.rfind(')');
        if (line.starts_with("#") || equals == std::string::npos || open == std::string::npos || close == std::string::npos)
            return;
        Statement statement;
        statement.name = trimmed(line.substr(0, equals));
        if (const auto slash = statement.name.find('/'); slash != std::string::npos)
            statement.scope = statement.name.substr(0, slash);
        statement.operation = trimmed(line.substr(equals + 1, open - equals - 1));
        statement.line = number;
        statement.column = static_cast<std::uint32_t>(line.find_first_not_of(' ', equals + 1)) + 1;
        statement.endColumn = static_cast<std::uint32_t>(close) + 2;
        std::istringstream operands(line.substr(open + 1, close - open - 1));
        for (std::string operand; std::getline(operands, operand, ',');)
            statement.operands.push_back(trimmed(operand));
        if (!isLeaf(statement))
            statement.kernel = kernelOf(statement);
        m_statements.push_back(std::move(statement));
    }

    std::uint32_t kernelOf(const Statement &statement)
    {
        const bool isFirst = statement.operation == "sum" || statement.operation == "matmul" || m_report->kernels.empty();
        if (isFirst) {
            sw::KernelEntry entry;
            entry.name = "k" + std::to_string(m_report->kernels.size()) + "_" + statement.operation;
            entry.flops = 2 * 64 * 128 * 128;
            entry.bytes = 3 * 64 * 128 * 4;
            m_report->kernels.push_back(std::move(entry));
        }
        ++m_report->kernels.back().nodes;
        return static_cast<std::uint32_t>(m_report->kernels.size()) - 1;
    }

    [[nodiscard]] std::uint32_t sourceOf(const Statement &statement) const { return statement.line; }

    [[nodiscard]] sw::DocumentItem itemOf(const Statement &statement, std::string label, std::string detail) const
    {
        sw::DocumentItem item;
        item.label = std::move(label);
        item.detail = std::move(detail);
        item.tags = {statement.operation == "sum" ? "reduce"
                     : isLeaf(statement)          ? statement.operation
                                                  : tagOf(statement.operation)};
        item.sources = {sourceOf(statement)};
        item.kernel = statement.kernel;
        return item;
    }

    static std::string tagOf(const std::string &operation)
    {
        return operation == "matmul" ? "contraction" : operation == "reshape" ? "view" : "elementwise";
    }

    [[nodiscard]] sw::DocumentItem buffer(const Statement &statement) const
    {
        sw::DocumentItem item = itemOf(statement, statement.name, "32 KiB");
        item.tags = {"buffer"};
        item.kernel = sw::kNoIndex;
        return item;
    }

    sw::ItemIndex bufferOf(sw::StageDocument &document, const Statement &statement)
    {
        const auto found = m_buffers.find(statement.name);
        if (found != m_buffers.end())
            return found->second;
        const sw::ItemIndex index = add(document, buffer(statement));
        document.edges.push_back({m_kernelItems[statement.kernel], index, "32 KiB", sw::kNoIndex});
        m_buffers[statement.name] = index;
        return index;
    }

    // One step per kernel; buffers of 32 KiB stacked up. Leaves live from the start, the others from the kernel that writes
    // them.
    [[nodiscard]] sw::DocumentChart memoryOf(const sw::StageDocument &document) const
    {
        constexpr std::int64_t kBytes = 32 << 10;
        sw::DocumentChart chart{"fake", 0, 0, m_kernelItems, {}};
        const auto last = static_cast<std::uint32_t>(std::max<std::size_t>(1, m_kernelItems.size())) - 1;
        for (const Statement &statement : m_statements)
            if (isLeaf(statement) && m_buffers.contains(statement.name)) {
                chart.bars.push_back({m_buffers.at(statement.name), 0, last, chart.held, chart.held + kBytes});
                chart.held += kBytes;
            }
        chart.height = chart.held;
        for (const sw::DocumentEdge &edge : document.edges) {
            const auto step = std::ranges::find(m_kernelItems, edge.from);
            if (step == m_kernelItems.end())
                continue;
            chart.bars.push_back(
                {edge.to, static_cast<std::uint32_t>(step - m_kernelItems.begin()), last, chart.height, chart.height + kBytes});
            chart.height += kBytes;
        }
        return chart;
    }

    static std::string headOf(sw::StageKind kind, const std::string &name)
    {
        if (kind == sw::StageKind::Code)
            return "define void @" + name + "(ptr noalias %0, ptr noalias %1) {";
        return kind == sw::StageKind::Machine ? name + ":" : "kernel " + name;
    }

    static std::string lineOf(sw::StageKind kind, const Statement &statement, int number)
    {
        const std::string value = "%" + std::to_string(number);
        if (kind == sw::StageKind::Code)
            return "  " + value + " = fadd <16 x float> " + value + ", zeroinitializer ; " + statement.operation;
        if (kind == sw::StageKind::Machine)
            return "  " + std::to_string(10 + number) + ": 62 f1 7c 48 58 vaddps zmm0, zmm1, zmmword ptr [rdi + " +
                   std::to_string(64 * number) + "]";
        if (kind == sw::StageKind::Loops)
            return "    for i" + std::to_string(number) + " in range(64): # " + statement.name;
        return "  " + value + " = " + statement.operation + " f32 " + value + ", 0x1.8p+1";
    }

    static sw::ItemIndex add(sw::StageDocument &document, sw::DocumentItem item)
    {
        document.items.push_back(std::move(item));
        return static_cast<sw::ItemIndex>(document.items.size() - 1);
    }

    static sw::StageDocumentPtr finish(sw::StageDocument document)
    {
        return std::make_shared<const sw::StageDocument>(std::move(document));
    }

    const sw::ExploreRequest &m_request;
    std::shared_ptr<sw::Report> m_report;
    std::vector<std::string> m_lines;
    std::vector<Statement> m_statements;
    std::map<std::string, sw::ItemIndex> m_buffers;
    std::vector<sw::ItemIndex> m_kernelItems;
};

} // namespace

std::vector<sw::DeviceEntry> FakeEngine::devices()
{
    return {{"llvm", "LLVM 22, 2 threads, AVX-512", true, {}},
            {"interpreter", "reads the lowered form", true, {}},
            {"opencl", {}, false, "no OpenCL platform found; install pocl-opencl-icd"}};
}

std::vector<sw::ExampleEntry> FakeEngine::examples()
{
    if (exampleFolder.empty())
        return {};
    return {{"two_layers", exampleFolder + "/two_layers.sw", "two dense layers"}};
}

std::vector<sw::CatalogEntry> FakeEngine::reference()
{
    return {{"Operations", "add", "The sum.", {{"symbol", "`+`"}}},
            {"Operations", "exp", "e to the power of the operand.", {{"accepts", "floats"}}},
            {"Graph nodes", "expand", "Repeats axes.", {{"inputs", "1"}}}};
}

sw::ReportPtr FakeEngine::compile(const sw::ExploreRequest &request, const sw::ReportCallback &progress, std::stop_token stop)
{
    ++compilations;
    Maker maker(request);
    maker.parse();
    if (!maker.isGood())
        return maker.copy();
    maker.makeProgram();
    maker.makeGraph();
    maker.makeSchedule();
    maker.makePasses();
    progress(maker.copy());
    if (stop.stop_requested())
        return nullptr;
    maker.makeText(sw::StageKind::Loops, 1);
    maker.makeText(sw::StageKind::Lowered, 3);
    maker.makeText(sw::StageKind::Code, 4);
    maker.makeText(sw::StageKind::Machine, 5);
    m_last = maker.copy();
    return m_last;
}

sw::ReportPtr FakeEngine::run(const sw::RunRequest &, std::stop_token)
{
    if (!m_last)
        return nullptr;
    auto report = std::make_shared<sw::Report>(*m_last);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < report->kernels.size(); ++i) {
        const auto time = static_cast<std::int64_t>(9'000 + 23'000 * i);
        report->kernels[i].medianNanoseconds = time;
        report->kernels[i].minNanoseconds = time * 9 / 10;
        report->kernels[i].maxNanoseconds = time * 12 / 10;
        report->kernels[i].compileNanoseconds = 11'000'000;
        total += time;
    }
    report->totalMedianNanoseconds = total;
    report->outputs = {value("output")};
    m_last = report;
    return report;
}

sw::ReportPtr FakeEngine::readMachineCode(const std::vector<std::uint32_t> & /*kernels*/, std::stop_token)
{
    return m_last; // everything is already there
}

sw::PassDocuments FakeEngine::passDocuments(std::uint32_t index, std::uint32_t afterRewrites)
{
    sw::PassDocuments documents;
    if (!m_last || index >= m_last->passes.size())
        return documents;
    documents.before = m_last->graph;
    auto after = std::make_shared<sw::StageDocument>(*m_last->graph);
    const std::uint32_t count = std::min(afterRewrites, m_last->passes[index].rewrites);
    for (std::uint32_t i = 0; i < count; ++i)
        after->lines[i].text += " # rewritten";
    documents.after = after;
    if (count > 0)
        documents.rewrite = "rule" + std::to_string(count - 1) + ": mul(x, 1) -> x";
    return documents;
}

// Every rewrite marks one node of the graph as rewritten, beginning with the first node.
sw::MomentDocuments FakeEngine::documentsAt(sw::MomentPlace place, std::stop_token)
{
    sw::MomentDocuments documents;
    if (!m_last || place.pass >= m_last->passes.size())
        return documents;
    const sw::PassEntry &pass = m_last->passes[place.pass];
    const std::uint32_t done = std::min(place.rewrites, pass.rewrites);
    auto graph = std::make_shared<sw::StageDocument>(*m_last->graph);
    for (std::uint32_t i = 0; i < done && pass.output == sw::StageKind::Graph; ++i)
        graph->items[i].label += "'";
    documents.graph.document = graph;
    if (pass.output == sw::StageKind::Schedule)
        documents.schedule.document = m_last->schedule;
    if (done > 0) {
        documents.rewrite = {"rule" + std::to_string(done - 1), "Says that a node was rewritten.", "mul(x, 1) -> x"};
        documents.graph.marks.made = {done - 1};
    }
    return documents;
}

// The rewrites of a pass are of the rules "rule0", "rule1", ...
std::vector<sw::PassMatches> FakeEngine::matchingRewrites(const sw::RewriteFilter &filter, std::stop_token)
{
    std::vector<sw::PassMatches> matches;
    for (const sw::PassEntry &pass : m_last->passes) {
        matches.emplace_back();
        for (std::uint32_t i = 0; i < pass.rewrites; ++i)
            if (filter.rule.empty() || filter.rule == "rule" + std::to_string(i))
                matches.back().push_back(i + 1);
    }
    return matches;
}

// Every item came with the program and is shown at the end.
sw::ItemLife FakeEngine::lifeOf(const sw::MomentItem &item, std::stop_token)
{
    sw::LifeStory story;
    story.name = "item " + std::to_string(item.item);
    story.steps.push_back({item.stage, {sw::kNoIndex}, {item.item}, "in the program", "as it was written"});
    return {{}, std::move(story)};
}

// Nothing decides anything here.
std::optional<sw::WhyCard> FakeEngine::why(sw::StageKind, sw::ItemIndex, std::stop_token)
{
    return std::nullopt;
}

sw::LoopCheck FakeEngine::checkLoops(const std::string &, const std::vector<std::string> &)
{
    return {};
}

void FakeEngine::chooseInputs(sw::RunInputs /*inputs*/) {}

std::vector<sw::InputFacts> FakeEngine::inputFacts(std::stop_token)
{
    return {};
}

sw::ValueOpening FakeEngine::inputValue(const std::string &name, std::stop_token)
{
    return {value(name), {}};
}

sw::ValueOpening FakeEngine::valueAt(const sw::MomentItem &item, sw::ValueSource, std::stop_token)
{
    return {value("item" + std::to_string(item.item)), {}};
}

std::vector<sw::ValueOpening> FakeEngine::nodeValues(const std::vector<std::uint32_t> &nodes, sw::ValueSource, std::stop_token)
{
    std::vector<sw::ValueOpening> values;
    for (const std::uint32_t node : nodes)
        values.push_back({value("%" + std::to_string(node)), {}});
    return values;
}

std::string FakeEngine::valuePath(std::uint32_t node) const
{
    return "%" + std::to_string(node);
}

std::vector<sw::ValueOpening> FakeEngine::valuesNamed(const std::vector<std::string> &paths, sw::ValueSource, std::stop_token)
{
    std::vector<sw::ValueOpening> values;
    for (const std::string &path : paths)
        values.push_back({value(path), {}});
    return values;
}

sw::HealthReport FakeEngine::health(const sw::ProgressCallback & /*onProgress*/, std::stop_token)
{
    return {};
}

sw::TensorViewPtr FakeEngine::value(const std::string &name)
{
    constexpr std::array<std::int64_t, 2> kShape{16, 8};
    std::vector<double> numbers;
    for (int i = 0; i < 128; ++i)
        numbers.push_back(i == 9 ? std::numeric_limits<double>::quiet_NaN() : 0.25 * i);
    return sw::tensorOfNumbers(name, "f32", kShape, numbers);
}

sw::KernelCode FakeEngine::kernelCode(std::uint32_t /*kernel*/, sw::StageKind /*stage*/)
{
    return {};
}

sw::ChosenTransforms FakeEngine::chosenTransforms(std::uint32_t /*kernel*/) const
{
    return {};
}

sw::TraceOpening FakeEngine::openKernelWith(std::uint32_t kernel, std::size_t /*transforms*/, std::stop_token stop)
{
    return openKernel(kernel, std::move(stop));
}

sw::TraceOpening FakeEngine::openKernel(std::uint32_t kernel, std::stop_token /*stop*/)
{
    return {nullptr, "kernel " + std::to_string(kernel) + " was never compiled"};
}

std::string FakeEngine::libraryText(const std::string &file) const
{
    return file == "library/relu.sw" ? "# relu\n\ndef relu(x):\n    return maximum(x, 0)\n" : std::string();
}

std::string fakeProgram(int layers)
{
    std::string text = "# " + std::to_string(layers) + " layers and a softmax\nx = input()\n";
    std::string last = "x";
    for (int i = 0; i < layers; ++i) {
        const std::string number = std::to_string(i);
        const std::string scope = "layer" + number + "/";
        text += "w" + number + " = param()\nb" + number + " = param()\nzero" + number + " = constant()\n";
        text += scope + "product = matmul(" + last + ", w" + number + ")\n";
        text += scope + "sum = add(" + scope + "product, b" + number + ")\n";
        text += scope + "relu = maximum(" + scope + "sum, zero" + number + ")\n";
        last = scope + "relu";
    }
    text += "softmax/largest = sum(" + last + ")\nsoftmax/shifted = sub(" + last + ", softmax/largest)\n";
    text += "softmax/exp = exp(softmax/shifted)\nsoftmax/total = sum(softmax/exp)\n";
    text += "softmax/result = div(softmax/exp, softmax/total)\n";
    return text;
}

} // namespace stepwell::ui
