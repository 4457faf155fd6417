#pragma once
// ONNX Runtime as a peer for whole models. It is no package of Debian, so nothing is built against it: its shared library is
// loaded when STEPWELL_ONNX_RUNTIME names it (libonnxruntime.so.1, as its npm package onnxruntime-node has it).

#include "engine/base/result.h"
#include "engine/types/host_tensor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sw::benchmark {

struct NamedValue {
    std::string name;
    HostTensor value;
};

class OnnxRuntime;

// A model, ready to run on so many threads, with all its graph optimizations.
class OnnxRuntimeModel {
public:
    ~OnnxRuntimeModel();
    OnnxRuntimeModel(const OnnxRuntimeModel &) = delete;
    OnnxRuntimeModel &operator=(const OnnxRuntimeModel &) = delete;

    // Errors: what the library says about the model.
    [[nodiscard]] static Result<std::unique_ptr<OnnxRuntimeModel>> open(std::shared_ptr<const OnnxRuntime> library,
                                                                        const std::string &file, std::uint32_t threads,
                                                                        std::vector<NamedValue> inputs,
                                                                        std::vector<std::string> outputs);
    // One run; the outputs are freed by the next one. Errors: what the library says.
    [[nodiscard]] Result<Done> run();
    // The elements of an output of the last run, if they are floats of 32 bits; else nothing.
    [[nodiscard]] std::vector<float> floats(std::size_t output) const;

private:
    OnnxRuntimeModel() = default;
    void releaseOutputs();

    std::shared_ptr<const OnnxRuntime> m_library;
    std::vector<NamedValue> m_inputs;
    std::vector<std::string> m_outputNames;
    void *m_session = nullptr;
    std::vector<void *> m_values;  // of the inputs
    std::vector<void *> m_outputs; // of the last run
};

// Null when the environment names none; a message and null when the named one cannot be loaded.
[[nodiscard]] std::shared_ptr<const OnnxRuntime> onnxRuntime();
[[nodiscard]] std::string textOf(const OnnxRuntime &library); // "ONNX Runtime 1.30.0"

} // namespace sw::benchmark
