// What is noexcept of a recorder survives a lack of memory: operator new is this binary's own and fails on demand.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "core/recording/value.hpp"
#include "hw/record/recorder.hpp"

namespace {

thread_local bool no_memory = false;

void* allocate(std::size_t size) {
  void* memory = no_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace tenter::hw {
namespace {

TEST(Recorder, without_memory_it_stops_and_tells_so_and_the_process_goes_on) {
  std::string folder = (std::filesystem::temp_directory_path() / "tenter-no-memory-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  {
    auto recorder =
        Recorder::open(folder + "/recording", {"p", "a-process-with-a-long-name", Rank{0}, {{"m", Blob(std::string_view("c"))}}});
    ASSERT_TRUE(recorder) << recorder.error().what;
    const Event event = event::RandomBytes{Time{1}, Op{1}, Blob(std::string_view("some bytes"))};
    no_memory = true;
    for (int i = 0; i < 100'000; ++i) (*recorder)->append(Role{0}, event, 7);
    no_memory = false;
    const auto finished = (*recorder)->finish();
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().native, ENOMEM);
    EXPECT_EQ(finished.error().status, Status::no_space);
    EXPECT_NE(finished.error().what.find("a-process-with-a-long-name"), std::string::npos) << finished.error().what;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tenter::hw
