#include "engine/onnx/open_model.h"

#include "engine/graph/open_graph.h"
#include "engine/language/identifier.h"
#include "engine/language/library_uses.h"
#include "engine/onnx/read_model.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sw::onnx {

namespace {

using Names = std::vector<std::string>; // of dimensions

Failure errorsOf(const Diagnostics &diagnostics)
{
    Diagnostics errors;
    for (const Diagnostic &diagnostic : diagnostics)
        if (diagnostic.severity == Severity::Error)
            errors.push_back(diagnostic);
    return Failure(std::move(errors));
}

class OpenImport {
public:
    OpenImport(const Model &model, const ModelOptions &options, const ModelImport &import)
        : m_model(model), m_options(options), m_import(import)
    {
    }

    ModelResult run()
    {
        ModelResult closed = m_import(optionsFor({}, {}));
        if (!closed.graph) // it says what is wrong with the names, or with the model
            return closed;
        Names names;
        for (const auto &[name, range] : m_options.openDimensions)
            names.push_back(name);
        Result<ModelResult> open = opened(names);
        if (!open && names.size() > 1) {
            std::erase_if(names, [&](const std::string &name) {
                const Result<ModelResult> alone = opened({name});
                if (!alone)
                    note(name, alone.error());
                return !alone;
            });
            if (!names.empty())
                open = opened(names);
        }
        if (!open)
            for (const std::string &name : names)
                note(name, open.error());
        ModelResult &made = open ? *open : closed;
        made.diagnostics.insert(made.diagnostics.end(), m_notes.begin(), m_notes.end());
        return std::move(made);
    }

private:
    // Of these dimensions, the sizes; the others are as they are given, or the least of their ranges.
    [[nodiscard]] ModelOptions optionsFor(const Names &names, const std::vector<std::int64_t> &sizes) const
    {
        ModelOptions made = m_options;
        made.openDimensions.clear();
        std::set<std::string> settled;
        for (const ValueInfo &input : m_model.inputs) {
            const auto given = made.givenInputs.find(displayText(input.name));
            if (given == made.givenInputs.end() || !input.shape || given->second.shape().rank() != input.shape->size())
                continue;
            bool isOpened = false;
            for (std::size_t axis = 0; axis < input.shape->size(); ++axis) {
                const Dimension &dimension = (*input.shape)[axis];
                const std::string name = displayText(dimension.symbol);
                if (!isOpen(dimension))
                    continue;
                const bool isOne = std::ranges::find(names, name) != names.end();
                isOpened = isOpened || isOne;
                if (!isOne && settled.insert(name).second)
                    made.dimensions.emplace(name, given->second.shape()[axis]);
            }
            if (isOpened) // a run binds it
                made.givenInputs.erase(given);
        }
        for (std::size_t i = 0; i < names.size(); ++i)
            made.dimensions[names[i]] = sizes[i];
        for (const auto &[name, range] : m_options.openDimensions)
            made.dimensions.emplace(name, range.low);
        return made;
    }

    // Words that no input and no parameter has as its name.
    [[nodiscard]] std::vector<SymbolicVariable> variablesOf(const Names &names) const
    {
        std::set<std::string> taken;
        for (const ValueInfo &input : m_model.inputs)
            taken.insert(displayText(input.name));
        for (const Initializer &initializer : m_model.initializers)
            taken.insert(displayText(initializer.name));
        std::vector<SymbolicVariable> variables;
        for (const std::string &name : names) {
            const std::string base = identifierOf(name);
            std::string own = base;
            for (int i = 2; !taken.insert(own).second; ++i)
                own = format("{}_{}", base, i);
            const DimensionRange &range = m_options.openDimensions.at(name);
            variables.push_back({std::move(own), range.low, range.high});
        }
        return variables;
    }

    [[nodiscard]] Result<ModelResult> opened(const Names &names) const
    {
        std::optional<ModelResult> first;
        const auto graphOf = [&](const std::vector<std::int64_t> &sizes) -> Result<Graph> {
            ModelResult made = m_import(optionsFor(names, sizes));
            if (!made.graph)
                return errorsOf(made.diagnostics);
            Graph graph = std::move(*made.graph);
            if (!first)
                first = std::move(made);
            return graph;
        };
        SW_TRY(OpenGraph open, openGraph(variablesOf(names), graphOf));
        first->graph = std::move(open.graph);
        first->libraryUses = language::usesIn(first->libraryUses, open.made);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const DimensionRange range{open.dimensions[i].low, open.dimensions[i].high};
            const auto chosen = std::ranges::find(first->chosenDimensions, names[i], &DimensionChoice::name);
            chosen->size = range;
            if (range != m_options.openDimensions.at(names[i]))
                first->diagnostics.push_back(beginsAtTwo(names[i]));
        }
        return std::move(*first);
    }

    [[nodiscard]] static Diagnostic beginsAtTwo(const std::string &name)
    {
        return {Severity::Note,
                Code::Argument,
                format("the dimension {} begins at 2: for 1 the model is another program", name),
                {},
                {},
                {}};
    }

    void note(const std::string &name, const Diagnostics &why)
    {
        const Diagnostic &first = why.front();
        const auto size = optionsFor({}, {}).dimensions.at(name);
        m_notes.push_back({Severity::Note,
                           Code::Unsupported,
                           format("the dimension {} is {} in the program: {}", name, size, first.message),
                           first.where,
                           format("--dim {}=N makes it N", name),
                           {}});
    }

    const Model &m_model;
    const ModelOptions &m_options;
    const ModelImport &m_import;
    Diagnostics m_notes;
};

} // namespace

ModelResult importOpen(const Model &model, const ModelOptions &options, const ModelImport &import)
{
    return OpenImport(model, options, import).run();
}

} // namespace sw::onnx
