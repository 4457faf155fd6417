#include "tests/unit/lowered/random_kernel.h"

#include "engine/lowered/builder.h"
#include "engine/lowered/type_rules.h"
#include "tests/unit/lowered/lowered_samples.h"

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
        m_inputs.push_back(m_outputs.front());
        m_visible.push_back(m_builder.special(origin(), SpecialIndex::GlobalX));
        for (const DType dtype : m_dtypes)
            m_visible.push_back(m_builder.constant(origin(), randomScalar(dtype)));
        while (m_builder.kernel().instructions.size() < m_options.instructions)
            addSomething();
        while (!m_blocks.empty())
            closeBlock();
        for (std::size_t i = 0; i < m_dtypes.size(); ++i)
            storeTo(m_outputs[i], valueOf(m_dtypes[i], 1));
        LoweredKernel kernel = m_builder.take();
        kernel.globalSize = {2, 1, 1};
        return kernel;
    }

private:
    struct Block {
        bool isRange = true;
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
        switch (below(12)) {
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
        const bool isRange = below(3) != 0;
        const InstructionId condition = isRange ? InstructionId() : valueOf(DType::Bool, 1);
        m_blocks.push_back({isRange, m_visible.size(), m_accumulators.size()});
        if (isRange)
            m_visible.push_back(m_builder.beginRange(origin(), 1 + below(4), below(2) == 0 ? "i" : "", 1 + below(2)));
        else
            m_builder.beginIf(origin(), condition);
    }

    void closeBlock()
    {
        const Block block = m_blocks.back();
        m_blocks.pop_back();
        m_visible.resize(block.visible);
        m_accumulators.resize(block.accumulators);
        if (block.isRange)
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

    void storeTo(InstructionId memory, InstructionId value)
    {
        const DType dtype = m_builder.at(memory).dtype;
        if (!value.isValid())
            value = valueOf(dtype, below(2) == 0 ? 1 : 4);
        const InstructionId at = place(m_builder.at(value).lanes);
        m_builder.store(origin(), memory, at, value);
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
        if (made.lanes > 1)
            m_visible.push_back(m_builder.gep(origin(), value, below(made.lanes)));
        else if (below(2) == 0)
            m_visible.push_back(m_builder.broadcast(origin(), value, 4));
        else
            m_visible.push_back(m_builder.vectorize(origin(), {value, value, valueOf(made.dtype, 1), value}));
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
};

} // namespace

LoweredKernel randomKernel(std::uint32_t seed, const RandomKernelOptions &options)
{
    return Generator(seed, options).run();
}

} // namespace sw::test
