#pragma once
// The engine as the window and the command line see it: synchronous, cancellable, no Qt, no globals. One Explorer serves one
// thread at a time.

#include "engine/api/compare/parting_point.h"
#include "engine/api/compile_switches.h"
#include "engine/api/compiler_passes.h"
#include "engine/api/effect.h"
#include "engine/api/health.h"
#include "engine/api/inputs.h"
#include "engine/api/kernel_code.h"
#include "engine/api/life.h"
#include "engine/api/loop_check.h"
#include "engine/api/measured_cycles.h"
#include "engine/api/moment.h"
#include "engine/api/report.h"
#include "engine/api/roofline.h"
#include "engine/api/target_code.h"
#include "engine/api/why.h"
#include "engine/types/dimension_choice.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class BackendRegistry;
class FiguresStore;
class KernelTrace;
class WorkProgress;

struct DeviceEntry {
    std::string id;
    std::string description;
    bool isAvailable = false;
    std::string reason; // why not, and what to do
};

struct ExploreRequest : CompileSwitches {
    std::string
        fileName;     // "softmax.sw": its ending chooses the front end (.sw, .onnx, .graph, .lowered); names appear in messages
    std::string text; // the program as edited; empty with isFile: read from fileName
    bool isFile = false;
    std::string device = "llvm";
    std::string overrides = {};     // the text of a file of overrides (resources/docs/overrides.md); empty: none
    std::string overridesName = {}; // of that file, for messages
    bool compileMachineCode = true; // off: stop after the code stage
    std::uint32_t threads = 0;      // 0: all
    // What is known before the program runs. A model is compiled for these dimensions and for the inputs that decide shapes,
    // which it then no longer has; a program in the language binds its dimensions when it runs.
    std::map<std::string, std::int64_t, std::less<>> dimensions = {};
    DimensionRanges openDimensions = {}; // of a model, which stay open
    std::vector<TensorViewPtr> knownInputs = {};

    bool operator==(const ExploreRequest &) const = default;
};

// How much of a whole is done: kernel launches of a run, nodes of a graph. Called on the thread that called the function.
using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t all)>;

struct RunRequest {
    std::uint64_t seed = 1;
    std::uint32_t warmup = 1;
    std::uint32_t repeats = 5;
    std::map<std::string, std::int64_t, std::less<>> dimensions =
        {};                               // values for the program's dimensions; others are as the program says
    std::vector<InputChoice> inputs = {}; // of those that are not as the program says
    ProgressCallback onProgress = {};
    std::chrono::milliseconds limit{0}; // after which the run is ended; 0: none
    bool checkAccesses = false;         // see engine/api/checked_accesses.h
};

// Two compilations of a program, before and after a change, to be measured in turn.
struct ChangeRequest {
    ExploreRequest before;
    ExploreRequest after;
    RunInputs inputs;
    double precision = 0.01;                // half of the band of the ratio of their times, as a part of it
    std::int64_t budgetMilliseconds = 2000; // for warming up and measuring; compiling comes before it
    ProgressCallback onProgress = {};
};

struct RoofsAnswer {
    std::optional<MachineRoofs> roofs;
    std::string error; // why there are none
};

// Measured and simulated cycles of kernels, and the clock that they were counted by.
struct CyclesAnswer {
    ClockReading clock;
    std::vector<CyclesOfKernel> kernels;
    std::string error; // why there are none at all
};

// What earlier searches found for a kernel.
struct KernelTuned {
    std::string key;     // of tuning_key.h; empty: it has no loops that can be tuned
    std::string kept;    // "tuned: 1.23 x, 2026-11-23, seed 7"; empty: nothing is kept for it
    bool isUsed = false; // its loops are those that are kept
};

// Receives the report as it grows: called after each stage, on the thread that called compile.
using ReportCallback = std::function<void(const ReportPtr &)>;

struct PassDocuments {
    StageDocumentPtr before;
    StageDocumentPtr after;
    std::string rewrite; // the last rewrite in "after": "rule: detail"
};

// Where a value comes from: the reference interpreter, or the devices that the program was compiled for.
enum class ValueSource : std::uint8_t { Reference, Device };

// An input or parameter as the chosen inputs make it. Null statistics: it cannot be made, and the error says why.
struct InputFacts {
    std::string name;
    std::string type; // with the numbers that open dimensions have
    TensorStatisticsPtr statistics;
    std::string error;
};

// A kernel that was opened to be stepped through, or why it was not.
struct TraceOpening {
    std::shared_ptr<KernelTrace> trace;
    std::string error;
};

struct ChosenTransforms {
    std::vector<std::string> lines;
    std::size_t first = 0;
};

// Without a point: the two are the same down to the code. An error says why there is no answer.
struct PartingAnswer {
    std::optional<PartingPoint> point;
    std::string error;
};

// The last compilation and its baseline, measured in turn on the same inputs.
struct BothRuns {
    ReportPtr now;                  // with its times and outputs, or the messages why it has none; null: it was stopped
    ReportPtr baseline;             // likewise; null: it could not be run, and the error says why
    std::string error;              // of the baseline
    std::string difference;         // of their times: "4.2 % faster (3.1 % to 5.0 %)"
    std::vector<std::string> notes; // what disturbed the times
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

    // How far compile() is; any thread may ask.
    [[nodiscard]] const WorkProgress &compileProgress() const;

    // What the last compilation left of the request's known inputs and dimensions for a run to take: the rest is in the program.
    [[nodiscard]] RunInputs knownForRun(const ExploreRequest &request) const;

    // Runs the last compilation. Null when there is no compiled program or the run was cancelled. A run with repeats, which is
    // timed, also measures devices that were never measured and makes the estimates again.
    [[nodiscard]] ReportPtr run(const RunRequest &request, std::stop_token stop);

    // Compiles two programs and runs them in turn (A B, B A, ...) on the same inputs. The last compilation stays as it is. What
    // cannot be compiled or run is the effect's error; a measurement that was stopped has no changes.
    [[nodiscard]] Effect measureChange(const ChangeRequest &request, std::stop_token stop);

    // The roofs of the device of the last compilation: those of this machine's processor, or the figures of another device.
    [[nodiscard]] RoofsAnswer roofs(RoofsWanted wanted, std::stop_token stop);

    // Reads the machine code of these kernels of the last compilation. Returns its report with their instructions in the machine
    // document (StageDocument::parts says what is read). Null when there is no compiled program.
    [[nodiscard]] ReportPtr readMachineCode(const std::vector<std::uint32_t> &kernels, std::stop_token stop);

    // The machine code of a kernel of the last compilation for another processor, a name of targetEntries(). Nothing is kept.
    [[nodiscard]] TargetCode targetCode(std::uint32_t kernel, const std::string &target);
    // The passes of the device's own compiler over a kernel of the last compilation. Never null.
    [[nodiscard]] CompilerPassesPtr compilerPasses(std::uint32_t kernel);
    // Measured cycles of these kernels of the last compilation beside simulated ones, by the times of its last run. Reads machine
    // code that was not read yet.
    [[nodiscard]] CyclesAnswer measuredCycles(const std::vector<std::uint32_t> &kernels, const std::stop_token &stop);

    // Compiles beside the last compilation, which stays as it is: what it is compared with (explorer_baseline.cpp). Errors are in
    // the report's messages. Null when it is stopped. The newest one is kept for the two below.
    [[nodiscard]] ReportPtr compileBaseline(const ExploreRequest &request, const std::stop_token &stop);
    // The same with the machine code of all its kernels. Compiles again, unless it is the newest one.
    [[nodiscard]] ReportPtr baselineCode(const ExploreRequest &request, const std::stop_token &stop);
    // Runs the newest baseline and the last compilation in turn. Compiles the baseline again, unless it is the newest one. A
    // baseline that cannot run does not keep the program from running.
    [[nodiscard]] BothRuns runBoth(const ExploreRequest &baseline, const RunRequest &request, std::stop_token stop);
    // The value of a final graph node of the baseline, with the inputs of the last run.
    [[nodiscard]] ValueOpening baselineValue(const ExploreRequest &baseline, std::uint32_t node, ValueSource source,
                                             std::stop_token stop);
    // Where a compilation of this request and the last compilation part. Compiles again, unless it is the newest one.
    [[nodiscard]] PartingAnswer partingPoint(const ExploreRequest &baseline, const std::stop_token &stop);

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

    // How many bytes of the documents of moments to keep, so that those beside them come sooner.
    void keepMoments(std::size_t mostBytes);

    // Which rewrites made and end an item of the last compilation, and the life of the value that it was made for. Empty when
    // there is no such item, and when it is stopped.
    [[nodiscard]] ItemLife lifeOf(const MomentItem &item, std::stop_token stop);

    // Why an item of a stage of the last compilation is as it is, and what else it could be. Nothing: no decision made it.
    [[nodiscard]] std::optional<WhyCard> why(StageKind stage, ItemIndex item, std::stop_token stop);

    // What was found for a kernel of the last compilation by measuring.
    [[nodiscard]] KernelTuned tunedOf(std::uint32_t kernel) const;

    // Checks transformations for the kernel that stores the value of this path (as in an override of loops).
    [[nodiscard]] LoopCheck checkLoops(const std::string &value, const std::vector<std::string> &transforms) const;

    // The text of a kernel of the last compilation, to be edited: its source (stage Code) or its lowered instructions. Without
    // a kernel in its first field: there is none.
    [[nodiscard]] KernelCode kernelCode(std::uint32_t kernel, StageKind stage) const;

    // The inputs for the values and kernels below, until the next run: its own take their place.
    void chooseInputs(RunInputs inputs);
    // Facts about each input and parameter. Makes them one after the other and keeps none. Stopped: those so far.
    [[nodiscard]] std::vector<InputFacts> inputFacts(std::stop_token stop);
    [[nodiscard]] ValueOpening inputValue(std::string_view name, std::stop_token stop);

    // The value of a final graph node (DocumentItem::node), computed anew. What a device does not store has no value there, and
    // the error names the kernel that computes it.
    [[nodiscard]] ValueOpening nodeValue(std::uint32_t node, ValueSource source, std::stop_token stop);
    // Several of them, computed together.
    [[nodiscard]] std::vector<ValueOpening> nodeValues(const std::vector<std::uint32_t> &nodes, ValueSource source,
                                                       std::stop_token stop);
    // What a person calls the value of a node, "softmax/exp": it stays when the program is edited elsewhere. Empty: no such node.
    [[nodiscard]] std::string valuePath(std::uint32_t node) const;
    // Like nodeValues, by these names.
    [[nodiscard]] std::vector<ValueOpening> valuesNamed(const std::vector<std::string> &paths, ValueSource source,
                                                        std::stop_token stop);
    // The value that an item stands for at a moment: a node of the graph as it is then, or the tensor that a buffer of a kernel
    // holds. What has none says why. A device has values of what it runs, which is the end.
    [[nodiscard]] ValueOpening valueAt(const MomentItem &item, ValueSource source, std::stop_token stop);
    // What a buffer of the schedule holds once it is written.
    [[nodiscard]] ValueOpening bufferValue(std::uint32_t buffer, std::stop_token stop);

    // Where the numbers of the last compilation's graph go wrong, by the reference and the chosen inputs.
    [[nodiscard]] HealthReport health(const ProgressCallback &onProgress, std::stop_token stop);

    // The transformations of a kernel's loops. Those from `first` on were chosen; those before it belong to every choice.
    [[nodiscard]] ChosenTransforms chosenTransforms(std::uint32_t kernel) const;
    // Opens the kernel as it is with only its first `transforms` transformations, on what openKernel gives it.
    [[nodiscard]] TraceOpening openKernelWith(std::uint32_t kernel, std::size_t transforms, std::stop_token stop);
    // Opens a kernel of the last compilation with the chosen inputs; the interpreter runs the kernels before it.
    [[nodiscard]] TraceOpening openKernel(std::uint32_t kernel, std::stop_token stop);

private:
    struct Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace sw
