// `tenter store serve`: one rank of the publishing job.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/npy.hpp"
#include "cli/store_commands.hpp"
#include "cli/store_rows.hpp"
#include "cli/tell.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/mpi/maximum.hpp"
#include "hw/store/store_publisher.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{64} << 20;  // of one get

struct Source {
  std::string name;
  NpyRows file;
};

// Every rank reads every header before anything is created: a bad argument ends all of them, with the same text.
Result<std::vector<Source>> sources_of(const std::vector<std::string>& arguments) {
  std::vector<Source> sources;
  for (const std::string& argument : arguments) {
    const std::size_t at = argument.rfind('=');  // a name may have one, a path rarely has
    if (at == argument.npos || at == 0 || at + 1 == argument.size())
      return error(Status::invalid, "\"" + argument + "\" is not NAME=FILE.npy");
    auto file = NpyRows::open(argument.substr(at + 1));
    if (!file) return tl::unexpected(file.error());
    if (file->header().shape.empty()) return error(Status::invalid, file->path() + ": a scalar has no rows");
    sources.push_back({argument.substr(0, at), std::move(*file)});
  }
  return sources;
}

Result<store::Method> method_of(const StoreServeOptions& options) {
  if (options.method == "fabric") return store::Method::fabric;
  if (options.method == "window") return store::Method::window;
  if (options.directory.empty()) return error(Status::invalid, "--method file needs --dir");
  return store::Method::file;
}

// The first rank's share of `rows` ends where the second one's begins: rows x weights before / all weights, so no row is lost.
std::uint64_t share_begin(const std::vector<std::uint32_t>& weights, std::uint64_t rank, std::uint64_t rows) {
  const auto at = weights.begin() + static_cast<std::ptrdiff_t>(rank);
  const std::uint64_t before = std::accumulate(weights.begin(), at, std::uint64_t{0});
  const std::uint64_t all = std::accumulate(at, weights.end(), before);
  return rows / all * before + rows % all * before / all;
}

class Serving {
 public:
  Serving(const StoreServeOptions& options, const std::vector<Source>& sources, const hw::MpiEnvironment& environment)
      : options_(options), sources_(sources), rank_(number(environment.rank())), ranks_(environment.size()) {
    weights_ = options.shares.empty() ? std::vector<std::uint32_t>(ranks_, 1) : options.shares;
  }

  Result<void> add_all(hw::StorePublisher& store) const {
    for (const Source& source : sources_) {
      const NpyHeader& header = source.file.header();
      const std::uint64_t first = share_begin(weights_, rank_, header.rows()),
                          own = share_begin(weights_, rank_ + 1, header.rows()) - first;
      std::vector<std::byte> bytes(own * header.row_bytes());
      if (auto read = source.file.read(first, own, bytes); !read) return read;
      if (auto added = store.add({source.name, header.dtype, header.row_shape(), own, bytes}); !added) return added;
    }
    return {};
  }

  // All rows, in pieces of a bounded size, through the store. The text of what differs; empty: nothing.
  Result<std::string> verify(hw::StorePublisher& store) const {
    std::vector<std::byte> got, wanted;
    for (const Source& source : sources_) {
      const NpyHeader& header = source.file.header();
      const std::uint64_t piece = std::max<std::uint64_t>(1, chunk_bytes / header.row_bytes());
      for (std::uint64_t first = 0; first < header.rows();) {
        const std::uint64_t rows = std::min(piece, header.rows() - first);
        got.resize(rows * header.row_bytes());
        wanted.resize(got.size());
        if (auto read = store.get(source.name, {{first, rows}}, got, duration_of_seconds(options_.get_seconds)); !read)
          return tl::unexpected(read.error());
        if (auto read = source.file.read(first, rows, wanted); !read) return tl::unexpected(read.error());
        const auto differs = std::mismatch(got.begin(), got.end(), wanted.begin()).first;
        if (differs != got.end())
          return fmt::format("{}: row {} is DIFFERENT", source.name,
                             first + static_cast<std::uint64_t>(differs - got.begin()) / header.row_bytes());
        first += rows;
      }
    }
    return std::string();
  }

 private:
  const StoreServeOptions& options_;
  const std::vector<Source>& sources_;
  std::uint64_t rank_, ranks_;
  std::vector<std::uint32_t> weights_;
};

void say(const Context& context, std::uint64_t rank, const std::string& text) {
  if (rank != 0 || context.common.quiet) return;
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

Result<int> verified(const Context& context, const Serving& serving, hw::StorePublisher& store, std::uint64_t rank,
                     std::uint64_t ranks) {
  const auto different = serving.verify(store);
  if (!different) return tl::unexpected(different.error());
  if (!different->empty()) tell("{}: rank {}: {}\n", program_name(), rank, shown_text(*different));
  const auto worst = hw::mpi_maximum(different->empty() ? 0 : 1);
  if (!worst) return tl::unexpected(worst.error());
  say(context, rank, *worst == 0 ? fmt::format("every byte equal on {} ranks", ranks) : std::string("DIFFERENT"));
  return *worst == 0 ? exit_code::pass : exit_code::violated;
}

Result<int> serve(const Context& context, const StoreServeOptions& options, const std::vector<Source>& sources,
                  const hw::MpiEnvironment& environment, hw::Doorbell& doorbell) {
  hw::StorePublisherOptions how;
  how.method = method_of(options).value();
  how.directory = options.directory;
  how.provider = options.provider;
  how.domain = options.domain;
  how.job = options.job;
  how.record = options.record;
  const std::uint64_t rank = number(environment.rank());
  auto store = hw::StorePublisher::open(how, environment, doorbell);
  if (!store) return tl::unexpected(store.error());
  const Serving serving(options, sources, environment);
  if (auto added = serving.add_all(**store); !added) return tl::unexpected(added.error());
  Result<int> code = exit_code::pass;
  if (options.verify) code = verified(context, serving, **store, rank, environment.size());
  if (!code) return code;
  if (how.method == store::Method::file || !options.verify) {
    say(context, rank,
        fmt::format("serving {} variables of {} ranks{}; ^C ends it", sources.size(), environment.size(),
                    options.directory.empty() ? std::string() : " in " + shown_text(options.directory)));
    const OnInterrupt wake([&] { (*store)->nudge(); });
    (*store)->serve([] { return interrupted(); });
  }
  if (auto closed = (*store)->close(duration_of_seconds(options.close_seconds)); !closed) return tl::unexpected(closed.error());
  if (auto written = (*store)->finish_recording(); !written)
    tell("{}: rank {}: the recording is not complete: {}\n", program_name(), rank, shown_text(written.error().what));
  return code;
}

}  // namespace

int store_serve(const Context& context, const StoreServeOptions& options) {
  if (const auto method = method_of(options); !method) return usage_error(method.error().what);
  const auto sources = sources_of(options.variables);
  if (!sources) return usage_error(sources.error().what);
  auto environment = hw::MpiEnvironment::open({options.ranks, MPI_THREAD_FUNNELED});
  if (!environment) {
    tell("{}: {}\n", program_name(), environment.error().what);
    return exit_code::usage;
  }
  const bool rank_0 = number(environment->rank()) == 0;
  const std::uint64_t weights = std::accumulate(options.shares.begin(), options.shares.end(), std::uint64_t{0});
  if (!options.shares.empty() && (options.shares.size() != environment->size() || weights == 0)) {
    const int code = rank_0 ? usage_error(fmt::format("--shares: {} weights with a sum of {} for {} ranks", options.shares.size(),
                                                      weights, environment->size()))
                            : exit_code::usage;
    return rank_0 ? code : exit_code::pass;  // the launcher combines the ranks' codes
  }
  watch_interrupt();
  const auto failed = [&](const Error& e) {
    tell("{}: rank {}: {}\n", program_name(), number(environment->rank()), shown_text(e.what));
    hw::MpiEnvironment::leave(store_exit_of(e.status));  // the others must not wait for this rank
  };
  auto doorbell = hw::Doorbell::open(*environment);
  if (!doorbell) failed(doorbell.error());
  const auto served = serve(context, options, *sources, *environment, *doorbell);
  if (!served) failed(served.error());
  return rank_0 ? *served : exit_code::pass;
}

}  // namespace tenter::cli
