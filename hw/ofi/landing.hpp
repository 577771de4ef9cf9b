// Memory that reads land in, with its registration where the provider asks for one. Mapping, touching and registering pages costs
// more than a small read, so they are used again.
#pragma once
#include <bit>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "hw/ofi/handles.hpp"

namespace tenter::hw::ofi {

struct Landing {
  Pages pages;
  Handle<fid_mr> local;  // closed before the pages it covers
};

class LandingPool {
 public:
  // A power of two of at least a page and at least `bytes`.
  static std::size_t size_for(std::size_t bytes) { return std::bit_ceil(bytes < page ? page : bytes); }

  // One that was used before; its pages have no memory when there is none.
  Landing take(std::size_t bytes) {
    const auto found = spare_.find(size_for(bytes));
    if (found == spare_.end() || found->second.empty()) return {};
    Landing taken = std::move(found->second.back());
    found->second.pop_back();
    kept_ -= taken.pages.size();
    return taken;
  }
  void give(Landing&& landing) {
    const std::size_t size = landing.pages.size();
    if (size == 0 || size != size_for(size) || kept_ + size > kept_max) return;  // given up
    kept_ += size;
    spare_[size].push_back(std::move(landing));
  }
  void clear() {
    spare_.clear();
    kept_ = 0;
  }

 private:
  static constexpr std::size_t page = 4096, kept_max = std::size_t{64} << 20;
  std::map<std::size_t, std::vector<Landing>> spare_;  // by size
  std::size_t kept_ = 0;                               // bytes, of all
};

}  // namespace tenter::hw::ofi
