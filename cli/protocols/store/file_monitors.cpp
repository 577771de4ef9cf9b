#include "cli/protocols/store/file_monitors.hpp"

#include <algorithm>

#include "cli/protocols/store/store_workload.hpp"
#include "core/store/file_name.hpp"
#include "core/store/notes.hpp"
#include "core/store/record.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

using namespace store;

namespace {

// A look every quarter of a second, each of its steps delayed by half a second at most, and a write that others see two seconds
// late.
constexpr Duration found_within = seconds(6);

}  // namespace

// ---------------------------------------------------------------- what a crash leaves

void DurabilityMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (view.world().host_crashes() != crashes_) {
    crashes_ = view.world().host_crashes();
    findings.seen("a host crashed");
    judge(view, findings);
  }
  if (view.world().faults_spent() != faults_) {
    faults_ = view.world().faults_spent();
    judge_what_the_dead_wrote(view, findings);
  }
  judge_read(view, step, findings);
  note(step);
}

// A writer that is killed in the middle leaves what was there before, or the new file.
void DurabilityMonitor::judge_what_the_dead_wrote(const sim::View& view, sim::Findings& findings) {
  for (const auto& [asked, written] : publishing_) {
    const std::string& path = written.first;
    const Blob* there = view.world().files().content(path);
    if (view.world().process(std::get<0>(asked)).life != sim::Life::gone || !there) continue;
    if (!published_[path].contains(there->digest()))
      return findings.safety(
          "B11 a file under its name is whole",
          path + " has " + std::to_string(there->size()) + " bytes that nobody published, after its writer was killed");
  }
}

void DurabilityMonitor::judge_read(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  for (const Action& action : step.actions)
    if (const auto* read = std::get_if<action::ReadFile>(&action))
      reading_[{step.process, step.role, read->op}] = std::string(read->path.text());
  const auto* done = std::get_if<event::FileDone>(&step.event);
  const auto asked = done ? reading_.find({step.process, step.role, done->op}) : reading_.end();
  if (asked == reading_.end()) return;
  const std::string path = asked->second;
  reading_.erase(asked);
  if (done->status != Status::ok || view.world().faults_spent() != 0) return;
  const auto known = published_.find(path);
  if (known == published_.end() || known->second.contains(done->content.digest())) return;
  findings.safety("B11 a file under its name is whole", view.world().process(step.process).name + " reads " +
                                                            std::to_string(done->content.size()) + " bytes of " + path +
                                                            " that nobody published");
}

void DurabilityMonitor::note(const sim::Step& step) {
  for (const Action& action : step.actions) {
    if (const auto* publish = std::get_if<action::PublishFile>(&action)) {
      const std::string path(publish->path.text());
      publishing_[{step.process, step.role, publish->op}] = {path, publish->content};
      newest_[path].push_back(publish->content);
      published_[path].insert(publish->content.digest());
    } else if (const auto* remove = std::get_if<action::RemoveFile>(&action)) {
      newest_.erase(std::string(remove->path.text()));
    } else if (const auto* folder = std::get_if<action::RemoveDirectory>(&action)) {
      const std::string prefix = std::string(folder->path.text()) + "/";
      std::erase_if(newest_, [&](const auto& file) { return file.first.starts_with(prefix); });
    }
  }
  const auto* done = std::get_if<event::FileDone>(&step.event);
  const auto asked = done ? publishing_.find({step.process, step.role, done->op}) : publishing_.end();
  if (asked == publishing_.end()) return;
  const auto& [path, content] = asked->second;
  if (const auto known = newest_.find(path); known != newest_.end() && done->status == Status::ok) {
    std::vector<Blob>& contents = known->second;
    contents.erase(contents.begin(), std::find(contents.begin(), contents.end(), content));
  } else if (known != newest_.end()) {  // refused: the one before it stays
    std::erase(known->second, content);
  }
  publishing_.erase(asked);
}

void DurabilityMonitor::judge(const sim::View& view, sim::Findings& findings) const {
  for (const auto& [path, digests] : published_) {
    const Blob* there = view.world().files().content(path);
    if (there && !digests.contains(there->digest()))
      return findings.safety("B11 a file under its name is whole", path + " has " + std::to_string(there->size()) +
                                                                       " bytes that nobody published, after its host crashed");
  }
  for (const auto& [path, contents] : newest_) {
    const std::size_t slash = path.rfind('/');
    if (contents.empty() || (slash != path.npos && !view.world().files().has_directory(path.substr(0, slash)))) continue;
    const bool acknowledged =
        std::none_of(publishing_.begin(), publishing_.end(),
                     [&latest = contents.front()](const auto& asked) { return asked.second.second == latest; });
    const Blob* there = view.world().files().content(path);
    if (acknowledged && (!there || std::find(contents.begin(), contents.end(), *there) == contents.end()))
      return findings.safety("B11 what was published survives a crash",
                             path + (there ? " is an older one" : " is gone") + ", after its host crashed");
  }
}

// ---------------------------------------------------------------- what a reader believes

void BelievedRecordsMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (view.world().faults_spent() != faults_) {
    faults_ = view.world().faults_spent();
    last_fault_ = view.now();
  }
  for (const Action& action : step.actions) {
    if (const auto* publish = std::get_if<action::PublishFile>(&action);
        publish && publish->path.text().ends_with(record_suffix)) {
      published_.insert(publish->content.digest());
      publishing_[{step.process, step.role, publish->op}] = std::string(publish->path.text());
    } else if (const auto* remove = std::get_if<action::RemoveFile>(&action)) {
      there_since_.erase(std::string(remove->path.text()));
    } else if (const auto* tell = std::get_if<action::Tell>(&action);
               tell && is(tell->note, NoteKind::attach) && step.role == joiner_role &&
               view.world().process(step.process).job.empty() && !published_.contains(tell->note.parts[0].digest())) {
      return findings.safety("S2 a torn record is never believed", view.world().process(step.process).name + " has a record of " +
                                                                       std::to_string(tell->note.parts[0].size()) +
                                                                       " bytes probed that nobody published");
    }
  }
  if (view.world().host_crashes() != 0) there_since_.clear();
  const auto* done = std::get_if<event::FileDone>(&step.event);
  if (!done) return;
  if (const auto asked = publishing_.find({step.process, step.role, done->op}); asked != publishing_.end()) {
    if (done->status == Status::ok) {
      there_since_.insert_or_assign(asked->second, view.now());
      run_[asked->second] = workload_of(view).run();
    }
    publishing_.erase(asked);
  } else if (step.before == "reading" && step.role == joiner_role && done->status == Status::ok &&
             view.world().process(step.process).job.empty() && !decode_record(done->content.bytes())) {
    findings.seen("a torn record was looked at again");
  }
}

void BelievedRecordsMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const StoreWorkload& workload = workload_of(view);
  const StoreCall* call = workload.find(ticket);
  if (!call || call->kind != CallKind::join || outcome.status != Status::timed_out) return;
  const auto path = record_file_name(workload.truth().variables()[call->variable].name);
  const auto there = path ? there_since_.find(*path) : there_since_.end();
  if (there == there_since_.end()) return;
  const std::string_view text = outcome.text.text();
  const auto long_before = [&](Time when) { return view.now() - std::max(when, call->submitted) >= found_within; };
  if (text.find("does not exist") != text.npos && long_before(there->second))
    return findings.safety("a record that is there is found", workload.name_of(*call) + ": \"" + std::string(text) +
                                                                  "\", it is there since " + text_of(there->second));
  // A probe may be silent for longer than any join waits; a process reads from one job at a time.
  if (text.find("did not answer their probes") != text.npos || text.find("leave it first") != text.npos) return;
  const bool undisturbed = workload.job_runs() && run_[*path] == workload.run() && long_before(last_fault_);
  if (undisturbed && long_before(there->second))
    findings.safety("what is served undisturbed is joined", workload.name_of(*call) + ": \"" + std::string(text) +
                                                                "\", it is there since " + text_of(there->second) +
                                                                ", and the last fault was at " + text_of(last_fault_));
}

}  // namespace tenter::protocols
