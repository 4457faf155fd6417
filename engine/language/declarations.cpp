// The declarations input, param, const and output, and their types.

#include "engine/language/builtins.h"
#include "engine/language/elaborator.h"
#include "engine/language/integers.h"
#include "engine/language/suggest.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <utility>

namespace sw::language {

namespace {

constexpr std::string_view kOutputWord = "output";
constexpr std::string_view kArchiveEnding = ".safetensors";

} // namespace

SourceId Elaborator::itemOfName(const NameSyntax &name)
{
    return m_tracer.itemAt(name.range, std::string(name.text));
}

Result<DType> Elaborator::evaluateDType(const TypeSyntax &type)
{
    const auto known = dtypeNamed(type.dtype);
    if (known && hasValues(*known))
        return *known;
    const SourceId item = m_tracer.itemAt(type.dtypeRange, std::string(type.dtype));
    if (known)
        return m_tracer.fail(item, Code::Type, "a tensor of type {} would have no values", nameOf(*known));
    std::vector<std::string> names;
    for (const DType dtype : allDTypes())
        if (hasValues(dtype))
            names.emplace_back(nameOf(dtype));
    Failure failure = m_tracer.fail(item, Code::UnknownName, "{} is not an element type", type.dtype);
    const std::string near = suggestion(type.dtype, names);
    failure.diagnostics.front().hint = near.empty() ? "the element types are " + join(names, ", ") : near;
    return failure;
}

Result<Elaborator::Type> Elaborator::evaluateType(const TypeSyntax &type)
{
    SW_TRY(const DType dtype, evaluateDType(type));
    std::vector<SymbolicExpr> extents;
    for (const ExprId id : type.extents) {
        SW_TRY(const Value value, evaluate(id));
        auto extent = asExtent(value);
        if (!extent)
            return m_tracer.fail(id, Code::Type, "an extent of a shape must be an integer, found {}", m_tracer.describe(value));
        extents.push_back(std::move(*extent));
    }
    Result<Shape> shape = Shape::checkedSymbolic(std::move(extents));
    if (!shape)
        return m_tracer.placed(m_tracer.itemAt(type.range, std::string(type.dtype)), shape.failure());
    return Type{dtype, std::move(shape).value()};
}

Result<Done> Elaborator::checkTopLevel(const Statement &statement, std::string_view what)
{
    if (m_tracer.callDepth() == 0)
        return Done{};
    return m_tracer.fail(m_tracer.itemAt(statement.range, std::string(what)), Code::Syntax,
                         "'{}' can only stand at the top level, not in a function", what);
}

Result<Done> Elaborator::declarePlaceholder(const Statement &statement, PlaceholderRole role)
{
    SW_CHECK(checkTopLevel(statement, role == PlaceholderRole::Input ? "input" : "param"));
    const NameSyntax &name = statement.targets.front();
    const SourceId item = m_tracer.itemAt(statement.range, std::string(name.text));
    if (m_placeholderNames.contains(std::string(name.text))) {
        // The first declaration keeps the name, so that its uses are still checked.
        const Failure failure = m_tracer.fail(itemOfName(name), Code::DuplicateName,
                                              "there is an input, parameter or dimension {} already", name.text);
        m_tracer.report(failure.diagnostics);
        return Done{};
    }
    m_placeholderNames.emplace(name.text);
    SW_TRY(const Type type, evaluateType(*statement.type));
    PlaceholderAttributes attributes;
    attributes.name = name.text;
    attributes.role = role;
    if (statement.value.isValid())
        SW_CHECK(readInitializer(statement, type, attributes));
    const NodeId node = m_tracer.builder().placeholder(Origin(item), type.dtype, type.shape, std::move(attributes));
    bindName(name.text, Value{TensorValue{node}});
    return Done{};
}

Result<std::int64_t> Elaborator::integerAt(ExprId id, std::string_view what)
{
    SW_TRY(const Value value, evaluate(id));
    if (!value.isA<std::int64_t>())
        return m_tracer.fail(id, Code::Type, "{} must be an integer, found {}", what, m_tracer.describe(value));
    return value.asInt();
}

// Handles n: dim[lowest, highest] = value.
Result<Done> Elaborator::declareDimension(const Statement &statement)
{
    SW_CHECK(checkTopLevel(statement, "dim"));
    const NameSyntax &name = statement.targets.front();
    const SourceId item = m_tracer.itemAt(statement.range, std::string(name.text));
    if (m_placeholderNames.contains(std::string(name.text)))
        return m_tracer.fail(itemOfName(name), Code::DuplicateName, "there is an input, parameter or dimension {} already",
                             name.text);
    if (statement.type->extents.size() != 2)
        return m_tracer.fail(item, Code::Argument, "a dimension has a lowest and a highest value, {}: dim[1, 4096]", name.text);
    SymbolicVariable variable{std::string(name.text), 0, 0};
    SW_TRY(variable.low, integerAt(statement.type->extents[0], "the lowest value of a dimension"));
    SW_TRY(variable.high, integerAt(statement.type->extents[1], "the highest value of a dimension"));
    GraphBuilder &builder = m_tracer.builder();
    SW_TRY(NodeId node, m_tracer.placed(item, builder.dimension(Origin(item), variable)));
    if (statement.value.isValid()) {
        SW_TRY(const std::int64_t value, integerAt(statement.value, "the value of a dimension"));
        SW_TRY(node, m_tracer.placed(item, builder.bind(Origin(item), node, value)));
    }
    m_placeholderNames.emplace(name.text);
    m_tracer.addDimension(variable.name, node);
    bindName(name.text, extentValue(SymbolicExpr(variable)));
    return Done{};
}

// Handles load("w.npy") and random(seed).
Result<Done> Elaborator::readInitializer(const Statement &statement, const Type &type, PlaceholderAttributes &attributes)
{
    const Expr &expr = m_tracer.expr(statement.value);
    const bool isCall = expr.kind == ExprKind::Call && m_tracer.expr(expr.operands.front()).kind == ExprKind::Name;
    const std::string_view callee = isCall ? m_tracer.expr(expr.operands.front()).text : std::string_view();
    if (callee == "load") {
        SW_TRY(HostTensor loaded, loadTensor(statement.value, type, attributes.name));
        attributes.initial = std::make_shared<const HostTensor>(std::move(loaded));
        return Done{};
    }
    if (callee != "random")
        return m_tracer.fail(statement.value, Code::Syntax,
                             "a parameter begins as load(\"file.npy\") or random(seed); for a value use const");
    attributes.isRandom = true;
    if (expr.operands.size() > 2)
        return m_tracer.fail(statement.value, Code::Argument, "random takes one argument, the seed");
    if (expr.operands.size() == 2) {
        SW_TRY(const Value given, evaluate(expr.operands[1]));
        if (!given.isInteger() || wideOf(given) < 0)
            return m_tracer.fail(expr.operands[1], Code::Argument, "the seed must be an integer from 0, found {}",
                                 m_tracer.describe(given));
        attributes.seed = static_cast<std::uint64_t>(wideOf(given));
    }
    return Done{};
}

bool Elaborator::isLoad(ExprId value)
{
    const Expr &expr = m_tracer.expr(value);
    if (expr.kind != ExprKind::Call)
        return false;
    const Expr &callee = m_tracer.expr(expr.operands.front());
    return callee.kind == ExprKind::Name && callee.text == "load";
}

Result<std::string> Elaborator::fileText(ExprId argument, std::string_view what)
{
    SW_TRY(const Value given, evaluate(argument));
    if (const auto *text = given.as<std::string>())
        return *text;
    return m_tracer.fail(argument, Code::Argument, "load takes {}, found {}", what, m_tracer.describe(given));
}

// Handles load("w.npy") and load("model.safetensors", "w").
Result<HostTensor> Elaborator::readTensor(ExprId call)
{
    const std::vector<ExprId> operands = m_tracer.expr(call).operands;
    if (operands.size() != 2 && operands.size() != 3)
        return m_tracer.fail(call, Code::Argument,
                             "load takes the name of a .npy file, or that of a .safetensors file and a tensor's in it");
    SW_TRY(const std::string file, fileText(operands[1], "the name of a file"));
    const std::filesystem::path path = m_program.folder / file;
    const SourceId item = m_tracer.itemOf(call);
    const bool isArchive = path.extension() == kArchiveEnding;
    if (isArchive != (operands.size() == 3))
        return m_tracer.fail(item, Code::Argument, "{}",
                             isArchive ? "load takes the name of a tensor in the file as well"
                                       : "only a .safetensors file has tensors with names");
    if (!isArchive)
        return m_tracer.placed(item, readNpyFile(path));
    SW_TRY(const std::string tensor, fileText(operands[2], "the name of a tensor"));
    auto found = m_archives.find(file);
    if (found == m_archives.end()) {
        SW_TRY(TensorArchive opened, m_tracer.placed(item, TensorArchive::open(path)));
        found = m_archives.emplace(file, std::move(opened)).first;
    }
    return m_tracer.placed(item, found->second.tensor(tensor));
}

Result<HostTensor> Elaborator::loadTensor(ExprId call, const Type &type, std::string_view declared)
{
    if (type.shape.isSymbolic())
        return m_tracer.fail(call, Code::Unsupported, "{} is stored, so its shape must be known, not {}", declared,
                             toText(type.shape));
    SW_TRY(HostTensor loaded, readTensor(call));
    loaded = fromRawBits(loaded, type.dtype).value_or(loaded);
    if (loaded.dtype() != type.dtype || loaded.shape() != type.shape) {
        const ExprId last = m_tracer.expr(call).operands.back();
        return m_tracer.fail(call, loaded.dtype() != type.dtype ? Code::Type : Code::ShapeMismatch,
                             "{} holds {}, but {} is declared as {}", m_tracer.expr(last).stringValue,
                             typeText(loaded.dtype(), loaded.shape()), declared, typeText(type.dtype, type.shape));
    }
    return loaded;
}

Result<Done> Elaborator::declareConst(const Statement &statement)
{
    const NameSyntax &name = statement.targets.front();
    SW_TRY(const Type type, evaluateType(*statement.type));
    const SourceId item = m_tracer.itemAt(statement.range, std::string(name.text));
    if (isLoad(statement.value)) {
        SW_TRY(HostTensor loaded, loadTensor(statement.value, type, name.text));
        bindName(name.text, Value{TensorValue{m_tracer.builder().vconst(Origin(item), std::move(loaded))}});
        return Done{};
    }
    SW_TRY(const Value value, evaluate(statement.value));
    if (!defaultType(value))
        return m_tracer.fail(statement.value, Code::Type, "a constant is a number or a nested list of numbers, found {}",
                             m_tracer.describe(value));
    if (value.isNumber()) {
        SW_TRY(const Scalar scalar, m_tracer.scalarOf(value, type.dtype, item));
        SW_TRY(const NodeId node, m_tracer.placed(item, m_tracer.builder().full(Origin(item), scalar, type.shape)));
        bindName(name.text, Value{TensorValue{node}});
        return Done{};
    }
    SW_TRY(HostTensor constant, m_tracer.constantOf(value, type.dtype, item));
    if (constant.shape() != type.shape)
        return m_tracer.fail(statement.value, Code::ShapeMismatch, "the list has shape {}, but {} is declared as {}",
                             toText(constant.shape()), name.text, typeText(type.dtype, type.shape));
    bindName(name.text, Value{TensorValue{m_tracer.builder().vconst(Origin(item), std::move(constant))}});
    return Done{};
}

Result<Done> Elaborator::declareOutput(const Statement &statement)
{
    SW_CHECK(checkTopLevel(statement, "output"));
    SW_TRY(const Operand operand, operandOf(statement.value));
    // Only the keyword: the expression has items of its own, and a line belongs to the longest item.
    const TextRange keyword{statement.range.begin, statement.range.begin + static_cast<std::uint32_t>(kOutputWord.size())};
    const SourceId item = m_tracer.itemAt(keyword, std::string(kOutputWord));
    const bool isNamed = !statement.targets.empty();
    const std::string unnamed = m_unnamedOutputs == 0 ? "output" : format("output{}", m_unnamedOutputs);
    const std::string name = isNamed ? std::string(statement.targets.front().text) : unnamed;
    if (m_takenOutputNames.contains(name))
        return m_tracer.fail(item, Code::DuplicateName, "there is an output {} already", name);
    SW_TRY(const NodeId node, m_tracer.tensorOf(operand));
    if (isNamed)
        bindName(statement.targets.front().text, Value{TensorValue{node}});
    m_unnamedOutputs += isNamed ? 0 : 1;
    m_outputs.push_back(node);
    m_outputNames.push_back(name);
    m_takenOutputNames.insert(name);
    m_outputItems.push_back(item);
    return Done{};
}

// Checks x: f32[2, n] = value. For parameters of functions, an unknown name takes the value's extent.
Result<Value> Elaborator::checkedType(const TypeSyntax &type, const Value &value, const Place &item, bool bindsNames)
{
    SW_TRY(const DType dtype, evaluateDType(type));
    const TensorValue *tensor = value.as<TensorValue>();
    if (tensor == nullptr)
        return m_tracer.fail(item, Code::Type, "expected a tensor {}[...], found {}", type.dtype, m_tracer.describe(value));
    const Node &node = m_tracer.node(tensor->node);
    const Shape found = node.shape;
    if (node.dtype != dtype || found.rank() != type.extents.size())
        return m_tracer.fail(item, node.dtype != dtype ? Code::Type : Code::ShapeMismatch,
                             "expected type {} with {} axes, found {}", nameOf(dtype), type.extents.size(),
                             m_tracer.describe(value));
    for (std::size_t axis = 0; axis < found.rank(); ++axis) {
        const Expr &expr = m_tracer.expr(type.extents[axis]);
        if (bindsNames && expr.kind == ExprKind::Name && !findVariable(expr.text)) {
            m_tracer.frame().names.insert_or_assign(expr.text, extentValue(found.extent(axis)));
            continue;
        }
        SW_TRY(const Value extent, evaluate(type.extents[axis]));
        if (!isEqual(extent, extentValue(found.extent(axis))))
            return m_tracer.fail(item, Code::ShapeMismatch, "axis {} must have extent {}, found {}", axis,
                                 asExtent(extent) ? toText(*asExtent(extent)) : m_tracer.describe(extent),
                                 m_tracer.describe(value));
    }
    return value;
}

} // namespace sw::language
