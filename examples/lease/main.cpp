// The whole command line for a protocol of one's own: ./lease sim run lease --count 1000
#include "cli/main.hpp"
#include "examples/lease/lease.hpp"
#include "sim/world.hpp"

namespace {

int holders(const tenter::sim::View& view) {
  int count = 0;
  view.for_each<lease::Party>([&](const auto&, const lease::Party& party) { count += party.holds() ? 1 : 0; });
  return count;
}

bool all_content(const tenter::sim::View& view) {
  bool content = true;
  view.for_each<lease::Party>([&](const auto&, const lease::Party& party) { content = content && party.content(); });
  return content;
}

}  // namespace

int main(int argc, char** argv) {
  tenter::Registry registry = tenter::builtin();
  registry.protocol("lease")
      .about("two parties share one word of memory")
      .scenario("two_parties",
                [](tenter::sim::Scenario& s) {
                  const std::uint32_t rounds = 1 + s.choose(4);
                  s.process("a").runs(lease::Party(1, rounds));
                  s.process("b").runs(lease::Party(2, rounds));
                })
      .always("one holder", [](const tenter::sim::View& v) { return holders(v) <= 1; })
      .eventually("everybody had it", all_content)
      .sometimes("one waits for the other",
                 [](const tenter::sim::View& v) { return holders(v) == 1 && v.word(lease::lease_word) != 0u; });
  return tenter::main(argc, argv, registry);
}
