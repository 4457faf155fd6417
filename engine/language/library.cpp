#include "engine/language/library.h"

#include "engine/base/origin.h"
#include "engine/language/parser.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace sw::language {

namespace {

constexpr std::string_view kOperatorFolder = "onnx"; // beside the others: functions for the operators of models

std::optional<std::string> textOf(const std::filesystem::path &path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return std::nullopt;
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

} // namespace

std::optional<Library::Found> Library::find(std::string_view name, SourceMap &sources, Diagnostics &diagnostics)
{
    auto found = m_modules.find(std::string(name));
    if (found == m_modules.end()) {
        std::string fileName = std::string(name) + ".sw";
        auto text = textOf(m_folder / fileName);
        if (!text) {
            fileName = std::string(kOperatorFolder) + "/" + fileName;
            text = textOf(m_folder / fileName);
        }
        std::unique_ptr<Module> module;
        if (text) {
            module = std::make_unique<Module>("library/" + fileName, std::move(*text));
            ParsedFile parsed = parse(module->source);
            diagnostics.insert(diagnostics.end(), parsed.diagnostics.begin(), parsed.diagnostics.end());
            module->tree = std::move(parsed.tree);
            module->file = sources.addFile({module->source.name(), std::string(module->source.text())});
            listFunctions(*module, diagnostics);
        }
        found = m_modules.emplace(std::string(name), std::move(module)).first;
    }
    const Module *module = found->second.get();
    if (module == nullptr)
        return std::nullopt;
    const auto definition = module->functions.find(name);
    if (definition == module->functions.end())
        return std::nullopt;
    return Found{module, definition->second};
}

std::vector<std::string> Library::names() const
{
    std::vector<std::string> out;
    for (const std::filesystem::path &folder : {m_folder, m_folder / kOperatorFolder}) {
        std::error_code error;
        for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
            if (entry.path().extension() == ".sw")
                out.push_back(entry.path().stem().string());
        }
    }
    std::ranges::sort(out);
    return out;
}

void listFunctions(Module &module, Diagnostics &diagnostics)
{
    for (const StatementId id : module.tree.program) {
        const Statement &statement = module.tree.statement(id);
        if (statement.kind != StatementKind::Def || statement.targets.front().text.empty())
            continue;
        const NameSyntax &name = statement.targets.front();
        if (!module.functions.emplace(name.text, id).second)
            diagnostics.push_back(Diagnostic::error(Code::DuplicateName, module.source.rangeOf(name.range),
                                                    "the function {} is defined twice", name.text));
    }
}

} // namespace sw::language
