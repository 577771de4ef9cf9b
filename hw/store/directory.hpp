// A store's directory as somebody sees it who only looks: records, heartbeats, leases (docs/protocols/store.md). Nothing is
// waited for that the file system does not answer at once: no symbolic link is followed, and what is no regular file (a FIFO,
// say) or belongs to another user is refused.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/store/beat.hpp"
#include "core/store/record.hpp"

namespace tenter::hw {

// What a heartbeat says of its core, by the clock of who looks.
enum class CoreLife : std::uint8_t {
  unknown,  // it was seen, and not long enough to say whether it moves
  alive,    // its count moved
  dead,     // it stood still for four of its periods, or is not there though its record is
  closing,  // announced by its core
  closed,
};
constexpr const char* to_string(CoreLife life) {
  switch (life) {
    case CoreLife::unknown:
      return "unknown";
    case CoreLife::alive:
      return "alive";
    case CoreLife::dead:
      return "dead";
    case CoreLife::closing:
      return "closing";
    case CoreLife::closed:
      return "closed";
  }
  return "?";
}

struct CoreState {
  store::Generation generation;
  CoreLife life = CoreLife::unknown;
  std::string why;            // for people: what was seen
  std::uint64_t readers = 0;  // leases there are
};

// A store's directory is private: what others may write to is refused, since they could remove what is in it. not_found, denied.
Result<void> check_store_directory(const std::string& path);

class StoreDirectory {
 public:
  // owner: another user whose directory and records are allowed too. Errors: not_found, denied (another user's, or others may
  // write to it), failed; the text names the directory.
  static Result<StoreDirectory> open(const std::string& path, std::optional<std::uint32_t> owner = std::nullopt);
  StoreDirectory(StoreDirectory&&) noexcept;
  StoreDirectory& operator=(StoreDirectory&&) noexcept;
  ~StoreDirectory();

  // Names of the variables that have a record, in byte order. A file whose name only looks like one is left out.
  Result<std::vector<std::string>> variables();
  // not_found: there is none; denied, invalid (no regular file, cut, damaged, another variable's), mismatch (another version).
  Result<store::Record> record(const std::string& variable);
  // Looks until there is a record that can be believed by its content; the last refusal is the text of timed_out. Asked before
  // every look: `ends`, whose true means cancelled.
  Result<store::Record> wait_for_record(const std::string& variable, Duration patience, const std::function<bool()>& ends);
  // Looks at the heartbeats until each is judged, or for `patience`; 0: one look. In the order of `cores`.
  std::vector<CoreState> judge(const std::vector<store::Generation>& cores, Duration patience, const std::function<bool()>& ends);

 private:
  struct Inside;
  explicit StoreDirectory(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tenter::hw
