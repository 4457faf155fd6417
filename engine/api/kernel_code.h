#pragma once
// The text of one kernel, to be edited: its own, and what an override in use gives it instead.

#include <cstdint>
#include <string>

namespace sw {

struct Compilation;
enum class CodeForm : std::uint8_t;

struct KernelCode {
    std::string kernel; // "k0_softmax"
    std::string value;  // the path of the value that names it in an override
    std::string device;
    std::string form;     // "source" or "lowered"
    std::string language; // "LLVM IR", "C", "OpenCL C", "Lowered text"
    std::string interface;
    std::string original; // the text that the compiler made, as it can be edited
    std::string current;  // the text in use
    bool operator==(const KernelCode &) const = default;
};

// Of a compilation that has this kernel as lowered instructions, and as source where that is asked for; without a kernel in its
// first field: it has not.
[[nodiscard]] KernelCode kernelCodeOf(const Compilation &compilation, std::uint32_t kernel, CodeForm form);

// The override that gives the kernel this text, by the name of a variant. It keeps what the text was made from, so that it is
// refused when the kernel changes.
[[nodiscard]] std::string codeOverride(const KernelCode &kernel, const std::string &name, const std::string &text);

} // namespace sw
