#pragma once
// What a pane shows of any stage: items with fields, tags and origins, edges between them, groups, and lines
// of text that belong to items. The ui knows stages only through this; a new pass, operation or backend needs no change there.

#include "engine/base/shared_list.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sw {

enum class StageKind : std::uint8_t { Program, Graph, Schedule, Loops, Lowered, Code, Machine };

using ItemIndex = std::uint32_t;
inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

struct DocumentField {
    std::string name;
    std::string value;
};

// Where an item stands in the lines of its own document. Lines and columns count from 1, columns count bytes, the end is one past
// the last character.
struct DocumentPlace {
    std::uint32_t line = 0; // 0: no place
    std::uint32_t column = 0;
    std::uint32_t endLine = 0;
    std::uint32_t endColumn = 0;
};

struct DocumentItem {
    std::string label;                 // short: "matmul", "k3_softmax", "%12"
    std::string detail;                // second line of a node: "f32[64, 128]"
    SharedList<DocumentField> fields;  // for the inspector and tooltips
    SharedList<std::string> tags;      // semantic: "reduce", "load", "view", "leaf", "output"; the theme maps them to colours
    SharedList<std::uint32_t> sources; // source items, sorted: two items are partners when these meet
    std::uint32_t kernel = kNoIndex;   // the kernel it belongs to; partners of two stages must agree where both have one
    std::uint32_t group = kNoIndex;    // scope it stands in (StageDocument::groups)
    // The lowered item that this one is or was made from, where that is known: more exact than sources.
    std::uint32_t instruction = kNoIndex;
    std::uint32_t node = kNoIndex; // the final graph node that the item stands for, to look up values
    // Program: the expression in the text, so that the editor can light up parts of a line. A call's item also has the sources of
    // the library code that it ran.
    DocumentPlace place;
};

struct DocumentEdge {
    ItemIndex from = 0;
    ItemIndex to = 0;
    std::string label;                 // "f32[64, 128]"
    std::uint32_t decision = kNoIndex; // item of the schedule document that says why it is (not) fused
};

// Scopes of the graph, nested.
struct DocumentGroup {
    std::string label;
    std::uint32_t parent = kNoIndex;
};

struct DocumentLine {
    std::string text;
    ItemIndex item = kNoIndex;     // the item that the line belongs to
    std::vector<std::string> tags; // "comment", "frame", "address", "error"
};

// The part of a chart that an item occupies: a range of steps, and a range of the chart's height.
struct DocumentBar {
    ItemIndex item = 0;
    std::uint32_t firstStep = 0;
    std::uint32_t lastStep = 0; // included
    std::int64_t from = 0;
    std::int64_t to = 0; // excluded
};

// Something that fills and empties while the program runs: the memory of a device, in bytes.
struct DocumentChart {
    std::string title;            // "llvm"
    std::int64_t height = 0;      // bytes
    std::int64_t held = 0;        // occupied throughout, from the bottom up
    std::vector<ItemIndex> steps; // the item of each step
    std::vector<DocumentBar> bars;
};

// A part of the text that is read on demand: the machine code of a kernel.
struct DocumentPart {
    std::uint32_t line = 0; // index of its first line; it ends where the next part begins
    bool isRead = false;
};

// Tag of a machine instruction whose source line was inferred: it is the line of the instruction that it prepares.
inline constexpr const char *kInferredTag = "inferred";

struct MachineStructure; // engine/api/machine_structure.h

struct StageDocument {
    StageKind kind = StageKind::Graph;
    std::string title; // "Graph", "LLVM IR of k3_softmax"
    std::vector<DocumentItem> items;
    std::vector<DocumentEdge> edges;
    std::vector<DocumentGroup> groups;
    std::vector<DocumentLine> lines;
    std::vector<DocumentChart> charts;
    std::vector<DocumentPart> parts;                      // machine: by kernel
    std::shared_ptr<const MachineStructure> machine = {}; // machine: of the parts that are read
};

using StageDocumentPtr = std::shared_ptr<const StageDocument>;

// Makes the fields of all items that nobody has read yet. The document then holds on to no stage that they are made from.
inline void makeFields(const StageDocument &document)
{
    for (const DocumentItem &item : document.items)
        static_cast<void>(item.fields.values());
}

} // namespace sw
