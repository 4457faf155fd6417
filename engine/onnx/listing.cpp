#include "engine/onnx/listing.h"

#include "engine/onnx/module_paths.h"
#include "engine/onnx/read_model.h"

#include <map>

namespace sw::onnx {

namespace {

// A node in more modules keeps the deeper ones in the last scope.
constexpr std::size_t kMaxScopeDepth = 64;
// Longer lists in attributes are cut to keep the listing readable.
constexpr std::size_t kShownElements = 16;
constexpr std::size_t kIndent = 4;

template <class T>
std::string listText(const std::vector<T> &list)
{
    std::string out = "[";
    for (std::size_t i = 0; i < list.size() && i < kShownElements; ++i) {
        out += i == 0 ? "" : ", ";
        if constexpr (std::is_same_v<T, std::string>)
            out += '"' + displayText(list[i]) + '"';
        else if constexpr (std::is_same_v<T, float>)
            out += floatText(list[i]);
        else
            out += format("{}", list[i]);
    }
    if (list.size() > kShownElements)
        out += format(", ... {} in all", list.size());
    return out + "]";
}

std::string tensorText(const Result<HostTensor> &tensor)
{
    if (!tensor)
        return "?";
    if (tensor->elements() != 1)
        return format("{}{}", nameOf(tensor->dtype()), toText(tensor->shape()));
    return format("{}{} {}", nameOf(tensor->dtype()), toText(tensor->shape()), toText(tensor->at(0)));
}

struct AttributeText {
    std::string operator()(std::monostate) const { return "?"; }
    std::string operator()(float value) const { return floatText(value); }
    std::string operator()(std::int64_t value) const { return format("{}", value); }
    std::string operator()(const std::string &value) const { return '"' + displayText(value) + '"'; }
    std::string operator()(const Result<HostTensor> &value) const { return tensorText(value); }
    template <class T>
    std::string operator()(const std::vector<T> &value) const
    {
        return listText(value);
    }
    std::string operator()(const Subgraph &) const { return "..."; } // it stands behind the node
    std::string operator()(const AttributeReference &value) const { return '@' + displayText(value.name); }
};

std::string namesText(const std::vector<std::string> &names)
{
    return join(names, ", ", [](const std::string &name) { return name.empty() ? std::string("_") : displayText(name); });
}

std::string lineOf(const ModelNode &node)
{
    std::string line = node.outputs.empty() ? std::string("_") : namesText(node.outputs);
    line += " = ";
    if (!node.domain.empty())
        line += displayText(node.domain) + ".";
    line += displayText(node.op) + "(" + namesText(node.inputs) + ")";
    for (const Attribute &attribute : node.attributes)
        line += " " + displayText(attribute.name) + "=" + std::visit(AttributeText{}, attribute.value);
    return line;
}

std::string dimensionText(const Dimension &dimension)
{
    if (!isOpen(dimension))
        return format("{}", dimension.extent);
    return dimension.symbol.empty() ? "?" : displayText(dimension.symbol);
}

std::string lineOf(std::string_view keyword, const ValueInfo &info)
{
    const std::string line = format("{} {}", keyword, displayText(info.name));
    return info.isTensor ? line + ": " + typeText(info) : line;
}

class Lister {
public:
    explicit Lister(const std::string &fileName) : m_fileName(fileName) {}

    void heading(const std::string &text) { addLine(text); }
    void indent() { m_indent += kIndent; }
    void outdent() { m_indent -= kIndent; }

    SourceId item(const std::string &line, ScopeId scope, std::string label)
    {
        addLine(line);
        const auto begin = static_cast<std::uint32_t>(m_indent) + 1;
        const SourceRange range{.file = m_fileName,
                                .line = m_line,
                                .column = begin,
                                .endLine = m_line,
                                .endColumn = begin + static_cast<std::uint32_t>(line.size())};
        m_items.push_back({SourceMap::programFile(), range, scope, SourceId(), std::move(label)});
        return SourceId(m_items.size() - 1);
    }

    // The scope of a node.
    ScopeId scopeOf(const ModulePath &path)
    {
        ScopeId scope = SourceMap::rootScope();
        for (std::size_t depth = 0; depth < path.size() && depth < kMaxScopeDepth; ++depth)
            scope = childScope(scope, path[depth]);
        return scope;
    }

    SourceMapPtr finish() &&
    {
        m_sources.addFile({m_fileName, std::move(m_text)});
        for (SourceItem &entry : m_items)
            m_sources.addItem(std::move(entry));
        return std::make_shared<const SourceMap>(std::move(m_sources));
    }

private:
    void addLine(const std::string &line)
    {
        m_text.append(m_indent, ' ').append(line).append("\n");
        ++m_line;
    }
    ScopeId childScope(ScopeId parent, std::string_view name)
    {
        const auto [found, isNew] = m_scopes.try_emplace({parent, std::string(name)}, parent);
        if (isNew)
            found->second = m_sources.addScope({displayText(name), parent, SourceId()});
        return found->second;
    }

    std::string m_fileName;
    std::string m_text;
    std::uint32_t m_line = 0;
    std::size_t m_indent = 0;
    std::vector<SourceItem> m_items;
    std::map<std::pair<ScopeId, std::string>, ScopeId> m_scopes;
    SourceMap m_sources;
};

std::string labelOf(const ModelNode &node)
{
    const std::string_view name = node.name;
    const std::size_t slash = name.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
    return displayText(last.empty() ? std::string_view(node.op) : last);
}

using Bodies = std::unordered_map<const ModelGraph *, GraphListing>;

void listBody(const ModelGraph &graph, Lister &lister, Bodies &bodies);

void listGraph(const ModelGraph &graph, Lister &lister, GraphListing &listing, Bodies &bodies)
{
    const ScopeId root = SourceMap::rootScope();
    for (const ValueInfo &input : graph.inputs)
        listing.inputs.push_back(lister.item(lineOf("input", input), root, displayText(input.name)));
    for (const Initializer &initializer : graph.initializers) {
        const std::string name = displayText(initializer.name);
        const std::string line = format("param {}: {}", name, tensorText(initializer.value));
        listing.initializers.push_back(lister.item(line, root, name));
    }
    const std::vector<ModulePath> paths = modulePaths(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const ModelNode &node = graph.nodes[i];
        const bool isInModule = !paths[i].empty();
        if (isInModule && (i == 0 || paths[i] != paths[i - 1]))
            lister.heading(join(paths[i], "/", [](const std::string &part) { return displayText(part); }) + ":");
        if (isInModule)
            lister.indent();
        listing.nodes.push_back(lister.item(lineOf(node), lister.scopeOf(paths[i]), labelOf(node)));
        for (const Attribute &attribute : node.attributes) {
            if (const auto *body = std::get_if<Subgraph>(&attribute.value)) {
                lister.indent();
                lister.heading(displayText(attribute.name) + ":");
                listBody(**body, lister, bodies);
                lister.outdent();
            }
        }
        if (isInModule)
            lister.outdent();
    }
    for (const ValueInfo &output : graph.outputs)
        listing.outputs.push_back(lister.item(lineOf("output", output), root, displayText(output.name)));
}

void listBody(const ModelGraph &graph, Lister &lister, Bodies &bodies)
{
    GraphListing listing;
    lister.indent();
    listGraph(graph, lister, listing, bodies);
    lister.outdent();
    bodies.emplace(&graph, std::move(listing));
}

// "; 5998 parameters in 8 tensors, 23992 bytes"
std::string weightsText(const ModelGraph &graph)
{
    std::int64_t elements = 0;
    std::size_t bytes = 0;
    std::size_t tensors = 0;
    for (const Initializer &initializer : graph.initializers) {
        if (!initializer.value)
            continue;
        ++tensors;
        elements += initializer.value->elements();
        bytes += initializer.value->byteSize();
    }
    return tensors == 0 ? std::string()
                        : format("; {} parameters in {} tensor{}, {} bytes", elements, tensors, tensors == 1 ? "" : "s", bytes);
}

} // namespace

std::string typeText(const ValueInfo &info)
{
    const std::string shape = info.shape ? "[" + join(*info.shape, ", ", dimensionText) + "]" : "[...]";
    if (info.narrow != Narrow::None)
        return std::string(nameOf(info.narrow)) + shape;
    return (info.dtype ? std::string(nameOf(*info.dtype)) : "?") + shape;
}

Listing listModel(const Model &model, const std::string &fileName)
{
    Lister lister(fileName);
    Listing listing;
    const auto opsetsText = [](const Opsets &opsets) {
        return join(opsets, ", ", [](const auto &opset) {
            return format("{} {}", opset.first.empty() ? "opset" : displayText(opset.first), opset.second);
        });
    };
    lister.heading(format("# model {}", displayText(model.name)));
    lister.heading(format("# {}; made by {}{}{}", opsetsText(model.opsets),
                          model.producer.empty() ? "an unknown producer" : displayText(model.producer),
                          model.licence.empty() ? std::string() : "; licence " + displayText(model.licence), weightsText(model)));
    listGraph(model, lister, listing, listing.bodies);
    for (const ModelFunction &function : model.functions) {
        const std::string name = displayText(function.domain.empty() ? function.name : function.domain + "." + function.name);
        lister.heading(format("function {}: # {}", name, opsetsText(function.opsets)));
        listBody(function, lister, listing.bodies);
    }
    listing.sources = std::move(lister).finish();
    return listing;
}

std::string nodeText(const ModelNode &node)
{
    const std::string op = displayText(node.domain.empty() ? node.op : node.domain + "." + node.op);
    if (!node.name.empty())
        return format("{} '{}'", op, displayText(node.name));
    return node.outputs.empty() ? op : format("{} that makes '{}'", op, displayText(node.outputs.front()));
}

} // namespace sw::onnx
