// The client's side of a world.
#pragma once
#include "sim/workload.hpp"

namespace tenter::sim {

class World;

class WorldClient final : public ClientPort {
 public:
  explicit WorldClient(World& world) : world_(world) {}
  Ticket submit(ProcessIndex process, Role role, Note call) override;
  std::uint32_t choose(std::uint32_t n) override;
  ProcessIndex process(std::string_view name) const override;
  Time now() const override;
  Buffer lend(ProcessIndex process, std::uint64_t bytes) override;
  void fill(ProcessIndex process, Buffer buffer, const Blob& content) override;
  Blob look(ProcessIndex process, Buffer buffer) const override;
  void take_back(ProcessIndex process, Buffer buffer) override;

 private:
  World& world_;
};

}  // namespace tenter::sim
