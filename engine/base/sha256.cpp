#include "engine/base/sha256.h"

#include "engine/base/text.h"

#include <sha2.h>

#include <cstddef>

namespace sw {

Sha256 sha256Of(std::string_view bytes)
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
    Sha256 digest{};
    static_assert(digest.size() == SHA256_DIGEST_LENGTH);
    SHA256Final(digest.data(), &context);
    return digest;
}

std::string hexText(const Sha256 &digest)
{
    return join(digest, "", [](std::uint8_t byte) { return format("{:02x}", byte); });
}

std::string base64Of(std::string_view bytes)
{
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 0x3FU] : '=';
    }
    return text;
}

} // namespace sw
