// Who may store what into the words of the page, and which bytes may be touched how: the tables of spec B2 and B3, per store and
// per side, told from the events and actions alone. MB-01, MB-05, MB-25, MB-26, MP3, MP5, MP6, S8; docs/protocols/mailbox.md.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "cli/protocols/mailbox/group_machines.hpp"

namespace tenter::protocols {

inline constexpr const char* store_property = "each store is one that its side may make in that state";
inline constexpr const char* length_property =
    "an error length announces the list that is there, and is 0 while the lane is idle";
inline constexpr const char* watch_property = "a watch waits for a change from what was seen last";
inline constexpr const char* copy_property = "no byte of the page is copied twice, and no word by a copy";

class PageRules {
 public:
  void came(const Judged& judged, const event::WordChanged& e);
  void came(const Judged& judged, const event::Swapped& e);

  void made(const Judged& judged, const action::Publish& a);
  void made(const Judged& judged, const action::PublishQuiet& a);
  void made(const Judged& judged, const action::PublishIf& a);
  void made(const Judged& judged, const action::Watch& a);
  void made(const Judged& judged, const action::WriteRegion& a);
  void made(const Judged& judged, const action::CopyIn& a);

  void after(const Judged& judged);

 private:
  struct Range {
    std::uint64_t from = 0, to = 0;
    bool overlaps(std::uint64_t a, std::uint64_t b) const { return from < b && a < to; }
  };
  struct Swap {
    Op op{};
    Word word{};
    std::uint32_t expected = 0, value = 0;
  };
  // What one side of the page knows: what it saw last, or stored itself.
  struct Side {
    std::array<std::optional<std::uint32_t>, 3> known;  // group, request, error length
    struct Stored {
      std::uint64_t step = 0;
      std::uint32_t value = 0;
    };
    std::array<Stored, 3> stored;  // the last plain store of each word
    std::vector<Swap> swaps;       // not answered yet
    std::vector<Range> copied;     // since the request word changed last
    std::uint64_t list_bytes = 0;  // of the error list that was written and not announced yet

    std::optional<std::uint32_t>& of(Word word);
    bool sees(mailbox::GroupState state) { return of(mailbox::group_word) == number(state); }
    bool sees(mailbox::RequestState state) { return of(mailbox::request_word) == number(state); }
  };
  Side& side(const Judged& judged) { return sides_[judged.process() == 0 ? 0 : 1]; }
  void stores(const Judged& judged, Word word, std::uint32_t value, bool wakes);
  bool parent_may_store(const Judged& judged, Side& parent, Word word, std::uint32_t value, bool wakes);
  bool parent_may_swap(const Judged& judged, Side& parent, const action::PublishIf& a);
  bool rank_0_may_swap(Side& rank_0, const action::PublishIf& a);
  void lane_left(const Judged& judged);
  void announces(const Judged& judged, std::uint32_t bytes);

  std::array<Side, 2> sides_;  // the parent, rank 0
};

}  // namespace tenter::protocols
