#include "engine/api/kernel_documents.h"

#include "engine/api/describe.h"
#include "engine/api/document_sharing.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sw {

namespace {

// At a moment, the values of nodes are not known yet, and no code was made of the instructions.
StageDocumentPtr withoutLinks(StageDocument document)
{
    for (DocumentItem &item : document.items)
        item.instruction = item.node = kNoIndex;
    return std::make_shared<const StageDocument>(std::move(document));
}

const StageDocumentPtr &nothing()
{
    static const StageDocumentPtr kNothing = std::make_shared<const StageDocument>();
    return kNothing;
}

const StageDocumentPtr &partAt(const KernelDocuments::Parts &parts, std::size_t kernel)
{
    return kernel < parts.size() ? parts[kernel] : nothing();
}

// Puts parts behind each other. What is gone is added when all parts are there.
class Joiner {
public:
    Joiner(StageKind kind, std::size_t items, std::size_t lines) : m_items(items)
    {
        m_document.kind = kind;
        m_document.title = kind == StageKind::Loops ? "Loops" : "Lowered";
        m_document.items.reserve(items);
        m_document.lines.reserve(lines);
    }

    // `shown` has the items of `now`, then those that are gone.
    void add(const StageDocument &shown, std::size_t count)
    {
        if (!m_document.lines.empty())
            m_document.lines.push_back({{}, kNoIndex, {}}); // between kernels
        const auto first = static_cast<ItemIndex>(m_document.items.size());
        const auto firstGone = static_cast<ItemIndex>(m_items + m_gone.size());
        const auto line = static_cast<std::uint32_t>(m_document.lines.size());
        for (std::size_t i = 0; i < shown.items.size(); ++i) {
            std::vector<DocumentItem> &items = i < count ? m_document.items : m_gone;
            items.push_back(shown.items[i]);
            if (items.back().place.line > 0) {
                items.back().place.line += line;
                items.back().place.endLine += line;
            }
        }
        for (const DocumentLine &each : shown.lines) {
            m_document.lines.push_back(each);
            ItemIndex &item = m_document.lines.back().item;
            if (item != kNoIndex)
                item = item < count ? first + item : firstGone + (item - static_cast<ItemIndex>(count));
        }
    }

    StageDocumentPtr take()
    {
        std::ranges::move(m_gone, std::back_inserter(m_document.items));
        return std::make_shared<const StageDocument>(std::move(m_document));
    }

private:
    std::size_t m_items;
    StageDocument m_document;
    std::vector<DocumentItem> m_gone;
};

} // namespace

template <class Make>
StageDocumentPtr KernelDocuments::part(Key key, Make &&make)
{
    Kept &kept = m_kept[std::move(key)];
    kept.lastUse = m_use;
    if (kept.part == nullptr) {
        kept.part = withoutLinks(*make());
        kept.bytes = bytesOf(*kept.part);
        m_bytes += kept.bytes;
    }
    return kept.part;
}

StageDocumentPtr KernelDocuments::nestPart(const LoopProgram &program, std::size_t kernel)
{
    const auto &nest = program.nests[kernel];
    return part({nest, static_cast<std::uint32_t>(kernel)},
                [&] { return describeLoops(LoopProgram{.schedule = program.schedule, .nests = {nest}}); });
}

StageDocumentPtr KernelDocuments::kernelPart(const LoweredProgram &program, std::size_t kernel)
{
    const KernelList::Body &body = program.kernels.bodies()[program.kernels.bodyNumberOf(kernel)];
    return part({body, static_cast<std::uint32_t>(kernel)}, [&] {
        LoweredProgram one;
        one.schedule = program.schedule;
        one.kernels.push_back(program.kernels[kernel]);
        return describeLowered(one);
    });
}

StageDocumentPtr KernelDocuments::partOf(const Stage &stage, std::size_t kernel)
{
    if (const auto *loops = std::get_if<LoopProgramPtr>(&stage))
        return kernel < (*loops)->nests.size() ? nestPart(**loops, kernel) : nullptr;
    const LoweredProgram &lowered = *std::get<LoweredProgramPtr>(stage);
    return kernel < lowered.kernels.size() ? kernelPart(lowered, kernel) : nullptr;
}

KernelDocuments::Parts KernelDocuments::partsOf(const Stage &stage)
{
    ++m_use;
    const auto *loops = std::get_if<LoopProgramPtr>(&stage);
    const std::size_t kernels = loops != nullptr ? (*loops)->nests.size() : std::get<LoweredProgramPtr>(stage)->kernels.size();
    Parts parts;
    for (std::size_t i = 0; i < kernels; ++i)
        parts.push_back(partOf(stage, i));
    limit();
    return parts;
}

// Those that were not used for the longest time go first; what was used now stays.
void KernelDocuments::limit()
{
    while (m_bytes > m_mostBytes) {
        const auto oldest = std::ranges::min_element(m_kept, {}, [](const auto &each) { return each.second.lastUse; });
        if (oldest == m_kept.end() || oldest->second.lastUse == m_use)
            return;
        const std::uint64_t use = oldest->second.lastUse;
        std::erase_if(m_kept, [&](const auto &each) {
            if (each.second.lastUse != use)
                return false;
            m_bytes -= each.second.bytes;
            return true;
        });
    }
}

void KernelDocuments::keepAtMost(std::size_t bytes)
{
    m_mostBytes = bytes;
    limit();
}

void KernelDocuments::forget()
{
    m_kept.clear();
    m_bytes = 0;
}

ItemIndex KernelDocuments::firstItemOf(const Parts &parts, std::size_t kernel)
{
    std::size_t items = 0;
    for (std::size_t i = 0; i < std::min(kernel, parts.size()); ++i)
        items += parts[i]->items.size();
    return static_cast<ItemIndex>(items);
}

MomentStage KernelDocuments::joined(StageKind kind, const Parts &before, const Parts &now, bool hasGhosts)
{
    std::size_t items = 0;
    std::size_t lines = 0;
    for (const StageDocumentPtr &part : now) {
        items += part->items.size();
        lines += part->lines.size() + 1;
    }
    Joiner joiner(kind, items, lines);
    MomentStage made;
    auto first = static_cast<ItemIndex>(0);
    auto gone = static_cast<ItemIndex>(items);
    for (std::size_t kernel = 0; kernel < now.size(); ++kernel) {
        const StageDocument &part = *now[kernel];
        const StageDocumentPtr &earlier = partAt(before, kernel);
        StageDocumentPtr shown = now[kernel];
        if (earlier != now[kernel]) {
            const DocumentChange change = changeBetween(*earlier, part);
            for (const ItemIndex item : change.made)
                made.marks.made.push_back(first + item);
            StageMarks ghosts;
            if (hasGhosts)
                shown = withGone(*earlier, part, change, ghosts);
            for (std::size_t i = 0; i < ghosts.matched.size(); ++i)
                made.marks.matched.push_back(gone++);
        }
        joiner.add(*shown, part.items.size());
        first += static_cast<ItemIndex>(part.items.size());
    }
    made.document = joiner.take();
    return made;
}

} // namespace sw
