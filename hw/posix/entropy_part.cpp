#include "hw/posix/entropy_part.hpp"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace tenter::hw {

void EntropyPart::perform(const action::DrawRandom& draw) {
  Blob content(draw.bytes, [](MutableBytes to) {
    while (!to.empty()) {
      const ssize_t got = getrandom(to.data(), to.size(), 0);
      if (got > 0) {
        to = to.subspan(static_cast<std::size_t>(got));
      } else if (errno != EINTR) {
        // The event has no status: a guessable name must never pass for a random one.
        throw std::system_error(errno, std::generic_category(), "getrandom for draw_random");
      }
    }
  });
  context_.push(context_.current, event::RandomBytes{now(), draw.op, std::move(content)});
}

}  // namespace tenter::hw
