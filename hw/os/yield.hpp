// Whether giving up the CPU gives it to somebody.
#pragma once

namespace tenter::hw {

// True where sched_yield leaves the CPU to another thread that is ready to run. Some kernels (EEVDF before it forfeited what a
// yielder had to its credit) return to the yielder until its slice is over: then a yield is only spinning. Asked of the kernel
// once a process, by a second thread on one CPU; takes some 0.2 ms, 5 ms at most. False where the kernel cannot be asked.
bool yield_makes_way();

}  // namespace tenter::hw
