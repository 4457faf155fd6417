#pragma once
// What a person switches off for a compilation. Whoever keeps, asks for or tells a compilation in words walks these rows, so that
// no switch is forgotten on the way.

#include <array>
#include <cstddef>
#include <string_view>

namespace sw {

struct CompileOptions;

struct CompileSwitches {
    bool fuse = true;               // off: one kernel per node
    bool optimize = true;           // off: plain loops, no vectors, no tiles
    bool tensorInstructions = true; // off: as if the devices had none
    bool winograd = true;           // off: convolutions as sums of all their products
    bool layouts = true;            // off: images in memory as the program has them
    bool tunings = true;            // off: the loops that the compiler chooses, also for kernels that were tuned
    bool operator==(const CompileSwitches &) const = default;
};

struct CompileSwitch {
    std::string_view name;   // in files: "fuse"
    std::string_view option; // of the command line, which switches it off
    std::string_view doc;    // of the option
    std::string_view off;    // what a compilation without it is called: "not fused"
    std::string_view noun;   // "fusion"
    bool CompileSwitches::*isOn;
};

inline constexpr std::array kCompileSwitches{
    CompileSwitch{"fuse", "--no-fuse", "one kernel per operation", "not fused", "fusion", &CompileSwitches::fuse},
    CompileSwitch{"optimize", "--no-optimize", "plain loops: no vectors, no tiles, no threads", "plain loops", "optimised loops",
                  &CompileSwitches::optimize},
    CompileSwitch{"tensor_instructions", "--no-tensor-instructions", "as if the devices had no tensor instructions",
                  "no tensor instructions", "tensor instructions", &CompileSwitches::tensorInstructions},
    CompileSwitch{"winograd", "--no-winograd", "convolutions as sums of all their products, without Winograd's algorithm",
                  "no Winograd", "Winograd's algorithm", &CompileSwitches::winograd},
    CompileSwitch{"layouts", "--no-layouts", "images in memory as the program has them, channel by channel", "no layouts",
                  "chosen layouts", &CompileSwitches::layouts},
    CompileSwitch{"tunings", "--no-tunings", "the loops that the compiler chooses, also for kernels that were tuned",
                  "no tunings", "kept tunings", &CompileSwitches::tunings},
};

// Takes from the options what is switched off.
void switchOff(CompileOptions &options, const CompileSwitches &switches);
// Tunings are off where there are none in the options, not even an empty list of them.
[[nodiscard]] CompileSwitches switchesOf(const CompileOptions &options);

// On where both are.
[[nodiscard]] CompileSwitches bothOf(CompileSwitches one, const CompileSwitches &other);

} // namespace sw
