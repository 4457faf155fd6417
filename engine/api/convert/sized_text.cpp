#include "engine/api/convert/sized_text.h"

#include "engine/base/text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace sw {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isOfWord(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// The word that begins there, with the sign of an exponent.
std::size_t wordEnd(std::string_view text, std::size_t begin)
{
    const bool isNumber = isDigit(text[begin]) || text[begin] == '.';
    std::size_t end = begin;
    while (end < text.size()) {
        const bool isSign =
            isNumber && end > begin && (text[end] == '-' || text[end] == '+') && (text[end - 1] == 'e' || text[end - 1] == 'E');
        if (!isOfWord(text[end]) && !isSign)
            break;
        ++end;
    }
    return end;
}

std::size_t stringEnd(std::string_view text, std::size_t begin)
{
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

} // namespace

SizedText takenApart(std::string_view text)
{
    SizedText made;
    std::string between;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (text[at] == '"')
            end = stringEnd(text, at);
        else if (isOfWord(text[at]))
            end = wordEnd(text, at);
        const std::string_view word = text.substr(at, end - at);
        std::int64_t number = 0;
        const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        at = end;
        if (isDigit(word.front()) && error == std::errc() && last == word.data() + word.size()) {
            made.between.push_back(std::exchange(between, {}));
            made.numbers.push_back(number);
        } else {
            between += word;
        }
    }
    made.between.push_back(std::move(between));
    return made;
}

// Differences, dimension by dimension, are the coefficients for sizes counted from the least; then those move to zero. Numbers
// wrap where a program has such: then they are not what the program says, and no size agrees.
SizeTerm::SizeTerm(std::vector<std::int64_t> values, const std::vector<std::int64_t> &least) : m_coefficients(std::move(values))
{
    std::vector<std::uint64_t> terms(m_coefficients.begin(), m_coefficients.end());
    for (std::size_t i = 0; i < least.size(); ++i) {
        const std::size_t with = std::size_t{1} << i;
        for (std::size_t subset = 0; subset < terms.size(); ++subset)
            if ((subset & with) != 0)
                terms[subset] -= terms[subset ^ with];
        for (std::size_t subset = 0; subset < terms.size(); ++subset)
            if ((subset & with) != 0)
                terms[subset ^ with] -= terms[subset] * static_cast<std::uint64_t>(least[i]);
    }
    std::ranges::transform(terms, m_coefficients.begin(), [](std::uint64_t term) { return static_cast<std::int64_t>(term); });
}

bool SizeTerm::isConstant() const
{
    return std::all_of(m_coefficients.begin() + 1, m_coefficients.end(), [](std::int64_t factor) { return factor == 0; });
}

bool SizeTerm::isOneName() const
{
    std::size_t names = 0;
    for (std::size_t subset = 0; subset < m_coefficients.size(); ++subset) {
        const bool isName = subset != 0 && (subset & (subset - 1)) == 0 && m_coefficients[subset] == 1;
        if (m_coefficients[subset] != 0 && !isName)
            return false;
        names += isName ? 1 : 0;
    }
    return names == 1;
}

std::int64_t SizeTerm::valueAt(const std::vector<std::int64_t> &sizes) const
{
    std::uint64_t sum = 0;
    for (std::size_t subset = 0; subset < m_coefficients.size(); ++subset) {
        auto product = static_cast<std::uint64_t>(m_coefficients[subset]);
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if ((subset >> i & 1U) != 0)
                product *= static_cast<std::uint64_t>(sizes[i]);
        sum += product;
    }
    return static_cast<std::int64_t>(sum);
}

std::string SizeTerm::text(const std::vector<std::string> &names) const
{
    std::string sum;
    for (std::size_t subset = m_coefficients.size(); subset-- > 0;) { // the number comes last
        const std::int64_t factor = m_coefficients[subset];
        if (factor == 0)
            continue;
        const auto magnitude = factor < 0 ? -static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
        std::string product = magnitude == 1 && subset != 0 ? std::string() : format("{}", magnitude);
        for (std::size_t i = 0; i < names.size(); ++i)
            if ((subset >> i & 1U) != 0)
                product += (product.empty() ? "" : " * ") + names[i];
        if (sum.empty())
            sum = (factor < 0 ? "-" : "") + product;
        else
            sum += (factor < 0 ? " - " : " + ") + product;
    }
    return sum.empty() ? "0" : sum;
}

} // namespace sw
