// Conversions by the rules of the graph's Cast: float to integer truncates and saturates, NaN gives 0, integers wrap, bool is
// "not zero", and rounding is done once, to nearest even.

#include "engine/backend/llvm/llvm_types.h"
#include "engine/backend/llvm/llvm_writer.h"

namespace sw {

LlvmWriter::Value LlvmWriter::convert(std::string_view operation, const Value &from, DType to)
{
    Value made{{}, to, from.lanes};
    made.text = assign("{} {} {} to {}", operation, from.type(), from.text, made.type());
    return made;
}

LlvmWriter::Value LlvmWriter::callHelper(std::string_view helper, const Value &from, DType to)
{
    m_helpers.use(helper, llvmLanes("x", from.lanes), llvmPlaceholders(from.dtype, from.lanes));
    Value made{{}, to, from.lanes};
    made.text = assign("call {} @{}_x{}({} {})", made.type(), helper, from.lanes, from.type(), from.text);
    return made;
}

LlvmWriter::Value LlvmWriter::cast(const Value &from, DType to)
{
    if (from.dtype == to)
        return from;
    if (from.dtype == DType::BF16)
        return cast(callHelper("sw_bf16_to_f32", from, DType::F32), to);
    return isFloat(from.dtype) ? castFloat(from, to) : castInteger(from, to);
}

LlvmWriter::Value LlvmWriter::castFloat(const Value &from, DType to)
{
    if (to == DType::Bool)
        return {assign("fcmp une {} {}, zeroinitializer", from.type(), from.text), to, from.lanes};
    if (isInteger(to)) {
        const Value wide = from.dtype == DType::F16 ? convert("fpext", from, DType::F32) : from;
        const Value made{{}, to, from.lanes};
        return {assign("call {} @llvm.fpto{}i.sat.{}.{}({} {})", made.type(), isSigned(to) ? 's' : 'u',
                       llvmShortName(to, from.lanes), llvmShortName(wide.dtype, from.lanes), wide.type(), wide.text),
                to, from.lanes};
    }
    if (isStorageOnly(to) || (from.dtype == DType::F64 && to == DType::F32))
        return narrowFloat(from, to);
    return convert("fpext", from, to);
}

LlvmWriter::Value LlvmWriter::narrowFloat(const Value &from, DType to)
{
    if (from.dtype == DType::F64 && to == DType::F32)
        return convert("fptrunc", from, to);
    Value single = from;
    if (from.dtype == DType::F64)
        single = callHelper("sw_f64_to_f32_odd", from, DType::F32);
    else if (from.dtype != DType::F32)
        single = cast(from, DType::F32);
    return to == DType::F16 ? convert("fptrunc", single, to) : callHelper("sw_f32_to_bf16", single, to);
}

LlvmWriter::Value LlvmWriter::castInteger(const Value &from, DType to)
{
    if (to == DType::Bool)
        return {assign("icmp ne {} {}, zeroinitializer", from.type(), from.text), to, from.lanes};
    const std::string_view toFloat = isSigned(from.dtype) ? "sitofp" : "uitofp";
    if (isStorageOnly(to)) {
        // Up to 24 bits are exact in f32; larger values must go through f64.
        const bool isExactInSingle = infoOf(from.dtype).bits <= 16;
        return narrowFloat(convert(toFloat, from, isExactInSingle ? DType::F32 : DType::F64), to);
    }
    if (isFloat(to))
        return convert(toFloat, from, to);
    const std::uint32_t fromBits = infoOf(from.dtype).bits;
    const std::uint32_t toBits = infoOf(to).bits;
    if (fromBits == toBits)
        return {from.text, to, from.lanes};
    if (fromBits > toBits)
        return convert("trunc", from, to);
    return convert(isSigned(from.dtype) ? "sext" : "zext", from, to);
}

LlvmWriter::Value LlvmWriter::bitcast(const Value &from, DType to)
{
    if (from.dtype == to)
        return from;
    if (to == DType::Bool)
        return fromMemory({from.text, to, from.lanes});
    if (from.dtype == DType::Bool)
        return {toMemory(from).text, to, from.lanes};
    return convert("bitcast", from, to);
}

} // namespace sw
