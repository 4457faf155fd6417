#pragma once
// A model's message without the elements of its large tensors, which stay where they lie: reading the message then takes memory
// for the model and not for its weights.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sw::onnx {

// In a tensor of the message whose raw data are apart: their index. The schema does not have the field.
inline constexpr int kApartField = 18'000;

// Raw data of fewer than kLeastStored bytes stay in the message.
struct SplitModel {
    std::string message;
    std::vector<std::span<const std::byte>> apart; // views of the bytes that were given
};

// Nothing if the bytes are no valid message, as far as this looks into them, or nested deeper than a model is.
[[nodiscard]] std::optional<SplitModel> splitModel(std::span<const std::byte> bytes);

} // namespace sw::onnx
