#include "tests/benchmarks/one_dnn_convolution.h"

namespace sw::benchmark {

namespace {

using dnnl::memory;

dnnl::primitive_attr attributesOf(const WantedConvolution &wanted)
{
    dnnl::primitive_attr attributes;
    if (!wanted.isRectified)
        return attributes;
    dnnl::post_ops after;
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(after);
    return attributes;
}

} // namespace

OneDnnConvolution convolutionOf(const WantedConvolution &wanted, const dnnl::engine &engine, ConvolutionLayout layout)
{
    const ConvolutionSize &size = wanted.size;
    const auto described = [&](const memory::dims &dims, memory::format_tag plain) {
        return memory::desc(dims, wanted.type, layout == ConvolutionLayout::Any ? memory::format_tag::any : plain);
    };
    const memory::desc source = described({1, size.channels, size.size, size.size}, memory::format_tag::nchw);
    const memory::desc weights =
        size.groups == 1
            ? described({size.outputs, size.channels, size.window, size.window}, memory::format_tag::oihw)
            : described({size.groups, size.outputs / size.groups, size.channels / size.groups, size.window, size.window},
                        memory::format_tag::goihw);
    const memory::desc result = described({1, size.outputs, size.outputSize(), size.outputSize()}, memory::format_tag::nchw);
    const memory::dims strides{size.stride, size.stride};
    const memory::dims padding{size.padding, size.padding};
    const dnnl::convolution_forward::desc all(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, source,
                                              weights, result, strides, padding, padding);
    const dnnl::convolution_forward::primitive_desc primitive(all, attributesOf(wanted), engine);
    return {primitive.src_desc(), primitive.weights_desc(), primitive.dst_desc(), primitive};
}

BlockedConvolution::BlockedConvolution(const WantedConvolution &wanted, const void *source, const void *weights)
{
    const OneDnnConvolution plain = convolutionOf(wanted, m_engine, ConvolutionLayout::Plain);
    const OneDnnConvolution best = convolutionOf(wanted, m_engine, ConvolutionLayout::Any);
    const auto brought = [&](const memory::desc &from, const memory::desc &to, const void *values) {
        memory given(from, m_engine, const_cast<void *>(values)); // oneDNN does not write to it
        memory made(to, m_engine);
        dnnl::reorder(given, made).execute(m_stream, given, made);
        m_stream.wait();
        return made;
    };
    m_primitive = dnnl::convolution_forward(best.primitive);
    m_result = memory(best.result, m_engine);
    m_arguments = {{DNNL_ARG_SRC, brought(plain.source, best.source, source)},
                   {DNNL_ARG_WEIGHTS, brought(plain.weights, best.weights, weights)},
                   {DNNL_ARG_DST, m_result}};
}

void BlockedConvolution::run()
{
    m_primitive.execute(m_stream, m_arguments);
    m_stream.wait();
}

void BlockedConvolution::writeResult(float *out)
{
    const memory::desc plain(m_result.get_desc().dims(), memory::data_type::f32, memory::format_tag::nchw);
    memory written(plain, m_engine, out);
    dnnl::reorder(m_result, written).execute(m_stream, m_result, written);
    m_stream.wait();
}

} // namespace sw::benchmark
