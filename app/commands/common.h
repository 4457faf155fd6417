#pragma once
// Helpers that the commands share: opening a program, reporting diagnostics, reading tensors from files.

#include "app/commands/command.h"
#include "engine/api/compilation.h"
#include "engine/api/compile_switches.h"
#include "engine/api/inputs.h"
#include "engine/base/json.h"

#include <algorithm>
#include <array>

namespace sw::command {

inline constexpr int kJsonVersion = 1;

inline constexpr OptionInfo kDeviceOption{"--device", "D",
                                          "the device to compile for and run on; default that of a lowered text, else llvm"};
inline constexpr OptionInfo kJsonOption{"--json", "", "write JSON"};
inline constexpr OptionInfo kKernelOption{"--kernel", "K", "only this kernel, by name or number"};
inline constexpr OptionInfo kInputOption{"--input", "NAME=FILE.npy", "the value of an input; may be repeated", OptionCount::Many};
inline constexpr OptionInfo kDimensionOption{
    "--dim", "NAME=N", "an open dimension; of a model also NAME=LOW..HIGH, which keeps it open; may be repeated",
    OptionCount::Many};
inline constexpr OptionInfo kSeedOption{"--seed", "N", "what inputs that are not given are filled from; default 1"};
inline constexpr OptionInfo kThreadsOption{"--threads", "N", "how many threads a CPU device uses; default all"};
inline constexpr OptionInfo kRepeatOption{"--repeat", "N", "exactly so many measured runs, instead of as many as it takes"};
inline constexpr OptionInfo kOverridesOption{"--overrides", "FILE", "what to decide in place of the compiler: see overrides.md"};
inline constexpr OptionInfo kCodeOption{"--code", "KERNEL=FILE",
                                        "the text of a kernel, by name or number: a source, or .lowered; may be repeated",
                                        OptionCount::Many};
inline constexpr OptionInfo kLimitOption{"--limit", "SECONDS", "ends a run that takes longer; kernels run in another process"};
inline constexpr OptionInfo kGuardOption{"--guard", "",
                                         "memory around buffers that no kernel may touch; runs in another process"};
inline constexpr OptionInfo kCountersOption{"--counters", "", "what the processor's hardware counters count, in further runs"};
// What switches parts of the compiler off.
inline constexpr auto kSwitchOptions = [] {
    std::array<OptionInfo, kCompileSwitches.size()> options{};
    for (std::size_t i = 0; i < options.size(); ++i)
        options[i] = {kCompileSwitches[i].option, "", kCompileSwitches[i].doc};
    return options;
}();

[[nodiscard]] constexpr OptionInfo switchOption(bool CompileSwitches::*which)
{
    const auto at = std::ranges::find(kCompileSwitches, which, &CompileSwitch::isOn);
    return kSwitchOptions[static_cast<std::size_t>(at - kCompileSwitches.begin())];
}

// The options of a command: single ones and groups of them, in this order.
template <std::size_t... counts>
[[nodiscard]] constexpr auto optionsOf(const std::array<OptionInfo, counts> &...groups)
{
    std::array<OptionInfo, (counts + ...)> all{};
    auto at = all.begin();
    ((at = std::copy(groups.begin(), groups.end(), at)), ...);
    return all;
}

// 1 if any error is in the program, else 3 if something is unsupported or unavailable; 0 without errors.
[[nodiscard]] ExitCode exitCodeOf(const Diagnostics &diagnostics);
[[nodiscard]] Outcome failed(const Diagnostics &diagnostics);
[[nodiscard]] Outcome usageFailed(const Diagnostics &diagnostics);
// For a failure of requestOf: a misused option is a usage error, an unreadable file is not.
[[nodiscard]] Outcome requestFailed(const Diagnostics &diagnostics);

// What the arguments do not switch off.
[[nodiscard]] CompileSwitches switchesOf(const Arguments &arguments);
// The request that the arguments describe: file, device, threads, options, inputs read from files, dimensions. Kernels that were
// tuned have the loops that were found for them, unless --no-tunings is there.
[[nodiscard]] Result<CompileRequest> requestOf(const Arguments &arguments, const Environment &environment, CompileUntil until);

// The backends for the request: in processes of their own where it edits code, or has a limit or guards.
[[nodiscard]] const BackendRegistry &registryFor(const Arguments &arguments, const CompileRequest &request,
                                                 const Environment &environment);

// The known inputs, without those that became part of the program.
[[nodiscard]] std::vector<NamedTensor> givenInputs(const CompileRequest &request, const Compilation &compilation);
// The given inputs, and the seed for the others.
[[nodiscard]] RunInputs runInputsOf(const CompileRequest &request, const Compilation &compilation, std::uint64_t seed);
// Compiles a program that is not run; given inputs or dimensions that do not fit it appear in the diagnostics.
[[nodiscard]] Compilation compileToLookAt(ProgramCompiler &compiler, const CompileRequest &request, const std::stop_token &stop);

// The kernel that --kernel names; invalid if the option is absent.
[[nodiscard]] Result<KernelId> chosenKernel(const Arguments &arguments, const Schedule &schedule);
// The one that --kernel names by its name, its number, or a value that it computes. Errors: it is not given; there is none.
[[nodiscard]] Result<KernelId> wantedKernel(const Arguments &arguments, const Schedule &schedule);

// The names between commas.
[[nodiscard]] std::vector<std::string> namesIn(const std::string &text);

// Returns a text such as "12.3 us".
[[nodiscard]] std::string timeText(std::chrono::nanoseconds time);
// "12.1 us ... 12.4 us": the band of the median; "-": there were too few runs for one.
[[nodiscard]] std::string bandText(const Timing &timing);
void writeTiming(JsonWriter &json, std::string_view key, const Timing &timing);
void writeDiagnostics(JsonWriter &json, const Diagnostics &diagnostics);

// Pads the columns with spaces and underlines the first row.
[[nodiscard]] std::string tableText(const std::vector<std::vector<std::string>> &rows);

} // namespace sw::command
