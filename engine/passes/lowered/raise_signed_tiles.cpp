#include "engine/passes/lowered/raise_signed_tiles.h"

#include "engine/lowered/tile_instruction.h"
#include "engine/lowered/type_rules.h"
#include "engine/passes/lowered/kernel_pass.h"

#include <algorithm>
#include <map>
#include <set>

namespace sw {

namespace {

constexpr std::int64_t kRaised = 128; // of a signed byte, which makes it an unsigned one

// Sums that are raised: an Acc outside of the loop, to which products are added in the loop and nothing else.
struct RaisedSums {
    std::vector<InstructionId> products = {}; // Wmma(a, b, the sums), in order
    InstructionId assigned = {};              // last
    InstructionId takenOff = {};              // of the new kernel
};

struct RaisedLoop {
    InstructionId end;
    std::map<InstructionId, RaisedSums> sums = {}; // by Acc
};

class SignedTileRaiser {
public:
    SignedTileRaiser(const LoweredKernel &kernel, PassContext &context) : m_kernel(kernel), m_context(context), m_copier(kernel)
    {
    }

    std::optional<LoweredKernel> run()
    {
        const std::vector<Instruction> &all = m_kernel.instructions;
        if (std::ranges::none_of(all, [&](const Instruction &one) { return isRaised(one); }))
            return std::nullopt;
        bool changed = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const InstructionId id(i);
            if (all[i].kind != InstructionKind::Range) {
                m_copier.keep(id);
                continue;
            }
            RaisedLoop loop = raisedLoop(id);
            if (loop.sums.empty() || !m_context.mayRewrite()) {
                m_copier.keep(id);
                continue;
            }
            const InstructionId first = m_copier.next();
            write(id, loop);
            recordRewrite(m_context, "raise-signed-tiles", m_kernel, id, first, m_copier.next(),
                          [&] { return format("{} sums of {}", loop.sums.size(), all[i].name); });
            i = loop.end.value;
            changed = true;
        }
        return changed ? std::optional(m_copier.take()) : std::nullopt;
    }

private:
    // The renderer would raise it, and the device multiplies what is raised.
    [[nodiscard]] bool isRaised(const Instruction &wmma) const
    {
        if (wmma.kind != InstructionKind::Wmma || !m_context.options().tensorInstructions)
            return false;
        const std::uint32_t set = m_context.device(m_kernel.device).tensorInstructions;
        TensorShape shape = tensorShapeOf(m_kernel, wmma);
        const auto known = tensorInstructionFor(set, shape);
        shape.a = DType::U8;
        return known && infoOf(*known).isRaised && tensorInstructionFor(set, shape);
    }

    // The product that the assignment adds to what it assigns to. Its factors are values that do not change.
    [[nodiscard]] InstructionId raisedProduct(const Instruction &assign) const
    {
        if (assign.kind != InstructionKind::Assign)
            return InstructionId();
        const Instruction &made = m_kernel.instruction(assign.operands[1]);
        const bool adds = isRaised(made) && made.operands[2] == assign.operands[0];
        const auto changes = [&](InstructionId factor) { return m_kernel.instruction(factor).kind == InstructionKind::Acc; };
        return adds && !changes(made.operands[0]) && !changes(made.operands[1]) ? assign.operands[1] : InstructionId();
    }

    // Of a loop that contains no other scope.
    [[nodiscard]] RaisedLoop raisedLoop(InstructionId range) const
    {
        const std::vector<Instruction> &all = m_kernel.instructions;
        RaisedLoop loop;
        std::map<InstructionId, int> reads; // in the loop, of what is outside it or made by a product
        for (std::size_t i = range.value + 1; !closesScope(all[i].kind); ++i) {
            if (opensScope(all[i].kind))
                return {};
            loop.end = InstructionId(i + 1);
            for (const InstructionId operand : all[i].operands)
                ++reads[operand];
            const InstructionId product = raisedProduct(all[i]);
            if (!product.isValid() || product.value < range.value || all[i].operands[0].value > range.value)
                continue;
            RaisedSums &sums = loop.sums[all[i].operands[0]];
            if (sums.assigned.isValid() && product < sums.assigned)
                continue; // it reads the sums as they were before the last product
            sums.products.push_back(product);
            sums.assigned = InstructionId(i);
        }
        // Each product reads the sums, and each assignment names them.
        std::erase_if(loop.sums, [&](const auto &one) {
            const std::vector<InstructionId> &products = one.second.products;
            return std::cmp_not_equal(reads[one.first], 2 * products.size()) ||
                   std::ranges::any_of(products, [&](InstructionId product) { return reads[product] != 1; });
        });
        return loop;
    }

    void write(InstructionId range, RaisedLoop &loop)
    {
        const Origin &origin = m_kernel.instruction(range).origin;
        const ByProduct added = makeTakenOff(origin, loop);
        std::set<InstructionId> products;
        for (const auto &[acc, sums] : loop.sums)
            products.insert(sums.products.begin(), sums.products.end());
        std::map<InstructionId, InstructionId> raised; // by a
        for (std::size_t i = range.value; i <= loop.end.value; ++i) {
            const InstructionId id(i);
            if (!products.contains(id)) {
                m_copier.keep(id);
                continue;
            }
            const Instruction &product = m_kernel.instruction(id);
            const std::vector<InstructionId> operands = m_copier.madeOperands(product);
            const auto [a, isNew] = raised.try_emplace(product.operands[0]);
            if (isNew)
                a->second = raise(product.origin, operands[0]);
            m_copier.replace(id, m_copier.builder().wmma(product.origin, a->second, operands[1], operands[2], 1));
            if (const auto sums = added.find(id); sums != added.end())
                addToTakenOff(product.origin, sums->second, operands);
        }
        for (const auto &[acc, one] : loop.sums) {
            const InstructionId sums = m_copier.made(acc);
            m_copier.builder().assign(origin, sums, m_copier.builder().alu(origin, Op::Sub, {sums, one.takenOff}));
        }
    }

    // What is taken off, by the product whose b is added to it too.
    using ByProduct = std::map<InstructionId, InstructionId>;

    // It depends on the rows of b alone: sums to which the same ones are added share it, and the first of them adds to it.
    ByProduct makeTakenOff(const Origin &origin, RaisedLoop &loop)
    {
        LoweredBuilder &builder = m_copier.builder();
        std::map<std::vector<InstructionId>, InstructionId> byRights;
        ByProduct added;
        for (auto &[acc, one] : loop.sums) {
            std::vector<InstructionId> rights;
            for (const InstructionId product : one.products)
                rights.push_back(m_kernel.instruction(product).operands[1]);
            const auto [known, isNew] = byRights.try_emplace(std::move(rights));
            if (isNew) {
                const Instruction &sums = m_kernel.instruction(acc);
                known->second = builder.acc(origin, sums.dtype, sums.lanes, "taken_off");
                builder.assign(origin, known->second,
                               builder.constant(origin, Scalar::of(sums.dtype, std::int64_t{0}), sums.lanes));
                for (const InstructionId product : one.products)
                    added.emplace(product, known->second);
            }
            one.takenOff = known->second;
        }
        return added;
    }

    void addToTakenOff(const Origin &origin, InstructionId sums, std::span<const InstructionId> operands)
    {
        LoweredBuilder &builder = m_copier.builder();
        const InstructionId factors = builder.constant(origin, Scalar::of(DType::U8, kRaised), builder.at(operands[0]).lanes);
        builder.assign(origin, sums, builder.wmma(origin, factors, operands[1], sums, 1));
    }

    // a + 128: the highest bit turned.
    InstructionId raise(const Origin &origin, InstructionId a)
    {
        LoweredBuilder &builder = m_copier.builder();
        const InstructionId bits = builder.bitcast(origin, DType::U8, a);
        const InstructionId highest = builder.constant(origin, Scalar::of(DType::U8, kRaised), builder.at(a).lanes);
        return builder.alu(origin, Op::Xor, {bits, highest});
    }

    const LoweredKernel &m_kernel;
    PassContext &m_context;
    KernelCopier m_copier;
};

std::optional<LoweredKernel> raiseSignedTilesOf(const LoweredKernel &kernel, PassContext &context)
{
    return SignedTileRaiser(kernel, context).run();
}

} // namespace

Result<std::optional<LoweredProgram>> raiseSignedTiles(const LoweredProgram &program, PassContext &context)
{
    return rewriteKernels(program, context, &raiseSignedTilesOf);
}

} // namespace sw
