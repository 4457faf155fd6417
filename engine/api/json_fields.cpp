#include "engine/api/json_fields.h"

namespace sw {

JsonFields::JsonFields(const JsonValue *value, std::string name, JsonFailure &failure)
    : m_object(value != nullptr && value->object() != nullptr ? value : nullptr), m_name(std::move(name)), m_failure(&failure)
{
    if (m_object == nullptr)
        m_failure->note(format("{}: no object", m_name));
}

const JsonValue *JsonFields::member(std::string_view name) const
{
    const JsonValue *found = m_object == nullptr ? nullptr : m_object->find(name);
    if (found == nullptr)
        fail(name, "is missing");
    return found;
}

std::string JsonFields::text(std::string_view name) const
{
    const JsonValue *value = member(name);
    if (value != nullptr && value->text() != nullptr)
        return *value->text();
    fail(name, "is no text");
    return {};
}

bool JsonFields::truth(std::string_view name) const
{
    const JsonValue *value = member(name);
    if (value != nullptr && value->truth() != nullptr)
        return *value->truth();
    fail(name, "is neither true nor false");
    return false;
}

double JsonFields::fraction(std::string_view name) const
{
    const JsonValue *value = member(name);
    if (value != nullptr && value->fraction() != nullptr)
        return *value->fraction();
    if (value != nullptr && value->integer() != nullptr)
        return static_cast<double>(*value->integer());
    // As JsonWriter writes what JSON has no number for.
    if (value != nullptr && value->text() != nullptr && *value->text() == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (value != nullptr && value->text() != nullptr && (*value->text() == "inf" || *value->text() == "-inf"))
        return (value->text()->front() == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    fail(name, "is no number");
    return 0;
}

std::int64_t JsonFields::integer(std::string_view name, std::int64_t low, std::int64_t high) const
{
    const JsonValue *value = member(name);
    if (value == nullptr || value->integer() == nullptr) {
        fail(name, "is no integer");
        return low;
    }
    if (*value->integer() < low || *value->integer() > high) {
        fail(name, format("is {}, outside of {} to {}", *value->integer(), low, high));
        return low;
    }
    return *value->integer();
}

std::uint32_t JsonFields::index(std::string_view name) const
{
    return static_cast<std::uint32_t>(integer(name, 0, std::int64_t{0xFFFFFFFE}));
}

const JsonValue::Integers &JsonFields::integers(std::string_view name) const
{
    static const JsonValue::Integers kNone;
    const JsonValue *value = member(name);
    if (value != nullptr && value->integers() != nullptr)
        return *value->integers();
    fail(name, "is no list of integers");
    return kNone;
}

std::vector<const JsonValue *> JsonFields::values(std::string_view name) const
{
    const JsonValue *value = member(name);
    if (value != nullptr && value->integers() != nullptr && value->integers()->empty())
        return {};
    std::vector<const JsonValue *> values;
    if (value == nullptr || value->array() == nullptr) {
        fail(name, "is no list of such values");
        return values;
    }
    for (const JsonValue &one : *value->array())
        values.push_back(&one);
    return values;
}

std::vector<std::string> JsonFields::texts(std::string_view name) const
{
    std::vector<std::string> texts;
    for (const JsonValue *one : values(name)) {
        if (one->text() == nullptr) {
            fail(name, "holds something that is no text");
            return {};
        }
        texts.push_back(*one->text());
    }
    return texts;
}

std::vector<JsonFields> JsonFields::objects(std::string_view name) const
{
    std::vector<JsonFields> objects;
    for (const JsonValue *one : values(name))
        objects.emplace_back(one, format("{}: {} {}", m_name, name, objects.size()), *m_failure);
    return objects;
}

JsonFields JsonFields::object(std::string_view name) const
{
    return {member(name), format("{}: {}", m_name, name), *m_failure};
}

} // namespace sw
