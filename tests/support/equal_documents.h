#pragma once
// Whether two documents, or the documents of two reports, say the same. Compares every member by hand, so that a form of storage
// that forgets one does not pass.

#include "engine/api/report.h"
#include "engine/base/text.h"

#include <algorithm>
#include <string>

namespace sw {

// Where they differ first; empty: nowhere.
[[nodiscard]] inline std::string firstDifference(const StageDocument &a, const StageDocument &b)
{
    if (a.kind != b.kind || a.title != b.title)
        return "kind or title";
    const auto sizes = [](const StageDocument &of) {
        return std::vector{of.items.size(), of.edges.size(),  of.groups.size(),
                           of.lines.size(), of.charts.size(), of.parts.size()};
    };
    if (sizes(a) != sizes(b))
        return "sizes";
    const auto sameFields = [](const DocumentItem &x, const DocumentItem &y) {
        return std::ranges::equal(x.fields.values(), y.fields.values(), [](const DocumentField &one, const DocumentField &other) {
            return one.name == other.name && one.value == other.value;
        });
    };
    const auto places = [](const DocumentPlace &of) { return std::vector{of.line, of.column, of.endLine, of.endColumn}; };
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        const DocumentItem &x = a.items[i];
        const DocumentItem &y = b.items[i];
        if (x.label != y.label || x.detail != y.detail || !sameFields(x, y) || !(x.tags == y.tags) || !(x.sources == y.sources) ||
            x.kernel != y.kernel || x.group != y.group || x.instruction != y.instruction || x.node != y.node ||
            places(x.place) != places(y.place))
            return format("item {} ({})", i, x.label);
    }
    for (std::size_t i = 0; i < a.edges.size(); ++i)
        if (a.edges[i].from != b.edges[i].from || a.edges[i].to != b.edges[i].to || a.edges[i].label != b.edges[i].label ||
            a.edges[i].decision != b.edges[i].decision)
            return format("edge {}", i);
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (a.groups[i].label != b.groups[i].label || a.groups[i].parent != b.groups[i].parent)
            return format("group {}", i);
    for (std::size_t i = 0; i < a.lines.size(); ++i)
        if (a.lines[i].text != b.lines[i].text || a.lines[i].item != b.lines[i].item || a.lines[i].tags != b.lines[i].tags)
            return format("line {}", i);
    for (std::size_t i = 0; i < a.charts.size(); ++i) {
        const DocumentChart &x = a.charts[i];
        const DocumentChart &y = b.charts[i];
        const auto sameBar = [](const DocumentBar &one, const DocumentBar &other) {
            return one.item == other.item && one.firstStep == other.firstStep && one.lastStep == other.lastStep &&
                   one.from == other.from && one.to == other.to;
        };
        if (x.title != y.title || x.height != y.height || x.held != y.held || x.steps != y.steps ||
            !std::ranges::equal(x.bars, y.bars, sameBar))
            return format("chart {}", i);
    }
    for (std::size_t i = 0; i < a.parts.size(); ++i)
        if (a.parts[i].line != b.parts[i].line || a.parts[i].isRead != b.parts[i].isRead)
            return format("part {}", i);
    return {};
}

[[nodiscard]] inline std::string firstDifference(const Report &a, const Report &b)
{
    for (const auto document : {&Report::program, &Report::graph, &Report::schedule, &Report::loops, &Report::lowered,
                                &Report::code, &Report::machine}) {
        if ((a.*document == nullptr) != (b.*document == nullptr))
            return "a stage is missing";
        if (a.*document == nullptr)
            continue;
        if (const std::string where = firstDifference(*(a.*document), *(b.*document)); !where.empty())
            return format("{}: {}", (a.*document)->title, where);
    }
    const auto kernel = [](const KernelEntry &of) {
        return format("{} {} {} {} {} {} {} {} {} {} {}", of.name, of.flops, of.mathFlops, of.bytes, of.nodes,
                      of.medianNanoseconds.value_or(-1), of.minNanoseconds, of.maxNanoseconds, of.compileNanoseconds,
                      of.tensorInstruction, of.isOfLoad);
    };
    const auto pass = [](const PassEntry &of) {
        return format("{} {} {} {} {} {} {} {} {} {}", of.id, of.title, of.doc, static_cast<int>(of.input),
                      static_cast<int>(of.output), of.changed, of.failed, of.rewrites, of.nanoseconds,
                      join(of.rules, " ", [](const RuleEntry &rule) { return format("{}:{}", rule.rule, rule.rewrites); }));
    };
    const auto message = [](const Message &of) {
        return format("{} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(of.severity), of.code, of.text, of.hint, of.file,
                      of.line, of.column, of.endLine, of.endColumn, of.isInProgram, of.call.line, of.call.endColumn);
    };
    const auto time = [](const auto &of) { return format("{} {}", of.name, of.nanoseconds); };
    const auto override = [](const OverrideEntry &of) {
        return format("{} {} {} {} {} {} {} {} {}", of.text, of.kind, of.isOn, of.note, of.state, of.reason, of.where,
                      join(of.nodes, ","), of.line);
    };
    const auto same = [](const auto &x, const auto &y, const auto &text) { return join(x, "\n", text) == join(y, "\n", text); };
    if (a.device != b.device || a.succeeded != b.succeeded || a.totalMedianNanoseconds != b.totalMedianNanoseconds)
        return "device, success or time";
    if (!same(a.kernels, b.kernels, kernel))
        return "kernels";
    if (!same(a.passes, b.passes, pass))
        return "passes";
    if (!same(a.messages, b.messages, message))
        return "messages";
    if (!same(a.compileTimes, b.compileTimes, time) || !same(a.runParts, b.runParts, time))
        return "times";
    if (!same(a.overrides, b.overrides, override))
        return "overrides";
    if (a.inputs != b.inputs || a.dimensions != b.dimensions || a.figures != b.figures)
        return "inputs, dimensions or figures";
    return {};
}

} // namespace sw
