#include "engine/onnx/repeated_names.h"

#include <algorithm>
#include <map>
#include <set>

namespace sw::onnx {

namespace {

using Renames = std::map<std::string, std::string, std::less<>>; // what a name means at a place, where it is not the name itself

class NameResolver {
public:
    explicit NameResolver(ModelGraph &graph) { addNames(graph); }

    void resolve(ModelGraph &graph, Renames meaning)
    {
        for (const ValueInfo &input : graph.inputs)
            meaning.erase(input.name);
        keepLastInitializers(graph);
        std::map<std::string, std::size_t> left; // definitions still to come
        for (const Initializer &initializer : graph.initializers)
            ++left[initializer.name];
        for (const ModelNode &node : graph.nodes)
            for (const std::string &output : node.outputs)
                if (!output.empty())
                    ++left[output];
        for (const ValueInfo &input : graph.inputs)
            left.erase(input.name);
        for (Initializer &initializer : graph.initializers)
            define(initializer.name, left, meaning);
        for (ModelNode &node : graph.nodes) {
            for (std::string &input : node.inputs)
                if (const auto found = meaning.find(input); found != meaning.end())
                    input = found->second;
            resolveBodies(node, meaning);
            for (std::string &output : node.outputs)
                define(output, left, meaning);
        }
        for (ValueInfo &output : graph.outputs)
            if (const auto found = meaning.find(output.name); found != meaning.end())
                output.name = found->second; // of a body: a value of the graph around it
    }

    [[nodiscard]] std::vector<std::string> repeated() const { return {m_repeated.begin(), m_repeated.end()}; }

private:
    void addNames(const ModelGraph &graph)
    {
        for (const ValueInfo &input : graph.inputs)
            m_names.insert(input.name);
        for (const Initializer &initializer : graph.initializers)
            m_names.insert(initializer.name);
        for (const ModelNode &node : graph.nodes) {
            m_names.insert(node.outputs.begin(), node.outputs.end());
            for (const Attribute &attribute : node.attributes)
                if (const auto *body = std::get_if<Subgraph>(&attribute.value))
                    addNames(**body);
        }
    }

    void keepLastInitializers(ModelGraph &graph)
    {
        std::set<std::string_view> seen;
        std::vector<Initializer> kept;
        for (std::size_t i = graph.initializers.size(); i-- > 0;) {
            if (seen.insert(graph.initializers[i].name).second)
                kept.push_back(graph.initializers[i]);
            else
                m_repeated.insert(graph.initializers[i].name);
        }
        if (kept.size() == graph.initializers.size())
            return;
        std::ranges::reverse(kept);
        graph.initializers = std::move(kept);
    }

    void define(std::string &name, std::map<std::string, std::size_t> &left, Renames &meaning)
    {
        const auto found = left.find(name);
        if (found == left.end())
            return;
        meaning.erase(name);
        if (--found->second == 0)
            return;
        m_repeated.insert(name);
        std::string free;
        for (std::size_t i = 1; free.empty() || !m_names.insert(free).second; ++i)
            free = format("{}~{}", name, i);
        meaning[name] = free;
        name = free;
    }

    void resolveBodies(ModelNode &node, const Renames &meaning)
    {
        for (Attribute &attribute : node.attributes) {
            auto *body = std::get_if<Subgraph>(&attribute.value);
            if (body == nullptr)
                continue;
            ModelGraph changed = **body;
            resolve(changed, meaning);
            *body = std::make_shared<const ModelGraph>(std::move(changed));
        }
    }

    std::set<std::string> m_names; // of the whole model
    std::set<std::string> m_repeated;
};

} // namespace

std::vector<std::string> resolveRepeatedNames(ModelGraph &graph)
{
    NameResolver resolver(graph);
    resolver.resolve(graph, {});
    return resolver.repeated();
}

} // namespace sw::onnx
