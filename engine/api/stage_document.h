#pragma once
// What a pane shows of a stage, whatever the stage is: items with fields, tags and origins, edges between them, groups, and lines
// of text that belong to items. The ui knows stages only through this; a new pass, operation or backend needs no change there.

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
    std::string label;                  // short: "matmul", "k3_softmax", "%12"
    std::string detail;                 // second line of a node: "f32[64, 128]"
    std::vector<DocumentField> fields;  // for the inspector and tooltips
    std::vector<std::string> tags;      // semantic: "reduce", "load", "view", "leaf", "output"; the theme maps them to colours
    std::vector<std::uint32_t> sources; // source items, sorted: two items are partners when these meet
    std::uint32_t kernel = kNoIndex;    // the kernel it belongs to; partners of two stages must agree where both have one
    std::uint32_t group = kNoIndex;     // scope it stands in (StageDocument::groups)
    // The item of the lowered document that it is or was made from, where that is known: closer than what sources tell.
    std::uint32_t instruction = kNoIndex;
    std::uint32_t node = kNoIndex; // final graph node that the item shows or stands for, for values
    // Program: the expression in the text, so that the editor can light up parts of a line. A call's item has the sources of the
    // library code that it ran among its own.
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
    ItemIndex item = kNoIndex;     // that the line belongs to
    std::vector<std::string> tags; // "comment", "frame", "address", "error"
};

// What an item occupies of a chart: some steps, and a range of the chart's height.
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
    std::int64_t held = 0;        // from the bottom: what is occupied throughout
    std::vector<ItemIndex> steps; // the item of each step
    std::vector<DocumentBar> bars;
};

// A part of the text that is read when somebody looks at it: the machine code of a kernel.
struct DocumentPart {
    std::uint32_t line = 0; // where it begins, as an index; it ends where the next one does
    bool isRead = false;
};

// Of a machine instruction: the line of source is not the compiler's, but that of the instruction that it prepares.
inline constexpr const char *kInferredTag = "inferred";

struct StageDocument {
    StageKind kind = StageKind::Graph;
    std::string title; // "Graph", "LLVM IR of k3_softmax"
    std::vector<DocumentItem> items;
    std::vector<DocumentEdge> edges;
    std::vector<DocumentGroup> groups;
    std::vector<DocumentLine> lines;
    std::vector<DocumentChart> charts;
    std::vector<DocumentPart> parts; // machine: by kernel
};

using StageDocumentPtr = std::shared_ptr<const StageDocument>;

} // namespace sw
