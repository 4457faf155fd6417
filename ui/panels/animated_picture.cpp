#include "ui/panels/animated_picture.h"

#include <gif_lib.h>

#include <array>
#include <utility>
#include <vector>

namespace stepwell::ui {

namespace {

constexpr int kColors = 256;
constexpr std::array<GifByteType, 3> kForEver{1, 0, 0};

int append(GifFileType *gif, const GifByteType *bytes, int count)
{
    static_cast<QByteArray *>(gif->UserData)->append(reinterpret_cast<const char *>(bytes), count);
    return count;
}

struct FreeColors {
    void operator()(ColorMapObject *colors) const { GifFreeMapObject(colors); }
};

} // namespace

AnimatedPicture::AnimatedPicture(QSize size, int hundredths)
    : m_size(size), m_hundredths(hundredths), m_bytes(std::make_unique<QByteArray>())
{
    int error = 0;
    m_gif = EGifOpen(m_bytes.get(), append, &error);
    m_isGood = m_gif != nullptr;
    if (!m_isGood)
        return;
    EGifSetGifVersion(m_gif, true);
    m_isGood = EGifPutScreenDesc(m_gif, size.width(), size.height(), 8, 0, nullptr) == GIF_OK &&
               EGifPutExtensionLeader(m_gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
               EGifPutExtensionBlock(m_gif, 11, "NETSCAPE2.0") == GIF_OK &&
               EGifPutExtensionBlock(m_gif, static_cast<int>(kForEver.size()), kForEver.data()) == GIF_OK &&
               EGifPutExtensionTrailer(m_gif) == GIF_OK;
}

AnimatedPicture::~AnimatedPicture()
{
    int error = 0;
    if (m_gif != nullptr)
        EGifCloseFile(m_gif, &error);
}

bool AnimatedPicture::add(const QImage &image)
{
    if (!m_isGood || m_gif == nullptr || image.size() != m_size)
        return false;
    m_isGood = false; // until all of it is written
    const auto count = static_cast<std::size_t>(m_size.width()) * static_cast<std::size_t>(m_size.height());
    std::vector<GifByteType> red(count);
    std::vector<GifByteType> green(count);
    std::vector<GifByteType> blue(count);
    std::vector<GifByteType> indices(count);
    std::size_t at = 0;
    for (int y = 0; y < m_size.height(); ++y) {
        for (int x = 0; x < m_size.width(); ++x, ++at) {
            const QRgb color = image.pixel(x, y);
            red[at] = static_cast<GifByteType>(qRed(color));
            green[at] = static_cast<GifByteType>(qGreen(color));
            blue[at] = static_cast<GifByteType>(qBlue(color));
        }
    }
    const std::unique_ptr<ColorMapObject, FreeColors> colors(GifMakeMapObject(kColors, nullptr));
    int used = kColors;
    if (!colors || GifQuantizeBuffer(static_cast<unsigned>(m_size.width()), static_cast<unsigned>(m_size.height()), &used,
                                     red.data(), green.data(), blue.data(), indices.data(), colors->Colors) != GIF_OK)
        return false;
    const GraphicsControlBlock control{DISPOSE_DO_NOT, false, m_hundredths, NO_TRANSPARENT_COLOR};
    std::array<GifByteType, 4> extension{};
    EGifGCBToExtension(&control, extension.data());
    if (EGifPutExtension(m_gif, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(extension.size()), extension.data()) != GIF_OK ||
        EGifPutImageDesc(m_gif, 0, 0, m_size.width(), m_size.height(), false, colors.get()) != GIF_OK)
        return false;
    for (int y = 0; y < m_size.height(); ++y)
        if (EGifPutLine(m_gif, indices.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(m_size.width()),
                        m_size.width()) != GIF_OK)
            return false;
    m_isGood = true;
    return true;
}

QByteArray AnimatedPicture::finish()
{
    if (m_gif == nullptr)
        return {};
    int error = 0;
    const bool isClosed = EGifCloseFile(std::exchange(m_gif, nullptr), &error) == GIF_OK;
    return m_isGood && isClosed ? *m_bytes : QByteArray();
}

} // namespace stepwell::ui
