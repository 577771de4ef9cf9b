// A page whose name is taken, or that is not what its creator would have made: nothing of it is believed or changed. Spec B2,
// B9; B08, X07, MB-14.
#include "hw/shm/page.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <type_traits>

#include "core/mailbox/layout.hpp"

namespace tenter::hw {
namespace {

// An owner that could be copied would unmap twice.
static_assert(!std::is_copy_constructible_v<MappedPage> && !std::is_copy_assignable_v<MappedPage>);
static_assert(std::is_nothrow_move_constructible_v<MappedPage>);

constexpr std::uint64_t page_bytes = mailbox::layout::page_bytes;

// What stands under the page's name before anybody is asked.
struct Stranger {
  explicit Stranger(std::uint64_t bytes, mode_t mode = 0600, bool backed = true) {
    std::ofstream(path()) << "not yours";
    std::filesystem::resize_file(path(), bytes);
    const int file = ::open(path().c_str(), O_RDWR);
    if (backed && bytes > 0) {
      EXPECT_EQ(posix_fallocate(file, 0, static_cast<off_t>(bytes)), 0);
    }
    EXPECT_EQ(fchmod(file, mode), 0);
    ::close(file);
  }
  ~Stranger() { std::filesystem::remove_all(path()); }
  static std::string name() { return "tenter-test-" + std::to_string(getpid()); }
  static std::string path() { return "/dev/shm/" + name(); }
  static std::string content() {
    std::string all(std::filesystem::file_size(path()), '\0');
    std::ifstream(path(), std::ios::binary).read(all.data(), static_cast<std::streamsize>(all.size()));
    return all;
  }
};

TEST(MappedPage, a_name_that_is_taken_is_refused_whatever_stands_there_and_stays_as_it_was) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{79}, page_bytes - 1, page_bytes, page_bytes + 4096}) {
    const Stranger stranger(bytes);
    const std::string before = Stranger::content();
    ASSERT_EQ(before.size(), bytes);
    const auto page = MappedPage::create(Stranger::name(), page_bytes);
    ASSERT_FALSE(page) << bytes;
    EXPECT_EQ(page.error().status, Status::exists) << page.error().what;
    EXPECT_NE(page.error().what.find(Stranger::name()), std::string::npos) << page.error().what;
    EXPECT_TRUE(Stranger::content() == before) << bytes;
  }
  std::filesystem::create_directory(Stranger::path());
  EXPECT_FALSE(MappedPage::create(Stranger::name(), page_bytes));
  EXPECT_TRUE(std::filesystem::is_directory(Stranger::path()));
  std::filesystem::remove(Stranger::path());
}

TEST(MappedPage, an_object_of_another_size_or_kind_or_of_open_rights_is_refused) {
  const auto status = [](const Stranger&) {
    const auto page = MappedPage::open(Stranger::name(), page_bytes);
    return page ? Status::ok : page.error().status;
  };
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{79}, std::uint64_t{255}, std::uint64_t{256}, page_bytes - 1, page_bytes + 4096})
    EXPECT_EQ(status(Stranger(bytes)), Status::mismatch) << bytes;
  EXPECT_EQ(status(Stranger(page_bytes)), Status::ok);
  EXPECT_EQ(status(Stranger(page_bytes, 0644)), Status::denied);
  EXPECT_EQ(status(Stranger(page_bytes, 0600, false)), Status::mismatch) << "not backed: a touch could end in SIGBUS";
  ASSERT_EQ(mkfifo(Stranger::path().c_str(), 0600), 0);
  EXPECT_EQ(MappedPage::open(Stranger::name(), page_bytes).error().status, Status::invalid);
  std::filesystem::remove(Stranger::path());
}

TEST(MappedPage, one_that_was_moved_from_releases_nothing) {
  const auto before = Resources::held_text();
  {
    auto page = MappedPage::create(Stranger::name(), 4096);
    ASSERT_TRUE(page) << page.error().what;
    MappedPage first = std::move(*page);
    EXPECT_EQ(page->data(), nullptr);
    first.data()[7] = std::byte{42};
    auto second = std::make_unique<MappedPage>(std::move(first));
    EXPECT_EQ(first.data(), nullptr);
    { const MappedPage gone = std::move(first); }
    EXPECT_EQ(second->data()[7], std::byte{42}) << "still mapped";
    EXPECT_TRUE(unlink_page(Stranger::name()));
  }
  EXPECT_EQ(Resources::held_text(), before);
}

}  // namespace
}  // namespace tenter::hw
