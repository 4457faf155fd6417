#include "engine/graph/parser.h"

#include "engine/base/text_scanner.h"
#include "engine/graph/attribute_text.h"
#include "engine/graph/infer.h"
#include "engine/graph/scope_text.h"
#include "engine/graph/verify.h"

#include <optional>
#include <unordered_map>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kMaxReported = 100;
constexpr std::string_view kHeader = "stepwell graph";
constexpr std::uint64_t kVersion = 1;

std::optional<NodeKind> kindNamed(std::string_view name)
{
    for (const NodeKind kind : allNodeKinds())
        if (nameOf(kind) == name && kind != NodeKind::Unary && kind != NodeKind::Binary && kind != NodeKind::Ternary)
            return kind;
    return std::nullopt;
}

NodeKind kindOf(Op op)
{
    return arityOf(op) == 1 ? NodeKind::Unary : arityOf(op) == 2 ? NodeKind::Binary : NodeKind::Ternary;
}

bool saysNothing(TextScanner &scanner)
{
    return scanner.isAtEnd() || scanner.startsWith("//");
}

// Splits the text into its first line and the rest.
std::string_view takeLine(std::string_view &text)
{
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

enum class FirstLine : std::uint8_t { Header, Node };

class GraphParser {
public:
    GraphParser(std::string_view text, const std::string &fileName) : m_text(text), m_fileName(fileName), m_scopes(*m_sources)
    {
        m_file = m_sources->addFile({fileName, std::string(text)});
    }

    Result<NumberedGraph> parse(FirstLine first, std::uint32_t firstLine)
    {
        std::string_view rest = m_text;
        bool isHeader = first == FirstLine::Header;
        for (std::uint32_t line = firstLine; !rest.empty() && m_diagnostics.size() < kMaxReported; ++line) {
            TextScanner scanner(takeLine(rest), m_fileName, line);
            if (saysNothing(scanner))
                continue;
            keep(std::exchange(isHeader, false) ? readHeader(scanner) : readNode(scanner));
        }
        if (m_diagnostics.empty() && (m_nodes.empty() || m_nodes.back().kind != NodeKind::Sink))
            m_diagnostics.push_back(Diagnostic::error(Code::Syntax, {m_fileName, firstLine, 1, firstLine, 2},
                                                      "the graph has no sink line at its end"));
        if (!m_diagnostics.empty())
            return Failure(std::move(m_diagnostics));
        Graph graph(std::move(m_nodes), std::move(m_sources));
        SW_CHECK(verifyGraph(graph));
        return NumberedGraph{std::move(graph), numbers()};
    }

private:
    void keep(const Result<Done> &step)
    {
        if (!step)
            m_diagnostics.insert(m_diagnostics.end(), step.error().begin(), step.error().end());
    }

    Result<Done> readHeader(TextScanner &scanner)
    {
        const std::uint32_t start = scanner.nextColumn();
        if (!scanner.accept(kHeader))
            return scanner.unexpected(format("'{} {}'", kHeader, kVersion));
        SW_TRY(const std::uint64_t version, scanner.unsignedInteger());
        if (version != kVersion)
            return Diagnostic::error(Code::Unsupported, scanner.rangeFrom(start),
                                     "this is version {} of the form; version {} is known", version, kVersion);
        return scanner.expectEnd();
    }

    // Reads a line. If it is wrong, its value is marked broken, so that its users are not reported too.
    Result<Done> readNode(TextScanner &scanner)
    {
        const std::uint32_t start = scanner.nextColumn();
        std::optional<std::uint64_t> number;
        if (scanner.accept("%")) {
            SW_TRY(number, scanner.unsignedInteger());
            if (m_values.contains(*number))
                return Diagnostic::error(Code::DuplicateName, scanner.rangeFrom(start), "%{} is defined twice", *number);
            m_values[*number] = std::nullopt;
            SW_CHECK(scanner.expect("="));
        }
        auto node = readOperation(scanner, start);
        if (!node)
            return node.failure();
        if (!*node)
            return Done{};
        SW_CHECK(checkSink(**node, number.has_value(), scanner.rangeFrom(start)));
        if (number)
            m_values[*number] = NodeId(m_nodes.size());
        m_nodes.push_back(std::move(**node));
        return Done{};
    }

    Result<Done> checkSink(const Node &node, bool hasNumber, const SourceRange &where) const
    {
        if (!m_nodes.empty() && m_nodes.back().kind == NodeKind::Sink)
            return Diagnostic::error(Code::Syntax, where, "nothing may follow the sink");
        if (hasNumber == (node.kind == NodeKind::Sink))
            return Diagnostic::error(Code::Syntax, where, "{}",
                                     hasNumber ? "a sink is no value" : "the value of this line has no number");
        return Done{};
    }

    // Returns nothing when the line reads a value whose own line was wrong.
    Result<std::optional<Node>> readOperation(TextScanner &scanner, std::uint32_t start)
    {
        Node node{NodeKind::Sink, Op::Add, DType::F32, Shape(), {}, NoAttributes{}, Origin(SourceId(0U)), ScopeId(0U), {}};
        const std::uint32_t operationColumn = scanner.nextColumn();
        SW_CHECK(readKind(scanner, node));
        SW_TRY(const bool inputsAreSound, readInputs(scanner, node));
        std::vector<RawAttribute> attributes;
        if (scanner.accept("{")) {
            SW_TRY(attributes, readAttributeList(scanner));
        }
        SourceRange typeRange;
        if (node.kind != NodeKind::Sink) {
            SW_TRY(typeRange, readType(scanner, node));
        }
        SW_CHECK(readScopeAndName(scanner, node));
        SW_CHECK(scanner.expectEnd());
        SW_TRY(node.attributes, readAttributes(node, std::move(attributes), scanner, m_dimensions));
        keepDimension(node);
        if (!inputsAreSound)
            return std::optional<Node>();
        const SourceId item = m_sources->addItem({m_file, scanner.rangeFrom(start), node.scope, {}, operationText(node)});
        node.origin = Origin(item);
        SW_CHECK(checkType(node, scanner.rangeFrom(operationColumn), typeRange));
        return std::optional(std::move(node));
    }

    static Result<Done> readKind(TextScanner &scanner, Node &node)
    {
        const std::uint32_t start = scanner.nextColumn();
        SW_TRY(const std::string_view name, scanner.word("an operation"));
        if (const auto kind = kindNamed(name)) {
            node.kind = *kind;
            if (node.kind != NodeKind::ReduceAxis)
                return Done{};
            SW_TRY(const std::string_view combiner, scanner.word("the operation that combines the elements"));
            const auto op = opNamed(combiner);
            if (!op)
                return Diagnostic::error(Code::UnknownName, scanner.rangeFrom(start), "there is no operation {}",
                                         quoted(combiner));
            node.op = *op;
            return Done{};
        }
        const auto op = opNamed(name);
        if (!op)
            return Diagnostic::error(Code::UnknownName, scanner.rangeFrom(start), "there is no operation {}", quoted(name));
        node.op = *op;
        node.kind = kindOf(*op);
        return Done{};
    }

    // Returns false if an input is the value of a line that was wrong.
    Result<bool> readInputs(TextScanner &scanner, Node &node)
    {
        bool areSound = true;
        if (!scanner.startsWith("%"))
            return areSound;
        do {
            const std::uint32_t start = scanner.nextColumn();
            SW_CHECK(scanner.expect("%"));
            SW_TRY(const std::uint64_t number, scanner.unsignedInteger());
            const auto found = m_values.find(number);
            if (found == m_values.end())
                return Diagnostic::error(Code::UnknownName, scanner.rangeFrom(start), "%{} is not defined before this line",
                                         number);
            areSound = areSound && found->second.has_value();
            node.inputs.push_back(found->second.value_or(NodeId()));
        } while (scanner.accept(","));
        return areSound;
    }

    void keepDimension(const Node &node)
    {
        const auto *made = std::get_if<DimensionAttributes>(&node.attributes);
        const auto *given = std::get_if<PlaceholderAttributes>(&node.attributes);
        if (made != nullptr)
            m_dimensions.insert_or_assign(made->variable.name, made->variable);
        if (given != nullptr && given->dimension)
            m_dimensions.insert_or_assign(given->dimension->name, *given->dimension);
    }

    Result<SourceRange> readType(TextScanner &scanner, Node &node)
    {
        SW_CHECK(scanner.expect(":"));
        const std::uint32_t start = scanner.nextColumn();
        SW_TRY(const std::string_view name, scanner.word("an element type"));
        const auto dtype = dtypeNamed(name);
        if (!dtype)
            return Diagnostic::error(Code::UnknownName, scanner.rangeFrom(start), "there is no element type {}", quoted(name));
        node.dtype = *dtype;
        SW_TRY(node.shape, readShape(scanner, m_dimensions));
        return scanner.rangeFrom(start);
    }

    Result<Done> readScopeAndName(TextScanner &scanner, Node &node)
    {
        if (scanner.accept("@")) {
            const std::uint32_t start = scanner.nextColumn();
            SW_TRY(const std::string path, scanner.string());
            const auto scope = m_scopes.scopeOf(path);
            if (!scope)
                return Diagnostic::error(Code::Syntax, scanner.rangeFrom(start), "{} is not the text of a scope", quoted(path));
            node.scope = *scope;
        }
        if (!scanner.accept("#"))
            return Done{};
        if (scanner.startsWith("\"")) {
            SW_TRY(node.name, scanner.string());
            return Done{};
        }
        SW_TRY(const std::string_view name, scanner.word("a name"));
        node.name = name;
        return Done{};
    }

    Result<Done> checkType(const Node &node, const SourceRange &operation, const SourceRange &type) const
    {
        std::vector<const Node *> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(&m_nodes[input.value]);
        const auto inferred = inferType(node, inputs);
        if (!inferred)
            return placed(inferred.failure(), operation);
        if (node.kind == NodeKind::Sink || (inferred->dtype == node.dtype && inferred->shape == node.shape))
            return Done{};
        return Diagnostic::error(Code::Type, type, "{} gives {}, not {}", operationText(node),
                                 typeText(inferred->dtype, inferred->shape), typeText(node.dtype, node.shape));
    }

    [[nodiscard]] std::unordered_map<std::uint64_t, NodeId> numbers() const
    {
        std::unordered_map<std::uint64_t, NodeId> known;
        for (const auto &[number, id] : m_values)
            if (id)
                known.emplace(number, *id);
        return known;
    }

    static Failure placed(Failure failure, const SourceRange &where)
    {
        for (Diagnostic &diagnostic : failure.diagnostics)
            diagnostic.where = where;
        return failure;
    }

    std::string_view m_text;
    const std::string &m_fileName;
    std::shared_ptr<SourceMap> m_sources = std::make_shared<SourceMap>();
    ScopeReader m_scopes;
    FileId m_file;
    std::vector<Node> m_nodes;
    std::unordered_map<std::uint64_t, std::optional<NodeId>> m_values; // by their numbers in the text
    SymbolicScope m_dimensions;                                        // the ones named so far
    Diagnostics m_diagnostics;
};

} // namespace

Result<Graph> parseGraph(std::string_view text, const std::string &fileName)
{
    SW_TRY(NumberedGraph parsed, GraphParser(text, fileName).parse(FirstLine::Header, 1));
    return std::move(parsed.graph);
}

Result<NumberedGraph> parseGraphLines(std::string_view lines, const std::string &fileName, std::uint32_t firstLine)
{
    return GraphParser(lines, fileName).parse(FirstLine::Node, firstLine);
}

bool isGraphText(std::string_view text)
{
    while (!text.empty()) {
        TextScanner scanner(takeLine(text), {}, 1);
        if (!saysNothing(scanner))
            return scanner.startsWith(kHeader);
    }
    return false;
}

} // namespace sw
