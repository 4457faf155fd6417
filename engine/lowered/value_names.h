#pragma once
// What the text of a kernel calls its values.

#include "engine/lowered/lowered.h"

#include <string>
#include <vector>

namespace sw {

// The name that a value was given; empty: none. Arguments of a kernel with a shared body (binding; null: it has its own) have
// names of their own.
[[nodiscard]] const std::string &givenName(const Instruction &instruction, const KernelBinding *binding = nullptr);

// What the text calls each value, without the '%': by instruction. That is the name it was given, if it is an identifier that no
// other value of the kernel has, else its number.
[[nodiscard]] std::vector<std::string> valueNames(const LoweredKernel &kernel, const KernelBinding *binding = nullptr);

// The names in several kernels with one body, which differ in few of them.
class SharedBodyNames {
public:
    explicit SharedBodyNames(const LoweredKernel &body, const KernelBinding &first);

    [[nodiscard]] const std::vector<std::string> &ofFirst() const { return m_first; }
    // By instruction: what another kernel calls it; empty: what the first one does.
    [[nodiscard]] std::vector<std::string> differences(const KernelBinding &binding) const;

private:
    const LoweredKernel &m_body;
    std::vector<std::string> m_first;
    std::vector<std::uint32_t> m_given; // instructions with a name that was given
};

} // namespace sw
