#include "tests/unit/onnx/definitions/definition.h"

#include "engine/backend/native_backends.h"
#include "engine/execute/executor.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

namespace sw::test {

namespace {

// The rounding of some operations in the type, and of one conversion to it.
double roundingOf(DType dtype)
{
    if (dtype == DType::F16)
        return 4e-3;
    if (dtype == DType::BF16)
        return 3e-2;
    return dtype == DType::F64 ? 1e-6 : 2e-5;
}

bool isSame(double found, double expected, double tolerance)
{
    if (std::isnan(expected) || std::isnan(found))
        return std::isnan(expected) && std::isnan(found);
    if (found == expected)
        return true;
    return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

// What is wrong with an output; empty: nothing.
std::string faultOf(const HostTensor &found, const Numbers &expected, double relative)
{
    if (found.dtype() != expected.dtype || join(found.shape(), ", ") != join(expected.extents, ", "))
        return format("is {} [{}], expected {} [{}]", nameOf(found.dtype()), join(found.shape(), ", "), nameOf(expected.dtype),
                      join(expected.extents, ", "));
    const HostTensor wanted = expected.tensor();
    const double tolerance = !isFloat(expected.dtype) ? 0 : relative > 0 ? relative : roundingOf(expected.dtype);
    for (std::int64_t i = 0; i < found.elements(); ++i)
        if (!isSame(found.at(i).asDouble(), wanted.at(i).asDouble(), tolerance))
            return format("element {} is {}, expected {}", i, toText(found.at(i)), toText(wanted.at(i)));
    return {};
}

constexpr int kRoundsOnDevice = 2;

// The devices that were asked for; without a question, llvm.
class Devices {
public:
    Devices()
    {
        addNativeBackends(m_registry);
        const char *const asked = std::getenv("STEPWELL_DEFINITIONS_ON");
        m_isAsked = asked != nullptr;
        std::istringstream list(m_isAsked ? asked : "llvm");
        for (std::string id; std::getline(list, id, ',');)
            m_devices.emplace(id, OpenedDevice::open(m_registry, id, {}).value());
    }

    [[nodiscard]] bool hasRound(int round) const { return m_isAsked || round < kRoundsOnDevice; }
    [[nodiscard]] std::vector<std::string> names() const
    {
        std::vector<std::string> names;
        for (const auto &[name, device] : m_devices)
            names.push_back(name);
        return names;
    }

    Result<std::vector<HostTensor>> run(const std::string &name, const ImportedOperator &made)
    {
        OpenedDevice &device = *m_devices.at(name);
        const CompileTarget target{device.info(), device.renderer().language(), {}};
        const PipelineRun lowered = runPipeline(made.graph, standardPipeline(), target, {});
        if (!lowered.succeeded)
            return Failure(lowered.diagnostics);
        const auto program = std::get<LoweredProgramPtr>(lowered.last);
        SW_TRY(auto sources, renderProgram(*program, std::vector<RenderTarget>{{&device.renderer(), &device.info()}}));
        const std::vector<OpenedDevice *> devices{&device};
        SW_TRY(auto artifacts, compileProgram(*program, sources, devices, {}));
        auto compiled = std::make_shared<const CompiledProgram>(CompiledProgram{program, std::move(artifacts)});
        SW_TRY(const auto executor, Executor::prepare(devices, std::move(compiled), made.values));
        SW_TRY(ExecutionResult result, executor->run({.warmup = 0, .repeats = 1}, {}));
        std::vector<HostTensor> outputs;
        for (NamedTensor &output : result.outputs)
            outputs.push_back(std::move(output.value));
        return outputs;
    }

private:
    BackendRegistry m_registry;
    std::map<std::string, std::unique_ptr<OpenedDevice>> m_devices;
    bool m_isAsked = false;
};

void expectOutputs(const Result<std::vector<HostTensor>> &found, const Drawn &drawn, const std::string &where)
{
    ASSERT_TRUE(found) << where << ": " << toText(found.error());
    ASSERT_GE(found->size(), drawn.outputs.size());
    for (std::size_t i = 0; i < drawn.outputs.size(); ++i) {
        const std::string fault = faultOf((*found)[i], drawn.outputs[i], drawn.relative);
        EXPECT_TRUE(fault.empty()) << where << ": output " << i << " " << fault;
    }
}

std::string describe(const Drawn &drawn)
{
    std::string text = format("{} of opset {}:", drawn.text.node.op, drawn.text.opset);
    for (const Numbers &input : drawn.inputs) {
        const bool isShort = input.count() <= 8;
        text += format(" {}[{}]{}", nameOf(input.dtype), join(input.extents, ", "),
                       isShort ? format("({})", join(input.elements, ", ")) : std::string());
    }
    return text + " " + drawn.note;
}

} // namespace

std::int64_t productOf(const Places &extents)
{
    std::int64_t product = 1;
    for (const std::int64_t extent : extents)
        product *= extent;
    return product;
}

std::size_t Numbers::flat(const Places &place) const
{
    std::int64_t at = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (place.at(i) < 0 || place[i] >= extents[i])
            throw std::out_of_range("a place outside of the tensor");
        at = at * extents[i] + place[i];
    }
    return static_cast<std::size_t>(at);
}

double Numbers::broadcastAt(const Places &place) const
{
    Places own(place.end() - static_cast<std::ptrdiff_t>(rank()), place.end());
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = extents[i] == 1 ? 0 : own[i];
    return at(own);
}

HostTensor Numbers::tensor() const
{
    if (!isInteger(dtype))
        return HostTensor::ofValues(dtype, *Shape::checked(extents), elements);
    HostTensor made(dtype, *Shape::checked(extents));
    for (std::int64_t i = 0; i < count(); ++i)
        made.set(i, Scalar::of(dtype, static_cast<std::int64_t>(elements[static_cast<std::size_t>(i)])));
    return made;
}

Numbers filled(Places extents, double value, DType dtype)
{
    const std::vector<double> elements(static_cast<std::size_t>(productOf(extents)), value);
    return {std::move(extents), elements, dtype};
}

Numbers listOf(const Places &values, DType dtype)
{
    return {{static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()}, dtype};
}

Numbers numberOf(double value, DType dtype)
{
    return {{}, {value}, dtype};
}

Places broadcastOf(const Places &a, const Places &b)
{
    Places wide = a.size() >= b.size() ? a : b;
    const Places &other = a.size() >= b.size() ? b : a;
    const std::size_t first = wide.size() - other.size();
    for (std::size_t i = 0; i < other.size(); ++i)
        wide[first + i] = wide[first + i] == 1 ? other[i] : wide[first + i];
    return wide;
}

void forEach(const Places &extents, const std::function<void(const Places &)> &call)
{
    Places place(extents.size(), 0);
    for (std::int64_t left = productOf(extents); left > 0; --left) {
        call(place);
        for (std::size_t i = extents.size(); i-- > 0;) {
            if (++place[i] < extents[i])
                break;
            place[i] = 0;
        }
    }
}

Numbers computed(Places extents, DType dtype, const std::function<double(const Places &)> &element)
{
    Numbers made{std::move(extents), {}, dtype};
    forEach(made.extents, [&](const Places &place) { made.elements.push_back(element(place)); });
    return made;
}

Places without(Places places, std::size_t axis)
{
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(axis));
    return places;
}

std::int64_t Draw::number(std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(m_random);
}

Places Draw::extents(std::int64_t lowRank, std::int64_t highRank, std::int64_t low, std::int64_t high)
{
    Places made(static_cast<std::size_t>(number(lowRank, highRank)));
    for (std::int64_t &extent : made)
        extent = number(low, high);
    return made;
}

Places Draw::broadcastTo(const Places &extents)
{
    Places made(extents.begin() + static_cast<std::ptrdiff_t>(number(0, static_cast<std::int64_t>(extents.size()))),
                extents.end());
    for (std::int64_t &extent : made)
        extent = chance(30) ? 1 : extent;
    return made;
}

Numbers Draw::numbers(Places extents, DType dtype, int reach)
{
    constexpr double kQuarter = 0.25;
    const auto element = [&](const Places &) -> double {
        if (dtype == DType::Bool)
            return static_cast<double>(number(0, 1));
        if (isFloat(dtype))
            return static_cast<double>(number(-4 * reach, 4 * reach)) * kQuarter;
        return static_cast<double>(number(isSigned(dtype) ? -reach : 0, reach));
    };
    return computed(std::move(extents), dtype, element);
}

Numbers Draw::different(Places extents, DType dtype)
{
    std::vector<double> values(static_cast<std::size_t>(productOf(extents)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] =
            static_cast<double>(i) - (isSigned(dtype) || isFloat(dtype) ? std::floor(static_cast<double>(values.size()) / 2) : 0);
    std::shuffle(values.begin(), values.end(), m_random);
    return {std::move(extents), std::move(values), dtype};
}

void checkDefinition(const std::function<Drawn(Draw &)> &draw, int rounds)
{
    Devices devices;
    for (int round = 0; round < rounds; ++round) {
        Draw random(static_cast<std::uint32_t>(round) * 7919U + 1);
        const Drawn drawn = draw(random);
        SCOPED_TRACE(format("round {}, {}", round, describe(drawn)));
        std::vector<HostTensor> inputs;
        for (const Numbers &input : drawn.inputs)
            inputs.push_back(input.tensor());
        OperatorText text = drawn.text;
        text.outputs = std::max<std::size_t>(text.outputs, drawn.outputs.size());
        const ImportedOperator made = graphOf(text, inputs);
        if (!made.graph)
            continue; // reported
        expectOutputs(meaningOf(*made.graph, made.values), drawn, "the reference interpreter");
        for (const std::string &device : devices.names())
            if (devices.hasRound(round))
                expectOutputs(devices.run(device, made), drawn, device);
    }
}

} // namespace sw::test
