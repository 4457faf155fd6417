// Conversions in C and OpenCL C by the rules of the graph's Cast; see llvm_casts.cpp for the same in LLVM IR.

#include "engine/backend/source/c_writer.h"

namespace sw {

CWriter::Value CWriter::plain(const Value &from, DType to)
{
    return {m_types.converted(from.text, to, from.lanes), to, from.lanes};
}

CWriter::Value CWriter::helperCall(std::string_view helper, const Value &from, DType to)
{
    m_helpers.use(helper, format("x{}", from.lanes), m_types.placeholders(from.dtype, from.lanes));
    return {format("{}_x{}({})", helper, from.lanes, from.text), to, from.lanes};
}

CWriter::Value CWriter::isNotZero(const Value &from)
{
    const std::string type = m_types.name(from.dtype, from.lanes);
    m_helpers.use("sw_ne", type, m_types.placeholders(from.dtype, from.lanes));
    return {format("sw_ne_{}({}, ({})(0))", type, from.text, type), DType::Bool, from.lanes};
}

CWriter::Value CWriter::cast(const Value &from, DType to)
{
    if (from.dtype == to)
        return from;
    if (from.dtype == DType::BF16)
        return cast(helperCall("sw_bf16_to_f32", from, DType::F32), to);
    if (from.dtype == DType::F16)
        return cast(isOpenCl() ? helperCall("sw_f16_to_f32", from, DType::F32) : plain(from, DType::F32), to);
    return isFloat(from.dtype) ? castFloat(from, to) : castInteger(from, to);
}

CWriter::Value CWriter::castFloat(const Value &from, DType to)
{
    if (to == DType::Bool)
        return isNotZero(from);
    if (isInteger(to)) {
        const std::string type = m_types.name(from.dtype, from.lanes);
        const std::string target = m_types.name(to, from.lanes);
        m_helpers.use("sw_truncate", type + target, m_types.placeholders(from.dtype, from.lanes, to));
        return {format("sw_truncate_{}_{}({})", type, target, from.text), to, from.lanes};
    }
    return isStorageOnly(to) ? narrowFloat(from, to) : plain(from, to);
}

CWriter::Value CWriter::narrowFloat(const Value &from, DType to)
{
    const Value single = from.dtype == DType::F64 ? helperCall("sw_f64_to_f32_odd", from, DType::F32) : from;
    if (to == DType::BF16)
        return helperCall("sw_f32_to_bf16", single, to);
    return isOpenCl() ? helperCall("sw_f32_to_f16", single, to) : plain(single, to);
}

CWriter::Value CWriter::castInteger(const Value &from, DType to)
{
    if (to == DType::Bool)
        return isNotZero(from);
    if (!isStorageOnly(to))
        return plain(from, to);
    // Up to 24 bits are exact in f32; larger values must go through f64.
    const bool isExactInSingle = infoOf(from.dtype).bits <= 16;
    return narrowFloat(plain(from, isExactInSingle ? DType::F32 : DType::F64), to);
}

} // namespace sw
