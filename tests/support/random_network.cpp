#include "tests/support/random_network.h"

#include "engine/base/text.h"

#include <random>

namespace sw::test {

namespace {

class NetworkWriter {
public:
    explicit NetworkWriter(std::uint64_t seed)
        : m_random(seed),
          m_dtype(seed % 5 == 4 ? "f64" : "f32"),
          m_images(1 + below(2)),
          m_channels(8 * (1 + below(3))),
          m_rows(6 + below(7)),
          m_columns(6 + below(7))
    {
    }

    std::string run()
    {
        m_text = format("input x: {}[{}, {}, {}, {}]\nh0 = {}\n", m_dtype, m_images, m_channels, m_rows, m_columns,
                        below(2) == 0 ? "relu(x)" : "x");
        const std::int64_t layers = 3 + below(6);
        for (std::int64_t i = 0; i < layers; ++i)
            addLayer();
        addOutput();
        return m_text;
    }

private:
    std::int64_t below(std::int64_t end) { return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(end)); }

    [[nodiscard]] std::string now() const { return format("h{}", m_count); }
    void next(const std::string &value)
    {
        m_text += format("h{} = {}\n", m_count + 1, value);
        ++m_count;
    }

    // The names of new parameters for a convolution.
    std::string weights(std::int64_t outputs, std::int64_t channels, std::int64_t window)
    {
        const std::int64_t number = m_weights++;
        m_text += format("param w{}: {}[{}, {}, {}, {}]\nparam b{}: {}[{}]\n", number, m_dtype, outputs, channels, window, window,
                         number, m_dtype, outputs);
        return format("w{}, b{}", number, number);
    }

    void addLayer()
    {
        const bool isSmall = m_rows < 3 || m_columns < 3;
        switch (isSmall ? below(4) : below(11)) {
        case 0: {
            const std::int64_t outputs = 8 * (1 + below(4));
            const std::string given = weights(outputs, m_channels, 1);
            next(format("conv2d({}, {})", now(), given));
            m_channels = outputs;
            return;
        }
        case 1:
            next(format("minimum(relu({}), 0.75)", now()));
            return;
        case 2: {
            const std::string given = weights(m_channels, m_channels, 1);
            next(format("{} + conv2d({}, {})", now(), now(), given));
            return;
        }
        case 3:
            if (m_channels > 24)
                return;
            next(format("cat([{}, {} * 0.5], axis = 1)", now(), now()));
            m_channels *= 2;
            return;
        case 4:
        case 5:
        case 6: {
            const std::string given = weights(m_channels, 1, 3);
            const std::int64_t padding = below(3) == 0 ? 0 : 1;
            const std::int64_t stride = 1 + below(2);
            next(format("conv2d({}, {}, stride = {}, padding = {}, groups = {})", now(), given, stride, padding, m_channels));
            shrink(3, stride, padding);
            return;
        }
        case 7:
            next(format("{}({}, 2, stride = 2, padding = 0)", below(2) == 0 ? "max_pool2d" : "avg_pool2d", now()));
            shrink(2, 2, 0);
            return;
        case 8:
            next(format("max_pool2d({}, 3, stride = 1, padding = 1)", now()));
            return;
        case 9: {
            const std::int64_t outputs = 8 * (1 + below(3));
            const std::string given = weights(outputs, m_channels, 3);
            next(format("conv2d({}, {}, padding = 1)", now(), given));
            m_channels = outputs;
            return;
        }
        default:
            next(format("{}.reshape([{}, 2, {}, {}, {}]).transpose([0, 2, 1, 3, 4]).reshape([{}, {}, {}, {}])", now(), m_images,
                        m_channels / 2, m_rows, m_columns, m_images, m_channels, m_rows, m_columns));
            return;
        }
    }

    void shrink(std::int64_t window, std::int64_t stride, std::int64_t padding)
    {
        m_rows = (m_rows + 2 * padding - window) / stride + 1;
        m_columns = (m_columns + 2 * padding - window) / stride + 1;
    }

    void addOutput()
    {
        switch (below(4)) {
        case 0:
            m_text += format("output mean({}, axis = [2, 3])\n", now());
            return;
        case 1:
            m_text += format("output {}.transpose([0, 2, 3, 1]) * 2\n", now());
            return;
        case 2: {
            const std::string given = weights(8, m_channels, 1);
            m_text += format("output conv2d({}, {})\n", now(), given);
            return;
        }
        default:
            m_text += format("output {}\n", now());
            return;
        }
    }

    std::mt19937_64 m_random;
    std::string m_dtype;
    std::int64_t m_images;
    std::int64_t m_channels;
    std::int64_t m_rows;
    std::int64_t m_columns;
    std::int64_t m_count = 0;
    std::int64_t m_weights = 0;
    std::string m_text;
};

} // namespace

std::string randomNetwork(std::uint64_t seed)
{
    return NetworkWriter(seed).run();
}

} // namespace sw::test
