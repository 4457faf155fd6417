#pragma once
// What a session file keeps: a program, what was made of it, and what a person noted about it.

#include "engine/api/compile_switches.h"
#include "engine/api/inputs.h"
#include "engine/api/moment.h"
#include "engine/api/report.h"
#include "engine/types/dimension_choice.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sw {

// A text pinned to an item of a stage, or to the program as a whole.
struct PinnedNote {
    std::optional<StageKind> stage; // nothing: to no item
    ItemIndex item = kNoIndex;
    std::string label; // of the item, to find it again after the program was changed
    std::string text;
    bool operator==(const PinnedNote &) const = default;
};

struct MomentBookmark {
    std::string name;
    MomentPlace place;
    bool operator==(const MomentBookmark &) const = default;
};

// The first rewrites of a pass, as texts; Report::passes says how many it made.
struct PassRewrites {
    std::uint32_t pass = 0; // of Report::passes
    std::vector<RewriteEntry> rewrites;
};

// A compilation that a person compared with: what makes it again.
struct KeptBaseline : CompileSwitches {
    std::string name;
    bool isFollowing = false; // the program as it is, compiled in another way; otherwise a program as it was
    std::string fileName;
    std::optional<std::string> program; // the text of another program; nothing: that of the session
    std::string device;
    std::string overrides; // the text of a file of overrides
    bool operator==(const KeptBaseline &) const = default;
};

// What a window showed.
struct KeptView {
    std::optional<StageKind> selectedStage; // nothing: nothing is selected
    std::vector<ItemIndex> selectedItems;
    std::optional<MomentPlace> moment; // nothing: the end
    std::string perspective;           // the arrangement that its layout began with; empty: none
    std::vector<std::string> watchedInputs;
    std::vector<std::string> watchedOutputs;
    std::optional<KeptBaseline> baseline;
    bool operator==(const KeptView &) const = default;
};

struct SessionContents : CompileSwitches {
    // ---- the program
    std::string fileName;               // without a folder; its ending says what it is: "softmax.sw", "resnet.onnx"
    std::optional<std::string> program; // the bytes of the file; nothing: it was too large, and only known by the two below
    std::string programDigest;          // SHA-256 in hexadecimal
    std::uint64_t programBytes = 0;
    std::string originalPath; // where it was, for a program that is not here
    // ---- how it was compiled and run
    std::string device;
    std::string overrides; // the text of a file of overrides
    std::uint32_t threads = 0;
    std::uint32_t repeats = 0;
    std::map<std::string, std::int64_t, std::less<>> dimensions; // what a model was compiled for
    DimensionRanges openDimensions;                              // of a model, which stay open
    RunInputs inputs;
    // ---- what came of it
    Report report;
    std::vector<PassRewrites> rewrites;
    std::string machine; // "2 processors, Linux 6.1": where the times were taken
    std::string savedBy; // "Stepwell 0.1.0"
    std::string savedAt; // "2026-11-22T21:15:00Z"; empty: unknown
    // ---- what a person did
    std::vector<std::string> watched; // paths of values that were asked for
    std::vector<PinnedNote> notes;
    std::vector<MomentBookmark> bookmarks;
    std::string layout; // of the window, as it keeps it
    KeptView view;
};

} // namespace sw
