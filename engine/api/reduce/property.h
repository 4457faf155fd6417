#pragma once
// What a reduction keeps: that a program makes devices differ, or that it fails. Programs are compiled and run like any other;
// with hosted backends, one that crashes ends its host and nothing else.

#include "engine/api/compilation.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

enum class PropertyKind : std::uint8_t { Different, Fails };

struct ProgramProperty {
    PropertyKind kind = PropertyKind::Different;
    std::string device;     // that is wrong
    std::string other;      // Different: what it is compared with; empty: the reference
    std::string code = {};  // Fails: of the diagnostic
    std::string where = {}; // Fails: the pass, or "front end", "compiler", "run"
    std::string text = {};  // in words
    // Different: the elements have no bound of their own, and are beyond the tolerance of the tensor.
    bool isByTolerance = false;

    // The same kind of failure; the words may differ.
    [[nodiscard]] bool isSameAs(const ProgramProperty &other) const;
};

// A program as a file would hold it.
struct TriedProgram {
    std::string fileName; // its ending says what the text is; files that it loads are in the same folder
    std::string text;
    std::vector<NamedTensor> given = {}; // values of inputs; others are from seed 1
};

class PropertyCheck {
public:
    // options: of every compilation. devices: one is compared with the reference, more with the first of them. A program that
    // takes longer than `patience` does not have the property.
    PropertyCheck(ProgramCompiler &compiler, CompileRequest options, std::vector<std::string> devices,
                  std::chrono::milliseconds patience);

    // Nothing: the program is compiled and run, and its values agree. Stopped: nothing.
    [[nodiscard]] std::optional<ProgramProperty> find(const TriedProgram &program, const std::stop_token &stop) const;
    [[nodiscard]] bool holds(const ProgramProperty &wanted, const TriedProgram &program, const std::stop_token &stop) const;
    // The compilation for a device.
    [[nodiscard]] CompileRequest requestOf(const TriedProgram &program, const std::string &device) const;

private:
    struct Ran {
        Compilation compilation;
        std::vector<NamedTensor> outputs;
        std::optional<ProgramProperty> failure;
    };
    [[nodiscard]] Ran run(const TriedProgram &program, const std::string &device, const std::stop_token &stop) const;
    [[nodiscard]] std::optional<ProgramProperty> differenceOf(const TriedProgram &program, const Ran &ran,
                                                              const std::stop_token &stop) const;
    [[nodiscard]] std::optional<ProgramProperty> findIn(const TriedProgram &program, const std::vector<std::string> &devices,
                                                        const std::stop_token &stop) const;

    ProgramCompiler &m_compiler;
    CompileRequest m_options;
    std::vector<std::string> m_devices;
    std::chrono::milliseconds m_patience;
};

} // namespace sw
