#pragma once
// One operation as the decomposition pass writes it, run by the lowered interpreter.

#include "engine/lowered/interpreter.h"
#include "engine/ops/op.h"

#include <optional>
#include <span>
#include <vector>

namespace sw::test {

class DecomposedOp {
public:
    // last: the last operand, where it is a number in the kernel and not given.
    DecomposedOp(Op op, DType dtype, TargetLanguage language = TargetLanguage::C, std::optional<double> last = {});

    static constexpr std::size_t kBatch = 16384; // values per run

    // Returns as many results as values; takes several operands where the operation does. Sizes are multiples of kBatch.
    template <class T>
    [[nodiscard]] std::vector<T> run(std::vector<std::vector<T>> operands) const
    {
        std::vector<T> results(operands.front().size());
        for (std::size_t at = 0; at < results.size(); at += kBatch) {
            std::vector<std::span<std::byte>> buffers;
            for (auto &operand : operands)
                buffers.push_back(std::as_writable_bytes(std::span(operand).subspan(at, kBatch)));
            buffers.push_back(std::as_writable_bytes(std::span(results).subspan(at, kBatch)));
            runBatch(std::move(buffers));
        }
        return results;
    }

    [[nodiscard]] const LoweredKernel &kernel() const { return m_kernel; }
    // The number of operations in the formula, without constants and bit casts.
    [[nodiscard]] std::size_t operations() const { return m_operations; }

private:
    void runBatch(std::vector<std::span<std::byte>> buffers) const;

    LoweredKernel m_kernel;
    PreparedKernel m_prepared;
    std::size_t m_operations = 0;
};

} // namespace sw::test
