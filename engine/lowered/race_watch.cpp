#include "engine/lowered/race_watch.h"

namespace sw {

RaceWatch::RaceWatch(const InterpreterProgram &program) : m_program(program), m_elements(program.memories.size())
{
    for (std::size_t i = 0; i < program.memories.size(); ++i)
        if (program.memories[i].kind == MemoryKind::Shared)
            m_elements[i].resize(static_cast<std::size_t>(program.memories[i].elements));
}

// The items take their turns in order, from one barrier to the next, so the first one begins a phase.
void RaceWatch::resumes(const WorkItem &item)
{
    m_item = item.local[0] + (item.local[1] << 20) + (item.local[2] << 40);
    if (m_item == 0)
        ++m_phase;
}

void RaceWatch::touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte * /*at*/)
{
    std::vector<Element> &elements = m_elements[step.memory];
    if (elements.empty() || m_race)
        return;
    const bool isStore = step.kind == StepKind::Store;
    for (std::int64_t i = index; i < index + std::int64_t{lanes}; ++i) {
        Element &element = elements[static_cast<std::size_t>(i)];
        if (element.phase != m_phase)
            element = {.phase = m_phase};
        const bool isOtherWriter = element.writer != kNobody && element.writer != m_item;
        const bool isOtherReader = isStore && element.reader != kNobody && element.reader != m_item;
        if (isOtherWriter || isOtherReader) {
            m_race = Race{.instruction = step.instruction,
                          .memory = step.memory,
                          .index = i,
                          .item = m_item,
                          .other = isOtherWriter ? element.writer : element.reader,
                          .isStore = isStore,
                          .wasStore = isOtherWriter};
            return;
        }
        if (isStore)
            element.writer = m_item;
        else
            element.reader = element.reader == kNobody || element.reader == m_item ? m_item : kSeveral;
    }
}

std::optional<Diagnostic> RaceWatch::problem() const
{
    if (!m_race)
        return std::nullopt;
    const auto nameOfItem = [](std::int64_t item) {
        constexpr std::int64_t kMask = (1 << 20) - 1;
        return item == kSeveral ? std::string("others") : format("[{}, {}, {}]", item & kMask, (item >> 20) & kMask, item >> 40);
    };
    const std::string &name = m_program.memories[m_race->memory].name;
    return Diagnostic::error(
        Code::Run, {}, "kernel {}: a race: %{} of work item {} {} element {} of {}, which {} {} since the last barrier",
        m_program.name, m_race->instruction.value, nameOfItem(m_race->item), m_race->isStore ? "stores" : "loads", m_race->index,
        name.empty() ? "the group's memory" : name, nameOfItem(m_race->other), m_race->wasStore ? "stored" : "loaded");
}

} // namespace sw
