#include "tests/unit/lowered/random_kernel.h"

#include "engine/lowered/builder.h"
#include "engine/lowered/type_rules.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <algorithm>
#include <random>

namespace sw::test {

namespace {

constexpr std::int64_t kElements = 32;

class Generator {
public:
    Generator(std::uint32_t seed, const RandomKernelOptions &options)
        : m_random(seed), m_options(options), m_builder(emptyFrame())
    {
        for (const DType dtype : scalarDTypes())
            if (options.withHalfFloats || !isStorageOnly(dtype))
                m_dtypes.push_back(dtype);
    }

    LoweredKernel run()
    {
        for (const DType dtype : m_dtypes) {
            m_inputs.push_back(defineGlobal(dtype, false));
            m_outputs.push_back(defineGlobal(dtype, true));
        }
        if (m_options.itemsPerGroup == 1)
            m_inputs.push_back(m_outputs.front());
        else
            makeGroupMemory();
        m_item = m_builder.special(origin(), SpecialIndex::GlobalX);
        m_visible.push_back(m_item);
        for (const DType dtype : m_dtypes)
            m_visible.push_back(m_builder.constant(origin(), randomScalar(dtype)));
        while (m_builder.kernel().instructions.size() < m_options.instructions)
            addSomething();
        while (!m_blocks.empty())
            closeBlock();
        for (std::size_t i = 0; i < m_dtypes.size(); ++i)
            storeTo(m_outputs[i], valueOf(m_dtypes[i], 1));
        LoweredKernel kernel = m_builder.take();
        kernel.globalSize = {2 * m_options.itemsPerGroup, 1, 1};
        kernel.localSize = {m_options.itemsPerGroup, 1, 1};
        return kernel;
    }

private:
    enum class BlockKind : std::uint8_t { Loop, If, Part };
    struct Block {
        BlockKind kind = BlockKind::Loop;
        std::size_t visible = 0;
        std::size_t accumulators = 0;
    };

    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(m_random() % bound); }
    Origin origin() { return Origin({SourceId(below(4)), SourceId(below(9))}); }

    InstructionId defineGlobal(DType dtype, bool isWritten)
    {
        const auto position = static_cast<std::uint32_t>(m_builder.kernel().arguments.size());
        return m_builder.defineGlobal(origin(), {BufferId(position), dtype, kElements, isWritten,
                                                 format("{}_{}", isWritten ? "out" : "in", nameOf(dtype))});
    }

    Scalar randomScalar(DType dtype)
    {
        static constexpr double kSpecial[] = {0.0, 1.0, -1.0, 2.0, 0.5, 100.0, -3.75, 1e-3, 255.0};
        if (below(3) == 0)
            return Scalar::fromBits(dtype, (std::uint64_t{m_random()} << 32U) | m_random());
        return Scalar::of(dtype, kSpecial[below(std::size(kSpecial))]);
    }

    void addSomething()
    {
        switch (below(15)) {
        case 0:
            openBlock();
            return;
        case 1:
            if (!m_blocks.empty())
                closeBlock();
            return;
        case 2:
            addAccumulator();
            return;
        case 3:
            storeTo(m_outputs[below(m_outputs.size())], InstructionId());
            return;
        case 4:
            addLoad();
            return;
        case 5:
            addVectorPart();
            return;
        case 7:
            addScattered();
            return;
        case 8:
            addTile();
            return;
        case 9:
            exchange();
            return;
        case 6:
            m_visible.push_back(m_builder.cast(origin(), m_dtypes[below(m_dtypes.size())], anyValue()));
            return;
        default:
            addAlu();
            return;
        }
    }

    void openBlock()
    {
        if (m_blocks.size() >= 3)
            return;
        const std::uint32_t choice = below(6);
        const BlockKind kind = choice == 0 ? BlockKind::Part : choice < 3 ? BlockKind::If : BlockKind::Loop;
        const InstructionId condition = kind == BlockKind::If ? valueOf(DType::Bool, 1) : InstructionId();
        m_blocks.push_back({kind, m_visible.size(), m_accumulators.size()});
        switch (kind) {
        case BlockKind::Loop:
            m_visible.push_back(below(3) == 0 ? m_builder.beginUnroll(origin(), 1 + below(4), 1 + below(3), "u")
                                              : m_builder.beginRange(origin(), 1 + below(4), below(2) == 0 ? "i" : ""));
            return;
        case BlockKind::If:
            m_builder.beginIf(origin(), condition);
            return;
        case BlockKind::Part:
            m_builder.beginBlock(origin(), "part of it");
            return;
        }
        SW_UNREACHABLE();
    }

    void closeBlock()
    {
        const Block block = m_blocks.back();
        m_blocks.pop_back();
        if (block.kind == BlockKind::Part) {
            m_builder.endBlock(origin());
            return;
        }
        m_visible.resize(block.visible);
        m_accumulators.resize(block.accumulators);
        if (block.kind == BlockKind::Loop)
            m_builder.endRange(origin());
        else
            m_builder.endIf(origin());
    }

    void addAccumulator()
    {
        if (!m_accumulators.empty() && below(2) == 0) {
            const InstructionId accumulator = m_accumulators[below(m_accumulators.size())];
            const Instruction &made = m_builder.at(accumulator);
            m_builder.assign(origin(), accumulator, valueOf(made.dtype, made.lanes));
            return;
        }
        const InstructionId start = anyValue();
        const Instruction &made = m_builder.at(start);
        const InstructionId accumulator = m_builder.acc(origin(), made.dtype, made.lanes, "sum");
        m_builder.assign(origin(), accumulator, start);
        m_accumulators.push_back(accumulator);
        m_visible.push_back(accumulator);
    }

    // An index from 0 to kElements - lanes.
    InstructionId place(std::uint32_t lanes)
    {
        const InstructionId bound = m_builder.index(origin(), kElements + 1 - static_cast<std::int64_t>(lanes));
        return m_builder.alu(origin(), Op::FloorMod, {valueOf(DType::I64, 1), bound});
    }

    // Where the work item may write: anywhere, when they run one after the other, else in a part of its own.
    InstructionId ownPlace(std::uint32_t lanes)
    {
        if (m_options.itemsPerGroup == 1)
            return place(lanes);
        const std::int64_t own = kElements / (2 * m_options.itemsPerGroup);
        const InstructionId bound = m_builder.index(origin(), own + 1 - static_cast<std::int64_t>(lanes));
        const InstructionId inside = m_builder.alu(origin(), Op::FloorMod, {valueOf(DType::I64, 1), bound});
        const InstructionId begin = m_builder.alu(origin(), Op::Mul, {m_item, m_builder.index(origin(), own)});
        return m_builder.alu(origin(), Op::Add, {begin, inside});
    }

    // Memory of the group, an element per item, and of each item.
    void makeGroupMemory()
    {
        m_shared = m_builder.local(origin(), DType::F32, m_options.itemsPerGroup, "shared");
        m_scratch = m_builder.buffer(origin(), DType::F32, 4, "scratch");
        m_local = m_builder.special(origin(), SpecialIndex::LocalX);
        m_visible.push_back(m_local);
        m_visible.push_back(m_builder.special(origin(), SpecialIndex::GroupX));
        const InstructionId zero = m_builder.constant(origin(), Scalar::of(DType::F32, 0.0), 4);
        m_builder.store(origin(), m_scratch, m_builder.index(origin(), 0), zero);
    }

    // Every item gives one value and takes another item's; or keeps one for later in memory of its own.
    void exchange()
    {
        const bool isDivergent = std::ranges::any_of(m_blocks, [](const Block &b) { return b.kind == BlockKind::If; });
        if (m_options.itemsPerGroup == 1 || isDivergent)
            return;
        const InstructionId items = m_builder.index(origin(), m_options.itemsPerGroup);
        m_builder.store(origin(), m_shared, m_local, valueOf(DType::F32, 1));
        const InstructionId slot = m_builder.alu(origin(), Op::FloorMod, {valueOf(DType::I64, 1), m_builder.index(origin(), 4)});
        m_builder.store(origin(), m_scratch, slot, valueOf(DType::F32, 1));
        m_builder.barrier(origin());
        const InstructionId other = m_builder.alu(origin(), Op::FloorMod, {valueOf(DType::I64, 1), items});
        m_visible.push_back(m_builder.load(origin(), m_shared, other));
        m_visible.push_back(m_builder.load(origin(), m_scratch, slot));
        m_builder.barrier(origin());
    }

    void storeTo(InstructionId memory, InstructionId value)
    {
        const DType dtype = m_builder.at(memory).dtype;
        if (!value.isValid())
            value = valueOf(dtype, below(2) == 0 ? 1 : 4);
        const InstructionId at = ownPlace(m_builder.at(value).lanes);
        m_builder.store(origin(), memory, at, value);
    }

    // Four elements from anywhere, or to anywhere.
    void addScattered()
    {
        const bool isStore = m_options.itemsPerGroup == 1 && below(3) == 0;
        const InstructionId memory = isStore ? m_outputs[below(m_outputs.size())] : m_inputs[below(m_inputs.size())];
        const InstructionId value = isStore ? valueOf(m_builder.at(memory).dtype, 4) : InstructionId();
        std::vector<InstructionId> indices;
        for (int lane = 0; lane < 4; ++lane)
            indices.push_back(place(1 + 3 * below(2)));
        const InstructionId places = m_builder.ptrcat(origin(), memory, std::move(indices));
        const InstructionId zero = m_builder.index(origin(), 0);
        if (isStore)
            m_builder.store(origin(), places, zero, value);
        else
            m_visible.push_back(m_builder.load(origin(), places, zero, 4));
    }

    void addTile()
    {
        const DType dtype = m_dtypes[below(m_dtypes.size())];
        if (!accepts(Op::Mul, dtype))
            return;
        const bool isColumn = below(2) == 0; // 4 x 1 by 1 x 1, else 2 x 2 by 2 x 2
        m_visible.push_back(
            m_builder.wmma(origin(), valueOf(dtype, 4), valueOf(dtype, isColumn ? 1 : 4), valueOf(dtype, 4), isColumn ? 4 : 2));
    }

    void addLoad()
    {
        const InstructionId memory = m_inputs[below(m_inputs.size())];
        const std::uint32_t lanes = below(2) == 0 ? 1 : 4;
        const InstructionId at = place(lanes);
        if (below(3) != 0) {
            m_visible.push_back(m_builder.load(origin(), memory, at, lanes));
            return;
        }
        const InstructionId valid = valueOf(DType::Bool, below(2) == 0 ? 1 : lanes);
        m_visible.push_back(m_builder.maskedLoad(origin(), memory, at, valid, valueOf(m_builder.at(memory).dtype, lanes)));
    }

    void addVectorPart()
    {
        const InstructionId value = anyValue();
        const Instruction made = m_builder.at(value);
        if (made.lanes > 1 && below(2) == 0)
            m_visible.push_back(m_builder.shuffle(origin(), value, valueOf(made.dtype, made.lanes), lanesOfBoth(made.lanes)));
        else if (made.lanes > 1)
            m_visible.push_back(m_builder.gep(origin(), value, below(made.lanes)));
        else if (below(2) == 0)
            m_visible.push_back(m_builder.broadcast(origin(), value, 4));
        else
            m_visible.push_back(m_builder.vectorize(origin(), {value, value, valueOf(made.dtype, 1), value}));
    }

    // For a shuffle of two vectors.
    std::vector<std::uint32_t> lanesOfBoth(std::uint32_t lanes)
    {
        std::vector<std::uint32_t> picked;
        for (int i = 0; i < 4; ++i)
            picked.push_back(below(2 * lanes));
        return picked;
    }

    void addAlu()
    {
        const auto ops = allOps();
        const Op op = ops[below(ops.size())];
        const DType dtype = m_dtypes[below(m_dtypes.size())];
        if (!accepts(op, dtype) || (has(infoOf(op).traits, Trait::Transcendental) && !m_options.withTranscendentals))
            return;
        const std::uint32_t lanes = below(3) == 0 ? 4 : 1;
        std::vector<InstructionId> operands;
        for (std::size_t i = 0; i < arityOf(op); ++i)
            operands.push_back(valueOf(i < firstTypedOperand(op) ? DType::Bool : dtype, lanes));
        m_visible.push_back(m_builder.alu(origin(), op, std::move(operands)));
    }

    InstructionId anyValue() { return m_visible[below(m_visible.size())]; }

    // A visible value of the type; made when there is none or chance wants a new one.
    InstructionId valueOf(DType dtype, std::uint32_t lanes)
    {
        std::vector<InstructionId> fitting;
        for (const InstructionId id : m_visible)
            if (m_builder.at(id).dtype == dtype && m_builder.at(id).lanes == lanes)
                fitting.push_back(id);
        if (!fitting.empty() && below(8) != 0)
            return fitting[below(fitting.size())];
        if (lanes == 1 || below(2) == 0)
            return m_builder.constant(origin(), randomScalar(dtype), lanes);
        std::vector<Scalar> values;
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            values.push_back(randomScalar(dtype));
        return m_builder.vconst(origin(), std::move(values));
    }

    std::mt19937 m_random;
    RandomKernelOptions m_options;
    LoweredBuilder m_builder;
    std::vector<DType> m_dtypes;
    std::vector<InstructionId> m_inputs;
    std::vector<InstructionId> m_outputs;
    std::vector<InstructionId> m_visible;
    std::vector<InstructionId> m_accumulators;
    std::vector<Block> m_blocks;
    InstructionId m_item;
    InstructionId m_shared; // with groups: memory, and the item's index
    InstructionId m_scratch;
    InstructionId m_local;
};

} // namespace

LoweredKernel randomKernel(std::uint32_t seed, const RandomKernelOptions &options)
{
    return Generator(seed, options).run();
}

} // namespace sw::test
