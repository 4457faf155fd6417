#include "engine/onnx/check_model.h"

#include "engine/onnx/read_model.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>

namespace sw::onnx {

namespace {

constexpr std::size_t kNoNode = std::numeric_limits<std::size_t>::max();
// A damaged file can have thousands of identical faults.
constexpr std::size_t kMaxDiagnostics = 20;

// The names that a graph reads from around it.
void addFreeNames(const ModelGraph &graph, std::set<std::string_view> &names);

void addUses(const ModelNode &node, std::set<std::string_view> &names)
{
    for (const std::string &input : node.inputs)
        if (!input.empty())
            names.insert(input);
    for (const Attribute &attribute : node.attributes)
        if (const auto *body = std::get_if<Subgraph>(&attribute.value))
            addFreeNames(**body, names);
        else if (node.op == "Gradient" && attribute.name == "y") // the one operator that names a value in an attribute
            if (const auto *name = std::get_if<std::string>(&attribute.value))
                names.insert(*name);
}

void addFreeNames(const ModelGraph &graph, std::set<std::string_view> &names)
{
    std::set<std::string_view> used;
    std::set<std::string_view> defined;
    for (const ValueInfo &input : graph.inputs)
        defined.insert(input.name);
    for (const Initializer &initializer : graph.initializers)
        defined.insert(initializer.name);
    for (const ModelNode &node : graph.nodes) {
        addUses(node, used);
        defined.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const ValueInfo &output : graph.outputs)
        used.insert(output.name);
    std::ranges::set_difference(used, defined, std::inserter(names, names.end()));
}

// Checks one graph. `outer` is that of the graph around it; null: nothing is.
class Checker {
public:
    Checker(const ModelGraph &model, const GraphListing &lines, const Listing &listing, const Checker *outer)
        : m_model(model), m_lines(lines), m_listing(listing), m_outer(outer)
    {
    }

    // Adds the orders of this graph and of the graphs of its nodes.
    void run(Orders &orders, Diagnostics &diagnostics)
    {
        define();
        checkUses();
        diagnostics.insert(diagnostics.end(), m_diagnostics.begin(), m_diagnostics.end());
        for (const ModelNode &node : m_model.nodes)
            for (const Attribute &attribute : node.attributes)
                if (const auto *body = std::get_if<Subgraph>(&attribute.value))
                    Checker(**body, m_listing.of(**body), m_listing, this).run(orders, diagnostics);
        if (!diagnostics.empty())
            return;
        auto found = order();
        if (found)
            orders.emplace(&m_model, std::move(*found));
        else
            diagnostics.push_back(found.error().front());
    }

private:
    [[nodiscard]] bool isDefined(std::string_view name) const
    {
        return m_makers.contains(name) || (m_outer != nullptr && m_outer->isDefined(name));
    }

    template <class Where>
    void report(const Where &where, const std::string &message, Code code = Code::MalformedModel)
    {
        if (m_diagnostics.size() < kMaxDiagnostics)
            m_diagnostics.push_back(Diagnostic::error(code, where, "{}", message));
    }

    void defineName(const std::string &name, std::size_t maker, SourceId place)
    {
        if (name.empty())
            report(m_listing.placeOf(place), "a value without a name");
        else if (!m_makers.try_emplace(name, maker).second)
            report(m_listing.placeOf(place), format("value '{}' is defined twice", displayText(name)), Code::DuplicateName);
    }

    void define()
    {
        for (std::size_t i = 0; i < m_model.inputs.size(); ++i)
            defineName(m_model.inputs[i].name, kNoNode, m_lines.inputs[i]);
        for (std::size_t i = 0; i < m_model.initializers.size(); ++i)
            defineName(m_model.initializers[i].name, kNoNode, m_lines.initializers[i]);
        for (std::size_t i = 0; i < m_model.nodes.size(); ++i) {
            for (const std::string &output : m_model.nodes[i].outputs) {
                if (!output.empty())
                    defineName(output, i, m_lines.nodes[i]);
            }
        }
    }

    void checkUses()
    {
        for (std::size_t i = 0; i < m_model.nodes.size(); ++i) {
            for (const std::string &input : m_model.nodes[i].inputs) {
                if (!input.empty() && !isDefined(input))
                    report(m_listing.placeOf(m_lines.nodes[i]),
                           format("{} reads '{}', which nothing defines", nodeText(m_model.nodes[i]), displayText(input)));
            }
        }
        std::unordered_map<std::string_view, bool> seen;
        for (std::size_t i = 0; i < m_model.outputs.size(); ++i) {
            const std::string &name = m_model.outputs[i].name;
            if (!isDefined(name))
                report(m_listing.placeOf(m_lines.outputs[i]), format("output '{}' is defined by nothing", displayText(name)));
            if (m_outer == nullptr && !seen.try_emplace(name, true).second)
                report(m_listing.placeOf(m_lines.outputs[i]), format("output '{}' is listed twice", displayText(name)),
                       Code::DuplicateName);
        }
    }

    [[nodiscard]] std::set<std::string_view> usesOf(std::size_t node) const
    {
        std::set<std::string_view> names;
        addUses(m_model.nodes[node], names);
        return names;
    }

    // Marks the nodes that the outputs need, without recursion, because chains in a file may have any length.
    std::vector<bool> neededNodes() const
    {
        std::vector<bool> needed(m_model.nodes.size(), false);
        std::vector<std::size_t> open;
        const auto need = [&](std::string_view name) {
            const auto maker = m_makers.find(name);
            if (maker == m_makers.end() || maker->second == kNoNode || needed[maker->second])
                return;
            needed[maker->second] = true;
            open.push_back(maker->second);
        };
        for (const ValueInfo &output : m_model.outputs)
            need(output.name);
        while (!open.empty()) {
            const std::size_t node = open.back();
            open.pop_back();
            for (const std::string_view input : usesOf(node))
                need(input);
        }
        return needed;
    }

    Result<std::vector<std::size_t>> order() const
    {
        const std::vector<bool> needed = neededNodes();
        std::vector<std::size_t> waitsFor(needed.size(), 0);
        std::vector<std::vector<std::size_t>> readers(needed.size());
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        std::size_t count = 0;
        for (std::size_t i = 0; i < needed.size(); ++i) {
            if (!needed[i])
                continue;
            ++count;
            for (const std::string_view input : usesOf(i)) {
                const auto maker = m_makers.find(input);
                if (maker == m_makers.end() || maker->second == kNoNode)
                    continue;
                ++waitsFor[i];
                readers[maker->second].push_back(i);
            }
            if (waitsFor[i] == 0)
                ready.push(i);
        }
        std::vector<std::size_t> order;
        while (!ready.empty()) {
            order.push_back(ready.top());
            ready.pop();
            for (const std::size_t reader : readers[order.back()]) {
                if (--waitsFor[reader] == 0)
                    ready.push(reader);
            }
        }
        if (order.size() == count)
            return order;
        return cycle(waitsFor);
    }

    Diagnostic cycle(const std::vector<std::size_t> &waitsFor) const
    {
        std::size_t first = 0;
        while (waitsFor[first] == 0)
            ++first;
        return Diagnostic::error(Code::MalformedModel, m_listing.placeOf(m_lines.nodes[first]),
                                 "{} can never run: it stands in a cycle of nodes, or reads from one",
                                 nodeText(m_model.nodes[first]));
    }

    const ModelGraph &m_model;
    const GraphListing &m_lines;
    const Listing &m_listing;
    const Checker *m_outer;
    std::unordered_map<std::string_view, std::size_t> m_makers;
    Diagnostics m_diagnostics;
};

} // namespace

Result<Orders> checkedOrders(const Model &model, const Listing &listing)
{
    Orders orders;
    Diagnostics diagnostics;
    Checker(model, listing, listing, nullptr).run(orders, diagnostics);
    for (const ModelFunction &function : model.functions)
        Checker(function, listing.of(function), listing, nullptr).run(orders, diagnostics);
    if (model.outputs.empty())
        diagnostics.push_back(Diagnostic::error(Code::MalformedModel,
                                                SourceRange{.file = listing.sources->file(SourceMap::programFile()).name}, "{}",
                                                "the model has no outputs"));
    if (diagnostics.empty())
        return orders;
    if (diagnostics.size() > kMaxDiagnostics)
        diagnostics.erase(diagnostics.begin() + kMaxDiagnostics, diagnostics.end());
    return Failure(std::move(diagnostics));
}

} // namespace sw::onnx
