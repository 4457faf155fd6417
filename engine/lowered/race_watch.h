#pragma once
// Finds races in the memory of a group: between two barriers, one work item stores an element that another one stores or loads.
// The interpreter runs the items one after the other, so such a kernel gives some result here, and another one elsewhere. Private
// to the interpreter.

#include "engine/lowered/interpreter_machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sw {

class RaceWatch {
public:
    explicit RaceWatch(const InterpreterProgram &program);

    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at);
    void fails(IndexFault & /*fault*/) {}
    void clears(std::span<std::byte> /*bytes*/) {}
    void resumes(const WorkItem &item);

    // The first race that was found.
    [[nodiscard]] std::optional<Diagnostic> problem() const;

private:
    static constexpr std::int64_t kNobody = -1;
    static constexpr std::int64_t kSeveral = -2;

    // What happened to an element since the barrier that `phase` counts.
    struct Element {
        std::uint64_t phase = 0;
        std::int64_t writer = kNobody;
        std::int64_t reader = kNobody; // or several
    };
    struct Race {
        InstructionId instruction;
        std::uint32_t memory = 0;
        std::int64_t index = 0;
        std::int64_t item = 0;
        std::int64_t other = 0; // kSeveral: some of them
        bool isStore = false;
        bool wasStore = false;
    };

    const InterpreterProgram &m_program;
    std::vector<std::vector<Element>> m_elements; // by memory; empty where it is not the group's
    std::uint64_t m_phase = 0;
    std::int64_t m_item = 0; // of the group, whose turn it is
    std::optional<Race> m_race;
};

} // namespace sw
