// The SharedPage contract on real processes, each with its own mapping, asleep in the kernel when parked.
#include <unistd.h>

#include <string>
#include <vector>

#include "hw/shm/page.hpp"
#include "tests/conformance/hw_shared_page/child.hpp"
#include "tests/conformance/shared_page.hpp"

namespace tenter::conformance {

class RealProcesses {
 public:
  ~RealProcesses() {
    children_.clear();
    for (const std::string& name : names_) (void)hw::unlink_page(name);  // of processes that were killed
  }
  std::size_t add_process() {
    children_.emplace_back();
    return children_.size() - 1;
  }
  template <class Action>
  void perform(std::size_t process, const Action& action) {
    children_[process].perform(action);
  }
  std::optional<Event> next(std::size_t process) { return children_[process].next(); }
  void park(std::size_t process) { children_[process].park(); }
  std::optional<Event> woken(std::size_t process) { return children_[process].woken(); }
  void kill(std::size_t process) { children_[process].kill(); }
  std::string page_name() {
    static int count = 0;
    names_.push_back("tenter-conformance-" + std::to_string(getpid()) + "-" + std::to_string(++count));
    return names_.back();
  }

 private:
  std::vector<Child> children_;
  std::vector<std::string> names_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(RealProcesses, SharedPageConformance, RealProcesses);

}  // namespace tenter::conformance
