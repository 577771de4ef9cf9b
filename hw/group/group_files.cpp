#include "hw/group/group_files.hpp"

#include "hw/os/file.hpp"

namespace tenter::hw {

std::optional<mailbox::Manifest> manifest_in(const std::string& directory) {
  const auto text = os::read_file(directory + "/" + std::string(mailbox::manifest_path().text()), group_file_bytes_max);
  if (!text) return std::nullopt;
  const auto manifest = mailbox::read_manifest(*text);
  return manifest ? std::optional(*manifest) : std::nullopt;
}

std::string page_by_directory(std::string_view name) {
  if (name.starts_with(group_prefix)) name.remove_prefix(group_prefix.size());
  return std::string(page_prefix) + std::string(name);
}

}  // namespace tenter::hw
