// Memory for payloads of megabytes, used again instead of fetched from the kernel anew.
#pragma once
#include <cstddef>

namespace tenter::hw {

// From now on malloc serves blocks of up to 32 MiB from its heap and keeps up to `kept_bytes` of freed heap. By default glibc
// maps each such block anew, and a first touch is dear: on a virtual machine 12 us a page were measured, 47 ms for 16 MiB, where
// the transfer itself takes 3 ms. For the whole process; to be called once, at the start of main (mallopt(3)). False where the
// allocator has no such setting.
bool keep_large_buffers(std::size_t kept_bytes = std::size_t{256} << 20);

}  // namespace tenter::hw
