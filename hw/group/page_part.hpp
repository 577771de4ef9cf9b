// The shared page as a base of a port: built from the context by braces, like every other part.
#pragma once
#include "hw/shm/shared_page_part.hpp"

namespace tenter::hw {

struct PagePart : SharedPagePart {
  PagePart(Context& context) : SharedPagePart(context) {}
};

}  // namespace tenter::hw
