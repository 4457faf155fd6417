#include "engine/onnx/check_model.h"

#include "engine/onnx/read_model.h"

#include <limits>
#include <queue>
#include <string_view>
#include <unordered_map>

namespace sw::onnx {

namespace {

constexpr std::size_t kNoNode = std::numeric_limits<std::size_t>::max();
// A damaged file can have thousands of identical faults.
constexpr std::size_t kMaxDiagnostics = 20;

class Checker {
public:
    Checker(const Model &model, const Listing &listing) : m_model(model), m_listing(listing) {}

    Result<std::vector<std::size_t>> run()
    {
        define();
        checkUses();
        if (m_model.outputs.empty())
            report(SourceRange{.file = m_listing.sources->file(SourceMap::programFile()).name}, "the model has no outputs");
        if (!m_diagnostics.empty())
            return Failure(std::move(m_diagnostics));
        return order();
    }

private:
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
            defineName(m_model.inputs[i].name, kNoNode, m_listing.inputs[i]);
        for (std::size_t i = 0; i < m_model.initializers.size(); ++i)
            defineName(m_model.initializers[i].name, kNoNode, m_listing.initializers[i]);
        for (std::size_t i = 0; i < m_model.nodes.size(); ++i) {
            for (const std::string &output : m_model.nodes[i].outputs) {
                if (!output.empty())
                    defineName(output, i, m_listing.nodes[i]);
            }
        }
    }

    void checkUses()
    {
        for (std::size_t i = 0; i < m_model.nodes.size(); ++i) {
            for (const std::string &input : m_model.nodes[i].inputs) {
                if (!input.empty() && !m_makers.contains(input))
                    report(m_listing.placeOf(m_listing.nodes[i]),
                           format("{} reads '{}', which nothing defines", nodeText(m_model.nodes[i]), displayText(input)));
            }
        }
        std::unordered_map<std::string_view, bool> seen;
        for (std::size_t i = 0; i < m_model.outputs.size(); ++i) {
            const std::string &name = m_model.outputs[i].name;
            if (!m_makers.contains(name))
                report(m_listing.placeOf(m_listing.outputs[i]), format("output '{}' is defined by nothing", displayText(name)));
            if (!seen.try_emplace(name, true).second)
                report(m_listing.placeOf(m_listing.outputs[i]), format("output '{}' is listed twice", displayText(name)),
                       Code::DuplicateName);
        }
    }

    // Marks the nodes that the outputs need, without recursion, because chains in a file may have any length.
    std::vector<bool> neededNodes() const
    {
        std::vector<bool> needed(m_model.nodes.size(), false);
        std::vector<std::size_t> open;
        const auto need = [&](const std::string &name) {
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
            for (const std::string &input : m_model.nodes[node].inputs)
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
            for (const std::string &input : m_model.nodes[i].inputs) {
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
        return Diagnostic::error(Code::MalformedModel, m_listing.placeOf(m_listing.nodes[first]),
                                 "{} can never run: it stands in a cycle of nodes, or reads from one",
                                 nodeText(m_model.nodes[first]));
    }

    const Model &m_model;
    const Listing &m_listing;
    std::unordered_map<std::string_view, std::size_t> m_makers;
    Diagnostics m_diagnostics;
};

} // namespace

Result<std::vector<std::size_t>> checkedOrder(const Model &model, const Listing &listing)
{
    return Checker(model, listing).run();
}

} // namespace sw::onnx
