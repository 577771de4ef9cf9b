// `tenter hw run mailbox`: the simulated group's own workload on a real one. Every answer is judged by the rules that the
// simulator's monitors use.
#include <fmt/format.h>

#include "cli/mailbox_commands.hpp"
#include "cli/protocols/mailbox/group_answers.hpp"
#include "hw/group/group_calls.hpp"
#include "hw/group/rank_main.hpp"
#include "hw/part.hpp"
#include "sim/choice.hpp"

namespace tenter::cli {
namespace {

using protocols::Expected;
using protocols::GroupWorkload;

constexpr Duration answer_limit = seconds(120);  // beyond every deadline of the machines: the loop itself hangs

class HardwareClient final : public sim::ClientPort {
 public:
  HardwareClient(hw::GroupCalls& calls, std::uint64_t seed) : calls_(calls), choices_(sim::Choices::seeded(seed)) {}
  Ticket submit(sim::ProcessIndex, Role role, Note call) override {
    auto ticket = calls_.submit(role, call);
    if (!ticket) throw std::runtime_error(ticket.error().what);
    return *ticket;
  }
  std::uint32_t choose(std::uint32_t n) override { return choices_.choose(sim::Tag::workload, 1, n); }
  sim::ProcessIndex process(std::string_view) const override { return 0; }
  Time now() const override { return hw::now(); }

 private:
  hw::GroupCalls& calls_;
  sim::Choices choices_;
};

void judge(const Expected& call, const Note& outcome, HardwareOutcome& result) {
  const auto blame = [&](const char* property, const std::string& wrong) {
    if (!wrong.empty()) result.failures.push_back({property, protocols::name_of_call(call) + ": " + wrong, false});
  };
  if (const std::string late = protocols::overdue_answer(call, hw::now() - call.submitted); !late.empty())
    result.failures.push_back({"a call ends within its patience", protocols::name_of_call(call) + " " + late, true});
  if (outcome.status == Status::ok) return blame("an answer is the request's own", protocols::wrong_answer(call, outcome));
  blame("an error parses and says why", protocols::wrong_error(call, outcome));
  if (call.late) return;
  const std::string wrong = protocols::unhealthy_answer(call, outcome);
  if (call.kind == protocols::CallKind::start && !wrong.empty())
    return result.failures.push_back({"a group starts", wrong, true});
  blame("without a fault nothing fails", wrong);
}

HardwareOutcome run_mailbox(const HardwareOptions& options) {
  HardwareOutcome result;
  hw::GroupSpec spec;
  spec.ranks = options.ranks;
  spec.launcher = options.launcher;
  spec.member = options.member;
  spec.record = options.record;
  auto calls = hw::GroupCalls::open(spec);
  if (!calls) {
    result.failures.push_back({"a group starts", calls.error().what, true});
    return result;
  }
  HardwareClient client(*calls, options.seed);
  GroupWorkload workload(calls->start_spec(), {static_cast<std::uint32_t>(options.requests), 3, false});
  workload.start(client);
  while (!workload.finished()) {
    const auto answer = calls->next(hw::now() + answer_limit);
    if (!answer) {
      result.failures.push_back({"every call ends", answer.error().what + "; waiting for " + workload.waiting_for(), true});
      return result;
    }
    ++result.answers;
    if (const Expected* call = workload.find(answer->ticket)) judge(*call, answer->outcome, result);
    if (options.interrupted()) workload.stop_early();
    workload.completed(client, answer->ticket, answer->outcome);
    options.progress(workload.sent());
  }
  if (auto recorded = calls->finish_recording(); !recorded) result.recording_trouble = recorded.error().what;
  return result;
}

int serve_scripted() {
  return hw::run_member([](const Blob& callable, const Blob& argument) -> Result<Blob> {
    sim::WorkResult work = protocols::simulated_work(0, callable, argument);
    if (work.status != Status::ok) return error(work.status, std::string(work.reply.text()));
    return std::move(work.reply);
  });
}

}  // namespace

void add_mailbox_hardware(Registry& registry) { registry.hardware("mailbox", {&run_mailbox, &serve_scripted}); }

}  // namespace tenter::cli
