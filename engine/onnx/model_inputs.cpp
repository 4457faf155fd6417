#include "engine/onnx/model_inputs.h"

#include "engine/graph/graph.h"
#include "engine/onnx/read_model.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <set>

namespace sw::onnx {

namespace {

// The extent of an open dimension, and where it comes from.
struct Bound {
    std::int64_t extent = 0;
    std::string source; // "input 'x'"; empty if a number was given for the dimension
};

class Settler {
public:
    Settler(const Model &model, const Listing &listing, const ModelOptions &options)
        : m_model(model), m_listing(listing), m_options(options)
    {
    }

    Result<ModelInputs> run()
    {
        checkNames();
        for (const auto &[name, extent] : m_options.dimensions)
            bindNumber(name, extent);
        for (std::size_t i = 0; i < m_model.inputs.size(); ++i)
            takeGiven(i);
        ModelInputs settled{.inputs = std::move(m_inputs), .assumedDimensions = {}, .chosenDimensions = {}, .notes = {}};
        for (std::size_t i = 0; i < m_model.inputs.size() && m_errors.empty(); ++i)
            settleShape(i, settled.inputs[i]);
        if (!m_errors.empty())
            return Failure(std::move(m_errors));
        settled.assumedDimensions = std::move(m_assumed);
        for (const auto &[name, bound] : m_bounds)
            if (bound.source.empty())
                settled.chosenDimensions.push_back({name, bound.extent});
        settled.notes = std::move(m_notes);
        return settled;
    }

private:
    template <class... Args>
    void report(Code code, const SourceRange &where, fmt::format_string<Args...> pattern, Args &&...args)
    {
        m_errors.push_back(Diagnostic::error(code, where, pattern, std::forward<Args>(args)...));
    }
    [[nodiscard]] SourceRange placeOf(std::size_t input) const { return m_listing.placeOf(m_listing.inputs[input]); }

    [[nodiscard]] std::set<std::string> openDimensions() const
    {
        std::set<std::string> names;
        for (const ValueInfo &input : m_model.inputs)
            for (const Dimension &dimension : input.shape.value_or(std::vector<Dimension>()))
                if (isOpen(dimension))
                    names.insert(displayText(dimension.symbol));
        return names;
    }

    // ---- what is given
    void checkNames()
    {
        std::set<std::string> names;
        for (const ValueInfo &input : m_model.inputs)
            names.insert(displayText(input.name));
        const auto isParameter = [&](const std::string &name) {
            return std::ranges::any_of(m_model.initializers,
                                       [&](const Initializer &each) { return displayText(each.name) == name; });
        };
        for (const auto &[name, tensor] : m_options.givenInputs)
            if (!names.contains(name) && !isParameter(name))
                report(Code::UnknownName, {}, "the model has no input {}; it has {}", sw::quoted(name), listOf(names));
    }

    static std::string listOf(const std::set<std::string> &names) { return names.empty() ? "none" : join(names, ", "); }

    void bindNumber(const std::string &name, std::int64_t extent)
    {
        const std::set<std::string> open = openDimensions();
        if (!open.contains(name))
            report(Code::UnknownName, {}, "the model has no open dimension {}; it has {}", sw::quoted(name), listOf(open));
        else if (extent < 0)
            report(Code::Argument, {}, "the dimension {} cannot be {}", name, extent);
        else
            m_bounds.emplace(name, Bound{extent, {}});
    }

    void takeGiven(std::size_t index)
    {
        const ValueInfo &info = m_model.inputs[index];
        const std::string name = displayText(info.name);
        ModelInput &input = m_inputs.emplace_back();
        if (!info.isTensor)
            return report(Code::Unsupported, placeOf(index), "input '{}' is no tensor; only tensors are supported", name);
        if (!info.dtype) {
            for (Diagnostic problem : info.dtype.error()) {
                problem.where = placeOf(index);
                m_errors.push_back(std::move(problem));
            }
            return;
        }
        input.dtype = *info.dtype;
        const auto given = m_options.givenInputs.find(name);
        if (given == m_options.givenInputs.end())
            return;
        input.given = fromRawBits(given->second, input.dtype).value_or(given->second);
        if (input.given->dtype() != input.dtype)
            return report(Code::Type, placeOf(index), "input '{}' is {}, but the tensor given for it is {}", name, typeText(info),
                          sw::typeText(input.given->dtype(), input.given->shape()));
        if (info.shape)
            bindShape(index, input.given->shape());
    }

    void bindShape(std::size_t index, const Shape &given)
    {
        const ValueInfo &info = m_model.inputs[index];
        const std::string name = displayText(info.name);
        bool fits = given.rank() == info.shape->size();
        for (std::size_t axis = 0; axis < given.rank() && fits; ++axis) {
            const Dimension &dimension = (*info.shape)[axis];
            fits = isOpen(dimension) || dimension.extent == given[axis];
        }
        if (!fits)
            return report(Code::ShapeMismatch, placeOf(index), "input '{}' is {}, but the tensor given for it is {}", name,
                          typeText(info), sw::typeText(*info.dtype, given));
        for (std::size_t axis = 0; axis < given.rank(); ++axis)
            if (isOpen((*info.shape)[axis]))
                bindExtent(index, displayText((*info.shape)[axis].symbol), given[axis]);
    }

    void bindExtent(std::size_t index, const std::string &dimension, std::int64_t extent)
    {
        const std::string source = format("input '{}'", displayText(m_model.inputs[index].name));
        const auto [known, isNew] = m_bounds.try_emplace(dimension, Bound{extent, source});
        if (isNew || known->second.extent == extent)
            return;
        if (known->second.source.empty())
            report(Code::ShapeMismatch, placeOf(index), "the dimension {} is to be {}, but the tensor given for {} makes it {}",
                   dimension, known->second.extent, source, extent);
        else
            report(Code::ShapeMismatch, placeOf(index),
                   "the dimension {} is {} by the tensor given for {}, and {} by the one given for {}", dimension,
                   known->second.extent, known->second.source, extent, source);
    }

    // ---- what follows
    void settleShape(std::size_t index, ModelInput &input)
    {
        const ValueInfo &info = m_model.inputs[index];
        if (input.given) {
            input.shape = input.given->shape();
            return;
        }
        if (!info.shape)
            return report(Code::Unsupported, placeOf(index), "input '{}' has no shape, and no tensor is given for it",
                          displayText(info.name));
        std::vector<std::int64_t> extents;
        for (const Dimension &dimension : *info.shape) {
            if (!isOpen(dimension) && dimension.extent < 0)
                return report(Code::MalformedModel, placeOf(index), "input '{}' has a dimension of {}, expected 0 or more",
                              displayText(info.name), dimension.extent);
            extents.push_back(isOpen(dimension) ? settledExtent(dimension, index) : dimension.extent);
        }
        Result<Shape> shape = Shape::checked(std::move(extents));
        if (!shape)
            return report(Code::Limit, placeOf(index), "input '{}': {}", displayText(info.name), shape.error().front().message);
        input.shape = std::move(*shape);
    }

    std::int64_t settledExtent(const Dimension &dimension, std::size_t index)
    {
        const std::string name = displayText(dimension.symbol);
        const auto [bound, isNew] = m_bounds.try_emplace(name, Bound{1, {}});
        if (isNew) {
            m_assumed.push_back(name);
            m_notes.push_back(
                {Severity::Note,
                 Code::Argument,
                 format("dimension {} of input '{}' is open; 1 is assumed", name, displayText(m_model.inputs[index].name)),
                 placeOf(index),
                 "give the input, or the dimension by its name",
                 {}});
        }
        return bound->second.extent;
    }

    const Model &m_model;
    const Listing &m_listing;
    const ModelOptions &m_options;
    std::map<std::string, Bound> m_bounds;
    std::vector<ModelInput> m_inputs;
    std::vector<std::string> m_assumed;
    Diagnostics m_notes;
    Diagnostics m_errors;
};

} // namespace

Result<ModelInputs> settleInputs(const Model &model, const Listing &listing, const ModelOptions &options)
{
    return Settler(model, listing, options).run();
}

} // namespace sw::onnx
