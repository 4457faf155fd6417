#include "engine/passes/lowered/code_overrides.h"

#include "engine/graph/value_path.h"
#include "engine/lowered/editable_text.h"
#include "engine/lowered/program_text.h"

#include <algorithm>
#include <optional>
#include <set>

namespace sw {

namespace {

// A backend stands for all its devices.
bool isFor(const EditedCode &code, const std::string &device)
{
    return code.device == kAnyDevice || device == code.device || device.starts_with(code.device + ":");
}

class Finder {
public:
    Finder(const LoweredProgram &program, const Overrides &overrides)
        : m_program(program), m_schedule(*program.schedule), m_overrides(overrides), m_paths(*program.schedule->graph)
    {
    }

    [[nodiscard]] KernelEdit find(std::uint32_t index)
    {
        const Override &item = m_overrides.items[index];
        KernelEdit edit{.override = index};
        const NodeId value = m_paths.find(item.value);
        edit.kernel = value.isValid() ? kernelThatStores(value) : kernelNamed(item.value);
        if (!value.isValid() && !edit.kernel.isValid()) {
            edit.outcome = unknown(item.value);
            return edit;
        }
        if (!edit.kernel.isValid())
            edit.outcome = {OverrideState::Refused, whyNotStored(item.value, value)};
        else
            edit.outcome = outcomeOf(item.code, edit.kernel);
        return edit;
    }

private:
    [[nodiscard]] OverrideOutcome outcomeOf(const EditedCode &code, KernelId kernel)
    {
        const std::string &device = m_schedule.device(m_program.kernels.bodyOf(kernel.value).device).id;
        if (!isFor(code, device))
            return {OverrideState::NoChange, format("it is for {}; the kernel is for {}", code.device, device)};
        if (!m_taken.insert(kernel).second)
            return {OverrideState::Refused, "an earlier override gives the text of this kernel"};
        if (const std::string now = interfaceText(m_program.kernels.bodyOf(kernel.value));
            !code.interface.empty() && code.interface != now)
            return {OverrideState::Refused,
                    format("the kernel has changed since it was edited: it was launched with {}, and now with {}", code.interface,
                           now)};
        return {OverrideState::Applied, {}};
    }

    [[nodiscard]] OverrideOutcome unknown(const std::string &path) const
    {
        std::string reason = format("there is no value {}", quoted(path));
        if (const std::vector<std::string> similar = m_paths.similar(path, 3); !similar.empty())
            reason += "; did you mean " + join(similar, ", ");
        return {OverrideState::Unknown, std::move(reason)};
    }

    // The value that a view leads to; the value itself when a kernel computes it, or it is none.
    [[nodiscard]] NodeId computedFor(NodeId id) const
    {
        while (!m_schedule.kernelOf(id).isValid() && familyOf(m_schedule.graph->node(id).kind) == NodeFamily::Movement)
            id = m_schedule.graph->node(id).inputs.at(0);
        return id;
    }

    [[nodiscard]] KernelId kernelThatStores(NodeId value) const
    {
        const NodeId computed = computedFor(value);
        for (std::size_t i = 0; i < m_schedule.kernels.size(); ++i)
            if (std::ranges::find(m_schedule.kernels[i].results, computed) != m_schedule.kernels[i].results.end())
                return KernelId(i);
        return {};
    }

    [[nodiscard]] KernelId kernelNamed(const std::string &name) const
    {
        const auto found = std::ranges::find(m_schedule.kernels, name, &ScheduledKernel::name);
        return found == m_schedule.kernels.end() ? KernelId()
                                                 : KernelId(static_cast<std::size_t>(found - m_schedule.kernels.begin()));
    }

    [[nodiscard]] std::string whyNotStored(const std::string &path, NodeId value) const
    {
        const KernelId other = m_schedule.kernelOf(computedFor(value));
        return other.isValid() ? format("{} is not stored: it is computed inside of the kernel that stores {}", path,
                                        m_paths.of(m_schedule.kernel(other).root))
                               : format("no kernel computes {}", path);
    }

    const LoweredProgram &m_program;
    const Schedule &m_schedule;
    const Overrides &m_overrides;
    ValuePaths m_paths;
    std::set<KernelId> m_taken;
};

} // namespace

std::vector<KernelEdit> findCodeOverrides(const LoweredProgram &program, const Overrides &overrides, CodeForm form)
{
    std::vector<KernelEdit> edits;
    const bool hasDecided = program.schedule != nullptr && program.schedule->overrides.size() == overrides.items.size();
    if (!hasDecided)
        return edits;
    std::optional<Finder> finder; // the paths of all values are not made for nothing
    for (std::uint32_t i = 0; i < overrides.items.size(); ++i) {
        const Override &item = overrides.items[i];
        if (item.kind != OverrideKind::Code || !item.isOn || item.code.form != form)
            continue;
        if (!finder)
            finder.emplace(program, overrides);
        edits.push_back(finder->find(i));
    }
    return edits;
}

std::string whyOutOfDate(const EditedCode &code, std::string_view original)
{
    if (code.original.empty() || code.original == textMark(original))
        return {};
    return "the kernel's own text has changed since it was edited; compare the two, and edit it anew";
}

} // namespace sw
