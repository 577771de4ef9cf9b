// Joiner: looks for a record, judges it, and finds out why it cannot be joined.
#pragma once
#include "core/store/joiner.hpp"
#include "core/text.hpp"

namespace tenter::store {

template <class O>
void Joiner::read_record(JoinUnderWay& join, O& out) {
  join.stage = JoinStage::reading;
  join.awaited = ++sequence_;
  const std::string path = record_file_name(join.call.variable.text()).value();
  out.read_file(operation(JoinerOperation::read, join.awaited), Blob(std::string_view(path)), config_.record_bytes_max);
}

template <JoinerPorts O>
void Joiner::on(const event::FilesListed& e, O& out) {
  if (JoinUnderWay* join = awaiting(JoinerOperation::list, e.op); join && join->stage == JoinStage::listing)
    read_record(*join, out);
}

template <JoinerPorts O>
void Joiner::on(const event::FileDone& e, O& out) {
  if (JoinUnderWay* join = awaiting(JoinerOperation::read, e.op); join && join->stage == JoinStage::reading)
    return judge_record(*join, e, out);
  if (JoinUnderWay* join = awaiting(JoinerOperation::beat, e.op); join && join->stage == JoinStage::explaining) {
    heard(*join, e);
    wait(*join, e.now, out);
  }
}

// reading --believable--> attaching; not: waiting; of another shape than wanted: refused at once, with both (D19, D21)
template <class O>
void Joiner::judge_record(JoinUnderWay& join, const event::FileDone& e, O& out) {
  const std::string path = record_file_name(join.call.variable.text()).value();
  if (e.status != Status::ok) {
    join.last = "file " + path + ": " + (e.status == Status::not_found ? "does not exist" : std::string(e.content.text()));
    return wait(join, e.now, out);
  }
  const auto record = decode_record(e.content.bytes());
  if (!record) {
    join.last = "file " + path + ": " + record.error().what;
    return wait(join, e.now, out);
  }
  if (record->variable != join.call.variable.text()) {
    join.last = "file " + path + ": it is the record of variable \"" + record->variable + "\"";
    return wait(join, e.now, out);
  }
  join.about =
      "record of job \"" + record->job + "\" on " + record->host + ", generation " + to_string(record->generation) + ": ";
  if (join.call.cores != 0 && join.call.cores != record->shards.size())
    return finish(
        join, Status::mismatch,
        join.about + text_of(std::uint64_t{record->shards.size()}) + " core ranks, " + text_of(join.call.cores) + " wanted", out);
  if (!join.call.any_dtype && join.call.wanted != record->dtype)
    return finish(join, Status::mismatch,
                  join.about + "elements of " + std::string(to_string(record->dtype)) + ", wanted " +
                      std::string(to_string(join.call.wanted)),
                  out);
  if (join.generation != record->generation) join.beat_count = 0;
  join.generation = record->generation;
  join.number = ++sequence_;
  join.stage = JoinStage::attaching;
  out.tell(config_.reader, attach_note(join.number, e.content));
}

template <class O>
void Joiner::explain(JoinUnderWay& join, O& out) {
  join.stage = JoinStage::explaining;
  join.awaited = ++sequence_;
  out.read_file(operation(JoinerOperation::beat, join.awaited), Blob(std::string_view(heartbeat_file_name(join.generation))),
                beat_bytes);
}

// Whether its core is alive, by this process's clock: only for the text.
inline void Joiner::heard(JoinUnderWay& join, const event::FileDone& e) {
  const auto beat = e.status == Status::ok ? decode_beat_of(e.content.bytes(), join.generation, {})
                                           : Result<Beat>(error(e.status, "no heartbeat"));
  if (!beat) {
    join.last +=
        "; its heartbeat: " + std::string(e.status == Status::not_found ? "none, it has closed or was cleaned" : "unreadable");
  } else if (beat->state != BeatState::open) {
    join.last += "; its core says that it is " + std::string(to_string(beat->state));
  } else if (join.beat_count == 0) {
    join.beat_count = beat->count;
    join.beat_moved = e.now;
    join.last += "; its heartbeat was seen once, so whether it moves is not known";
  } else if (beat->count != join.beat_count) {
    join.beat_count = beat->count;
    join.beat_moved = e.now;
    join.last += "; its heartbeat moves: the network between, or its ranks, do not answer";
  } else if (e.now - join.beat_moved >= milliseconds(beat->period_ms) * periods_to_expire) {
    join.last += "; its heartbeat stands still: the record is stale";
  }
}

template <class O>
void Joiner::wait(JoinUnderWay& join, Time now, O& out) {
  join.stage = JoinStage::waiting;
  join.awaited = ++sequence_;
  out.arm(operation(JoinerOperation::look, join.awaited), now + join.look_again);
  join.look_again = std::min(join.look_again * 2, config_.last_look_again);
}

}  // namespace tenter::store
