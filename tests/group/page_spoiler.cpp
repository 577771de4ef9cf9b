#include "tests/group/page_spoiler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/mailbox/manifest.hpp"
#include "hw/group/orphans.hpp"
#include "hw/group/rank_main.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::string text_of(const Spoil& spoil) {
  std::ostringstream text;
  text << spoil.machine << ' ' << spoil.state << ' ' << spoil.event << ' ' << spoil.offset;
  for (const char byte : spoil.bytes) text << ' ' << int{static_cast<unsigned char>(byte)};
  return text.str();
}

std::unique_ptr<PageSpoiler> PageSpoiler::from_environment() {
  std::istringstream text(variable(spoil_variable));
  Spoil spoil;
  if (variable("PMI_RANK") != "0" || !(text >> spoil.machine >> spoil.state >> spoil.event >> spoil.offset)) return nullptr;
  for (int byte = 0; text >> byte;) spoil.bytes += static_cast<char>(byte);
  return std::make_unique<PageSpoiler>(std::move(spoil), "");
}

std::string PageSpoiler::page() const {
  if (!base_.empty()) {
    const auto groups = hw::find_groups(base_);
    return groups.empty() ? "" : groups[0].manifest.page;
  }
  std::ifstream file(variable(hw::directory_variable) + "/" + std::string(mailbox::manifest_path().text()), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto manifest = mailbox::read_manifest(text);
  return manifest ? manifest->page : "";
}

void PageSpoiler::at(std::string_view machine, std::string_view state, std::string_view event) {
  if (done_ || machine != spoil_.machine || (!spoil_.state.empty() && state != spoil_.state) || event != spoil_.event) return;
  const std::string name = page();
  if (spoil_.lane && watching::request_state(name) != *spoil_.lane) return;
  const int file = open(("/dev/shm/" + name).c_str(), O_WRONLY | O_CLOEXEC);
  const ssize_t wrote = pwrite(file, spoil_.bytes.data(), spoil_.bytes.size(), static_cast<off_t>(spoil_.offset));
  done_ = wrote == static_cast<ssize_t>(spoil_.bytes.size());
  close(file);
}

}  // namespace tenter
