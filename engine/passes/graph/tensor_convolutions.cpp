#include "engine/passes/graph/tensor_convolutions.h"

#include "engine/graph/kernel_body.h"
#include "engine/graph/window_sum.h"
#include "engine/passes/graph/narrow_products.h"
#include "engine/passes/graph/rewriter.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::size_t kMostViews = 16; // between what is stored and a factor

// The axes of the products that take the place of a convolution's.
enum PixelAxis : std::uint8_t {
    kPixelImage,
    kPixelGroup,
    kPixelRow,
    kPixelColumn,
    kPixelOutput,
    kPixelWindowRow,
    kPixelWindowColumn,
    kPixelChannel,
};

// A factor of the products as it is stored: behind one cast from a narrow type, through nodes that only move elements. The fill
// of a border is 0.
class NarrowFactor {
public:
    NarrowFactor(GraphBuilder &builder, NodeId wide) : m_builder(builder)
    {
        for (NodeId id = wide; m_moves.size() < kMostViews; id = builder.node(id).inputs[0]) {
            const Node &node = builder.node(id);
            if (node.kind == NodeKind::Cast) {
                m_stored = node.inputs[0];
                return;
            }
            if (familyOf(node.kind) != NodeFamily::Movement || node.inputs.size() != 1 || !mayMoveNarrow(node))
                return;
            m_moves.push_back(id);
        }
    }

    [[nodiscard]] bool isFound() const { return m_stored.isValid(); }
    [[nodiscard]] DType dtype() const { return m_builder.node(m_stored).dtype; }

    // The factor in its narrow type: moved as the wide one was.
    NodeId made() const
    {
        NodeId made = m_stored;
        for (auto move = m_moves.rbegin(); move != m_moves.rend(); ++move) {
            Node node = m_builder.node(*move);
            node.inputs[0] = made;
            node.dtype = dtype();
            if (auto *pad = std::get_if<PadAttributes>(&node.attributes))
                pad->fill = Scalar::of(node.dtype, std::int64_t{0});
            made = m_builder.addUnchecked(std::move(node));
        }
        return made;
    }

private:
    [[nodiscard]] static bool mayMoveNarrow(const Node &node)
    {
        const auto *pad = std::get_if<PadAttributes>(&node.attributes);
        return pad == nullptr || pad->fill == Scalar::of(node.dtype, std::int64_t{0});
    }

    GraphBuilder &m_builder;
    std::vector<NodeId> m_moves; // from the factor to the cast
    NodeId m_stored;
};

// The fastest instruction with tile registers that multiplies elements of these types, if its tiles fit, as the loops make them
// (choose_tensor.cpp): whole steps of the channels and whole columns of outputs, even tiles of the pixels of a row, and a loop
// around them, and windows of a tile that a core can copy.
std::optional<TensorInstruction> instructionFor(const WindowSum &made, const PassContext &context, DType image, DType kernels,
                                                DType sum)
{
    const std::uint32_t instructions = usableTensorInstructions(context);
    const std::int64_t mostBytes = mostCopiedBytes(context.device().cacheBytesPerCore, context.device().scratchBytes);
    const std::int64_t steps = made.extentOf(kChannel) * made.extentOf(kKernelRow) * made.extentOf(kKernelColumn);
    std::optional<TensorInstruction> found;
    if (made.extentOf(kImage) * made.extentOf(kGroup) * made.extentOf(kRow) == 1)
        return found;
    for (const TensorInstruction one : allTensorInstructions()) {
        const TensorInstructionInfo &info = infoOf(one);
        if (!hasTileRegisters(info) || !hasTensorInstruction(instructions, one) || info.a != image || info.b != kernels ||
            info.sum != sum || made.extentOf(kChannel) % info.depth != 0 || made.extentOf(kOutput) % info.columns != 0 ||
            evenTileRows(made.extentOf(kColumn), 2 * info.rows) < kFewestTileRows ||
            steps * 2 * info.rows * static_cast<std::int64_t>(bytesOf(info.a)) > mostBytes)
            continue;
        if (!found || speedupOf(info) > speedupOf(infoOf(*found)))
            found = one;
    }
    return found;
}

class PixelProducts {
public:
    PixelProducts(RewriteContext &context, const WindowSum &made, const TensorInstructionInfo &info)
        : m_builder(context.builder()), m_origin(context.origin()), m_made(made), m_info(info), m_sum(context.node())
    {
    }

    Result<NodeId> run(const NarrowFactor &image, const NarrowFactor &kernels)
    {
        SW_TRY(const NodeId pixels, windowsOf(image));
        SW_TRY(const NodeId columns, columnsOf(kernels));
        const Shape whole({extentOf(kImage), extentOf(kGroup), extentOf(kRow), extentOf(kColumn), extentOf(kOutput),
                           extentOf(kKernelRow), extentOf(kKernelColumn), extentOf(kChannel)});
        SW_TRY(const NodeId left, m_builder.cast(m_origin, pixels, m_sum.dtype));
        SW_TRY(const NodeId leftWhole, m_builder.expand(m_origin, left, whole));
        SW_TRY(const NodeId right, m_builder.cast(m_origin, columns, m_sum.dtype));
        SW_TRY(const NodeId rightWhole, m_builder.expand(m_origin, right, whole));
        SW_TRY(const NodeId products, m_builder.elementwise(m_origin, Op::Mul, std::array{leftWhole, rightWhole}));
        SW_TRY(const NodeId sums,
               m_builder.reduce(m_origin, Op::Add, products, {kPixelWindowRow, kPixelWindowColumn, kPixelChannel}));
        return asBefore(sums);
    }

private:
    [[nodiscard]] std::int64_t extentOf(ConvolutionAxis axis) const { return m_made.extentOf(axis); }

    // [images, groups, outputs, rows, columns, 1, 1, 1], from sums with the outputs of a pixel side by side.
    Result<NodeId> asBefore(NodeId sums)
    {
        if (extentOf(kGroup) != 1)
            return m_builder.permute(m_origin, sums,
                                     {kPixelImage, kPixelGroup, kPixelOutput, kPixelRow, kPixelColumn, kPixelWindowRow,
                                      kPixelWindowColumn, kPixelChannel});
        SW_TRY(
            const NodeId image,
            m_builder.reshape(m_origin, sums, Shape({extentOf(kImage), extentOf(kRow), extentOf(kColumn), extentOf(kOutput)})));
        SW_TRY(const NodeId channels, m_builder.permute(m_origin, image, {0, 3, 1, 2}));
        return m_builder.reshape(m_origin, channels, m_sum.shape);
    }

    // [images, groups, rows, columns, 1, window rows, window columns, channels]. The pixels are stored in that
    // order, with their border.
    Result<NodeId> windowsOf(const NarrowFactor &image)
    {
        const Shape stored = m_builder.node(m_made.image).shape; // rows and columns are its last axes
        SW_TRY(const NodeId narrow, m_builder.reshape(m_origin, image.made(),
                                                      Shape({extentOf(kImage), extentOf(kGroup) * extentOf(kChannel),
                                                             stored[stored.rank() - 2], stored[stored.rank() - 1]})));
        SW_TRY(NodeId pixels, m_builder.permute(m_origin, narrow, {0, 2, 3, 1}));
        SW_TRY(pixels, m_builder.contiguous(m_origin, pixels));
        m_builder.setName(pixels, "pixels");
        const Shape shape = m_builder.node(pixels).shape; // [images, rows, columns, channels of all groups]
        const std::int64_t pixel = shape[3];
        const std::int64_t row = shape[2] * pixel;
        const std::vector<std::int64_t> strides{shape[1] * row,
                                                extentOf(kChannel),
                                                m_made.rowStride * row,
                                                m_made.columnStride * pixel,
                                                0,
                                                m_made.rowDilation * row,
                                                m_made.columnDilation * pixel,
                                                1};
        const Shape windows({extentOf(kImage), extentOf(kGroup), extentOf(kRow), extentOf(kColumn), 1, extentOf(kKernelRow),
                             extentOf(kKernelColumn), extentOf(kChannel)});
        return m_builder.view(m_origin, pixels, windows, {.strides = strides, .offset = 0, .mask = {}});
    }

    // [1, groups, 1, 1, outputs, window rows, window columns, channels], stored as the instruction's tiles: of each group of
    // steps, the columns side by side, and of each column the steps.
    Result<NodeId> columnsOf(const NarrowFactor &kernels)
    {
        const std::int64_t group = depthGroupOf(m_info.b, m_info.sum);
        const std::int64_t tiles = extentOf(kOutput) / m_info.columns;
        const std::int64_t steps = extentOf(kChannel) / group;
        SW_TRY(const NodeId parts, m_builder.reshape(m_origin, kernels.made(),
                                                     Shape({extentOf(kGroup), tiles, m_info.columns, steps, group,
                                                            extentOf(kKernelRow), extentOf(kKernelColumn)})));
        SW_TRY(const NodeId ordered, m_builder.permute(m_origin, parts, {0, 1, 5, 6, 3, 2, 4}));
        SW_TRY(const NodeId stored, m_builder.contiguous(m_origin, ordered));
        m_builder.setName(stored, "kernel_tiles");
        SW_TRY(const NodeId back, m_builder.permute(m_origin, stored, {0, 1, 5, 2, 3, 4, 6}));
        return m_builder.reshape(m_origin, back,
                                 Shape({1, extentOf(kGroup), 1, 1, extentOf(kOutput), extentOf(kKernelRow),
                                        extentOf(kKernelColumn), extentOf(kChannel)}));
    }

    GraphBuilder &m_builder;
    const Origin m_origin;
    const WindowSum &m_made;
    const TensorInstructionInfo &m_info;
    const Node m_sum;
};

Replacement pixelsByChannels(RewriteContext &context)
{
    GraphBuilder &builder = context.builder();
    const std::optional<WindowSum> found =
        windowSumOf([&](NodeId id) -> const Node & { return builder.node(id); }, context.node());
    if (!found)
        return noMatch();
    const NarrowFactor image(builder, found->image);
    const NarrowFactor kernels(builder, found->kernels);
    if (!image.isFound() || !kernels.isFound())
        return noMatch();
    const std::optional<TensorInstruction> instruction =
        instructionFor(*found, context.pass(), image.dtype(), kernels.dtype(), context.node().dtype);
    if (!instruction)
        return noMatch();
    const TensorInstructionInfo &info = infoOf(*instruction);
    for (const NodeId id : {context.inputId(0), found->windowFactor, found->kernelFactor})
        context.absorb(id);
    context.because(format("{} multiplies {} x {} by {} x {}: {} channels of a pixel are {} of its steps", info.name, info.rows,
                           info.depth, info.depth, info.columns, found->extentOf(kChannel),
                           found->extentOf(kChannel) / info.depth));
    SW_TRY(const NodeId made, PixelProducts(context, *found, info).run(image, kernels));
    return std::optional(made);
}

constexpr std::array kRules = {
    GraphRule{
        "pixels-by-channels", "Pixels by channels",
        "A convolution of narrow elements becomes a product of pixels and channels that a tensor instruction computes; sums "
        "are added up in another order.",
        pixelsByChannels, isOfKind<NodeKind::ReduceAxis>},
};

} // namespace

Result<std::optional<Graph>> tensorConvolutions(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || context.options().strict || context.deviceCount() > 1 ||
        context.device().kind != DeviceKind::Cpu || usableTensorInstructions(context) == 0)
        return std::optional<Graph>();
    const auto nodeOf = [&](NodeId id) -> const Node & { return graph.node(id); };
    const auto isConvolution = [&](const Node &node) { return windowSumOf(nodeOf, node).has_value(); };
    if (std::ranges::none_of(graph.nodes(), isConvolution)) // as in most programs, which need not be built anew to find out
        return std::optional<Graph>();
    return rewriteGraph(graph, kRules, context, isInsideKernels(graph)); // kernel() asks for them as they are
}

} // namespace sw
