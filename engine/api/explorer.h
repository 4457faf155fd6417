#pragma once
// The engine as the window and the command line see it: synchronous, cancellable, no Qt, no globals. One Explorer serves one
// thread at a time.

#include "engine/api/life.h"
#include "engine/api/moment.h"
#include "engine/api/report.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class BackendRegistry;
class FiguresStore;
class KernelTrace;

struct DeviceEntry {
    std::string id;
    std::string description;
    bool isAvailable = false;
    std::string reason; // why not, and what to do
};

struct ExploreRequest {
    std::string
        fileName;     // "softmax.sw": its ending chooses the front end (.sw, .onnx, .graph, .lowered); names appear in messages
    std::string text; // the program as edited; empty with isFile: read from fileName
    bool isFile = false;
    std::string device = "llvm";
    bool fuse = true;
    bool optimize = true;
    bool compileMachineCode = true; // off: stop after the code stage
    std::uint32_t threads = 0;      // 0: all
};

// How many kernel launches of the whole run are done; called on the thread that called run.
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t all)>;

struct RunRequest {
    std::uint64_t seed = 1;
    std::uint32_t warmup = 1;
    std::uint32_t repeats = 5;
    std::map<std::string, std::int64_t, std::less<>> dimensions =
        {}; // values for the program's dimensions; others are as the program says
    ProgressCallback onProgress = {};
};

// Receives the report as it grows: called after each stage, on the thread that called compile.
using ReportCallback = std::function<void(const ReportPtr &)>;

struct PassDocuments {
    StageDocumentPtr before;
    StageDocumentPtr after;
    std::string rewrite; // the last rewrite in "after": "rule: detail"
};

// A kernel that was opened to be stepped through, or why it was not.
struct TraceOpening {
    std::shared_ptr<KernelTrace> trace;
    std::string error;
};

// A program or library function that comes with Stepwell.
struct ExampleEntry {
    std::string name; // "softmax"
    std::string path;
    std::string summary; // its first comment line
};

class Explorer {
public:
    // resourceFolder: holds library/, examples/, kernels/. figures: the store for measured figures of devices; null: estimates
    // use assumed figures, and nothing is measured.
    Explorer(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures = nullptr);
    ~Explorer();
    Explorer(const Explorer &) = delete;
    Explorer &operator=(const Explorer &) = delete;

    [[nodiscard]] std::vector<DeviceEntry> devices();
    [[nodiscard]] std::vector<ExampleEntry> examples() const;
    // The functions of the language's library; each has a file of its name.
    [[nodiscard]] std::vector<ExampleEntry> library() const;
    // The text of such a file, by the name that messages and places use: "library/softmax.sw". Empty: there is no such file.
    [[nodiscard]] std::string libraryText(std::string_view file) const;

    // Never throws: errors are in the report's messages. A cancelled compilation returns null.
    [[nodiscard]] ReportPtr compile(const ExploreRequest &request, const ReportCallback &progress, std::stop_token stop);

    // Runs the last compilation. Null when there is no compiled program or the run was cancelled. A run with repeats, which is
    // timed, also measures devices that were never measured and makes the estimates again.
    [[nodiscard]] ReportPtr run(const RunRequest &request, std::stop_token stop);

    // Reads the machine code of these kernels of the last compilation. Returns its report with their instructions in the machine
    // document (StageDocument::parts says what is read). Null when there is no compiled program.
    [[nodiscard]] ReportPtr readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop);

    // The stage before and after pass `index` of the last compilation; the "after" side includes only the first afterRewrites
    // rewrites (kNoIndex: all).
    [[nodiscard]] PassDocuments passDocuments(std::uint32_t index, std::uint32_t afterRewrites);

    // `count` rewrites of a pass of the last compilation, starting at `first`. What each one did is computed on demand.
    [[nodiscard]] std::vector<RewriteEntry> rewrites(std::uint32_t pass, std::uint32_t first, std::uint32_t count,
                                                     std::stop_token stop);

    // By pass of the last compilation: its rewrites that the filter lets through. Empty when it is stopped.
    [[nodiscard]] std::vector<PassMatches> matchingRewrites(const RewriteFilter &filter, std::stop_token stop);

    // The stages of the last compilation at one moment. Empty when there is no such moment, and when it is stopped.
    [[nodiscard]] MomentDocuments documentsAt(MomentPlace place, std::stop_token stop);

    // Which rewrites made and end an item of the last compilation, and the life of the value that it was made for. Empty when
    // there is no such item, and when it is stopped.
    [[nodiscard]] ItemLife lifeOf(const MomentItem &item, std::stop_token stop);

    // The value of a final graph node (DocumentItem::node), which the reference interpreter computes from the last run's inputs.
    [[nodiscard]] TensorSummary nodeValue(std::uint32_t node, std::stop_token stop);

    // Opens a kernel of the last compilation with the inputs of the last run; the interpreter runs the kernels before it.
    [[nodiscard]] TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop);

private:
    struct Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace sw
