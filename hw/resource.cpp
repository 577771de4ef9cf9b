#include "hw/resource.hpp"

namespace tenter::hw {

const char* to_string(Resource resource) {
  switch (resource) {
    case Resource::mapping:
      return "mapping";
    case Resource::page_name:
      return "page name";
    case Resource::descriptor:
      return "descriptor";
    case Resource::process:
      return "process";
    case Resource::thread:
      return "thread";
    case Resource::communicator:
      return "communicator";
    case Resource::request:
      return "request";
    case Resource::file:
      return "file";
    case Resource::directory:
      return "directory";
    case Resource::fabric_object:
      return "fabric object";
    case Resource::count_:
      break;
  }
  return "?";
}

Resources::Counts& Resources::counts() {
  static Counts counts{};
  return counts;
}

std::string Resources::held_text() {
  std::string text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Resource::count_); ++i) {
    const std::int64_t held_now = held(static_cast<Resource>(i));
    if (held_now == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(held_now) + " " + to_string(static_cast<Resource>(i));
  }
  return text;
}

}  // namespace tenter::hw
