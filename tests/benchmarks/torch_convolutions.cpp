#include "tests/benchmarks/torch_convolutions.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

namespace sw::benchmark {

namespace {

at::Tensor asGiven(const at::Tensor &image)
{
    return image;
}

at::Tensor channelsInnermost(const at::Tensor &image)
{
    return image.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor opaque(const at::Tensor &image)
{
    return image.to_mkldnn();
}

void finish(at::Tensor &made, AfterConvolution after)
{
    if (after == AfterConvolution::Relu)
        at::relu_(made);
}

Convolve plain(const at::Tensor &weights, const TorchConvolution &wanted)
{
    return [weights, wanted](const at::Tensor &image) {
        const ConvolutionSize &size = wanted.size;
        at::Tensor made = at::conv2d(image, weights, {}, size.stride, size.padding, 1, size.groups);
        finish(made, wanted.after);
        return made;
    };
}

Convolve plainInnermost(const at::Tensor &weights, const TorchConvolution &wanted)
{
    return plain(channelsInnermost(weights), wanted);
}

Convolve byOneDnn(const at::Tensor &weights, const TorchConvolution &wanted)
{
    return [weights, wanted](const at::Tensor &image) {
        const ConvolutionSize &size = wanted.size;
        at::Tensor made = at::mkldnn_convolution(image, weights, {}, {size.padding, size.padding}, {size.stride, size.stride},
                                                 {1, 1}, size.groups);
        finish(made, wanted.after);
        return made;
    };
}

// at::conv2d leaves f32 windows of one element on one thread, and small images, to loops of its own.
Convolve byOneDnnInnermost(const at::Tensor &weights, const TorchConvolution &wanted)
{
    return byOneDnn(channelsInnermost(weights), wanted);
}

Convolve byOneDnnReordered(const at::Tensor &weights, const TorchConvolution &wanted)
{
    const ConvolutionSize &size = wanted.size;
    const at::Tensor reordered = at::mkldnn_reorder_conv2d_weight(weights.to_mkldnn(), {size.padding, size.padding},
                                                                  {size.stride, size.stride}, {1, 1}, size.groups);
    return byOneDnn(reordered, wanted);
}

// What PyTorch makes of a frozen TorchScript model: it has no function of at::, but the name of an operation. It brings the
// weights into oneDNN's layout before, and the relu is part of the convolution.
Convolve packed(const at::Tensor &weights, const TorchConvolution &wanted)
{
    const ConvolutionSize &size = wanted.size;
    const auto square = [](std::int64_t extent) { return c10::IValue(std::vector<std::int64_t>{extent, extent}); };
    c10::Dispatcher &operations = c10::Dispatcher::singleton();
    torch::jit::Stack arguments{channelsInnermost(weights),
                                c10::IValue(),
                                square(size.stride),
                                square(size.padding),
                                square(1),
                                size.groups,
                                std::vector<std::int64_t>{1, size.channels, size.size, size.size},
                                wanted.after == AfterConvolution::Relu ? "relu" : "none"};
    operations.findSchemaOrThrow("mkldnn_prepacked::conv2d_prepack", "").callBoxed(&arguments);
    const c10::IValue made = arguments.front();
    const c10::OperatorHandle run = operations.findSchemaOrThrow("mkldnn_prepacked::conv2d_run", "");
    return [made, run](const at::Tensor &image) {
        torch::jit::Stack values{image, made};
        run.callBoxed(&values);
        return values.front().toTensor();
    };
}

} // namespace

const std::vector<TorchConvolutionWay> &torchConvolutionWays()
{
    static const std::vector<TorchConvolutionWay> ways{
        {"PyTorch", false, asGiven, plain},
        {"PyTorch, channels innermost", false, channelsInnermost, plainInnermost},
        {"PyTorch, channels innermost, always oneDNN", false, channelsInnermost, byOneDnnInnermost},
        {"PyTorch, channels innermost, packed weights", false, channelsInnermost, packed},
        {"PyTorch, layout of oneDNN", true, opaque, byOneDnnReordered},
    };
    return ways;
}

} // namespace sw::benchmark
