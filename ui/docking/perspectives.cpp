#include "ui/docking/perspectives.h"

#include <QtGlobal>

namespace stepwell::ui {

namespace {

// Sizes are those of a window that fits 1366 x 768. Programs are short: what becomes of them stands below, so that the column is
// not half empty.
constexpr const char *kDefault = "row(360 column(220+ program, 220+ loops, 160 inspector), 1000 column("
                                 "300+ row(400 graph, 250 kernels, 380 lowered), 190+ row(520 code, 510 machine), "
                                 "170 *messages|timings|values|passes|memory))";

constexpr Perspective kPerspectives[] = {
    {"compile", QT_TRANSLATE_NOOP("Perspectives", "Compile"),
     "row(360 column(220+ program, 220+ loops, 160 inspector), 1000 column("
     "300+ row(400 graph, 250 kernels, 380 lowered), 190+ row(520 code, 510 machine), "
     "180 messages|*timings|values|passes|memory))"},
    {"learn", QT_TRANSLATE_NOOP("Perspectives", "Learn"),
     "row(360 column(220+ program, 220+ loops, 160 inspector), 1000 column("
     "520+ row(400 graph, 250 kernels, 380 lowered), 190+ row(520 -code, 510 -machine), "
     "150 *messages|timings|values|passes|memory))"},
    {"step", QT_TRANSLATE_NOOP("Perspectives", "Step"),
     "row(360 column(220+ program, 380+ loops, 160 -inspector), 1000 column("
     "300+ row(400 graph, 250 -kernels, 380 lowered), 190+ row(520 -code, 510 -machine), "
     "380 messages|timings|values|*passes|memory))"},
    {"performance", QT_TRANSLATE_NOOP("Perspectives", "Performance"),
     "row(360 column(220+ -program, 220+ -loops, 160 -inspector), 1000 column("
     "260+ row(400 graph, 250 kernels, 380 -lowered), 220+ row(520 code, 510 machine), "
     "220 messages|*timings|values|passes|memory))"},
    {"memory", QT_TRANSLATE_NOOP("Perspectives", "Memory"),
     "row(360 column(220+ program, 220+ loops, 160 inspector), 1000 column("
     "280+ row(400 -graph, 250 kernels, 380 -lowered), 190+ row(520 -code, 510 -machine), "
     "380 messages|timings|values|passes|*memory))"},
    {"present", QT_TRANSLATE_NOOP("Perspectives", "Present"),
     "row(360 column(220+ program, 380+ loops, 160 -inspector), 1000 column("
     "420+ row(400 graph, 250 -kernels, 380 lowered), 260+ row(520 code, 510 -machine), "
     "170 -messages|-timings|-values|-passes|-memory))"},
};

} // namespace

std::span<const Perspective> builtInPerspectives()
{
    return kPerspectives;
}

const char *defaultLayout()
{
    return kDefault;
}

} // namespace stepwell::ui
