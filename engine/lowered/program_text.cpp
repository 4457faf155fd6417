#include "engine/lowered/program_text.h"

#include "engine/base/text_scanner.h"
#include "engine/lowered/printer.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

constexpr std::string_view kHeader = "stepwell lowered";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kIndent = 2;

// ---- writing

// The node that stands for a buffer: its own, or the value from outside that it is the only copy of.
NodeId givenNode(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    const NodeId value = hostValueOf(schedule, buffer);
    const std::vector<NodeId> &inputs = schedule.graph->node(buffer.node).inputs;
    const bool isItsOnlyCopy = value.isValid() && inputs == std::vector{value} && !schedule.bufferOf(value).isValid();
    return isItsOnlyCopy ? value : buffer.node;
}

// True if the host fills the buffer with some other form of a value than the text could name.
bool isFilledWithAView(const Schedule &schedule, BufferId id)
{
    const ScheduledBuffer &buffer = schedule.buffer(id);
    const NodeKind kind = schedule.graph->node(givenNode(schedule, buffer)).kind;
    return kind != NodeKind::Placeholder && kind != NodeKind::Vconst && hostValueOf(schedule, buffer).isValid();
}

// The buffers of a program, or those of one kernel, as the nodes of a graph.
class FrameGraph {
public:
    FrameGraph(const LoweredProgram &program, KernelId only) : m_schedule(*program.schedule)
    {
        if (only.isValid())
            addBuffersOf(program.kernels.at(only.value));
        else
            addAllBuffers();
    }

    [[nodiscard]] std::string text(TensorFiles *files, std::int64_t maxTensorBytes) &&
    {
        m_nodes.push_back(std::move(m_sink));
        m_numbers.push_back(0);
        const Graph graph(std::move(m_nodes), m_schedule.graph->sourcesPtr());
        return printGraphLines(graph, {.maxTensorBytes = maxTensorBytes, .files = files, .numbers = m_numbers}, kIndent);
    }

private:
    void addAllBuffers()
    {
        for (std::size_t i = 0; i < m_schedule.buffers.size(); ++i)
            addBuffer(BufferId(i));
        const Graph &graph = *m_schedule.graph;
        const auto &sink = attributesOf<SinkAttributes>(graph.nodes().back());
        for (std::size_t i = 0; i < graph.outputs().size(); ++i)
            addOutput(NodeId(m_schedule.outputs.at(i).value), graph.node(graph.outputs()[i]).shape);
        m_sink.attributes = sink;
    }

    void addBuffersOf(const LoweredKernel &kernel)
    {
        std::set<BufferId> written;
        for (const Instruction &instruction : kernel.instructions)
            if (instruction.kind == InstructionKind::DefineGlobal && instruction.isWritten)
                written.insert(kernel.arguments.at(instruction.argument));
        SinkAttributes sink;
        std::vector<std::pair<NodeId, Shape>> outputs;
        for (const BufferId id : std::set<BufferId>(kernel.arguments.begin(), kernel.arguments.end())) {
            const ScheduledBuffer &buffer = m_schedule.buffer(id);
            const bool isGiven = !written.contains(id) && m_schedule.graph->node(buffer.node).kind != NodeKind::Buffer;
            addBuffer(id, isGiven ? IfComputed::Input : IfComputed::Buffer);
            if (!written.contains(id))
                continue;
            outputs.emplace_back(NodeId(m_nodes.size() - 1), buffer.shape);
            sink.outputNames.push_back(buffer.name);
        }
        m_nextNumber = m_schedule.buffers.size();
        for (const auto &[node, shape] : outputs)
            addOutput(node, shape);
        m_sink.attributes = std::move(sink);
    }

    enum class IfComputed : std::uint8_t { Buffer, Input };

    void addBuffer(BufferId id, IfComputed computed = IfComputed::Buffer)
    {
        const ScheduledBuffer &buffer = m_schedule.buffer(id);
        const Node &of = m_schedule.graph->node(givenNode(m_schedule, buffer));
        Node node = made(NodeKind::Buffer, buffer.dtype, Shape{buffer.shape.elements()}, buffer.origin);
        if (of.kind == NodeKind::Placeholder || of.kind == NodeKind::Vconst) {
            node.kind = of.kind;
            node.shape = of.shape;
            node.attributes = of.attributes;
        } else if (computed == IfComputed::Input) {
            node.kind = NodeKind::Placeholder;
            node.shape = buffer.shape;
            node.attributes = PlaceholderAttributes{.name = buffer.name, .role = PlaceholderRole::Input, .initial = nullptr};
        }
        m_nodes.push_back(std::move(node));
        m_numbers.push_back(id.value);
        m_nextNumber = std::max<std::size_t>(m_nextNumber, id.value + std::size_t{1});
    }

    void addOutput(NodeId buffer, const Shape &shape)
    {
        const Node &stored = m_nodes[buffer.value];
        if (stored.shape != shape) {
            Node reshaped = made(NodeKind::Reshape, stored.dtype, shape, stored.origin);
            reshaped.inputs = {buffer};
            m_nodes.push_back(std::move(reshaped));
            m_numbers.push_back(static_cast<std::uint32_t>(m_nextNumber++));
            buffer = NodeId(m_nodes.size() - 1);
        }
        m_sink.inputs.push_back(buffer);
    }

    static Node made(NodeKind kind, DType dtype, Shape shape, const Origin &origin)
    {
        return {kind, Op::Add, dtype, std::move(shape), {}, NoAttributes{}, origin, SourceMap::rootScope(), {}};
    }

    const Schedule &m_schedule;
    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_numbers; // by node
    std::size_t m_nextNumber = 0;
    Node m_sink = made(NodeKind::Sink, DType::F32, Shape(), m_schedule.graph->nodes().back().origin);
};

// ---- reading

// Takes lines from a text, one after the other.
struct Lines {
    std::string_view rest;
    std::uint32_t number = 0; // of the line taken last

    std::string_view take()
    {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        ++number;
        return line;
    }
};

bool saysNothing(std::string_view line)
{
    const std::size_t start = line.find_first_not_of(" \t\r");
    return start == std::string_view::npos || line.substr(start).starts_with("//") || line[start] == '#';
}

class FrameReader {
public:
    FrameReader(std::string_view text, const std::string &fileName) : m_lines{text}, m_fileName(fileName) {}

    Result<FramedText> read()
    {
        const std::string_view all = m_lines.rest;
        TextScanner header = nextLine();
        if (!header.accept(kHeader))
            return FramedText{std::nullopt, all, 1};
        const std::uint32_t start = header.nextColumn();
        SW_TRY(const std::uint64_t version, header.unsignedInteger());
        if (version != kVersion)
            return Diagnostic::error(Code::Unsupported, header.rangeFrom(start),
                                     "this is version {} of the form; version {} is known", version, kVersion);
        SW_CHECK(header.expectEnd());
        TextScanner devices = nextLine();
        SW_TRY(std::vector<std::string> names, readDevices(devices));
        const SourceRange place = devices.rangeFrom(1);
        std::optional<SourceRange> moves;
        std::vector<JoinLine> joins;
        TextScanner next = nextLine();
        while (true) {
            if (next.accept("join")) {
                SW_TRY(JoinLine join, readJoin(next));
                joins.push_back(std::move(join));
                next = nextLine();
                continue;
            }
            if (next.accept("move"))
                SW_CHECK(readNumbers(next, {"%", "to %"}));
            else if (next.accept("upload"))
                SW_CHECK(readNumbers(next, {"%"}));
            else
                break;
            moves = next.rangeFrom(1);
            next = nextLine();
        }
        SW_TRY(NumberedGraph buffers, readBuffers(next));
        return FramedText{LoweredFrame{std::move(names), place, std::move(buffers), moves, std::move(joins)}, m_lines.rest,
                          m_lines.number + 1};
    }

private:
    // The next line that is neither empty nor a comment, or an empty one at the end.
    TextScanner nextLine()
    {
        std::string_view line;
        do
            line = m_lines.take();
        while (saysNothing(line) && !m_lines.rest.empty());
        return {saysNothing(line) ? std::string_view() : line, m_fileName, m_lines.number};
    }

    static Result<std::vector<std::string>> readDevices(TextScanner &scanner)
    {
        std::vector<std::string> names;
        SW_CHECK(scanner.expect("device"));
        do {
            SW_TRY(std::string device, scanner.string());
            names.push_back(std::move(device));
        } while (scanner.accept(","));
        SW_CHECK(scanner.expectEnd());
        return names;
    }

    static Result<Done> readNumbers(TextScanner &scanner, std::initializer_list<std::string_view> words)
    {
        for (const std::string_view before : words) {
            SW_CHECK(scanner.expect(before));
            SW_TRY([[maybe_unused]] const std::uint64_t buffer, scanner.unsignedInteger());
        }
        return scanner.expectEnd();
    }

    // "%9 of %5 %7"
    static Result<JoinLine> readJoin(TextScanner &scanner)
    {
        JoinLine join;
        SW_TRY(join.whole, readBuffer(scanner));
        SW_CHECK(scanner.expect("of"));
        while (!scanner.isAtEnd()) {
            SW_TRY(const BufferId part, readBuffer(scanner));
            join.parts.push_back(part);
        }
        join.place = scanner.rangeFrom(1);
        return join;
    }

    static Result<BufferId> readBuffer(TextScanner &scanner)
    {
        SW_CHECK(scanner.expect("%"));
        SW_TRY(const std::uint64_t number, scanner.unsignedInteger());
        return BufferId(number);
    }

    Result<NumberedGraph> readBuffers(TextScanner &scanner)
    {
        SW_CHECK(scanner.expect("buffers"));
        SW_CHECK(scanner.expectEnd());
        const std::uint32_t firstLine = m_lines.number + 1;
        const std::string_view body = m_lines.rest;
        while (!m_lines.rest.empty()) {
            const std::string_view line = m_lines.take();
            TextScanner inside(line, m_fileName, m_lines.number);
            if (inside.accept("end") && inside.isAtEnd())
                return parseGraphLines(body.substr(0, static_cast<std::size_t>(line.data() - body.data())), m_fileName,
                                       firstLine);
        }
        return Diagnostic::error(Code::Syntax, {m_fileName, firstLine - 1, 1, firstLine - 1, 8},
                                 "the buffers are not closed by \"end\"");
    }

    Lines m_lines;
    const std::string &m_fileName;
};

} // namespace

bool isFromText(const LoweredProgram &program)
{
    return program.schedule != nullptr && program.schedule->devices.front().id == kAnyDevice;
}

std::string programText(const LoweredProgram &program, KernelId kernel, TensorFiles *files, std::int64_t maxTensorBytes)
{
    std::string text =
        format("{} {}\ndevice {}\n", kHeader, kVersion,
               join(program.schedule->devices, ", ", [](const ScheduledDevice &device) { return quoted(device.id); }));
    const auto nameOf = [](BufferId id) { return format("%{}", id.value); };
    for (const ScheduleItem &item : program.schedule->items)
        if (const auto *of = std::get_if<Join>(&item.work); of != nullptr && !kernel.isValid())
            text += format("join {} of {}\n", nameOf(of->whole), join(of->parts, " ", nameOf));
        else if (const auto *move = std::get_if<MemoryTransfer>(&item.work); move != nullptr && move->destination.isValid()) {
            if (move->source.isValid())
                text += format("move %{} to %{}\n", move->source.value, move->destination.value);
            else if (isFilledWithAView(*program.schedule, move->destination))
                text += format("upload %{}\n", move->destination.value);
        }
    text += "buffers\n" + FrameGraph(program, kernel).text(files, maxTensorBytes) + "end\n\n";
    return text + (kernel.isValid() ? printLowered(program.kernels.at(kernel.value)).text : printLowered(program).text);
}

Result<FramedText> readFrame(std::string_view text, const std::string &fileName)
{
    return FrameReader(text, fileName).read();
}

} // namespace sw
