// The gate before some hundred real connections that are not its ranks': P-C9, X10 to X12, B32.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <thread>
#include <vector>

#include "core/control/gate.hpp"
#include "hw/control/rank_check_in.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/stream_part.hpp"
#include "hw/posix/timers_part.hpp"

namespace tenter::hw {
namespace hostile_gate {
namespace {

constexpr std::uint32_t ranks = 3;
const std::string token = "c2VjcmV0IG9mIHRoZSBnYXRlJ3MgdGVzdHMsIDMyIGI";

// Opens the gate and keeps what it says.
struct Owner {
  std::vector<Note> told;
  template <class O>
  void on(const event::Started&, O& out) {
    out.tell(Role{1}, control::gate_order_note({"127.0.0.1:0", control::Hidden(token), seconds(60), {"a", "b", "c"}}));
  }
  template <class O>
  void on(const event::Told& e, O&) {
    told.push_back(e.note);
  }
  const Note* find(control::StartNote kind) const {
    for (const Note& note : told)
      if (control::is(note, kind)) return &note;
    return nullptr;
  }
  std::string_view state_name() const { return "owner"; }
  TENTER_DESCRIBE(owner, told)
};

std::string framed(const std::string& body) {
  const std::size_t n = body.size();
  return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8), static_cast<char>(n)} +
         body;
}

class Stranger {
 public:
  Stranger(std::uint16_t port, const std::string& says) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr generic{};
    std::memcpy(&generic, &to, sizeof generic);
    EXPECT_EQ(connect(socket_.get(), &generic, sizeof to), 0);
    say(says);
  }
  void say(const std::string& bytes) const { (void)send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT); }

 private:
  Descriptor socket_;
};

RankPlace place_of(std::uint32_t rank, const std::string& gate) {
  RankPlace place;
  place.rank = rank;
  place.gate = gate;
  place.token = control::Hidden(token);
  place.topology.startup_timeout = seconds(40);
  return place;
}

TEST(HostileGate, hundreds_of_strangers_cost_the_ranks_nothing) {
  Context context;
  Port<StreamPart, TimersPart, LocalPart> port{{context}, {context}, {context}, {}};
  Process process(context, port, Owner(), control::Gate());
  process.start();
  const Owner& owner = process.machine<0>();
  const auto drive = [&](auto&& until, Duration patience) { return process.run_until(until, now() + patience); };
  ASSERT_TRUE(drive([&] { return owner.find(control::StartNote::gate_listening) != nullptr; }, seconds(10)));
  const std::string address(owner.find(control::StartNote::gate_listening)->text.text());
  std::uint16_t number = 0;
  const std::string digits = address.substr(address.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);

  const std::string bad_token = framed(R"({"token": "guessed", "rank": 1, "state": "ready"})");
  const std::string bad_rank = framed(R"({"token": ")" + token + R"(", "rank": 3, "state": "ready"})");
  const std::string says[] = {"",
                              "GET / HTTP/1.1\r\n\r\n",
                              std::string("\x7f\xff\xff\xff", 4),
                              framed("[[[[[[[["),
                              bad_token,
                              bad_rank,
                              std::string("\0\0\xea\x60{", 5),
                              framed(R"({"token": "guessed", "rank": 0, "state": "failed"})")};
  std::vector<std::unique_ptr<Stranger>> strangers;
  const auto come = [&](int count) {
    for (int i = 0; i < count; ++i) {
      strangers.push_back(std::make_unique<Stranger>(number, says[strangers.size() % std::size(says)]));
      process.run_ready();
    }
  };
  come(120);
  std::vector<std::string> ended(ranks);
  std::vector<std::thread> threads;
  const auto arrives = [&](std::uint32_t rank) {
    threads.emplace_back([&, rank] {
      auto desk = RankCheckIn::open(place_of(rank, address));
      const auto go = desk->check_in(rank == 0 ? "10.0.0.1:4712" : "");
      const auto joined = go ? desk->joined() : Result<void>();
      ended[rank] = !go ? go.error().what : !joined ? joined.error().what : *go;
    });
  };
  arrives(1);
  arrives(2);
  come(120);
  arrives(0);
  for (std::size_t i = 6; i < strangers.size(); i += 8) strangers[i]->say("x");  // trickling
  const bool passed = drive([&] { return owner.find(control::StartNote::gate_passed) != nullptr; }, seconds(30));
  drive([] { return false; }, milliseconds(200));  // the ranks read that their word was taken
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(passed);
  for (const std::string& end : ended) EXPECT_EQ(end, "10.0.0.1:4712") << "told by go";
  EXPECT_GE(process.machine<1>().turned_away().total(), 100u);
  EXPECT_EQ(process.machine<1>().open_connections(), 0u);
  EXPECT_EQ(control::text_of_tally(process.machine<1>().turned_away()).find(token), std::string::npos);
}

TEST(HostileGate, a_second_process_for_a_rank_that_is_here_is_refused_and_a_rank_that_cannot_start_is_named) {
  Context context;
  Port<StreamPart, TimersPart, LocalPart> port{{context}, {context}, {context}, {}};
  Process process(context, port, Owner(), control::Gate());
  process.start();
  const Owner& owner = process.machine<0>();
  const auto drive = [&](auto&& until) { return process.run_until(until, now() + seconds(20)); };
  ASSERT_TRUE(drive([&] { return owner.find(control::StartNote::gate_listening) != nullptr; }));
  const std::string address(owner.find(control::StartNote::gate_listening)->text.text());
  std::uint16_t number = 0;
  const std::string digits = address.substr(address.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const auto ready = [&](int pid) {
    return framed(R"({"token": ")" + token + R"(", "rank": 1, "state": "ready", "pid": )" + std::to_string(pid) + "}");
  };
  const Stranger first(number, ready(70));
  ASSERT_TRUE(drive([&] { return owner.find(control::StartNote::rank_seen) != nullptr; }));
  const Stranger second(number, ready(71));
  ASSERT_TRUE(drive([&] { return process.machine<1>().turned_away().total() == 1; }));
  EXPECT_EQ(process.machine<1>().seats()[1].process.pid, 70u);
  std::thread fails([&] {
    auto desk = RankCheckIn::open(place_of(2, address));
    EXPECT_TRUE(desk->failed("no device in slot 4"));
  });
  EXPECT_TRUE(drive([&] { return owner.find(control::StartNote::gate_failed) != nullptr; }));
  process.run_until([] { return false; }, now() + milliseconds(200));
  fails.join();
  const Note* failed = owner.find(control::StartNote::gate_failed);
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(failed->text.text().find("rank 2 on c"), std::string_view::npos) << failed->text.text();
  EXPECT_NE(failed->text.text().find("no device in slot 4"), std::string_view::npos) << failed->text.text();
}

}  // namespace
}  // namespace hostile_gate
}  // namespace tenter::hw
