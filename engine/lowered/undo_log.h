#pragma once
// What the last steps of a run changed, so that they can be taken back, and what they read. Private to the stepper.

#include "engine/lowered/interpreter_machine.h"
#include "engine/lowered/paged_memory.h"

namespace sw {

enum class ChangeKind : std::uint8_t { Register, Memory, Read, Fault };

// Bytes that a step changed. For a Read, and for a Memory that an access changed, also which elements.
struct Change {
    std::byte *at = nullptr;
    std::size_t kept = 0;  // where the old contents are
    std::size_t bytes = 0; // of them
    std::int64_t first = 0;
    std::uint32_t count = 0; // 0: no access
    std::uint32_t memory = 0;
    ChangeKind kind = ChangeKind::Register;
};

struct LoggedStep {
    MachineCursor before;
    std::size_t next = 0;    // step of the item whose turn it was
    std::size_t changes = 0; // index of the first one
};

class UndoLog {
public:
    explicit UndoLog(std::size_t limitBytes) : m_limit(limitBytes) {}

    void begin(const MachineCursor &cursor, std::size_t next);
    void keep(ChangeKind kind, std::byte *at, std::size_t bytes);
    void note(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at);
    void clear();

    [[nodiscard]] std::size_t steps() const { return m_steps.size(); }
    [[nodiscard]] const LoggedStep &last() const { return m_steps.back(); }
    [[nodiscard]] std::span<const Change> lastChanges() const;
    [[nodiscard]] std::span<const Change> changesOf(std::size_t step) const; // 0: the first one that is logged
    // Restores what the last step changed, and drops it from the log.
    void undo(PagedMemory &memory);

    [[nodiscard]] std::size_t bytesHeld() const;

private:
    [[nodiscard]] std::size_t bytesUsed() const;
    [[nodiscard]] bool makeRoom(std::size_t bytes);
    void dropFirst(std::size_t steps);
    void add(Change change);

    std::size_t m_limit = 0;
    std::vector<LoggedStep> m_steps;
    std::vector<Change> m_changes;
    std::vector<std::byte> m_bytes;
    bool m_isTooLarge = false; // the last step does not fit even alone
};

} // namespace sw
