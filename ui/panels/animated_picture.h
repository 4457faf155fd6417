#pragma once
// An animated GIF, made frame by frame. Each frame has a palette of its own.

#include <QByteArray>
#include <QImage>
#include <QSize>

#include <memory>

struct GifFileType;

namespace stepwell::ui {

class AnimatedPicture {
public:
    // Repeats for ever. hundredths: how long each frame stays, in hundredths of a second.
    AnimatedPicture(QSize size, int hundredths);
    ~AnimatedPicture();
    AnimatedPicture(const AnimatedPicture &) = delete;
    AnimatedPicture &operator=(const AnimatedPicture &) = delete;

    // The image must have the size. False: it cannot be added, and the file is useless.
    [[nodiscard]] bool add(const QImage &image);
    // The whole file; empty: it could not be made. Nothing can be added afterwards.
    [[nodiscard]] QByteArray finish();

private:
    QSize m_size;
    int m_hundredths = 10;
    bool m_isGood = true;
    std::unique_ptr<QByteArray> m_bytes;
    GifFileType *m_gif = nullptr;
};

} // namespace stepwell::ui
