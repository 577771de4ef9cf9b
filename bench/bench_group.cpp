#include "bench/bench_group.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "hw/group/callables.hpp"
#include "hw/group/rank_main.hpp"

namespace tenter::bench {
namespace {

constexpr Duration patience = seconds(60);

bool all_known(const std::vector<ProcessId>& processes) {
  return std::all_of(processes.begin(), processes.end(), [](const ProcessId& process) { return process.pid != 0; });
}

}  // namespace

std::unique_ptr<BenchGroup> BenchGroup::start(const GroupOptions& options) {
  std::unique_ptr<BenchGroup> made(new BenchGroup);
  made->options_ = options;
  hw::GroupSpec spec;
  spec.ranks = options.ranks;
  spec.member = {hw::this_program(), "member"};
  if (options.recorded) {
    made->folder_ = (std::filesystem::temp_directory_path() / "tenter-bench-XXXXXX").string();
    if (mkdtemp(made->folder_.data()) == nullptr) return std::perror("bench group: mkdtemp"), nullptr;
    spec.record = made->folder_ + "/recording";
  }
  auto group = hw::Group::start(spec);
  if (!group) return std::fprintf(stderr, "bench group: %s\n", group.error().what.c_str()), nullptr;
  made->group_ = std::move(*group);
  const Blob payload(options.payload_bytes, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{7}); });
  made->tasks_.assign(options.ranks, hw::Task{{}, payload});
  // A report may come in later than READY.
  for (int tries = 0; tries < 1000 && !all_known(made->ranks_ = made->group_->processes()); ++tries)
    if (!made->request()) return nullptr;
  if (!all_known(made->ranks_)) return std::fprintf(stderr, "bench group: a rank did not report its process\n"), nullptr;
  return made;
}

BenchGroup::~BenchGroup() {
  group_.reset();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

bool BenchGroup::request() {
  const auto echoes = group_->submit_all("echo", tasks_, patience);
  if (!echoes) std::fprintf(stderr, "bench group: %s\n", echoes.error().what.c_str());
  return echoes && echoes->back().size() == options_.payload_bytes;
}

Elapsed BenchGroup::slice(Budget budget, std::vector<std::uint32_t>& round_ns) {
  bool good = true;
  for (std::uint64_t i = 0; i < options_.warm_up && good; ++i) good = request();
  return good ? run_rounds(budget, &round_ns, [&] { return request(); }) : Elapsed{};
}

bool served_as_member(int argc, char** argv, int& code) {
  if (argc < 2 || std::string_view(argv[1]) != "member") return false;
  code = hw::run_member(hw::builtin_callables());
  return true;
}

}  // namespace tenter::bench
