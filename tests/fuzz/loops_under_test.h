#pragma once
// A small program on one device, whose kernels are given lists of loop transformations. What it computes is compared with the
// reference, and to the last bit with what plain loops compute on the same device, where no list may make a difference.

#include "engine/loops/loop_nest.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/fuzz/loop_programs.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw {

enum class ListVerdict : std::uint8_t {
    Right,
    Wrong,    // other values, or an error that is none of the list
    TooLarge, // more instructions than are worth the time that compiling them takes
    Beyond,   // the device has no such vectors or not as much memory, and says so
};

struct ListTrial {
    ListVerdict verdict = ListVerdict::Right;
    std::string told = {};
    LoopProgramPtr loops = {}; // as they were compiled
    bool isExact = false;      // they were compared with plain loops to the last bit
};

enum class MultiplyAdd : std::uint8_t { Apart, Fused };

class LoopsUnderTest {
public:
    // Compiles and runs the program with plain loops. The device must stay.
    [[nodiscard]] static Result<LoopsUnderTest> prepare(DeviceUnderTest &device, const SmallProgram &program,
                                                        MultiplyAdd multiplyAdd);

    [[nodiscard]] const Schedule &schedule() const { return *m_plain->schedule; }
    // By kernel, before any transformation is chosen.
    [[nodiscard]] std::span<const std::shared_ptr<const LoopNest>> plainNests() const { return m_plain->nests; }

    // Those that every compilation of the program has.
    [[nodiscard]] const CompileOptions &options() const { return m_options; }
    // Such that each kernel gets the transformations of its nest, through the text of overrides.
    [[nodiscard]] Result<CompileOptions> optionsWith(std::span<const LoopNest> nests) const;
    [[nodiscard]] ListTrial tried(const CompileOptions &options) const;
    [[nodiscard]] ListTrial tried(std::span<const LoopNest> nests) const;

    // What makes a fault happen again: the program, and the overrides, each without the end that the fault does not need.
    [[nodiscard]] std::string replayOf(std::vector<LoopNest> nests) const;

private:
    struct Run {
        std::vector<HostTensor> inputs;
        std::vector<HostTensor> expected; // by the reference
        std::vector<HostTensor> bounds;
        std::vector<HostTensor> plain; // by plain loops
    };
    LoopsUnderTest(DeviceUnderTest &device, const SmallProgram &program) : m_device(device), m_program(program) {}

    Result<Done> readProgram();
    Result<Done> askForStages();
    Result<Done> runPlain();
    [[nodiscard]] ListTrial judged(const LoopProgramPtr &loops, const LoweredProgramPtr &lowered) const;
    [[nodiscard]] std::string faultOf(const Run &run, const std::vector<NamedTensor> &outputs, bool isExact) const;
    [[nodiscard]] bool mustBeExact(const LoopProgram &loops) const;

    DeviceUnderTest &m_device;
    SmallProgram m_program;
    CompileOptions m_options;
    GraphPtr m_graph;
    LoopProgramPtr m_plain;
    std::vector<Run> m_runs;
};

} // namespace sw
