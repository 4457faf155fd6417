#pragma once
// The engine as the window and the command line see it: synchronous, cancellable, no Qt, no globals. One Explorer serves one
// thread at a time.

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

// Kernels that were run of those that the whole run launches; called on the thread that called run.
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t all)>;

struct RunRequest {
    std::uint64_t seed = 1;
    std::uint32_t warmup = 1;
    std::uint32_t repeats = 5;
    std::map<std::string, std::int64_t, std::less<>> dimensions =
        {}; // what the program's dimensions are; others are as the program says
    ProgressCallback onProgress = {};
};

// A growing report: called after each stage, on the thread that called compile.
using ReportCallback = std::function<void(const ReportPtr &)>;

struct PassDocuments {
    StageDocumentPtr before;
    StageDocumentPtr after;
    std::string rewrite; // the last one of "after": "rule: detail"
};

// A kernel that was opened to be stepped through, or why it was not.
struct TraceOpening {
    std::shared_ptr<KernelTrace> trace;
    std::string error;
};

// A program or a function that Stepwell comes with.
struct ExampleEntry {
    std::string name; // "softmax"
    std::string path;
    std::string summary; // its first comment line
};

class Explorer {
public:
    // resourceFolder: with library/, examples/, kernels/. figures: where what is measured of devices is kept; null: estimates are
    // by assumed figures, and nothing is measured.
    Explorer(const BackendRegistry &registry, std::string resourceFolder, const FiguresStore *figures = nullptr);
    ~Explorer();
    Explorer(const Explorer &) = delete;
    Explorer &operator=(const Explorer &) = delete;

    [[nodiscard]] std::vector<DeviceEntry> devices();
    [[nodiscard]] std::vector<ExampleEntry> examples() const;
    // The functions of the language's library: each is the file of its name.
    [[nodiscard]] std::vector<ExampleEntry> library() const;
    // The text of such a file under the name that messages and places give it, "library/softmax.sw". Empty: it is none.
    [[nodiscard]] std::string libraryText(std::string_view file) const;

    // Never throws: what goes wrong is in the report's messages. A cancelled compilation returns null.
    [[nodiscard]] ReportPtr compile(const ExploreRequest &request, const ReportCallback &progress, std::stop_token stop);

    // Of the last compilation. Null when it has not succeeded or was cancelled. After a run that is repeated, for its times,
    // devices that were never measured are, and the estimates are made anew.
    [[nodiscard]] ReportPtr run(const RunRequest &request, std::stop_token stop);

    // Reads the machine code of these kernels of the last compilation: its report, with their instructions in the machine
    // document (StageDocument::parts says what is read). Null when there is no compiled program.
    [[nodiscard]] ReportPtr readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop);

    // The stage before and after pass `index` of the last compilation; afterRewrites limits the "after" side to the first so many
    // rewrites (kNoIndex: all).
    [[nodiscard]] PassDocuments passDocuments(std::uint32_t index, std::uint32_t afterRewrites);

    // So many rewrites of a pass of the last compilation, from the first one on. What each did is found out when it is asked for.
    [[nodiscard]] std::vector<RewriteEntry> rewrites(std::uint32_t pass, std::uint32_t first, std::uint32_t count,
                                                     std::stop_token stop);

    // The stages of the last compilation at a moment on its way. Empty when there is no such moment, and when it is stopped.
    [[nodiscard]] MomentDocuments documentsAt(MomentPlace place, std::stop_token stop);

    // The value of a final graph node (DocumentItem::node), by the reference interpreter on the inputs of the last run.
    [[nodiscard]] TensorSummary nodeValue(std::uint32_t node, std::stop_token stop);

    // A kernel of the last compilation on the inputs of the last run; the interpreter runs the kernels before it.
    [[nodiscard]] TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop);

private:
    struct Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace sw
