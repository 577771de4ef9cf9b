// Events of every kind, and a log of them.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "core/recording/log.hpp"

namespace tenter::recording::samples {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  // Small, middle and extreme numbers alike.
  std::uint64_t number() {
    const std::uint64_t value = random_();
    return value >> (random_() % 64);
  }
  Blob blob() {
    static constexpr std::size_t sizes[] = {0, 1, 15, 16, 17, 40, 300};
    return Blob(sizes[random_() % std::size(sizes)], [&](MutableBytes to) {
      for (std::byte& byte : to) byte = static_cast<std::byte>(random_());
    });
  }

  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, Status>) {
      value = Status{static_cast<std::uint8_t>(random_() % 12)};
    } else if constexpr (std::is_enum_v<T>) {
      value = T{static_cast<std::underlying_type_t<T>>(number())};
    } else if constexpr (std::is_same_v<T, bool>) {
      value = random_() % 2 == 1;
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(number());
    } else if constexpr (std::is_same_v<T, ProcessId>) {
      value = {number(), number()};
    } else if constexpr (std::is_same_v<T, Blob>) {
      value = blob();
    } else if constexpr (std::is_same_v<T, Parts>) {
      std::vector<Blob> blobs(random_() % 4);
      for (Blob& one : blobs) one = blob();
      value = Parts(std::move(blobs));
    } else {
      std::apply([&](auto&... field) { (fill(field), ...); }, T::fields(value));
    }
  }

  template <std::size_t... Kind>
  std::vector<Event> one_of_each(std::index_sequence<Kind...>) {
    std::vector<Event> events{Event(std::variant_alternative_t<Kind, Event::Variant>())...};
    for (Event& event : events) std::visit([&](auto& e) { fill(e); }, event);
    return events;
  }
  std::vector<Event> one_of_each() { return one_of_each(std::make_index_sequence<std::variant_size_v<Event::Variant>>{}); }

  std::uint64_t word() { return random_(); }

 private:
  std::mt19937_64 random_;
};

inline LogHeader header() { return {"mailbox", "rank-2", Rank{2}, {{"member", Blob("\x01\x02\x03")}, {"channel", Blob()}}}; }

inline std::vector<std::byte> side_file(const LogBatch& batch) {
  Buffer file;
  file.add(std::as_bytes(std::span(blobs_magic.data(), blobs_magic.size())));
  file.add(batch.side.bytes());
  for (const Blob& blob : batch.large) add_blob(file, blob);
  return {file.bytes().begin(), file.bytes().end()};
}

struct Log {
  std::vector<Record> records;
  std::vector<std::byte> bytes, blobs;
  std::vector<std::size_t> starts;  // offset of each record, then that of the end
};

inline Log log_of_each(std::uint64_t seed, int rounds = 1) {
  Generator generator(seed);
  LogWriter writer(header());
  Log log;
  for (int round = 0; round < rounds; ++round) {
    for (Event& event : generator.one_of_each()) {
      const Role role{static_cast<std::uint16_t>(generator.number())};
      const std::uint32_t actions = short_digest(generator.word());
      log.starts.push_back(writer.batch().log.size());
      writer.append(role, event, actions);
      log.records.push_back({role, std::move(event), actions});
    }
  }
  log.starts.push_back(writer.batch().log.size());
  writer.end();
  log.bytes.assign(writer.batch().log.bytes().begin(), writer.batch().log.bytes().end());
  log.blobs = side_file(writer.batch());
  return log;
}

}  // namespace tenter::recording::samples
