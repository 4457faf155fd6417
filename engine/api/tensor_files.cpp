#include "engine/api/tensor_files.h"

#include "engine/api/front_end.h"
#include "engine/base/whole_file.h"
#include "engine/graph/graph.h"
#include "engine/types/npy.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kValuesPerPart = 1 << 14;
constexpr std::string_view kSeparators = ",; \t\r\n";

Result<DType> typeNamed(std::string_view name)
{
    if (const auto dtype = dtypeNamed(name))
        return *dtype;
    return Diagnostic::error(Code::UnsupportedDType, {}, "there is no type {}", quoted(name));
}

// Values of a CSV file, with the line that each stands in.
class CsvReader {
public:
    explicit CsvReader(std::string_view text) : m_text(text) {}

    // Empty at the end.
    std::string_view next()
    {
        while (!m_text.empty()) {
            if (m_text.front() == '#') {
                m_text.remove_prefix(std::min(m_text.find('\n'), m_text.size()));
                continue;
            }
            if (kSeparators.find(m_text.front()) == std::string_view::npos)
                break;
            m_line += m_text.front() == '\n' ? 1 : 0;
            m_text.remove_prefix(1);
        }
        const std::size_t end = std::min(m_text.find_first_of(",; \t\r\n#"), m_text.size());
        const std::string_view value = m_text.substr(0, end);
        m_text.remove_prefix(end);
        return value;
    }
    [[nodiscard]] std::uint32_t line() const { return m_line; }

private:
    std::string_view m_text;
    std::uint32_t m_line = 1;
};

// Numbers of any spelling for floats ("1.50", "1E3"); "1" and "0" for truth.
Result<Scalar> parseCell(DType dtype, std::string_view text)
{
    if (dtype == DType::Bool && (text == "0" || text == "1"))
        return Scalar::ofBool(text == "1");
    return parseScalar(dtype, text);
}

} // namespace

Result<Done> saveNpy(const TensorView &view, const std::filesystem::path &file)
{
    return writeNpyFile(file, view.tensor());
}

Result<Done> saveCsv(const TensorView &view, const std::filesystem::path &file, const std::stop_token &stop)
{
    const std::int64_t across = view.shape().size() < 2 ? 1 : std::max<std::int64_t>(1, view.shape().back());
    std::int64_t at = 0;
    std::string part;
    return writeWholeFile(file, [&]() -> std::optional<std::string_view> {
        if (stop.stop_requested())
            return std::nullopt;
        part.clear();
        for (const std::int64_t end = std::min(view.elements(), at + kValuesPerPart); at < end; ++at) {
            part += view.text(at, ValueFormat::Decimal);
            part += (at + 1) % across == 0 ? '\n' : ',';
        }
        return part;
    });
}

Result<TensorViewPtr> loadNpy(const std::filesystem::path &file)
{
    SW_TRY(HostTensor tensor, readNpyFile(file));
    return std::make_shared<const TensorView>(file.filename().string(), std::move(tensor));
}

Result<TensorViewPtr> loadCsv(const std::filesystem::path &file, std::string_view elementType,
                              std::span<const std::int64_t> extents)
{
    SW_TRY(const DType dtype, typeNamed(elementType));
    SW_TRY(Shape shape, Shape::checked({extents.begin(), extents.end()}));
    SW_TRY(const std::string text, readTextFile(file.string()));
    HostTensor tensor(dtype, shape);
    CsvReader reader(text);
    std::int64_t count = 0;
    for (std::string_view value = reader.next(); !value.empty(); value = reader.next(), ++count) {
        const Result<Scalar> cell = parseCell(dtype, value);
        if (!cell)
            return Diagnostic::error(Code::File, {.file = file.string(), .line = reader.line(), .column = 1},
                                     "line {} of {}: {} is not a value of type {}", reader.line(), file.filename().string(),
                                     quoted(value), nameOf(dtype));
        if (count < tensor.elements())
            tensor.set(count, *cell);
    }
    if (count != tensor.elements())
        return Diagnostic::error(Code::ShapeMismatch, {file.string()}, "{} holds {} values, and {} needs {}",
                                 file.filename().string(), count, typeText(dtype, shape), tensor.elements());
    return std::make_shared<const TensorView>(file.filename().string(), std::move(tensor));
}

TensorViewPtr tensorOfNumbers(std::string name, std::string_view elementType, std::span<const std::int64_t> shape,
                              std::span<const double> numbers)
{
    const auto dtype = dtypeNamed(elementType);
    SW_ASSERT(dtype && *dtype != DType::U32x4, "a type of numbers");
    return std::make_shared<const TensorView>(
        std::move(name), HostTensor::ofValues(*dtype, Shape(std::vector<std::int64_t>(shape.begin(), shape.end())), numbers));
}

} // namespace sw
