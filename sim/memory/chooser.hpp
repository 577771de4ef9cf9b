// Who makes the choices of the memory model: a borrowed callable `std::uint32_t(std::uint32_t n)` that answers 0..n-1, where 0 is
// always the boring answer. It is only called with n >= 2 and only during the call it was passed to.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tenter::sim {

class Chooser {
 public:
  constexpr Chooser() = default;  // boring for ever
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Chooser> && std::is_invocable_r_v<std::uint32_t, F&, std::uint32_t>)
      Chooser(F& choose)  // NOLINT: implicit on purpose, as a reference to a callable would be
      : target_(&choose), call_([](void* target, std::uint32_t n) { return (*static_cast<F*>(target))(n); }) {}

  std::uint32_t operator()(std::uint32_t n) const { return call_ == nullptr || n < 2 ? 0 : call_(target_, n); }

 private:
  void* target_ = nullptr;
  std::uint32_t (*call_)(void*, std::uint32_t) = nullptr;
};

}  // namespace tenter::sim
