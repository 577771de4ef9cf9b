// Publisher: one new variable, from equal calls on all ranks to a record that is published, or to nothing at all.
#pragma once
#include "core/store/identity.hpp"
#include "core/store/publisher.hpp"
#include "core/store/slot.hpp"
#include "core/text.hpp"

namespace tenter::store {

// What the ranks must agree on, and what is wrong with this rank's own call.
inline Intent Publisher::intent_to_add() {
  const AddCall call = read_add(calls_.front().note).value();
  Intent intent;
  intent.what = "add \"" + std::string(call.variable.text()) + "\" of " + std::string(to_string(call.dtype)) + " [";
  for (std::size_t i = 0; i < call.row_shape.size(); ++i) intent.what += (i == 0 ? "" : ",") + text_of(call.row_shape[i]);
  intent.what += call.versioned ? "] with versions" : "]";
  const auto refuse = [&](Status status, std::string text) {
    intent.status = status;
    intent.text = std::move(text);
    return intent;
  };
  if (!open_) return refuse(Status::unavailable, "the store is not open");
  if (const auto file = record_file_name(call.variable.text()); !file) return refuse(Status::invalid, file.error().what);
  if (find(call.variable)) return refuse(Status::exists, "it is published already");
  const auto format = row_format_of(call.dtype, call.row_shape, call.versioned);
  if (!format) return refuse(format.error().status, format.error().what);
  if (!format->region_bytes(call.rows)) return refuse(Status::invalid, text_of(call.rows) + " rows are more than 2^62 bytes");
  if (!call.content.empty() && call.content.size() != call.rows * format->row_bytes)
    return refuse(Status::invalid, text_of(std::uint64_t{call.content.size()}) + " bytes are not " + text_of(call.rows) +
                                       " rows of " + text_of(format->row_bytes));
  if (call.versioned && call.buffer != no_buffer)
    return refuse(Status::invalid, "rows with versions come with the call, not in a buffer");
  adding_ = {};
  adding_.variable = call.variable;
  adding_.format = *format;
  adding_.rows = call.rows;
  return intent;
}

template <class O>
void Publisher::register_rows(O& out) {
  adding_.number = ++numbers_;
  step_ = PublisherStep::registering;
  ++sequence_;
  out.register_region(op(PublisherOperation::local), Endpoint{endpoint_}, Region{static_cast<std::uint32_t>(adding_.number)},
                      *adding_.format.region_bytes(adding_.rows));
}

template <PublisherPorts O>
void Publisher::on(const event::RegionRegistered& e, O& out) {
  if (step_ != PublisherStep::registering || e.op != op(PublisherOperation::local)) return;
  if (e.status == Status::ok) {
    shard_ = {address_, e.key, e.base, *adding_.format.region_bytes(adding_.rows), adding_.rows};
    store_rows(out);
  }
  gather(
      {e.status, "registering " + text_of(*adding_.format.region_bytes(adding_.rows)) + " bytes: " + std::string(e.text.text()),
       "shard", e.status == Status::ok ? encode_shard(shard_, config_.rank) : Blob()},
      PublisherStep::sharing, out);
}

// The identity last: who reads it has rows behind it.
template <class O>
void Publisher::store_rows(O& out) {
  const AddCall call = read_add(calls_.front().note).value();
  const Region region{static_cast<std::uint32_t>(adding_.number)};
  const RowFormat& format = adding_.format;
  if (format.versioned) {
    const Blob zero(static_cast<std::size_t>(format.row_bytes),
                    [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); });
    for (std::uint64_t row = 0; row < call.rows; ++row)
      out.store_region(
          region, format.slot_offset(row),
          encode_slot(
              format, first_version,
              call.content.empty() ? zero.bytes() : call.content.bytes().subspan(row * format.row_bytes, format.row_bytes)));
  } else if (!call.content.empty()) {
    out.store_region(region, identity_bytes, call.content);
  } else if (call.buffer != no_buffer && call.rows != 0) {
    out.copy_to_region(region, identity_bytes, call.buffer, 0, call.rows * format.row_bytes);
  }
  out.store_region(
      region, 0,
      encode_identity({generation_, identity_of_name(call.variable.text()), call.rows, format.slot_bytes(), config_.rank}));
}

inline Result<Record> Publisher::record_of(const std::vector<Intent>& intents) const {
  const AddCall call = read_add(calls_.front().note).value();
  Record record;
  record.generation = generation_;
  record.start_time = config_.start_time;
  record.owner = owner_;
  record.dtype = call.dtype;
  record.row_shape = call.row_shape;
  record.versioned = call.versioned;
  record.mr_mode = mr_mode_;
  record.address_format = address_format_;
  record.heartbeat_ms = config_.heartbeat_ms;
  record.job = std::string(config_.job.text());
  record.host = std::string(host_.text());
  record.variable = std::string(call.variable.text());
  record.provider = std::string(config_.provider.text());
  for (std::uint32_t rank = 0; rank < intents.size(); ++rank) {
    auto shard = decode_shard(intents[rank].more.bytes(), rank);
    if (!shard) return tl::unexpected(shard.error());
    record.shards.push_back(std::move(*shard));
  }
  if (auto checked = check_record(record); !checked) return tl::unexpected(checked.error());
  return record;
}

// Every rank has every shard. Whoever failed is named everywhere; nothing is published then.
template <class O>
void Publisher::shared(const event::CollectiveDone& e, O& out) {
  auto intents =
      e.status == Status::ok ? agree(e.parts) : Result<std::vector<Intent>>(error(e.status, std::string(e.content.text())));
  auto record = intents ? record_of(*intents) : Result<Record>(tl::unexpected(intents.error()));
  if (!record) {
    outcome_ = record.error().status;
    outcome_text_ = record.error().what;
    step_ = PublisherStep::undoing;
    ++sequence_;
    return out.unregister_region(op(PublisherOperation::local), Region{static_cast<std::uint32_t>(adding_.number)});
  }
  record_ = encode_record(*record);
  if (!writes_files()) return conclude(Status::ok, {}, out);
  look_for_another(out);
}

// A name that a living job has is refused; a dead one's record is replaced (D16, L5). The directory is listed before each look,
// so that no cached "does not exist" is believed.
template <class O>
void Publisher::look_for_another(O& out) {
  step_ = PublisherStep::looking;
  looks_ = 0;
  ++sequence_;
  out.list_files(op(PublisherOperation::list), Blob());
}

template <PublisherPorts O>
void Publisher::on(const event::FilesListed& e, O& out) {
  if (e.op != op(PublisherOperation::list)) return;
  if (step_ != PublisherStep::looking && step_ != PublisherStep::listening) return;
  ++sequence_;
  if (step_ == PublisherStep::looking)
    return out.read_file(op(PublisherOperation::file), Blob(std::string_view(path_of(adding_.variable))),
                         layout::file_bytes(layout::cores_max));
  out.read_file(op(PublisherOperation::file), Blob(std::string_view(heartbeat_file_name(another_))), beat_bytes);
}

template <class O>
void Publisher::look_again(Time when, O& out) {
  ++sequence_;
  out.arm(op(PublisherOperation::look), when);
}

// looking --none, or one that stays damaged--> publishing; --another job's--> listening; one of another format version, or that
// cannot be read though it is looked at again: refused, as it may be a living job's
template <class O>
void Publisher::found_another(const event::FileDone& e, O& out) {
  if (e.status == Status::not_found) return publish(out);
  const auto record =
      e.status == Status::ok ? decode_record(e.content.bytes()) : Result<Record>(error(e.status, std::string(e.content.text())));
  if (record && record->generation == generation_) return publish(out);
  if (!record) {
    const std::string why = "whether another job has published it: " + record.error().what;
    if (record.error().status == Status::mismatch) return conclude(Status::mismatch, why, out);
    if (++looks_ <= periods_to_expire) return look_again(e.now + record_look_again, out);
    return record.error().status == Status::invalid ? publish(out) : conclude(record.error().status, why, out);
  }
  another_ = record->generation;
  another_count_ = 0;
  looks_ = 0;
  missed_ = false;
  outcome_text_ = "it is published by job \"" + record->job + "\" on " + record->host + ", generation " + to_string(another_);
  step_ = PublisherStep::listening;
  ++sequence_;
  out.read_file(op(PublisherOperation::file), Blob(std::string_view(heartbeat_file_name(another_))), beat_bytes);
}

// listening --its count moved--> refused; closed, not there though the directory was listed, or one that stands still or is
// damaged for four periods: its job is dead. One that cannot be read says nothing, so the call is refused.
template <class O>
void Publisher::heard_another(const event::FileDone& e, O& out) {
  const auto beat = e.status == Status::ok ? decode_beat_of(e.content.bytes(), another_, {}) : Result<Beat>(error(e.status, {}));
  if (beat && another_count_ != 0 && beat->count != another_count_)
    return conclude(Status::exists, outcome_text_ + ", which is alive", out);
  if (beat && beat->state == BeatState::closed) return publish(out);
  const bool missing = e.status == Status::not_found;
  if (missing && missed_) return publish(out);
  missed_ = missing;
  if (missing) {
    ++sequence_;
    return out.list_files(op(PublisherOperation::list), Blob());
  }
  if (++looks_ > periods_to_expire) {
    if (e.status == Status::ok) return publish(out);
    return conclude(e.status, outcome_text_ + ", whose heartbeat cannot be read: " + std::string(e.content.text()), out);
  }
  if (beat) another_count_ = beat->count;
  look_again(e.now + milliseconds(beat ? std::min(beat->period_ms, 10'000u) : 1'000u), out);
}

template <class O>
void Publisher::publish(O& out) {
  step_ = PublisherStep::publishing;
  ++sequence_;
  out.publish_file(op(PublisherOperation::file), Blob(std::string_view(path_of(adding_.variable))), record_);
}

// Published. The own Reader reads it like any other.
template <class O>
void Publisher::added(Time now, O& out) {
  variables_.push_back(adding_);
  step_ = PublisherStep::attaching;
  ++sequence_;
  out.arm(op(PublisherOperation::attach), now + config_.attach_patience);
  out.tell(config_.reader, attach_note(adding_.number, record_));
}

}  // namespace tenter::store
