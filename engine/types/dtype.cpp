#include "engine/types/dtype.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr auto Bool = DTypeFamily::Bool;
constexpr auto Unsigned = DTypeFamily::Unsigned;
constexpr auto Signed = DTypeFamily::Signed;
constexpr auto Float = DTypeFamily::Float;

constexpr std::array kInfos = {
#define SW_DTYPE(name, ...) DTypeInfo{__VA_ARGS__},
#include "engine/types/dtype.def"
#undef SW_DTYPE
};

constexpr std::array kAll = {
#define SW_DTYPE(name, ...) DType::name,
#include "engine/types/dtype.def"
#undef SW_DTYPE
};

} // namespace

const DTypeInfo &infoOf(DType dtype)
{
    return kInfos.at(static_cast<std::size_t>(dtype));
}

std::span<const DType> allDTypes()
{
    return kAll;
}

std::optional<DType> dtypeNamed(std::string_view nameOrAlias)
{
    for (const DType dtype : kAll)
        if (infoOf(dtype).name == nameOrAlias || infoOf(dtype).alias == nameOrAlias)
            return dtype;
    return std::nullopt;
}

DType promote(DType a, DType b)
{
    return std::max(a, b);
}

} // namespace sw
