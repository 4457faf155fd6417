#include "engine/api/convert/convert.h"

#include "engine/api/convert/dimension_text.h"
#include "engine/api/convert/expression_text.h"
#include "engine/api/convert/inlined_values.h"
#include "engine/api/convert/program_names.h"
#include "engine/graph/scope_text.h"
#include "engine/graph/structure.h"
#include "engine/language/compile.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace sw {

namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kCommentLength = 140;

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

using Calls = std::map<NodeId, LibraryUse>;

std::vector<NodeId> tensorsTaken(const Calls &calls)
{
    std::vector<NodeId> taken;
    for (const auto &[first, use] : calls)
        std::ranges::copy(sw::tensorsTaken(use), std::back_inserter(taken));
    return taken;
}

class ProgramWriter {
public:
    ProgramWriter(const Graph &graph, const ConvertOptions &options)
        : m_graph(graph),
          m_options(options),
          m_calls(writtenCalls(graph, options.calls)),
          m_inlined(graph, tensorsTaken(m_calls)),
          m_names(options.libraryFolder),
          m_scopes(graph.sources())
    {
        if (options.showsSources)
            m_sourceLines = linesOf(graph.sources().file(SourceMap::programFile()).text);
    }

    Result<ConvertedProgram> write() &&
    {
        if (!m_options.title.empty())
            m_made.text += format("# {}\n", m_options.title);
        for (std::size_t i = 0; i + 1 < m_graph.size(); ++i) {
            const NodeId id(i);
            if (const auto call = m_calls.find(id); call != m_calls.end()) {
                writeCall(call->second);
                i = call->second.end - 1;
                continue;
            }
            if (m_inlined.contains(id))
                continue;
            const Result<Done> written = writeNode(id);
            if (!written) {
                Diagnostic problem = written.error().front();
                problem.where = m_graph.sources().programRange(m_graph.node(id).origin);
                return problem;
            }
        }
        m_made.operations = m_graph.size() - 1;
        enter(SourceMap::rootScope());
        std::set<std::string> taken;
        for (std::size_t i = 0; i < m_graph.outputs().size(); ++i)
            m_made.text += format("output {} = {}\n", outputName(i, taken), text(m_graph.outputs()[i]));
        return std::move(m_made);
    }

private:
    Result<Done> writeNode(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (node.kind == NodeKind::DefineVar)
            SW_CHECK(declareDimension(attributesOf<DimensionAttributes>(node).variable, usualSize(id)));
        SW_CHECK(declareDimensionsOf(node.shape));
        if (node.kind == NodeKind::Placeholder)
            return declare(id);
        if (const auto number = dimensionNumberText(m_graph, id, m_numbers)) { // it is written where it is read
            m_numbers.emplace(id, *number);
            m_text[id] = format("full([], {}, i64)", *number);
            return Done{};
        }
        const auto *constant = node.kind == NodeKind::Vconst ? attributesOf<TensorAttributes>(node).value.get() : nullptr;
        if (constant != nullptr && !isListed(*constant)) {
            m_text[id] = m_names.last(node.name.empty() ? "constant" : node.name);
            line(node.scope,
                 format("const {}: {} = {}", m_text[id], typeText(node.dtype, node.shape), stored(m_text[id], *constant)));
            return Done{};
        }
        SW_TRY(const std::string value, valueText(id));
        m_text[id] = m_names.last(node.name.empty() ? std::string_view("v") : std::string_view(node.name));
        comment(node, node.scope);
        line(node.scope, format("{} = {}", m_text[id], value));
        ++m_made.lines;
        return Done{};
    }

    [[nodiscard]] Result<std::string> valueText(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        if (m_inlined.isFull(id))
            return fullText(id);
        if (node.kind == NodeKind::Cast && m_numbers.contains(node.inputs[0]))
            return format("full([], {}, {})", m_numbers.at(node.inputs[0]), nameOf(node.dtype));
        return expressionText(m_graph, id, m_operand);
    }

    [[nodiscard]] std::string fullText(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        return format("full({}, {}, {})", shapeText(node.shape), numberText(*m_inlined.numberOf(id)), nameOf(node.dtype));
    }

    // A dimension that only shapes have is no node.
    Result<Done> declareDimensionsOf(const Shape &shape)
    {
        for (std::size_t axis = 0; axis < shape.rank(); ++axis)
            for (const SymbolicVariable &variable : shape.extent(axis).variables())
                SW_CHECK(declareDimension(variable, {}));
        return Done{};
    }

    Result<Done> declareDimension(const SymbolicVariable &variable, const std::string &usual)
    {
        if (!m_dimensions.insert(variable.name).second)
            return Done{};
        if (m_names.whole(variable.name) != variable.name)
            return Diagnostic::error(Code::Unsupported, {}, "the dimension {} has a name that a program cannot write",
                                     sw::quoted(variable.name));
        line(SourceMap::rootScope(), format("{}: dim[{}, {}]{}", variable.name, variable.low, variable.high, usual));
        return Done{};
    }

    // The size that it has where nothing says it is a node of its own.
    [[nodiscard]] std::string usualSize(NodeId dimension) const
    {
        for (const Node &bind : m_graph.nodes())
            if (bind.kind == NodeKind::Bind && bind.inputs[0] == dimension)
                return format(" = {}", attributesOf<BoundAttributes>(bind).value);
        return {};
    }

    void writeCall(const LibraryUse &use)
    {
        const std::string value = callText(use, m_operand);
        std::string targets;
        for (const NodeId id : tensorsGiven(use)) {
            std::string name = "_";
            if (id.isValid()) {
                const std::string &given = m_graph.node(id).name;
                name = m_text[id] = m_names.last(given.empty() ? std::string_view(use.function) : std::string_view(given));
            }
            targets += (targets.empty() ? "" : ", ") + name;
        }
        comment(m_graph.node(NodeId(use.first)), use.scope);
        line(use.scope, format("{} = {}", targets, value));
        ++m_made.lines;
    }

    Result<Done> declare(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const auto &attributes = attributesOf<PlaceholderAttributes>(node);
        if (attributes.role == PlaceholderRole::Dimension)
            return Diagnostic::error(Code::Unsupported, {}, "the dimension {} is not written as a program", attributes.name);
        std::string &name = m_text[id] = m_names.whole(attributes.name);
        const std::string type = format("{}{}", nameOf(node.dtype), shapeText(node.shape));
        std::string value;
        if (attributes.initial != nullptr)
            value = " = " + stored(attributes.name, *attributes.initial);
        else if (attributes.isRandom)
            value = format(" = random({})", attributes.seed);
        const std::string original = attributes.role == PlaceholderRole::Input && name != attributes.name
                                         ? format(" # {}", sw::quoted(attributes.name))
                                         : std::string();
        line(node.scope, format("{} {}: {}{}{}", nameOf(attributes.role), name, type, value, original));
        return Done{};
    }

    // Puts the tensor into the file; returns the call that loads it.
    std::string stored(const std::string &wanted, const HostTensor &value)
    {
        std::string name = wanted.empty() ? "tensor" : wanted;
        for (int i = 2; !m_stored.insert(name).second; ++i)
            name = format("{}_{}", wanted, i);
        m_made.weights.emplace_back(name, value);
        return format("load({}, {})", sw::quoted(m_options.weightsFile), sw::quoted(name));
    }

    std::string outputName(std::size_t index, std::set<std::string> &taken)
    {
        const std::string name = identifierOf(m_graph.outputNames()[index]); // it may hide a function: nothing follows
        std::string made = name;
        for (int i = 2; !taken.insert(made).second; ++i)
            made = format("{}_{}", name, i);
        return made;
    }

    [[nodiscard]] std::string text(NodeId id) const
    {
        if (const auto found = m_text.find(id); found != m_text.end())
            return found->second;
        if (const Scalar *value = m_inlined.numberOf(id)) {
            const std::string number = numberText(*value);
            return number.starts_with('-') ? "(" + number + ")" : number; // -2.0 ** x is -(2.0 ** x)
        }
        return text(m_graph.node(id).inputs.front());
    }

    void enter(ScopeId scope)
    {
        const std::string path = scope == SourceMap::rootScope() ? std::string() : m_scopes.textOf(scope);
        if (path == m_scope)
            return;
        m_scope = path;
        m_comment = 0;
        if (!path.empty())
            m_made.text += format("scope {}:\n", sw::quoted(path));
    }

    // The model's line that the node was made for, once for all of its nodes.
    void comment(const Node &node, ScopeId scope)
    {
        enter(scope);
        const std::uint32_t number = m_graph.sources().programRange(node.origin).line;
        if (number == m_comment || number == 0 || number > m_sourceLines.size())
            return;
        m_comment = number;
        std::string source = m_sourceLines[number - 1];
        source.erase(0, std::min(source.find_first_not_of(' '), source.size()));
        if (source.size() > kCommentLength)
            source = source.substr(0, kCommentLength) + " ...";
        put("# " + source);
    }
    void line(ScopeId scope, const std::string &text)
    {
        enter(scope);
        put(text);
    }
    void put(const std::string &text) { m_made.text.append(m_scope.empty() ? 0 : kIndent, ' ').append(text).append("\n"); }

    const Graph &m_graph;
    const ConvertOptions &m_options;
    Calls m_calls;
    InlinedValues m_inlined;
    ProgramNames m_names;
    ScopeNames m_scopes;
    const OperandText m_operand = [this](NodeId read) { return text(read); };
    std::vector<std::string> m_sourceLines;
    std::map<NodeId, std::string> m_text;
    std::set<std::string> m_stored;
    std::set<std::string> m_dimensions; // that were declared
    DimensionNumbers m_numbers;
    std::string m_scope;         // that lines are written in
    std::uint32_t m_comment = 0; // the line of the source that was written last
    ConvertedProgram m_made;
};

} // namespace

Result<ConvertedProgram> convertGraph(const Graph &graph, const ConvertOptions &options)
{
    return ProgramWriter(graph, options).write();
}

Result<Done> checkConverted(const Graph &graph, const std::string &text, const std::filesystem::path &folder,
                            const std::filesystem::path &libraryFolder)
{
    const ProgramResult compiled = compileProgram({"converted.sw", text, folder}, {libraryFolder}, {});
    if (!compiled.graph)
        return Failure(compiled.diagnostics);
    const bool isSame = isSameComputation(graph, *compiled.graph);
    if (!isSame && std::ranges::any_of(graph.nodes(), [](const Node &node) { return node.kind == NodeKind::DefineVar; }))
        return Diagnostic::error(Code::Unsupported, {},
                                 "numbers that are computed of dimensions are not in the form that a "
                                 "program computes them in");
    if (!isSame)
        return Diagnostic::error(Code::Internal, {}, "the program that was written does not compute the same graph");
    return Done{};
}

} // namespace sw
