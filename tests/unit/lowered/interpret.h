#pragma once
// Runs a kernel on host tensors, one per argument.

#include "engine/lowered/interpreter.h"
#include "engine/types/host_tensor.h"

#include <cstring>
#include <vector>

namespace sw::test {

struct InterpretOutcome {
    std::vector<IndexFault> faults;
    std::vector<std::vector<std::byte>> buffers;
};

inline Result<InterpretOutcome> interpret(const LoweredKernel &kernel, std::vector<std::vector<std::byte>> buffers,
                                          TraceSink trace = {}, std::stop_token stop = {})
{
    SW_TRY(const PreparedKernel prepared, PreparedKernel::prepare(kernel));
    InterpretRequest request;
    request.globalSize = kernel.globalSize;
    request.localSize = kernel.localSize;
    request.trace = std::move(trace);
    request.stop = std::move(stop);
    for (auto &buffer : buffers)
        request.buffers.emplace_back(buffer);
    SW_TRY(auto faults, prepared.run(request));
    return InterpretOutcome{std::move(faults), std::move(buffers)};
}

template <class T>
std::vector<std::byte> bytesOfValues(const std::vector<T> &values)
{
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> valuesOfBytes(const std::vector<std::byte> &bytes)
{
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

} // namespace sw::test
