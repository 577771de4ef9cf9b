// Every header field of a real page out of range, at the moment at which somebody is about to read it: refused with field, offset
// and value by whoever reads it, the group ends and nothing is left. Spec B2, C2.5; MB-05, G10.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <ostream>
#include <vector>

#include "core/wire.hpp"
#include "hw/group/group.hpp"
#include "hw/resource.hpp"
#include "tests/group/page_spoiler.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

using mailbox::RequestState;
namespace layout = mailbox::layout;

constexpr Duration budget = seconds(30);

enum class Moment { at_the_attach, at_ready, at_the_request, at_the_answer, at_the_failure };

struct Hostile {
  const char* name;
  Moment moment;
  std::uint64_t offset;
  std::uint64_t value;
  std::uint32_t bytes;
  const char* expected;
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

Spoil spoil_of(const Hostile& hostile) {
  Spoil spoil;
  spoil.offset = hostile.offset;
  std::byte value[8];
  wire::store(value, hostile.value);
  spoil.bytes.assign(reinterpret_cast<const char*>(value), hostile.bytes);
  spoil.machine = "channel";
  spoil.event = "word_changed";
  switch (hostile.moment) {
    case Moment::at_the_attach:  // the header is written, the ranks are not spawned
      spoil.machine = "launch";
      spoil.state = "publishing_manifest";
      spoil.event = "file_done";
      break;
    case Moment::at_ready:  // rank 0 has checked and published READY, the parent has not looked
      spoil.machine = "launch";
      spoil.state = "awaiting_ready";
      break;
    case Moment::at_the_request:  // rank 0 saw the request and has not copied its fields
      spoil.machine = "dispatcher";
      spoil.state = "parked";
      break;
    case Moment::at_the_answer:
      spoil.lane = RequestState::task_done;
      break;
    case Moment::at_the_failure:
      spoil.lane = RequestState::task_failed;
      break;
  }
  return spoil;
}

class HostilePage : public testing::TestWithParam<Hostile> {
 protected:
  HostilePage() {
    std::string base = "/tmp/tenter-hostile-XXXXXX";
    if (mkdtemp(base.data()) != nullptr) base_ = base;
  }
  ~HostilePage() override {
    unsetenv(spoil_variable);
    std::error_code failure;
    std::filesystem::remove_all(base_, failure);
  }

  // The first error that the user is told; the group is gone when this returns.
  std::string told() {
    const Spoil spoil = spoil_of(GetParam());
    PageSpoiler spoiler(spoil, base_);
    hw::GroupSpec spec;
    spec.ranks = 2;
    spec.member = {hw::this_program(), "member"};
    spec.base = base_;
    spec.start_patience = budget;
    if (GetParam().moment == Moment::at_the_request)
      setenv(spoil_variable, text_of(spoil).c_str(), 1);
    else
      spec.step_hook = &spoiler;
    auto group = hw::Group::start(spec);
    if (!group) return group.error().what;
    page_ = (*group)->page();
    if (GetParam().moment <= Moment::at_ready) return "the group started";
    if (GetParam().moment == Moment::at_the_failure) {
      const auto result = (*group)->submit(1, "fail", {{}, Blob(std::string_view("on purpose"))}, budget);
      return result ? "no error" : ended(**group, result.error().what);
    }
    const auto result = (*group)->ping(budget);
    return result ? "no error" : ended(**group, result.error().what);
  }
  static std::string ended(const hw::Group& group, const std::string& what) {
    return group.ended() ? what : "the group goes on after: " + what;
  }

  std::string base_, page_;
};

TEST_P(HostilePage, is_refused_with_field_offset_and_value_and_nothing_is_left) {
  ASSERT_NE(base_, "");
  const std::string what = told();
  EXPECT_NE(what.find(GetParam().expected), std::string::npos) << what;
  EXPECT_EQ(what.find("the group goes on"), std::string::npos) << what;
  EXPECT_TRUE(std::filesystem::is_empty(base_));
  EXPECT_EQ(watching::members_of(base_), std::vector<std::string>());
  if (!page_.empty()) {
    EXPECT_FALSE(watching::page_exists(page_)) << page_;
  }
  EXPECT_EQ(hw::Resources::held_text(), "");
}

const Hostile hostile_fields[] = {
    {"magic", Moment::at_the_attach, 0, 'X', 1, "magic at offset 0 is "},
    {"magic_end", Moment::at_the_attach, 7, 1, 1, "magic at offset 0 is "},
    {"version", Moment::at_the_attach, layout::version.offset, 2, 4, "version at offset 8 is 2"},
    {"header_bytes", Moment::at_the_attach, layout::header_size.offset, 255, 4, "header_bytes at offset 12 is 255"},
    {"page_bytes", Moment::at_the_attach, layout::page_size.offset, layout::page_bytes - 1, 8,
     "page_bytes at offset 16 is 33620223"},
    {"no_world", Moment::at_the_attach, layout::world.offset, 0, 4, "world at offset 24 is 0"},
    {"another_world", Moment::at_the_attach, layout::world.offset, 3, 4, "world at offset 24 is 3"},
    {"group_state", Moment::at_the_attach, layout::group_state.offset, 77, 4, "offset 28"},
    {"a_used_request_state", Moment::at_the_attach, layout::request_state.offset, 3, 4,
     "request_state at offset 32 is TASK_DONE"},
    {"request_state", Moment::at_the_attach, layout::request_state.offset, 77, 4, "request_state at offset 32 is 77"},
    {"gap", Moment::at_the_attach, layout::gap.offset + 3, 1, 1, "gap byte at offset 39 is 1"},
    {"a_used_sequence", Moment::at_the_attach, layout::sequence.offset, 5, 8, "sequence at offset 40 is 5"},
    {"reserved", Moment::at_the_attach, layout::reserved.offset, 9, 1, "reserved byte at offset 80 is 9"},
    {"reserved_end", Moment::at_the_attach, layout::reserved.end() - 1, 9, 1, "reserved byte at offset 255 is 9"},
    {"magic_at_ready", Moment::at_ready, 0, 'X', 1, "magic at offset 0 is "},
    {"version_at_ready", Moment::at_ready, layout::version.offset, 2, 4, "version at offset 8 is 2"},
    {"another_world_at_ready", Moment::at_ready, layout::world.offset, 3, 4, "world at offset 24 is 3"},
    {"reserved_at_ready", Moment::at_ready, layout::reserved.offset, 9, 1, "reserved byte at offset 80 is 9"},
    {"sequence", Moment::at_the_request, layout::sequence.offset, 0, 8, "sequence at offset 40 is 0"},
    {"opcode", Moment::at_the_request, layout::opcode.offset, 5, 4, "opcode at offset 48 is 5"},
    {"target", Moment::at_the_request, layout::target.offset, 4, 4, "target at offset 52 is 4"},
    {"target_rank", Moment::at_the_request, layout::target_rank.offset, 2, 4, "target_rank at offset 56 is 2"},
    {"request_count", Moment::at_the_request, layout::request_count.offset, 65, 4, "request_count at offset 60 is 65"},
    {"request_bytes", Moment::at_the_request, layout::request_length.offset, layout::vector_bytes_max + 1, 4,
     "request_bytes at offset 64 is 16777217"},
    {"few_request_bytes", Moment::at_the_request, layout::request_length.offset, 7, 4, "request_bytes at offset 64 is 7"},
    {"response_count", Moment::at_the_answer, layout::response_count.offset, 2, 4, "response count at offset 68 is 2"},
    {"response_bytes", Moment::at_the_answer, layout::response_length.offset, layout::vector_bytes_max + 1, 4,
     "response bytes at offset 72 is 16777217"},
    {"no_error_bytes", Moment::at_the_failure, layout::error_length.offset, 0, 4, "error bytes at offset 76 is 0"},
    {"error_bytes", Moment::at_the_failure, layout::error_length.offset, layout::error_bytes_max + 1, 4,
     "error bytes at offset 76 is 65537"},
};
INSTANTIATE_TEST_SUITE_P(Field, HostilePage, testing::ValuesIn(hostile_fields),
                         [](const testing::TestParamInfo<Hostile>& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tenter
