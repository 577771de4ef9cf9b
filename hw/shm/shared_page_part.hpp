// The SharedPage port on POSIX shared memory: one page a process, watched by acquire loads in poll(), slept on through the loop's
// wait set. Contract: docs/ports/shared_page.md. A use that the contract forbids (no page, out of bounds, unaligned word) fails a
// check.
#pragma once
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/page/kernel.hpp"
#include "hw/part.hpp"
#include "hw/resource.hpp"
#include "hw/shm/memory.hpp"
#include "hw/shm/page.hpp"

namespace tenter::hw {

class SharedPagePart {
 public:
  // A prefix keeps the names of one run apart from those of every other on this machine; who is to share a page needs the same.
  // Not explicit: a Port is built by braces.
  SharedPagePart(Context& context, std::string name_prefix = {}) : context_(&context), name_prefix_(std::move(name_prefix)) {}
  SharedPagePart(const SharedPagePart&) = delete;
  SharedPagePart& operator=(const SharedPagePart&) = delete;
  // Unmaps, and removes the names that this process created and has not unlinked yet.
  ~SharedPagePart();

  void perform(const action::CreatePage& create);
  void perform(const action::OpenPage& open);
  void perform(const action::ClosePage&);
  void perform(const action::UnlinkPage& unlink);
  void perform(const action::WriteRegion& write);
  void perform(const action::CopyIn& copy);
  void perform(const action::Publish& publish);
  void perform(const action::PublishQuiet& publish);
  void perform(const action::PublishIf& publish);
  void perform(const action::Watch& watch);
  void perform(const action::Unwatch& unwatch);

  void poll();
  void add_waits(WaitSet& waits);

  // The mapped page, for who shares the mapping: benchmarks, inspection.
  const MappedPage* page() const { return page_ ? &*page_ : nullptr; }

 private:
  struct Watching {
    Role role{};
    Op op{};
    page::Watch kernel;
  };
  struct CreatedName {
    std::string name;
    pid_t creator = 0;  // a forked child inherits this object, but not the name
    Counted counted{Resource::page_name};
  };
  std::string full_name(std::string_view name) const;
  void opened(Op op, Result<MappedPage> page);
  // Steps one watch; true if it fired and its event is in the inbox.
  bool fired(Watching& watching);
  ParkedByLoop memory(Word word) const;
  ParkedByLoop memory(std::uint64_t offset, std::uint64_t bytes) const;

  Context* context_;
  std::string name_prefix_;
  std::optional<MappedPage> page_;
  std::vector<CreatedName> created_;
  std::vector<Watching> watches_;
};

}  // namespace tenter::hw
