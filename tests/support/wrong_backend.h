#pragma once
// A device that makes something else of right instructions: the interpreter, with text of its instructions replaced. It is
// called "wrong".

#include "engine/backend/interpreter/interpreter_backend.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sw::test {

class WrongRenderer : public Renderer {
public:
    WrongRenderer(const Renderer &right, std::string from, std::string to)
        : m_right(right), m_from(std::move(from)), m_to(std::move(to))
    {
    }
    [[nodiscard]] TargetLanguage language() const override { return m_right.language(); }
    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const override
    {
        SW_TRY(RenderedSource source, m_right.render(kernel, device));
        for (std::size_t at = source.text.find(m_from); at != std::string::npos; at = source.text.find(m_from, at + m_to.size()))
            source.text.replace(at, m_from.size(), m_to);
        return source;
    }

private:
    const Renderer &m_right;
    std::string m_from;
    std::string m_to;
};

class WrongBackend : public Backend {
public:
    WrongBackend(std::string from, std::string to) : m_renderer(m_right->renderer(), std::move(from), std::move(to)) {}

    [[nodiscard]] std::string_view id() const override { return "wrong"; }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override
    {
        SW_TRY(std::vector<DeviceInfo> devices, m_right->probe());
        devices.front().id = "wrong";
        devices.front().backend = "wrong";
        return devices;
    }
    [[nodiscard]] const Renderer &renderer() const override { return m_renderer; }
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override
    {
        return m_right->open(device, options);
    }

private:
    std::unique_ptr<Backend> m_right = makeInterpreterBackend();
    WrongRenderer m_renderer;
};

// Takes the larger of two for the smaller, unless told otherwise. What the interpreter cannot read is an error of its compiler.
[[nodiscard]] inline std::unique_ptr<Backend> makeWrongBackend(std::string from = "= max ", std::string to = "= min ")
{
    return std::make_unique<WrongBackend>(std::move(from), std::move(to));
}

} // namespace sw::test
