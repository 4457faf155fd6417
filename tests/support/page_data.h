#pragma once
// Takes the data out of a page of a report, without a browser.

#include "engine/base/assert.h"

#include <array>
#include <string>
#include <string_view>
#include <zlib.h>

namespace sw {

inline constexpr std::string_view kDataTag = "<script type=\"application/octet-stream\" id=\"data\">";

// {"drawings": ..., "report": ...}
[[nodiscard]] inline std::string dataOfPage(const std::string &html)
{
    const std::size_t begin = html.find(kDataTag) + kDataTag.size();
    const std::string_view text = std::string_view(html).substr(begin, html.find("</script>", begin) - begin);
    std::string packed;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t digit = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
        if (digit == std::string_view::npos)
            break;
        bits = bits << 6U | static_cast<std::uint32_t>(digit);
        if ((count += 6) >= 8)
            packed += static_cast<char>(bits >> static_cast<unsigned>(count -= 8) & 0xFFU);
    }
    z_stream stream{};
    SW_ASSERT(inflateInit(&stream) == Z_OK, "memory");
    stream.next_in = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string out;
    std::array<char, 65536> piece{};
    int result = Z_OK;
    while (result == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef *>(piece.data());
        stream.avail_out = piece.size();
        result = inflate(&stream, Z_NO_FLUSH);
        out.append(piece.data(), piece.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    SW_ASSERT(result == Z_STREAM_END, "whole data");
    return out;
}

[[nodiscard]] inline std::string reportOfPage(const std::string &html)
{
    const std::string data = dataOfPage(html);
    const std::string name = "\"report\":";
    const std::size_t begin = data.find(name) + name.size();
    return data.substr(begin, data.rfind('}') - begin);
}

} // namespace sw
