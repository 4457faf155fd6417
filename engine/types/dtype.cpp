#include "engine/types/dtype.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr auto None = DTypeFamily::None;
constexpr auto Bool = DTypeFamily::Bool;
constexpr auto Unsigned = DTypeFamily::Unsigned;
constexpr auto Signed = DTypeFamily::Signed;
constexpr auto Float = DTypeFamily::Float;
constexpr auto Words = DTypeFamily::Words;

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

// Whether a list of names, with spaces between them, contains this name.
bool isListed(std::string_view list, std::string_view name)
{
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(' '), list.size());
        if (list.substr(0, end) == name)
            return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

} // namespace

const DTypeInfo &infoOf(DType dtype)
{
    return kInfos.at(static_cast<std::size_t>(dtype));
}

std::span<const DType> allDTypes()
{
    return kAll;
}

std::span<const DType> scalarDTypes()
{
    static_assert(kAll.front() == DType::Unit && kAll.back() == DType::U32x4, "the ends of the table are no scalars");
    return std::span(kAll).subspan(1, kAll.size() - 2);
}

std::optional<DType> dtypeNamed(std::string_view nameOrAlias)
{
    for (const DType dtype : kAll)
        if (infoOf(dtype).name == nameOrAlias || isListed(infoOf(dtype).alias, nameOrAlias))
            return dtype;
    return std::nullopt;
}

DType promote(DType a, DType b)
{
    return std::max(a, b);
}

} // namespace sw
