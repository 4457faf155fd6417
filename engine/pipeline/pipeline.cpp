#include "engine/pipeline/pipeline.h"

#include "engine/passes/graph/choose_layouts.h"
#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/differentiate.h"
#include "engine/passes/graph/fold_constants.h"
#include "engine/passes/graph/merge_equal.h"
#include "engine/passes/graph/outline_kernels.h"
#include "engine/passes/graph/pad_dimensions.h"
#include "engine/passes/graph/place.h"
#include "engine/passes/graph/remove_dead.h"
#include "engine/passes/graph/remove_markers.h"
#include "engine/passes/graph/select_branches.h"
#include "engine/passes/graph/settle_devices.h"
#include "engine/passes/graph/simplify.h"
#include "engine/passes/graph/split_pairs.h"
#include "engine/passes/graph/split_reductions.h"
#include "engine/passes/graph/split_words.h"
#include "engine/passes/graph/tensor_convolutions.h"
#include "engine/passes/graph/winograd.h"
#include "engine/passes/loops/build_loops.h"
#include "engine/passes/loops/choose_transforms.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/passes/lowered/check_accesses.h"
#include "engine/passes/lowered/contract.h"
#include "engine/passes/lowered/decompose.h"
#include "engine/passes/lowered/decompose_tiles.h"
#include "engine/passes/lowered/edit_kernels.h"
#include "engine/passes/lowered/hoist_invariants.h"
#include "engine/passes/lowered/merge_equal.h"
#include "engine/passes/lowered/narrow_divisions.h"
#include "engine/passes/lowered/raise_signed_tiles.h"
#include "engine/passes/lowered/remove_dead.h"
#include "engine/passes/lowered/serialize_groups.h"
#include "engine/passes/lowered/simplify.h"
#include "engine/passes/lowered/widen_storage_types.h"
#include "engine/passes/pass.h"
#include "engine/passes/schedule/group_kernels.h"
#include "engine/passes/schedule/lay_out_constants.h"
#include "engine/passes/schedule/repeat_fused.h"

#include <array>

namespace sw {

namespace {

constexpr std::array kPasses{
    makePass<decomposeNodes>("decompose-nodes", "Decompose nodes",
                             "Writes nodes that stand for a formula as the simpler nodes that kernels are made of."),
    makePass<differentiate>("differentiate", "Differentiate",
                            "Writes gradients out: from each loss back to the values that they are taken of, a rule per node."),
    incompleteBetweenRewrites(makePass<padDimensions>(
        "pad-dimensions", "Pad dimensions",
        "Gives values the largest extents of their dimensions, and masks what lies beyond the real ones.")),
    incompleteBetweenRewrites(
        makePass<splitWords>("split-words", "Split words", "Takes tensors of u32x4 apart into their words.")),
    makePass<outlineKernels>("outline-kernels", "Outline kernels",
                             "Gives what kernel() asks for nodes of its own, so that exactly they become its kernel."),
    makePass<place>("place", "Place on devices",
                    "Gives every node a device: values that lie on several go through operations part by part, and what "
                    "is read elsewhere is copied."),
    makePass<foldConstants>("fold-constants", "Fold constants", "Evaluates nodes whose inputs are all constant."),
    makePass<tensorConvolutions>("tensor-convolutions", "Convolutions for tensor instructions",
                                 "Writes convolutions of narrow elements as products of pixels and channels, which the device's "
                                 "tensor instructions compute."),
    makePass<simplify>("simplify", "Simplify", "Replaces what can be said more simply, by rules that are exact."),
    makePass<winograd>("winograd", "Winograd's algorithm",
                       "Computes convolutions by 3 x 3 kernels from tiles of 2 x 2 results, with fewer products."),
    makePass<chooseLayouts>(
        "choose-layouts", "Choose layouts",
        "Puts images in the order in memory that suits what reads them: channel by channel, or pixel by pixel."),
    makePass<splitPairs>(
        "split-pairs", "Split pairs of reductions",
        "Does a reduction, others that need its result, and a sum that they weigh in parts that stay in the cache, "
        "and combines the parts."),
    makePass<splitReductions>("split-reductions", "Split reductions",
                              "Reduces very many elements to very few in parts, so that every thread has some."),
    makePass<mergeEqual>("merge-equal", "Merge equal nodes", "Computes once what occurs several times."),
    makePass<removeMarkers>("remove-markers", "Remove markers", "Takes away the nodes that are their input and only mark it."),
    makePass<removeDead>("remove-dead", "Remove dead nodes", "Removes the nodes that no output depends on."),
    makePass<selectBranches>("select-branches", "Select branches",
                             "Computes both branches of a choice and selects, where that is quicker than to skip one."),
    makePass<layOutConstants>(
        "lay-out-constants", "Lay out constants",
        "Puts constants and parameters into the panels that contractions read, once, so that no run has to copy "
        "them."),
    makePass<settleDevices>("settle-devices", "Settle devices",
                            "Copies what is still read on another device than where it is computed."),
    makePass<repeatFused>(
        "repeat-fused", "Repeat what is to be fused",
        "Gives every kernel that reads what fuse() is called with, or index arithmetic, nodes of its own to compute "
        "it."),
    makePass<groupKernels>(
        "group-kernels", "Group into kernels",
        "Decides which operations share a kernel, which values live in buffers, and in what order kernels run."),
    makePass<buildLoops>("build-loops", "Build loops",
                         "Gives each kernel a loop nest with the values it computes at each point."),
    incompleteBetweenRewrites(makePass<chooseTransforms>(
        "choose-transforms", "Choose loop transformations",
        "Splits, reorders, vectorizes and tiles the loops for the device, as the cost estimate advises.")),
    incompleteBetweenRewrites(makePass<lowerLoops>(
        "lower-loops", "Lower loops",
        "Writes each loop nest out as one linear list of instructions. What an open scope has computed is not computed again.")),
    makePass<checkAccesses>("check-accesses", "Check accesses",
                            "Checks the index of what a written text loads and stores, where the ranges do not prove it."),
    makePass<serializeGroups>("serialize-groups", "Serialize groups",
                              "Runs the work items of a group one after the other, from barrier to barrier, where the device "
                              "has no groups."),
    makePass<decomposeTiles>("decompose-tiles", "Decompose tiles",
                             "Writes products of tiles as sums of rows, where the device has no instruction for them."),
    makePass<raiseSignedTiles>(
        "raise-signed-tiles", "Raise signed tiles",
        "Adds up products of signed bytes as unsigned ones, where the device multiplies no others, and takes "
        "off after the loop what is too much."),
    makePass<widenStorageTypes>("widen-storage-types", "Widen storage types",
                                "Does f16 and bf16 arithmetic in f32, rounding after each operation."),
    makePass<simplifyInstructions>("simplify-instructions", "Simplify instructions",
                                   "Folds constants and index arithmetic, with what is known of loops and work items."),
    makePass<narrowDivisions>("narrow-divisions", "Narrow divisions",
                              "Divides indices in 32 bits where they fit, for a GPU, which takes long with 64."),
    makePass<contract>("contract", "Contract multiply-add",
                       "Fuses products into the sums that read them, with one rounding instead of two."),
    makePass<decompose>("decompose", "Decompose operations",
                        "Rewrites operations that the target language lacks into operations that it has."),
    makePass<hoistInvariants>("hoist-invariants", "Hoist invariants", "Moves what does not change in a loop to before the loop."),
    makePass<mergeEqualInstructions>("merge-equal-instructions", "Merge equal instructions",
                                     "Makes each value once where it is visible."),
    makePass<removeDeadInstructions>("remove-dead-instructions", "Remove dead instructions",
                                     "Removes instructions whose values nothing reads."),
    makePass<editKernels>(kEditKernelsPass, "Edit kernels",
                          "Gives kernels the instructions that a person wrote in place of those that were made."),
};

static_assert(isConnected(kPasses), "a pass that does not accept the stage made before it");

} // namespace

std::span<const PassInfo> standardPipeline()
{
    return kPasses;
}

} // namespace sw
