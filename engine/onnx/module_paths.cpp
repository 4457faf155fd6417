#include "engine/onnx/module_paths.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace sw::onnx {

namespace {

constexpr std::size_t kFewestNodes = 2; // of a block that is worth folding
// A file may say anything: deeper modules are left out, and names that are longer have no path.
constexpr std::size_t kMostModules = 64;
constexpr std::size_t kLongestName = 4096;

ModulePath splitAt(std::string_view text, char separator)
{
    ModulePath parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin)
            parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

ModulePath pathInName(std::string_view name)
{
    const std::size_t slash = name.size() > kLongestName ? std::string_view::npos : name.rfind('/');
    return slash == std::string_view::npos ? ModulePath() : splitAt(name.substr(0, slash), '/');
}

// "layer1.0.conv1.weight" belongs to layer1/0/conv1.
ModulePath pathInWeights(const ModelNode &node, const std::set<std::string_view> &initializers)
{
    for (const std::string &input : node.inputs) {
        const std::size_t dot = input.rfind('.');
        if (dot != std::string::npos && input.size() <= kLongestName && initializers.contains(input))
            return splitAt(std::string_view(input).substr(0, dot), '.');
    }
    return {};
}

ModulePath sharedPath(const ModulePath &a, const ModulePath &b)
{
    return {a.begin(), std::ranges::mismatch(a, b).in1};
}

// Nodes without a path stand in the innermost module around the nodes before and behind them that have one.
void placeBetween(std::vector<ModulePath> &paths)
{
    std::size_t before = paths.size(); // none yet
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (paths[i].empty())
            continue;
        if (before < paths.size()) {
            const ModulePath shared = sharedPath(paths[before], paths[i]);
            std::fill(paths.begin() + static_cast<std::ptrdiff_t>(before) + 1, paths.begin() + static_cast<std::ptrdiff_t>(i),
                      shared);
        }
        before = i;
    }
}

// Dotted paths, each within the one before, as the names of modules.
ModulePath relativeParts(const std::vector<std::string> &dotted)
{
    ModulePath parts;
    std::string outer;
    for (const std::string &path : dotted) {
        const bool isWithin = !outer.empty() && path.starts_with(outer + ".");
        if (!path.empty() && path != outer)
            parts.push_back(isWithin ? path.substr(outer.size() + 1) : path);
        outer = path.empty() ? outer : path;
    }
    return parts;
}

struct Numbered {
    std::string base; // "layer" of "layer.3"
    std::uint64_t number = 0;
};

std::optional<Numbered> numbered(std::string_view name)
{
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    Numbered made;
    const char *const end = name.data() + name.size();
    if (digits == name.size() || std::from_chars(name.data() + digits, end, made.number).ec != std::errc())
        return std::nullopt;
    made.base = name.substr(0, digits);
    return made;
}

// The module at a path, and what it consists of.
struct Module {
    Hasher content; // of its operators in order, with their modules within it
    std::size_t nodes = 0;
    std::set<std::string> children;
};
using Modules = std::map<ModulePath, Module>;

Modules modulesOf(const std::vector<ModelNode> &nodes, const std::vector<ModulePath> &paths)
{
    Modules modules;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        ModulePath around;
        for (std::size_t depth = 0; depth <= paths[i].size(); ++depth) {
            Module &module = modules[around];
            ++module.nodes;
            for (std::size_t inner = depth; inner < paths[i].size(); ++inner)
                module.content.add(paths[i][inner]);
            module.content.add(nodes[i].domain).add(nodes[i].op);
            if (depth == paths[i].size())
                break;
            module.children.insert(paths[i][depth]);
            around.push_back(paths[i][depth]);
        }
    }
    return modules;
}

std::string groupName(std::string base, const ModulePath &parent, std::span<const std::uint64_t> run, bool isWhole)
{
    while (base.ends_with('.') || base.ends_with('_') || base.ends_with('-'))
        base.pop_back();
    if (base.empty())
        base = parent.empty() ? "block" : parent.back();
    if (isWhole)
        return format("{} x {}", base, run.size());
    return format("{} {}-{} x {}", base, run.front(), run.back(), run.size());
}

// The group that each repeated module stands in, by the module's path.
std::map<ModulePath, std::string> groupsOf(const Modules &modules)
{
    std::map<ModulePath, std::string> groups;
    for (const auto &[parent, module] : modules) {
        std::map<std::string, std::map<std::uint64_t, std::string>> families; // name by number, by base
        for (const std::string &child : module.children)
            if (const auto found = numbered(child))
                families[found->base].emplace(found->number, child);
        for (const auto &[base, members] : families) {
            const auto pathOf = [&, &outer = parent](const std::string &child) {
                ModulePath path = outer;
                path.push_back(child);
                return path;
            };
            for (auto first = members.begin(); first != members.end();) {
                const Module &pattern = modules.at(pathOf(first->second));
                auto last = first;
                std::vector<std::uint64_t> run{first->first};
                for (auto next = std::next(last); next != members.end() && next->first == last->first + 1 &&
                                                  modules.at(pathOf(next->second)).content.value() == pattern.content.value();
                     ++next) {
                    last = next;
                    run.push_back(next->first);
                }
                if (run.size() > 1 && pattern.nodes >= kFewestNodes) {
                    const std::string name = groupName(base, parent, run, run.size() == members.size());
                    for (auto each = first; each != std::next(last); ++each)
                        groups.emplace(pathOf(each->second), name);
                }
                first = std::next(last);
            }
        }
    }
    return groups;
}

} // namespace

ModulePath modulesInNameScopes(std::string_view text)
{
    if (text.size() > kLongestName)
        return {};
    std::vector<std::string> dotted;
    for (std::size_t begin = text.find('\''); begin != std::string_view::npos;) {
        const std::size_t end = text.find('\'', begin + 1);
        if (end == std::string_view::npos)
            return {};
        dotted.emplace_back(text.substr(begin + 1, end - begin - 1));
        begin = text.find('\'', end + 1);
    }
    if (!dotted.empty())
        dotted.pop_back(); // the node
    return relativeParts(dotted);
}

ModulePath modulesInNamespace(std::string_view text)
{
    if (text.size() > kLongestName)
        return {};
    std::vector<std::string> dotted = splitAt(text, '/');
    if (!dotted.empty())
        dotted.pop_back(); // the node
    for (std::string &part : dotted)
        part = part.substr(0, part.find(':'));
    return relativeParts(dotted);
}

std::vector<ModulePath> modulePaths(const ModelGraph &graph)
{
    std::vector<ModulePath> paths;
    for (const ModelNode &node : graph.nodes)
        paths.push_back(node.modules.empty() ? pathInName(node.name) : node.modules);
    if (std::ranges::all_of(paths, [](const ModulePath &path) { return path.empty(); })) {
        std::set<std::string_view> initializers;
        for (const Initializer &initializer : graph.initializers)
            initializers.insert(initializer.name);
        for (std::size_t i = 0; i < paths.size(); ++i)
            paths[i] = pathInWeights(graph.nodes[i], initializers);
        placeBetween(paths);
    }
    for (ModulePath &path : paths)
        path.resize(std::min(path.size(), kMostModules));
    const std::map<ModulePath, std::string> groups = groupsOf(modulesOf(graph.nodes, paths));
    if (groups.empty())
        return paths;
    for (ModulePath &path : paths) {
        ModulePath made;
        ModulePath around;
        for (const std::string &part : path) {
            around.push_back(part);
            if (const auto group = groups.find(around); group != groups.end())
                made.push_back(group->second);
            made.push_back(part);
        }
        path = std::move(made);
    }
    return paths;
}

} // namespace sw::onnx
