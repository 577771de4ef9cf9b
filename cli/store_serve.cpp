// `tenter store serve`: one rank of the publishing job.
#include <fmt/format.h>

#include <filesystem>

#include "cli/npy.hpp"
#include "cli/store_commands.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/store/store_publisher.hpp"

namespace tenter::cli {
namespace {

struct Source {
  std::string name, path;
  NpyHeader header;
};

// Every rank reads every header before anything is created: a bad argument ends all of them, with the same text.
Result<std::vector<Source>> sources_of(const std::vector<std::string>& arguments) {
  std::vector<Source> sources;
  for (const std::string& argument : arguments) {
    const std::size_t at = argument.rfind('=');  // a name may have one, a path rarely has
    if (at == argument.npos || at == 0 || at + 1 == argument.size())
      return error(Status::invalid, "\"" + argument + "\" is not NAME=FILE.npy");
    Source source{argument.substr(0, at), argument.substr(at + 1), {}};
    auto header = read_npy_header(source.path);
    if (!header) return tl::unexpected(header.error());
    if (header->shape.empty()) return error(Status::invalid, source.path + ": a scalar has no rows");
    source.header = *header;
    sources.push_back(std::move(source));
  }
  return sources;
}

// Rows [rows x rank / ranks, rows x (rank + 1) / ranks) of the file.
Result<void> add(hw::StorePublisher& store, const Source& source, std::uint64_t rank, std::uint64_t ranks) {
  const std::uint64_t rows = source.header.rows(), share = rows / ranks, more = rows % ranks;
  const std::uint64_t first = share * rank + std::min(rank, more), own = share + (rank < more ? 1 : 0);
  auto bytes = read_npy_rows(source.path, source.header, first, own);
  if (!bytes) return tl::unexpected(bytes.error());
  return store.add({source.name, source.header.dtype, source.header.row_shape(), own, *bytes});
}

Result<void> serve(const Context& context, const StoreServeOptions& options, const std::vector<Source>& sources,
                   const hw::MpiEnvironment& environment, hw::Doorbell& doorbell) {
  hw::StorePublisherOptions how;
  how.directory = options.directory;
  how.provider = options.provider;
  how.domain = options.domain;
  how.job = options.job;
  auto store = hw::StorePublisher::open(how, environment, doorbell);
  if (!store) return tl::unexpected(store.error());
  for (const Source& source : sources)
    if (auto added = add(**store, source, number(environment.rank()), environment.size()); !added) return added;
  if (number(environment.rank()) == 0 && !context.common.quiet) {
    fmt::print("serving {} variables of {} ranks in {}; ^C ends it\n", sources.size(), environment.size(),
               shown_text(options.directory));
    std::fflush(stdout);
  }
  {
    const OnInterrupt wake([&] { (*store)->nudge(); });
    (*store)->serve([] { return interrupted(); });
  }
  return (*store)->close(Duration{static_cast<std::int64_t>(options.close_seconds * 1e9)});
}

}  // namespace

int store_serve(const Context& context, const StoreServeOptions& options) {
  const auto sources = sources_of(options.variables);
  if (!sources) return usage_error(sources.error().what);
  auto environment = hw::MpiEnvironment::open({options.ranks, MPI_THREAD_FUNNELED});
  if (!environment) {
    fmt::print(stderr, "{}: {}\n", program_name(), environment.error().what);
    return store_exit::failed;
  }
  watch_interrupt();
  const auto failed = [&](const Error& e) {
    fmt::print(stderr, "{}: rank {}: {}\n", program_name(), number(environment->rank()), shown_text(e.what));
    hw::MpiEnvironment::leave(store_exit::failed);  // the others must not wait for this rank
  };
  auto doorbell = hw::Doorbell::open(*environment);
  if (!doorbell) failed(doorbell.error());
  if (auto served = serve(context, options, *sources, *environment, *doorbell); !served) failed(served.error());
  return store_exit::ok;
}

}  // namespace tenter::cli
