#include "engine/api/compile_switches.h"

#include "engine/passes/pass_context.h"

namespace sw {

void switchOff(CompileOptions &options, const CompileSwitches &switches)
{
    options.fuse = options.fuse && switches.fuse;
    options.optimize = options.optimize && switches.optimize;
    options.tensorInstructions = options.tensorInstructions && switches.tensorInstructions;
    options.winograd = options.winograd && switches.winograd;
    options.layouts = options.layouts && switches.layouts;
    if (!switches.tunings)
        options.tunings.reset();
}

CompileSwitches switchesOf(const CompileOptions &options)
{
    return {.fuse = options.fuse,
            .optimize = options.optimize,
            .tensorInstructions = options.tensorInstructions,
            .winograd = options.winograd,
            .layouts = options.layouts,
            .tunings = options.tunings != nullptr};
}

CompileSwitches bothOf(CompileSwitches one, const CompileSwitches &other)
{
    for (const CompileSwitch &each : kCompileSwitches)
        one.*each.isOn = one.*each.isOn && other.*each.isOn;
    return one;
}

} // namespace sw
