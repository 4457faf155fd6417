#include "tests/benchmarks/model_inputs.h"

#include "engine/api/front_end.h"
#include "engine/onnx/import.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <string>

#define ONNX_ML 1 // the variant of the schema that the installed library uses
#include <onnx/onnx_pb.h>

namespace sw::benchmark {

Result<std::vector<NamedTensor>> storedInputs(const std::filesystem::path &model)
{
    std::ifstream in(model, std::ios::binary);
    ::onnx::ModelProto read;
    if (!in || !read.ParseFromIstream(&in))
        return Diagnostic::error(Code::File, {.file = model}, "cannot be read as an ONNX model");
    std::vector<NamedTensor> inputs;
    for (const auto &input : read.graph().input()) {
        const auto &weights = read.graph().initializer();
        if (std::ranges::any_of(weights, [&](const auto &one) { return one.name() == input.name(); }))
            continue;
        const std::filesystem::path file = model.parent_path() / "test_data_set_0" / format("input_{}.pb", inputs.size());
        if (!std::filesystem::exists(file))
            return std::vector<NamedTensor>();
        SW_TRY(const std::string bytes, readTextFile(file));
        SW_TRY(HostTensor value, readOnnxTensor(std::as_bytes(std::span(bytes)), file));
        inputs.push_back({input.name(), std::move(value)});
    }
    return inputs;
}

} // namespace sw::benchmark
