// The two futex calls on a word that other processes share. Never with the private flag: it is keyed by the process and does not
// reach another one (futex(2); measured, spec/cases.md B03 and M6).
#pragma once
#include <cstdint>

namespace tenter::hw {

// Sleeps while *word == expected. Returns for any reason (woken, spurious, a signal, the word differs): the caller compares
// again.
void futex_wait_shared(const std::uint32_t* word, std::uint32_t expected);
// Wakes every waiter of the word in every process; answers how many.
int futex_wake_shared(const std::uint32_t* word);

}  // namespace tenter::hw
