#include "engine/passes/lowered/terms.h"

#include "engine/base/assert.h"

namespace sw {

namespace {

constexpr FloatFormat kSingle{DType::U32, DType::I32, 23, 127, 0x3f800000, 0x80000000, 12582912.0, 0x1p-126};
constexpr FloatFormat kDouble{DType::U64,         DType::I64,         52,       1023, 0x3ff0000000000000,
                              0x8000000000000000, 6755399441055744.0, 0x1p-1022};

} // namespace

Term TermWriter::alu(Op op, std::initializer_list<Term> operands)
{
    std::vector<InstructionId> ids;
    for (const Term &operand : operands)
        ids.push_back(operand.id);
    return term(m_builder.alu(m_origin, op, std::move(ids)));
}

Term TermWriter::constant(const Scalar &value, std::uint32_t lanes)
{
    for (const InstructionId id : m_constants) {
        const Instruction &made = m_builder.at(id);
        if (made.lanes == lanes && made.constants.front() == value)
            return term(id);
    }
    m_constants.push_back(m_builder.constant(m_origin, value, lanes));
    return term(m_constants.back());
}

Term TermWriter::variable(Term start)
{
    const Instruction made = at(start);
    const Term out = term(m_builder.acc(m_origin, made.dtype, made.lanes));
    assign(out, start);
    return out;
}

void TermWriter::beginIfAnyLane(Term condition)
{
    const std::uint32_t lanes = at(condition).lanes;
    std::vector<Term> any;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        any.push_back(lanes == 1 ? condition : term(m_builder.gep(m_origin, condition.id, lane)));
    while (any.size() > 1) {
        const std::size_t half = (any.size() + 1) / 2;
        for (std::size_t i = half; i < any.size(); ++i)
            any[i - half] = any[i - half] | any[i];
        any.resize(half);
    }
    m_builder.beginIf(m_origin, any.front().id);
    m_constantsBefore.push_back(m_constants.size());
}

void TermWriter::endIf()
{
    m_builder.endIf(m_origin);
    m_constants.resize(m_constantsBefore.back());
    m_constantsBefore.pop_back();
}

void TermWriter::beginRange(std::int64_t extent)
{
    m_builder.beginRange(m_origin, extent);
    m_constantsBefore.push_back(m_constants.size());
}

void TermWriter::endRange()
{
    m_builder.endRange(m_origin);
    m_constants.resize(m_constantsBefore.back());
    m_constantsBefore.pop_back();
}

Term polynomial(Term x, std::span<const double> coefficients)
{
    Term sum = x.number(coefficients.back());
    for (std::size_t i = coefficients.size() - 1; i-- > 0;)
        sum = fma(sum, x, coefficients[i]);
    return sum;
}

Term magnitudeOf(Term value)
{
    const FloatFormat &format = formatOf(value);
    const DType dtype = value.writer->at(value).dtype;
    return value.writer->bitcast(dtype, value.writer->bitcast(format.bits, value) & (format.sign - 1));
}

Term withSignOf(Term magnitude, Term signed_)
{
    const FloatFormat &format = formatOf(signed_);
    TermWriter &writer = *signed_.writer;
    const Term sign = writer.bitcast(format.bits, signed_) & format.sign;
    return writer.bitcast(writer.at(signed_).dtype, writer.bitcast(format.bits, magnitude) | sign);
}

const FloatFormat &formatOf(Term value)
{
    const DType dtype = value.writer->at(value).dtype;
    SW_ASSERT(dtype == DType::F32 || dtype == DType::F64, "f32 or f64");
    return dtype == DType::F32 ? kSingle : kDouble;
}

} // namespace sw
