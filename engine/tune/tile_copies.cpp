#include "engine/tune/tile_copies.h"

#include "engine/base/assert.h"
#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

// The loops inside of `at` that move the load.
std::vector<AxisId> loopsInside(const LoopNest &nest, ValueId load, AxisId at)
{
    std::vector<AxisId> loops = domainLoops(nest);
    loops.erase(loops.begin(), std::ranges::find(loops, at) + 1);
    const std::vector<std::vector<AxisId>> dependencies = valueDependencies(nest);
    std::erase_if(loops,
                  [&](AxisId leaf) { return !std::ranges::binary_search(dependencies[load.value], unsplitAxis(nest, leaf)); });
    return loops;
}

} // namespace

std::optional<TensorProduct> tensorProductOf(const LoopNest &nest, const DeviceInfo &device)
{
    if (!nest.stages.empty())
        return std::nullopt; // a stage keeps plain vectors
    const std::optional<TensorFactors> factors = tensorFactorsOf(nest, valueDependencies(nest));
    if (!factors)
        return std::nullopt;
    TensorProduct product{*factors, instructionsFor(nest, *factors, device.tensorInstructions)};
    std::erase_if(product.instructions, [&](TensorInstruction one) {
        const TensorInstructionInfo &info = infoOf(one);
        return depthsFor(nest, info).empty() || nest.axes[factors->axes.columns.value].extent < info.columns ||
               (hasTileRegisters(info) && !areWholeTiles(nest, *factors, info));
    });
    return product.instructions.empty() ? std::nullopt : std::optional(std::move(product));
}

bool readsWholeColumns(const LoopNest &nest, const TensorProduct &product)
{
    const std::optional<TensorInstruction> instruction = nest.reductions.front().instruction;
    if (!instruction || !hasTileRegisters(infoOf(*instruction)))
        return true;
    // In what a split leaves over, the loop where the copy is made is missing.
    const AxisId columns = product.factors.axes.columns;
    const AxisId tile = tileOf(nest, columns);
    const bool isCopied = std::ranges::find(nest.packs, product.factors.b, &Pack::load) != nest.packs.end();
    return areColumnsInOrder(nest, product.factors, infoOf(*instruction)) ||
           (isCopied && tile.isValid() && hasOneExtent(nest, tile));
}

std::vector<AxisId> placesOfCopy(const LoopNest &nest, ValueId load)
{
    const std::vector<std::vector<AxisId>> dependencies = valueDependencies(nest);
    std::vector<AxisId> places;
    for (const AxisId leaf : domainLoops(nest)) {
        if (nest.axes[leaf.value].type == AxisType::Thread)
            places.clear(); // outside of a work item
        if (places.empty() || std::ranges::binary_search(dependencies[load.value], unsplitAxis(nest, leaf)))
            places.push_back(leaf);
    }
    return places;
}

bool addCopy(ListBuilder &list, const Transform &pack, std::int64_t mostBytes)
{
    ListBuilder with = list;
    if (!with.add(pack))
        return false;
    CheckedSize bytes = 0;
    for (const Pack &copy : with.nest().packs) {
        CheckedSize own = bytesOf(with.nest().values[copy.load.value].dtype);
        for (const AxisId axis : copy.order)
            own *= with.axis(axis).extent;
        bytes += own;
    }
    if (bytes > mostBytes)
        return false;
    list = std::move(with);
    return true;
}

bool copyTiles(ListBuilder &list, const TensorProduct &product, TensorInstruction instruction, ValueId load, AxisId at,
               std::int64_t mostBytes, Dice &dice)
{
    constexpr std::size_t kStepsFirst = 25; // of a hundred: all panels of a step, before those of the next one
    const LoopNest &nest = list.nest();
    SW_ASSERT(tileOf(nest, product.factors.axes.columns).isValid(), "a list whose axes are split for the instruction");
    const std::vector<AxisId> loops = loopsInside(nest, load, at);
    const TensorFactors &factors = product.factors;
    std::vector<AxisId> order = load == factors.b ? copyOfColumns(nest, factors.axes.columns, infoOf(instruction), loops)
                                                  : copyOfRows(nest, factors.axes.rows, loops);
    if (dice.percent(kStepsFirst)) {
        const auto steps = std::ranges::count_if(nest.reductions.front().order,
                                                 [&](AxisId leaf) { return !isRepeated(nest.axes[leaf.value].type); });
        const auto firstStep = order.begin() + static_cast<std::ptrdiff_t>(loops.size());
        std::rotate(order.begin(), firstStep, firstStep + steps);
    }
    Transform made{.kind = TransformKind::Pack, .axes = {list.axis(at).name}, .value = load};
    for (const AxisId axis : order)
        made.axes.push_back(list.axis(axis).name);
    return addCopy(list, made, mostBytes);
}

bool copyTilesAnywhere(ListBuilder &list, const TensorProduct &product, TensorInstruction instruction, ValueId load,
                       std::int64_t mostBytes, Dice &dice)
{
    std::vector<AxisId> places = placesOfCopy(list.nest(), load);
    dice.shuffle(places);
    return std::ranges::any_of(places,
                               [&](AxisId at) { return copyTiles(list, product, instruction, load, at, mostBytes, dice); });
}

} // namespace sw
