#pragma once
// Turns convolutions of narrow elements into products of matrices that tensor instructions compute ("implicit GEMM"). A tensor
// instruction multiplies rows by columns, and both of them have their steps side by side. So the pixels of the image become
// rows, [rows, columns, channels], stored with the border around them; the kernels become columns, [window, channels, outputs],
// in the tiles that the instruction reads; and the sum goes over the window and, innermost, over the channels. No element of the
// image is stored more than once: the windows are a view of it. Tang et al. and Chetlur et al. ("cuDNN: Efficient Primitives for
// Deep Learning", 2014) describe the lowering without a copy of the windows.
//
// Nothing is rounded otherwise than before, but sums of floating-point products are added up in another order. So the pass does
// nothing where that order is to be kept (strict), nor in programs on several devices.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"

#include <optional>

namespace sw {

[[nodiscard]] Result<std::optional<Graph>> tensorConvolutions(const Graph &graph, PassContext &context);

} // namespace sw
