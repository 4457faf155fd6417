#include "engine/onnx/import.h"

#include "engine/base/mapped_file.h"
#include "engine/base/work_progress.h"
#include "engine/onnx/check_model.h"
#include "engine/onnx/importer.h"
#include "engine/onnx/open_model.h"
#include "engine/onnx/read_model.h"

#include <algorithm>

namespace sw {

namespace {

using namespace onnx;

Diagnostic decidingNote(const std::string &input, const Model &model, const Listing &listing)
{
    const auto found = std::ranges::find(model.inputs, input, [](const ValueInfo &info) { return displayText(info.name); });
    const auto index = static_cast<std::size_t>(found - model.inputs.begin());
    return {Severity::Note,
            Code::Argument,
            format("input '{}' decides shapes; the program is compiled for the value that is given", input),
            listing.placeOf(listing.inputs.at(index)),
            {},
            {}};
}

// At the last definition, which counts.
Diagnostic repeatedWarning(const std::string &name, const Model &model, const Listing &listing)
{
    SourceRange where{.file = listing.sources->file(SourceMap::programFile()).name};
    for (std::size_t i = 0; i < model.initializers.size(); ++i)
        if (model.initializers[i].name == name)
            where = listing.placeOf(listing.initializers[i]);
    for (std::size_t i = 0; i < model.nodes.size(); ++i)
        if (std::ranges::find(model.nodes[i].outputs, name) != model.nodes[i].outputs.end())
            where = listing.placeOf(listing.nodes[i]);
    return Diagnostic::warning(Code::DuplicateName, where,
                               "value '{}' is defined more than once; each node reads the last definition before it",
                               displayText(name));
}

// Import itself shows which inputs decide shapes. It is then repeated with their values as constants, so that no node reads a
// value that could differ in a later run.
ModelResult importSettled(const Model &model, const Listing &listing, const Orders &orders, const ModelOptions &options,
                          const std::stop_token &stop)
{
    auto inputs = settleInputs(model, listing, options);
    if (!inputs)
        return {.sources = listing.sources, .diagnostics = inputs.error()};
    std::set<std::string> constants;
    while (true) {
        if (options.progress != nullptr)
            options.progress->begin("Import");
        ImportResult made =
            importModel({model, listing, orders, inputs->inputs, constants, options.libraryFolder, stop, options.progress});
        if (made.graph && !std::ranges::includes(constants, made.decidingInputs)) {
            constants.merge(made.decidingInputs);
            continue;
        }
        ModelResult result{
            .graph = std::move(made.graph), .sources = std::move(made.sources), .diagnostics = std::move(inputs->notes)};
        result.assumedDimensions = std::move(inputs->assumedDimensions);
        result.chosenDimensions = std::move(inputs->chosenDimensions);
        for (const std::string &name : model.repeatedNames)
            result.diagnostics.push_back(repeatedWarning(name, model, listing));
        result.libraryUses = std::move(made.libraryUses);
        result.constantInputs.assign(constants.begin(), constants.end());
        for (const std::string &input : constants)
            result.diagnostics.push_back(decidingNote(input, model, listing));
        result.diagnostics.insert(result.diagnostics.end(), made.diagnostics.begin(), made.diagnostics.end());
        return result;
    }
}

ModelResult importChecked(const Model &model, const Listing &listing, const ModelOptions &options, const std::stop_token &stop)
{
    const auto orders = checkedOrders(model, listing);
    if (!orders)
        return {.sources = listing.sources, .diagnostics = orders.error()};
    const auto import = [&](const ModelOptions &settled) { return importSettled(model, listing, *orders, settled, stop); };
    return options.openDimensions.empty() ? import(options) : importOpen(model, options, import);
}

ModelResult importBytes(const ModelBytes &from, const ModelOptions &options, const std::stop_token &stop)
{
    const auto model = readModel(from, stop);
    if (!model)
        return {.sources = nullptr, .diagnostics = model.error()};
    return importChecked(*model, listModel(*model, from.fileName), options, stop);
}

} // namespace

std::filesystem::path folderOf(const std::filesystem::path &file)
{
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

ModelResult importOnnx(std::span<const std::byte> bytes, const std::string &fileName, const ModelOptions &options,
                       std::stop_token stop)
{
    return importBytes({bytes, nullptr, fileName, options.folder}, options, stop);
}

ModelResult importOnnx(const std::filesystem::path &file, const ModelOptions &options, std::stop_token stop)
{
    const auto mapped = MappedFile::open(file);
    if (!mapped)
        return {.sources = nullptr, .diagnostics = mapped.error()};
    const std::filesystem::path folder = options.folder.empty() ? folderOf(file) : options.folder;
    return importBytes({(*mapped)->bytes(), *mapped, file.string(), folder}, options, stop);
}

} // namespace sw
