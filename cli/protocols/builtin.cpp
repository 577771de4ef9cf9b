#include "cli/main.hpp"

namespace tenter {

Registry builtin() {
  Registry registry;
  return registry;
}

}  // namespace tenter
