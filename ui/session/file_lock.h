#pragma once
// A lock on a file, held for as long as the object lives. The system releases it when the process ends, however it ends, so a
// crash leaves nothing to clean up.

#include <QString>

namespace stepwell::ui {

class FileLock {
public:
    FileLock() = default;
    explicit FileLock(const QString &path); // makes the file; not held if another window holds it
    ~FileLock();
    FileLock(FileLock &&other) noexcept;
    FileLock &operator=(FileLock &&other) noexcept;
    [[nodiscard]] bool isHeld() const { return m_descriptor >= 0; }

private:
    int m_descriptor = -1;
};

} // namespace stepwell::ui
