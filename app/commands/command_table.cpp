// The commands of stepwellc and their options: what --help prints, what arguments are checked against, and what runs.

#include "app/commands/command.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/measuring.h"
#include "app/commands/other_request.h"

#include <array>

namespace sw::command {

namespace {

constexpr auto kShowOptions = optionsOf(
    std::array{
        OptionInfo{"--stage", "S", "program, graph, schedule, loops, lowered, code or machine"},
        OptionInfo{"--after", "PASS", "the stage as this pass left it; see passes"},
        OptionInfo{"--mca", "", "of the machine code: its loops, registers and simulated throughput"},
        OptionInfo{"--target", "T", "machine code for another processor, which does not run; see devices --targets"},
        kKernelOption,
        kDeviceOption,
        OptionInfo{"--all-values", "", "writes constants of more than 4096 bytes out in the text, instead of leaving them out"},
        OptionInfo{"-o", "OUT", "writes the text to this file, and constants too large for it to files beside it"},
        kInputOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
        kCodeOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr std::array kCheckOptions{kInputOption, kDimensionOption};
constexpr auto kPassesOptions = optionsOf(
    std::array{
        OptionInfo{"--llvm", "", "the passes of LLVM over the generated code of a kernel, with what each changed"},
        kDeviceOption,
        kKernelOption,
        kInputOption,
        kDimensionOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kRunOptions = optionsOf(
    std::array{
        kDeviceOption,
        kInputOption,
        OptionInfo{"--output-dir", "DIR", "writes each output as DIR/NAME.npy; made when missing"},
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
        kCodeOption,
        kLimitOption,
        kGuardOption,
        OptionInfo{"--check-accesses", "", "compares every load and store of a kernel with its buffer before it is done"},
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kBenchOptions = optionsOf(
    std::array{
        OptionInfo{"--with", "OPTIONS",
                   "also measures a second compilation with these options, in turn: --with \"--device c --no-fuse\""},
        kCountersOption,
        OptionInfo{"--mca", "", "measured cycles of every kernel beside those that its machine code is simulated to take"},
        kPrecisionOption,
        kBudgetOption,
        kRepeatOption,
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
        kCodeOption,
        kLimitOption,
        kGuardOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kRooflineOptions = optionsOf(
    std::array{
        OptionInfo{"--measure", "", "measures the roofs anew; without it, only what was never measured"},
        kPrecisionOption,
        kBudgetOption,
        kRepeatOption,
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kSweepOptions = optionsOf(
    std::array{
        OptionInfo{"--dim", "NAME=LOW..HIGH", "the dimension that is swept, :STEPS for so many values; others as NAME=N",
                   OptionCount::Many},
        OptionInfo{"--threads", "LOW..HIGH", "or the number of threads; one number: how many every point uses"},
        OptionInfo{"--tile", "KERNEL:AXIS=LOW..HIGH",
                   "or the size of a tile: of the transformation \"split AXIS SIZE\" of the kernel"},
        OptionInfo{"-o", "OUT.svg", "draws time and GFLOP/s, and marks where decisions change"},
        OptionInfo{"--csv", "", "write a table of comma-separated values"},
        kPrecisionOption,
        OptionInfo{"--budget", "T", "the time for each point: 5s, 500ms or 2; default 300ms"},
        kRepeatOption,
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr std::array kTuneOptions{
    OptionInfo{"--kernel", "K", "the kernel, by name or number, or a value that it computes; default: all that take time"},
    OptionInfo{"--seed", "N", "of the search, and of inputs that are not given; default 1"},
    OptionInfo{"--budget", "T", "the time for all kernels: 5s, 500ms or 2; default 60s, without limit with --candidates"},
    OptionInfo{"--candidates", "N", "how many to try for each kernel; default: as many as the time allows"},
    OptionInfo{"--export", "FILE", "writes what was found as overrides, and does not keep it"},
    kDeviceOption,
    kInputOption,
    kDimensionOption,
    kThreadsOption,
    kOverridesOption,
    switchOption(&CompileSwitches::fuse),
    switchOption(&CompileSwitches::tensorInstructions),
    switchOption(&CompileSwitches::winograd),
    switchOption(&CompileSwitches::layouts),
    kJsonOption,
};
constexpr auto kTimelineOptions = optionsOf(
    std::array{
        OptionInfo{"-o", "OUT.json", "writes the trace event format of Chrome and Perfetto"},
        kCountersOption,
        OptionInfo{"--repeat", "N", "how many runs, one right after the other; default 5"},
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
        kCodeOption,
        kGuardOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kCompareOptions = optionsOf(
    std::array{
        OptionInfo{"--devices", "D1,D2,...", "the devices; the first is what the others are compared with"},
        OptionInfo{
            "--first-divergence", "",
            "instead, for each device: the first kernel with a result that the reference does not allow, and what made it so"},
        kInputOption,
        kPrecisionOption,
        kBudgetOption,
        kRepeatOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
        kCodeOption,
        kLimitOption,
        kGuardOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kDiffOptions = optionsOf(
    std::array{
        kWithOption,
        OptionInfo{"--stage", "S", "the lines of this stage that differ; without it, a table of all stages"},
        kKernelOption,
        OptionInfo{"--first", "", "only where they first part: the pass, the rewrite, the kernel and the line"},
        OptionInfo{"--worst", "N", "tensors: how many of the worst elements to list; default 10"},
        OptionInfo{"--by", "MEASURE", "tensors: what is worst: absolute, relative or ulp; default absolute"},
        kDeviceOption,
        kInputOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kEditOptions = optionsOf(
    std::array{
        OptionInfo{"--kernel", "K", "the kernel, by name, number, or a value that it computes"},
        OptionInfo{"--stage", "S", "code or lowered; default code"},
        OptionInfo{"--name", "N", "of the variant, when a kernel has several"},
        OptionInfo{"--plain", "", "only the text of the kernel, for --code"},
        OptionInfo{"-o", "OUT", "writes to this file; to overrides that are in it, the new one is added"},
        kDeviceOption,
        kInputOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions);
constexpr auto kMatrixOptions = optionsOf(
    std::array{
        OptionInfo{"--devices", "D1,D2,...", "the devices; each is a column"},
        OptionInfo{"--with", "OPTIONS",
                   "one more column for each device (or for the one that it names) with these options, in one word: "
                   "--with \"--no-fuse --threads 1\"; may be repeated",
                   OptionCount::Many},
        OptionInfo{"--csv", "", "write CSV"},
        kInputOption,
        kRepeatOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr std::array kConvertOptions{
    OptionInfo{"-o", "OUT.sw", "the program to write; its weights are written beside it as OUT.safetensors"},
    OptionInfo{"--from", "NAME", "a value that becomes an input: by its name, its path, or its number in the graph as %12",
               OptionCount::Many},
    OptionInfo{"--to", "NAME", "a value that becomes an output, instead of the outputs", OptionCount::Many},
    kInputOption,
    kDimensionOption,
};
constexpr std::array kInfoOptions{OptionInfo{"--depth", "N", "how deep scopes are listed; default 2"}, kInputOption,
                                  kDimensionOption, kJsonOption};
constexpr auto kReduceOptions = optionsOf(
    std::array{
        OptionInfo{"--devices", "D1,D2,...", "the devices that differ, or one that fails or differs from the reference"},
        OptionInfo{"-o", "OUT.sw", "the file of the small program; what it loads is written beside it"},
        OptionInfo{"--budget", "SECONDS", "how long to try; default 60"},
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kReproduceOptions = optionsOf(
    std::array{
        OptionInfo{"--kernel", "K", "the kernel, by name or number, or a value that it computes"},
        OptionInfo{"-o", "FOLDER", "the folder to write; it must be empty or not exist"},
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
        kCodeOption,
        kLimitOption,
    },
    kSwitchOptions);
constexpr auto kExplainOptions = optionsOf(
    std::array{
        OptionInfo{"--node", "ID", "decisions about this node of the graph: %3 or 3"},
        OptionInfo{"--edge", "A,B", "the decision about the edge from A to B"},
        kKernelOption,
        OptionInfo{"--instruction", "N", "with --kernel: why this lowered instruction is as it is: %44 or 44"},
        OptionInfo{"--life", "V", "the life of a value, from the program through every rewrite to its code: %3, 3 or its path"},
        OptionInfo{"--buffer", "B", "why this buffer, or the value of this path, is in memory, and where"},
        kDeviceOption,
        kInputOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr std::array kHealthOptions{
    OptionInfo{"--bits", "N", "how many bits a value may lose against f64; default 12"},
    kDeviceOption,
    kInputOption,
    kSeedOption,
    kDimensionOption,
    kOverridesOption,
    kJsonOption,
};
constexpr auto kTraceOptions = optionsOf(
    std::array{
        OptionInfo{"--kernel", "K", "the kernel, by name or number"},
        OptionInfo{"--at", "PLACE", "goes to where loops and work items are so: i=3,j=0 or global_x=5"},
        OptionInfo{"--until", "CONDITION",
                   "then runs to nan, inf, fault, difference, load, store, line:N, value:NAME or element:NAME[N]"},
        OptionInfo{"--steps", "N", "then shows so many steps more"},
        OptionInfo{"--back", "", "goes backward, from the end of the run"},
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kValuesOptions = optionsOf(
    std::array{
        OptionInfo{"--step", "N", "of a value in the body of a scan: in this step, from 0 on; default the last one"},
        OptionInfo{"--by", "WHO", "reference or device; default reference"},
        OptionInfo{"-o", "OUT.npy", "writes all of it to this file"},
        kDeviceOption,
        kInputOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions, std::array{kJsonOption});
constexpr auto kReportOptions = optionsOf(
    std::array{
        OptionInfo{"-o", "OUT.html", "the page to write"},
        OptionInfo{"--no-run", "", "does not run the program: the page has no times"},
        kDeviceOption,
        kInputOption,
        kRepeatOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions);
constexpr auto kSaveOptions = optionsOf(
    std::array{
        OptionInfo{"-o", "OUT.stepwell", "the session file to write"},
        OptionInfo{"--no-run", "", "does not run the program: the session has no times and results"},
        kDeviceOption,
        kInputOption,
        kRepeatOption,
        kSeedOption,
        kDimensionOption,
        kThreadsOption,
        kOverridesOption,
    },
    kSwitchOptions);
constexpr std::array kDevicesOptions{
    OptionInfo{"--measure", "", "measures every device, for the estimates of programs"},
    OptionInfo{"--targets", "", "instead, the processors that show --target makes machine code for"},
    kJsonOption,
};

constexpr std::array kCommands{
    CommandInfo{"devices", "[--measure | --targets] [--json]", "every device and its figures, or why one is not available", 0, 0,
                kDevicesOptions, devices},
    CommandInfo{"check", "FILE", "parses and verifies; diagnostics on stderr as file:line:column", 1, 1, kCheckOptions, check},
    CommandInfo{"info", "FILE [--depth N] [--dim NAME=N]... [--json]",
                "what a program or a model is: inputs, outputs, parameters, and the operations of its scopes", 1, 1, kInfoOptions,
                info},
    CommandInfo{"passes", "FILE [--device D] [--kernel K] [--llvm] [--json]", "the passes: changed or not, rewrites, time", 1, 1,
                kPassesOptions, passes},
    CommandInfo{"show",
                "FILE --stage S [--after PASS] [--mca] [--target T] [--kernel K] [--device D] [--threads N] [--all-values] [-o "
                "OUT] [--json]",
                "a stage as text", 1, 1, kShowOptions, show},
    CommandInfo{"run", "FILE [--device D] [--input NAME=FILE.npy]... [--dim NAME=N]... [--output-dir DIR] [--seed N] [--json]",
                "runs the program; inputs not given are filled from the seed", 1, 1, kRunOptions, run},
    CommandInfo{"bench", "FILE [--device D] [--with OPTIONS] [--precision P] [--budget T] [--json]",
                "times compiling and every kernel", 1, 1, kBenchOptions, bench},
    CommandInfo{"roofline", "FILE [--device D] [--measure] [--json]",
                "what bounds every kernel, and how much of it the kernel reaches", 1, 1, kRooflineOptions, roofline},
    CommandInfo{
        "sweep",
        "FILE --dim NAME=LOW..HIGH[:STEPS] | --threads LOW..HIGH | --tile KERNEL:AXIS=LOW..HIGH [--csv] [-o OUT.svg] [--json]",
        "times over the values of a dimension, numbers of threads or sizes of a tile, and what is decided otherwise on the way",
        1, 1, kSweepOptions, sweep},
    CommandInfo{"tune",
                "FILE [--kernel K] [--device D] [--threads N] [--seed N] [--budget T] [--candidates N] [--export FILE] [--json]",
                "searches for faster loops by measuring, and keeps them for later compilations", 1, 1, kTuneOptions, tune},
    CommandInfo{"timeline", "FILE [--device D] [--repeat N] [--counters] [-o OUT.json] [--json]",
                "when everybody worked while the program was compiled and run, and the gaps between", 1, 1, kTimelineOptions,
                timeline},
    CommandInfo{"compare", "FILE --devices D1,D2,... [--first-divergence] [--json]", "values and times of several devices", 1, 1,
                kCompareOptions, compare},
    CommandInfo{"diff", "A [B] [--with OPTIONS] [--stage S | --first] [--kernel K] [--json]",
                "what differs between two compilations, stage by stage, or between two .npy files; exit code 4 when they do", 1,
                2, kDiffOptions, diff},
    CommandInfo{"edit", "FILE --kernel K [--stage code|lowered] [--device D] [--threads N] [--name N] [--plain] [-o OUT]",
                "the text of a kernel as an override, to be edited", 1, 1, kEditOptions, edit},
    CommandInfo{"matrix", "FILE --devices D1,D2,... [--with OPTIONS]... [--csv | --json]",
                "every kernel on every device: its time, and whether its values are right; exit code 4 when some are not", 1, 1,
                kMatrixOptions, matrix},
    CommandInfo{"convert", "MODEL.onnx -o OUT.sw [--from NAME]... [--to NAME]...",
                "writes a model, or a part of it, as a program that can be edited, and one file of weights", 1, 1,
                kConvertOptions, convert},
    CommandInfo{"reduce", "FILE --devices D1,D2 -o OUT.sw [--budget SECONDS] [--json]",
                "the smallest program that still makes the devices differ, or a compiler or a kernel fail", 1, 1, kReduceOptions,
                reduce},
    CommandInfo{"reproduce",
                "FILE --kernel K -o FOLDER [--device D] [--input NAME=FILE.npy]... [--dim NAME=N]... [--code K=FILE]",
                "writes a folder that builds and runs a kernel alone, with its inputs and what is expected of it", 1, 1,
                kReproduceOptions, reproduce},
    CommandInfo{"explain", "FILE [--node ID | --edge A,B | --kernel K [--instruction N] | --buffer B | --life V] [--json]",
                "why operations share a kernel, or why not, and what to override", 1, 1, kExplainOptions, explain},
    CommandInfo{"health", "FILE [--bits N] [--input NAME=FILE.npy]... [--seed N] [--json]",
                "where values first become NaN, infinite or subnormal, or lose bits against f64", 1, 1, kHealthOptions, health},
    CommandInfo{"report", "FILE -o OUT.html [--device D] [--no-run]",
                "writes all stages as one page that any browser shows, without a network", 1, 1, kReportOptions, report},
    CommandInfo{"save", "FILE -o OUT.stepwell [--device D] [--no-run]",
                "keeps the program, all stages, results and times in one file, which every command takes as FILE", 1, 1,
                kSaveOptions, save},
    CommandInfo{"trace", "FILE --kernel K [--at PLACE] [--until CONDITION] [--steps N] [--back] [--json]",
                "steps through the run of a kernel: values and memory at a place", 1, 1, kTraceOptions, trace},
    CommandInfo{"values", "FILE VALUE [--step N] [--by reference|device] [-o OUT.npy] [--json]",
                "a value by its name, its path or its number in the graph, also in one step of a scan", 2, 2, kValuesOptions,
                values},
};

} // namespace

std::span<const CommandInfo> allCommands()
{
    return kCommands;
}

} // namespace sw::command
