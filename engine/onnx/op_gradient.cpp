// Gradients that a model asks for.

#include "engine/onnx/handlers.h"
#include "engine/onnx/read_model.h"

#include <algorithm>

namespace sw::onnx {

// Of the sum of y, with respect to each of xs. The inputs say where: for xs, then for zs. Only the values that the model itself
// gives them are supported.
Result<Outputs> importGradient(NodeCall &call)
{
    const auto *names = call.hasAttribute("xs") ? std::get_if<std::vector<std::string>>(&call.attribute("xs")->value) : nullptr;
    if (names == nullptr || names->empty())
        return call.error(Code::MalformedModel, "there is no list of names 'xs'");
    const std::string lossName = call.text("y", "");
    Value *loss = call.bodies().find(lossName);
    if (loss == nullptr || loss->sequence)
        return call.error(Code::MalformedModel, "y is '{}', which is no tensor of the model", displayText(lossName));
    for (std::size_t i = 0; i < names->size(); ++i)
        if (i >= call.node().inputs.size() || call.node().inputs[i] != (*names)[i])
            return call.unsupported(
                "input {} is not '{}': gradients at other places than the model's own values are not supported", i,
                displayText((*names)[i]));
    const NodeId y = materialize(call.builder(), *loss);
    std::optional<NodeId> weights;
    if (loss->shape.rank() > 0) {
        SW_TRY(weights, call.builder().full(call.origin(), Scalar::of(loss->dtype, 1.0), loss->shape));
    }
    Outputs outputs;
    for (std::size_t i = 0; i < names->size(); ++i) {
        if (!isFloat(call.dtype(i)) || !isFloat(loss->dtype))
            return call.unsupported("gradients are of floats with respect to floats, not of {} with respect to {}",
                                    typeText(loss->dtype, loss->shape), typeText(call.dtype(i), call.shape(i)));
        SW_TRY(const NodeId gradient, call.builder().gradient(call.origin(), y, call.input(i), weights));
        outputs.emplace_back(gradient);
    }
    return outputs;
}

} // namespace sw::onnx
