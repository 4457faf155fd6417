#pragma once
// For graphs that a test builds by hand: a source map with one item, which every node may come from.

#include "engine/base/origin.h"

#include <memory>

namespace sw::test {

class OneItem {
protected:
    OneItem()
    {
        auto map = std::make_shared<SourceMap>();
        const FileId file = map->addFile({.name = "test", .text = "test"});
        m_item = map->addItem(
            {.file = file, .range = {"test", 1, 1, 1, 5}, .scope = SourceMap::rootScope(), .caller = {}, .label = "t"});
        m_sources = map;
    }

    SourceId m_item;
    SourceMapPtr m_sources;
};

} // namespace sw::test
