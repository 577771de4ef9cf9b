// Files under one private root folder. Directories are 0700, files 0600; no path leaves the root, no symbolic link is followed,
// what another user owns is refused. Answers are in the inbox when the action returns; a watch answers later.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/action.hpp"
#include "core/error.hpp"
#include "hw/part.hpp"
#include "hw/posix/descriptor.hpp"

struct stat;

namespace tenter::hw {

class FilesPart {
 public:
  // `root` exists and belongs to this user, or to `also` where another user is allowed by name, as what is in it then may; throws
  // std::runtime_error that names it and the cause otherwise.
  FilesPart(Context& context, const std::string& root, std::optional<std::uint32_t> also = std::nullopt);

  void perform(const action::PublishFile& a);
  void perform(const action::ReadFile& a);
  void perform(const action::ListFiles& a);
  void perform(const action::WatchFiles& a);
  void perform(const action::RemoveFile& a);
  void perform(const action::MakeDirectory& a);
  void perform(const action::RemoveDirectory& a);

  void poll();
  void add_waits(WaitSet& waits) const;

 private:
  struct Place {  // an open directory of ours and the name in it
    Descriptor directory;
    std::string name;
  };
  Result<void> owned(const struct stat& found, std::string_view path) const;
  Result<Place> place_of(std::string_view path) const;
  Result<Descriptor> directory_of(std::string_view path) const;
  Result<Blob> write_whole(const action::PublishFile& a);
  Result<Blob> read(const action::ReadFile& a) const;
  void answer(Op op, const Result<Blob>& result);

  Context& context_;
  std::optional<std::uint32_t> also_;
  Descriptor root_;
  Descriptor inotify_;
  std::multimap<int, std::pair<Role, Op>> watches_;  // by inotify watch descriptor
  std::uint64_t temporaries_ = 0;
};

}  // namespace tenter::hw
