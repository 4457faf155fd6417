#pragma once
// Helpers that the describers share.

#include "engine/api/quantity.h"
#include "engine/api/stage_document.h"
#include "engine/base/origin.h"
#include "engine/graph/graph.h"
#include "engine/lowered/lowered.h"
#include "engine/schedule/schedule.h"

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

[[nodiscard]] std::vector<std::uint32_t> sourcesOf(const Origin &origin);
[[nodiscard]] std::uint32_t indexOf(KernelId kernel); // kNoIndex when invalid

// sourcesOf() for the instructions of a kernel. A few origins occur over and over: those that are equal share one list. The
// origins must outlive it. binding: of a kernel whose instructions are those of a shared body; null: they are its own.
class InstructionSources {
public:
    explicit InstructionSources(const KernelBinding *binding = nullptr) : m_binding(binding) {}
    [[nodiscard]] const SharedList<std::uint32_t> &of(const Origin &origin);

private:
    struct Less {
        bool operator()(const Origin *a, const Origin *b) const;
    };
    const KernelBinding *m_binding;
    std::map<const Origin *, SharedList<std::uint32_t>, Less> m_lists;
    const Origin *m_last = nullptr; // neighbours often have the same
    const SharedList<std::uint32_t> *m_lastList = nullptr;
};

// The first item of each kernel in the lowered document.
[[nodiscard]] std::vector<ItemIndex> firstInstructionItems(const LoweredProgram &program);

// Adds "place", where the item's first source is ("library/softmax.sw:4:13"), and, for a line of the library, "called from":
// the call in the program.
void addPlaceFields(std::vector<DocumentField> &fields, const SourceMap &sources, const Origin &origin);

// A stage that somebody else owns for as long as the document is made.
template <class Stage>
[[nodiscard]] std::shared_ptr<const Stage> notOwned(const Stage &stage)
{
    return std::shared_ptr<const Stage>(std::shared_ptr<const Stage>(), &stage);
}
template <class Stage>
[[nodiscard]] std::shared_ptr<const Stage> notOwned(const Stage *stage)
{
    return stage == nullptr ? nullptr : notOwned(*stage);
}
// Makes the fields of all items now, while what they are made from is there.
[[nodiscard]] StageDocumentPtr withAllFields(StageDocumentPtr document);

[[nodiscard]] std::string_view languageName(TargetLanguage language); // "OpenCL C"

// Tags for the theme that say what a node does: "reduce", "view", "leaf", "input", "transcendental" ...
[[nodiscard]] std::vector<std::string> tagsOf(const Node &node);

// Calls visit(number, line) with each line of a text, without its end; lines count from 0.
template <class Visit>
void forEachLine(std::string_view text, const Visit &visit)
{
    for (std::size_t number = 0; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        visit(number, text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

// Adds a line. An item that has no place yet gets its first line as its place.
void addLine(StageDocument &document, DocumentLine line);

// What a document has of one kernel: items and lines, both counted from the kernel's first.
struct KernelPart {
    std::vector<DocumentItem> items;
    std::vector<DocumentLine> lines;

    void addLine(DocumentLine line); // likewise
};

// Makes the parts of so many kernels side by side and puts them behind each other, with an empty line between two. A stop leaves
// out what is not made yet.
void addKernelParts(StageDocument &document, std::size_t kernels, const std::function<KernelPart(std::size_t)> &make,
                    const std::stop_token &stop);

// Adds the lines of a text. itemOf says which item a line (counted from 0) belongs to. An item that has no place yet gets its
// first line as its place.
void addLines(StageDocument &document, std::string_view text,
              const std::function<ItemIndex(std::size_t, std::string_view)> &itemOf);

} // namespace sw
