// What a protocol machine is, and one of any kind behind one type (for the simulator, replay and `hw run` of a registry).
//
// A machine is a regular value: described fields (core/describe.hpp), `state_name()`, and one handler per event that its ports
// can produce: `template <Ports O> void on(const event::X& e, O& out)`.
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "core/digest.hpp"
#include "core/event.hpp"
#include "core/outbox.hpp"
#include "core/text.hpp"

namespace tenter {

template <class M>
concept Machine = std::copyable<M> && Described<M> && requires(const M& machine) {
  { machine.state_name() } -> std::convertible_to<std::string_view>;
};

template <class M, class E, class O = Outbox>
concept Handles = requires(M& machine, const E& event, O& out) {
  machine.on(event, out);
};

// Calls the machine's handler; false when it has none for this kind of event.
template <class M, class O>
bool deliver(M& machine, const Event& event, O& out) {
  return std::visit(
      [&](const auto& e) {
        if constexpr (Handles<M, std::remove_cvref_t<decltype(e)>, O>) {
          machine.on(e, out);
          return true;
        } else {
          return false;
        }
      },
      event);
}

class AnyMachine {
 public:
  AnyMachine() = default;
  // The first condition keeps the second from asking whether AnyMachine is a Machine, which would ask for its copies again.
  template <class M>
  requires(!std::same_as<M, AnyMachine> && Machine<M>) explicit AnyMachine(M machine)
      : self_(std::make_unique<Model<M>>(std::move(machine))) {}
  AnyMachine(const AnyMachine& other) : self_(other.self_ ? other.self_->copy() : nullptr) {}
  AnyMachine(AnyMachine&&) noexcept = default;
  AnyMachine& operator=(AnyMachine other) noexcept {
    self_ = std::move(other.self_);
    return *this;
  }

  explicit operator bool() const { return self_ != nullptr; }
  bool deliver(const Event& event, Outbox& out) { return self_->deliver(event, out); }
  std::string_view name() const { return self_->name(); }
  std::string_view state_name() const { return self_->state_name(); }
  std::uint64_t digest() const { return self_->digest(); }
  std::string text() const { return self_->text(); }

  // The machine itself, when it is an M.
  template <Machine M>
  const M* as() const {
    auto* model = dynamic_cast<const Model<M>*>(self_.get());
    return model ? &model->machine : nullptr;
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> copy() const = 0;
    virtual bool deliver(const Event& event, Outbox& out) = 0;
    virtual std::string_view name() const = 0;
    virtual std::string_view state_name() const = 0;
    virtual std::uint64_t digest() const = 0;
    virtual std::string text() const = 0;
  };
  template <Machine M>
  struct Model final : Base {
    explicit Model(M m) : machine(std::move(m)) {}
    std::unique_ptr<Base> copy() const override { return std::make_unique<Model>(machine); }
    bool deliver(const Event& event, Outbox& out) override { return tenter::deliver(machine, event, out); }
    std::string_view name() const override { return M::name; }
    std::string_view state_name() const override { return machine.state_name(); }
    std::uint64_t digest() const override { return digest_value(machine); }
    std::string text() const override { return text_of(machine); }
    M machine;
  };
  std::unique_ptr<Base> self_;
};

}  // namespace tenter
