// Publisher: the endpoint of this rank, the job's generation, and (method file, rank 0) its place in the directory.
#pragma once
#include "core/store/publisher.hpp"
#include "core/text.hpp"

namespace tenter::store {

template <class O>
void Publisher::open(O& out) {
  const std::string_view methods[] = {"file", "fabric", "window"};
  if (config_.rank >= config_.ranks)  // D26
    return finish(Status::invalid,
                  "method " + std::string(methods[static_cast<std::size_t>(config_.method)]) +
                      " needs the ranks of a job, and this process is rank " + text_of(config_.rank) + " of " +
                      text_of(config_.ranks) + "; a reader of another job joins by a directory",
                  out);
  if (open_) {
    const std::string what = "open with method " + std::string(methods[static_cast<std::size_t>(config_.method)]) +
                             ", provider " + std::string(config_.provider.text());
    return agree_on({Status::exists, "the store is open already", what, {}}, out);
  }
  step_ = PublisherStep::preparing;
  ++sequence_;
  out.describe_host(op(PublisherOperation::host));
}

template <PublisherPorts O>
void Publisher::on(const event::HostDescribed& e, O& out) {
  if (step_ != PublisherStep::preparing || e.op != op(PublisherOperation::host)) return;
  host_ = e.host;
  owner_ = e.self;
  out.draw_random(op(PublisherOperation::draw), generation_bytes);
}

template <PublisherPorts O>
void Publisher::on(const event::RandomBytes& e, O& out) {
  if (step_ != PublisherStep::preparing || e.op != op(PublisherOperation::draw)) return;
  generation_ = e.content.size() == generation_bytes ? generation_of(e.content.bytes()) : Generation{};
  step_ = PublisherStep::opening;
  ++sequence_;
  out.open_fabric(op(PublisherOperation::local), Endpoint{++endpoint_}, config_.provider, config_.domain, true);
}

template <PublisherPorts O>
void Publisher::on(const event::FabricOpened& e, O& out) {
  if (step_ != PublisherStep::opening || e.op != op(PublisherOperation::local)) return;
  link_ = e.status == Status::ok;
  address_ = e.address;
  mr_mode_ = e.mr_mode;
  address_format_ = e.address_format;
  const std::string_view methods[] = {"file", "fabric", "window"};
  wire::Writer writer;
  writer.u64(generation_.low).u64(generation_.high);
  agree_on({e.status, std::string(e.text.text()),
            "open with method " + std::string(methods[static_cast<std::size_t>(config_.method)]) + ", provider " +
                std::string(config_.provider.text()),
            writer.blob()},
           out);
}

// Rank 0's draw is everybody's generation.
template <class O>
void Publisher::opened_everywhere(const std::vector<Intent>& intents, O& out) {
  generation_ = intents[0].more.size() == generation_bytes ? generation_of(intents[0].more.bytes()) : Generation{};
  if (!writes_files())
    return conclude(is_nobodys(generation_) ? Status::failed : Status::ok, "no generation could be drawn", out);
  if (is_nobodys(generation_)) return conclude(Status::failed, "no generation could be drawn", out);
  step_ = PublisherStep::making;
  ++sequence_;
  out.make_directory(op(PublisherOperation::file), Blob(std::string_view(readers_directory(generation_))));
}

}  // namespace tenter::store
