// The frames that control sends, by their names.
#pragma once
#include "core/slr3/command.hpp"
#include "core/slr3/frame.hpp"
#include "core/slr3/layout.hpp"
#include "core/slr3/message.hpp"
#include "core/slr3/task.hpp"

namespace tenter::control {
using namespace slr3;
}  // namespace tenter::control
