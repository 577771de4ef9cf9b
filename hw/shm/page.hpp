// A named page of POSIX shared memory, mapped: created exclusively, private to the user, backed to the last byte; or opened after
// its owner, kind, permissions and size were looked at. Source: shm_open(3), posix_fallocate(3), spec/cases.md B08.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

// The name as shm_open wants it ("/name"), or invalid. Legal: letters, digits, '.', '_' and '-', at most 250; one leading '/' may
// be given.
Result<std::string> checked_page_name(std::string_view name);

// Every error names the page, the step and the errno text.
class MappedPage {
 public:
  // errors: exists, no_space (also under a file-size limit, where the kernel would otherwise kill us), invalid (name, size 0),
  // denied, failed. After an error nothing is left.
  static Result<MappedPage> create(std::string_view name, std::uint64_t bytes);
  // errors: not_found, denied (not ours: both owners are named; permissions wider than 0600), invalid (name; not a regular
  // object), mismatch (size is not expected_bytes, if given; empty; not fully backed, so that a touch could end in SIGBUS).
  static Result<MappedPage> open(std::string_view name, std::uint64_t expected_bytes = 0);

  MappedPage(MappedPage&& other) noexcept;
  MappedPage& operator=(MappedPage&& other) noexcept;
  ~MappedPage();  // unmaps; the name stays

  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  MappedPage(std::string name, std::byte* data, std::uint64_t bytes)
      : name_(std::move(name)), data_(data), bytes_(bytes), counted_(Resource::mapping) {}
  static Result<MappedPage> map(std::string name, int descriptor, std::uint64_t bytes);

  std::string name_;
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  Counted counted_;
};

// Removes the name; who has mapped the page keeps it. A missing name is fine. For the creator, and for who cleans up after it.
// errors: invalid (name), denied.
Result<void> unlink_page(std::string_view name);

}  // namespace tenter::hw
