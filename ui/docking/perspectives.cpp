#include "ui/docking/perspectives.h"

#include <QtGlobal>

namespace stepwell::ui {

namespace {

// Sizes are those of a window that fits 1366 x 768. Programs are short: what becomes of them, and why, stands below, so that the
// column is not half empty.
constexpr const char *kDefault = "row(360 column(150+ program, 150+ loops, 260+ *inspector|why|whatIf|life), 1000 column("
                                 "300+ row(400 graph, 250 kernels, 380 lowered), 190+ row(520 *code|access, 510 machine), "
                                 "170 *messages|timings|roofline|inputs|values|watch|health|step|passes|memory))";

constexpr Perspective kPerspectives[] = {
    {"compile", QT_TRANSLATE_NOOP("Perspectives", "Compile"),
     "row(360 column(150+ program, 150+ loops, 260+ *inspector|why|whatIf|life), 1000 column("
     "300+ row(400 graph, 250 kernels, 380 lowered), 190+ row(520 *code|access, 510 machine), "
     "180 messages|*timings|roofline|inputs|values|watch|health|step|passes|memory))"},
    {"learn", QT_TRANSLATE_NOOP("Perspectives", "Learn"),
     "row(360 column(150+ program, 150+ -loops, 400+ inspector|*why|whatIf|life), 1000 column("
     "520+ row(400 graph, 250 kernels, 380 lowered), 190+ row(520 -code|-access, 510 -machine), "
     "150 *messages|timings|roofline|inputs|values|watch|health|step|passes|memory))"},
    {"step", QT_TRANSLATE_NOOP("Perspectives", "Step"),
     "row(360 column(220+ program, 380+ loops, 160 -inspector|-why|-whatIf|-life), 1000 column("
     "300+ row(400 graph, 250 -kernels, 380 lowered), 190+ row(520 -code|-access, 510 -machine), "
     "380 messages|timings|roofline|inputs|values|watch|health|step|*passes|memory))"},
    {"debug", QT_TRANSLATE_NOOP("Perspectives", "Debug"),
     "row(320 column(130+ program, 130+ *kernels|graph, 350+ *access|loops|inspector|why|whatIf|life), "
     "640+ *step|messages|timings|roofline|inputs|values|watch|health|passes|memory, 420 column(300+ *code|lowered, 300+ "
     "machine))"},
    {"performance", QT_TRANSLATE_NOOP("Perspectives", "Performance"),
     "row(360 column(220+ -program, 220+ -loops, 160 -inspector|-why|-whatIf|-life), 1000 column("
     "260+ row(400 graph, 250 kernels, 380 -lowered), 220+ row(520 *code|access, 510 machine), "
     "220 messages|*timings|roofline|tuning|inputs|values|watch|health|step|passes|memory))"},
    {"compare", QT_TRANSLATE_NOOP("Perspectives", "Compare"),
     "row(400 column(230+ *graph|program|-inspector|-why|-whatIf|-life, 230+ kernels), 960+ column("
     "330+ row(480+ *lowered|loops|passes, 480+ *code|machine|access), "
     "230 row(480+ *timings|roofline|messages|inputs|watch|health|step|memory, 480+ *matrix|values)))"},
    {"memory", QT_TRANSLATE_NOOP("Perspectives", "Memory"),
     "row(360 column(150+ program, 150+ loops, 260+ *inspector|why|whatIf|life), 1000 column("
     "280+ row(400 -graph, 250 kernels, 380 -lowered), 190+ row(520 -code|-access, 510 -machine), "
     "380 messages|timings|roofline|inputs|values|watch|health|step|passes|*memory))"},
    {"present", QT_TRANSLATE_NOOP("Perspectives", "Present"),
     "row(360 column(220+ program, 380+ loops, 160 -inspector|-why|-whatIf|-life), 1000 column("
     "420+ row(400 graph, 250 -kernels, 380 lowered), 260+ row(520 *code|access, 510 -machine), "
     "170 -messages|-timings|-roofline|-inputs|-values|-watch|-health|-step|-passes|-memory))"},
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
