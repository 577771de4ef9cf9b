// Figures of the simulator, one core: the bare loop, the page kernel, and worlds with everything on. Run by scripts/bench sim.
#include "bench/sim_rows.hpp"

int main(int argc, char** argv) {
  tenter::bench::Report report("sim");
  tenter::bench::add_queue_rows(report);
  tenter::bench::add_page_kernel_rows(report);
  tenter::bench::add_world_rows(report);
  return report.run(argc, argv);
}
