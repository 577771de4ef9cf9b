// `tenter control-rank`: a rank of `tenter control run`. Rank 0 does the work that the command left in the private folder, on the
// executors, and writes what came of each task into it; the others serve.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "cli/control_commands.hpp"
#include "cli/control_results.hpp"
#include "cli/control_work.hpp"
#include "cli/tell.hpp"
#include "hw/control/builtin_callables.hpp"
#include "hw/control/control_session.hpp"
#include "hw/control/rank_check_in.hpp"
#include "hw/os/file.hpp"
#include "hw/os/status.hpp"

namespace tenter::cli {
namespace {

constexpr Duration shutdown_patience = seconds(30);

// What is to be done, task by task.
class Work {
 public:
  static Result<Work> read(const std::string& folder, std::uint32_t workers) {
    const auto what = os::read_file(folder + control_work_file, 4'096);
    if (!what) return tl::unexpected(what.error());
    Work work;
    constexpr std::string_view vectors = "vector_add ";
    if (what->starts_with(vectors)) {
      (void)std::from_chars(what->data() + vectors.size(), what->data() + what->size(), work.rows_);
      return work;
    }
    const auto text = os::read_file(folder + control_tasks_file, control_tasks_bytes_max);
    if (!text) return tl::unexpected(text.error());
    auto tasks = control_tasks(*text, workers);
    if (!tasks) return tl::unexpected(tasks.error());
    work.tasks_ = std::move(*tasks);
    return work;
  }
  std::uint64_t count() const { return rows_ > 0 ? vector_pieces(rows_) : tasks_.size(); }
  ControlTask task(std::uint64_t index) const { return rows_ > 0 ? vector_piece(rows_, index) : tasks_[index]; }

 private:
  std::uint64_t rows_ = 0;
  std::vector<ControlTask> tasks_;
};

// Gives the tasks of a work to the executors, no more at once than their windows take, and writes each one's result once.
class Dispatch {
 public:
  Dispatch(hw::ControlSession& session, const Work& work, std::uint32_t window, int results)
      : session_(session), work_(work), window_(window), results_(results), workers_(session.workers()) {}

  // An error is the end of the work: the results cannot be written, or nobody answers.
  Result<void> run() {
    while (done_ < work_.count()) {
      while (queue_.size() < workers_.size() * window_ && next_ < work_.count())
        queue_.push_back({next_, work_.task(next_), 0}), ++next_;
      if (auto handed = hand_out(); !handed) return handed;
      if (running_.empty()) continue;  // what could not be handed out was answered
      auto answer = session_.next(end_of_time);
      if (!answer) return tl::unexpected(answer.error());
      if (auto taken = take(*answer); !taken) return taken;
    }
    return {};
  }

 private:
  struct Item {
    std::uint64_t index = 0;
    ControlTask task;
    std::uint32_t worker = 0;
  };
  struct WorkerState {
    std::uint32_t in_flight = 0;
    std::string lost;  // why
  };

  // The one that is named, or the one that has the least to do. Nothing: none of them lives.
  std::optional<std::uint32_t> worker_for(const ControlTask& task) const {
    if (task.worker == Worker::one) return workers_[task.to].lost.empty() ? std::optional(task.to) : std::nullopt;
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < workers_.size(); ++i)
      if (workers_[i].lost.empty() && (!best || workers_[i].in_flight < workers_[*best].in_flight)) best = i;
    return best;
  }

  Result<void> hand_out() {
    std::deque<Item> kept;
    while (!queue_.empty()) {
      Item item = std::move(queue_.front());
      queue_.pop_front();
      const auto worker = worker_for(item.task);
      if (!worker) {
        const std::uint32_t named = item.task.worker == Worker::one ? item.task.to : 0;
        if (auto written = finish(item, named, Status::peer_lost, workers_[named].lost, {}); !written) return written;
      } else if (no_credit_ || workers_[*worker].in_flight >= window_) {
        kept.push_back(std::move(item));
      } else if (auto given = give(std::move(item), *worker); !given) {
        return given;
      }
    }
    queue_ = std::move(kept);
    return {};
  }

  Result<void> give(Item item, std::uint32_t worker) {
    auto payload = hw::task_payload(item.task.callable, item.task.scalars, item.task.data.bytes());
    if (!payload) return finish(item, worker, payload.error().status, payload.error().what, {});
    const Duration patience{static_cast<std::int64_t>(item.task.deadline_seconds * 1e9)};
    const auto ticket = session_.submit(worker, std::move(*payload), patience);
    if (!ticket) return finish(item, worker, ticket.error().status, ticket.error().what, {});
    item.worker = worker;
    ++workers_[worker].in_flight;
    running_.emplace(*ticket, std::move(item));
    return {};
  }

  Result<void> take(const hw::ControlSession::Answer& answer) {
    auto node = running_.extract(answer.ticket);
    if (node.empty()) return error(Status::mismatch, "a ticket was answered that no task has");
    Item& item = node.mapped();
    WorkerState& worker = workers_[item.worker];
    --worker.in_flight;
    no_credit_ = answer.status == Status::no_space && !running_.empty();
    if (no_credit_) {  // nothing was sent: again when somebody else is done
      queue_.push_front(std::move(item));
      return {};
    }
    if (answer.status == Status::peer_lost || answer.status == Status::unavailable)
      worker.lost = answer.text.empty() ? "its route has failed" : answer.text;
    return finish(item, item.worker, answer.status, answer.text, answer.result);
  }

  Result<void> finish(const Item& item, std::uint32_t worker, Status status, std::string why, const Blob& bytes) {
    ControlResult result{item.index, item.task.number, item.task.callable, worker, status, std::move(why), {}, bytes.size()};
    if (status == Status::ok) {
      result.result = shown_result(bytes);
      result.error = wrong_result(item.task, bytes);
      if (!result.error.empty()) result.status = Status::mismatch;
    }
    ++done_;
    return write(write_control_result(result));
  }
  Result<void> write(const std::string& line) {
    const os::Written written = os::write_all(results_, std::as_bytes(std::span(line.data(), line.size())));
    if (written.native != 0) return os::system_error("the file of results", written.native);
    return {};
  }

  hw::ControlSession& session_;
  const Work& work_;
  const std::uint32_t window_;
  const int results_;
  std::vector<WorkerState> workers_;
  std::deque<Item> queue_;
  std::map<Ticket, Item> running_;
  std::uint64_t next_ = 0, done_ = 0;
  bool no_credit_ = false;
};

void note(int results, const std::string& text) {
  const std::string line = write_control_note(text);
  if (os::write_all(results, std::as_bytes(std::span(line.data(), line.size()))).native != 0)
    tell("tenter control rank 0: {}\n", text);
}

int run_controller(const hw::RankPlace& place) {
  const auto cannot_start = [&](const Error& why) {
    tell("tenter control rank 0: {}\n", why.what);
    if (auto desk = hw::RankCheckIn::open(place)) (void)desk->failed(why.what);
    return 1;
  };
  const std::string& folder = place.order.folder;
  const auto work = Work::read(folder, static_cast<std::uint32_t>(place.topology.executors.size()));
  if (!work) return cannot_start(work.error());
  const hw::Descriptor results(open((folder + control_results_file).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!results) return cannot_start(os::system_error("the file of results", errno).value());
  auto session = hw::ControlSession::open(place);
  if (!session) {
    note(results.get(), session.error().what);
    return 1;
  }
  if (!(*session)->absent().empty()) note(results.get(), (*session)->absent());
  const auto done = Dispatch(**session, *work, place.order.window, results.get()).run();
  if (!done) note(results.get(), done.error().what);
  const auto ended = (*session)->shutdown(shutdown_patience);
  if (!ended) note(results.get(), std::string(control_shutdown_note) + ended.error().what);
  return (*session)->exit(done && ended ? 0 : 1);
}

}  // namespace

int control_rank() {
  const auto place = hw::rank_place();
  if (!place) {
    tell("tenter control rank: {}\n", place.error().what);
    return 1;
  }
  const hw::ControlCallables callables = hw::control_callables();
  return place->rank == 0 ? run_controller(*place) : hw::serve_control(*place, callables);
}

}  // namespace tenter::cli
