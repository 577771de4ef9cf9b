// What a test asks of the fake provider: which obligations it answers with, which call fails, how reads end; and what it saw.
// The provider is a shared object that libfabric loads (FI_PROVIDER_PATH); a test links it too, so both hold the same one.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tenter::fake_provider {

inline constexpr const char* provider_name = "fake";

// The calls that can be made to fail, in the order in which an endpoint, its memory and its reads need them.
enum class Step : std::uint8_t {
  getinfo,
  fabric,
  domain,
  address_table,
  queue,
  wait_object,
  endpoint,
  bind_addresses,
  bind_queue,
  enable,
  name,
  register_memory,
  bind_memory,
  enable_memory,
  raw_key,
  map_key,
  insert,
  read,
  queue_read,
  try_wait,
  count_
};
inline constexpr std::size_t steps = static_cast<std::size_t>(Step::count_);

// What fi_getinfo answers; an endpoint keeps what was set when its domain was opened.
struct Traits {
  int mr_mode = 0;
  std::uint64_t mode = 0;  // FI_CONTEXT, FI_CONTEXT2: contexts are written to
  std::size_t key_bytes = 8;
  std::size_t address_bytes = 16;
  std::size_t transmit_size = 64;
  std::size_t inject_bytes = 64;  // op_flags says FI_INJECT, as cxi's default does: longer reads are refused then
  bool wait_object = true;
  bool slow_close = false;             // closing a memory region takes long enough to be caught at it by another thread
  bool breaks_after_an_error = false;  // one failed read and the path to that peer is gone (tcp;ofi_rxm)
  bool small_queue = false;            // keeps one completion: the next one overruns it
  bool posts_unreachable = false;      // nobody at an address: FI_EAGAIN for ever (tcp;ofi_rxm); else an error completion
};

// How the next read ends.
struct Ending {
  int error = 0;             // fi_errno
  int provider_error = 0;    // prov_errno
  std::string said;          // fi_cq_strerror
  bool lands_later = false;  // its bytes are written after it failed, when the reads that are held are let go
};

class Control {
 public:
  void reset();  // everything as at the start; objects that are still open stay counted
  void set(const Traits& traits);
  Traits traits() const;

  void fail(Step step, int error, std::uint64_t after = 0, std::uint64_t times = 1);  // error: positive fi_errno
  void end_next_read(Ending ending);
  void hold_reads(bool held);  // silence: reads are taken and not answered

  std::uint64_t calls(Step step) const;
  std::int64_t open_objects() const;  // fids and mapped keys
  // Breaches of the rules of the manual pages by the caller: closed in the wrong order, two threads in a domain, …
  std::vector<std::string> breaches() const;

  // For the provider.
  int failure(Step step);  // counts the call; 0 or a negative fi_errno
  void opened(std::int64_t more);
  void breach(std::string_view what);
  bool held() const;
  bool next_ending(Ending& ending);

 private:
  struct Plan {
    int error = 0;
    std::uint64_t after = 0, times = 0;
  };
  mutable std::mutex mutex_;
  Traits traits_;
  std::array<Plan, steps> plans_{};
  std::array<std::uint64_t, steps> calls_{};
  std::deque<Ending> endings_;
  bool held_ = false;
  std::int64_t open_ = 0;
  std::vector<std::string> breaches_;
};

Control& control();
const char* to_string(Step step);

}  // namespace tenter::fake_provider
