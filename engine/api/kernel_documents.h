#pragma once
// Documents of loops and lowered programs put together from one part per kernel. A part is made once for each nest or body and
// kept, so that a moment costs what its own kernel costs, and not what the whole program does.

#include "engine/api/document_change.h"
#include "engine/api/moment.h"
#include "engine/passes/stage.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace sw {

class KernelDocuments {
public:
    // The parts that are kept between calls take about so much at most, or what the last call needed.
    explicit KernelDocuments(std::size_t mostBytes = kMomentBytes) : m_mostBytes(mostBytes) {}

    void keepAtMost(std::size_t bytes);

    // One per kernel, in their order. Items and lines count from the kernel's first.
    using Parts = std::vector<StageDocumentPtr>;
    // stage: loops or lowered.
    [[nodiscard]] Parts partsOf(const Stage &stage);
    // Null: the stage has no such kernel.
    [[nodiscard]] StageDocumentPtr partOf(const Stage &stage, std::size_t kernel);

    // The whole document at a moment, with what changed since `before`; its marks. With ghosts, what is gone stays in it, behind
    // all other items.
    [[nodiscard]] static MomentStage joined(StageKind kind, const Parts &before, const Parts &now, bool hasGhosts);
    // Where the items of a kernel begin in the whole document.
    [[nodiscard]] static ItemIndex firstItemOf(const Parts &parts, std::size_t kernel);

    [[nodiscard]] std::size_t bytes() const { return m_bytes; }
    void forget();

private:
    // A nest or a body, and the kernel that it is looked at for.
    using Key = std::pair<std::shared_ptr<const void>, std::uint32_t>;
    struct Kept {
        StageDocumentPtr part;
        std::size_t bytes = 0;
        std::uint64_t lastUse = 0;
    };

    template <class Make>
    StageDocumentPtr part(Key key, Make &&make);
    StageDocumentPtr nestPart(const LoopProgram &program, std::size_t kernel);
    StageDocumentPtr kernelPart(const LoweredProgram &program, std::size_t kernel);
    void limit();

    std::size_t m_mostBytes;
    std::map<Key, Kept> m_kept;
    std::size_t m_bytes = 0;
    std::uint64_t m_use = 0;
};

} // namespace sw
