#include <limits>

#include "core/slr3/task.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::slr3 {
namespace {

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a != 0 && b > endless / a ? endless : a * b; }
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return b > endless - a ? endless : a + b; }

tl::unexpected<Error> wrong_tensor(std::size_t tensor, std::string_view field, std::uint64_t value, std::string_view rule) {
  return error(Status::invalid, "task: tensor " + text_of(std::uint64_t{tensor}) + ": " + std::string(field) + " is " +
                                    text_of(value) + ", " + std::string(rule));
}

Result<void> check_inline(const BufferDescriptor& d, std::size_t tensor, std::uint64_t inline_bytes) {
  if (d.owner != 0 || d.buffer_id != 0 || d.remote_address != 0 || d.key != 0 || d.generation != 0)
    return error(Status::invalid, "task: tensor " + text_of(std::uint64_t{tensor}) +
                                      ": an inline descriptor names a handle: owner, buffer, " +
                                      "address, key and generation are 0 there");
  if (d.inline_bytes != d.bytes)
    return wrong_tensor(tensor, "descriptor's inline bytes", d.inline_bytes, "not its " + text_of(d.bytes) + " bytes");
  if (d.inline_offset > inline_bytes || d.inline_bytes > inline_bytes - d.inline_offset)
    return wrong_tensor(
        tensor, "descriptor's inline offset", d.inline_offset,
        "with " + text_of(d.inline_bytes) + " bytes outside the task's " + text_of(inline_bytes) + " inline bytes");
  return {};
}

Result<void> check_descriptor(const BufferDescriptor& d, std::size_t tensor, std::uint64_t inline_bytes) {
  if (number(d.space) < 1 || number(d.space) > 4)
    return wrong_tensor(tensor, "descriptor's address space", number(d.space), "expected 1 to 4");
  if (plus(d.offset, d.bytes) == endless) return wrong_tensor(tensor, "descriptor's offset", d.offset, "and its bytes overflow");
  if (d.space == AddressSpace::host_inline) return check_inline(d, tensor, inline_bytes);
  if (d.inline_offset != 0 || d.inline_bytes != 0)
    return wrong_tensor(tensor, "descriptor's inline bytes", d.inline_bytes, "0 outside HOST_INLINE");
  if (d.owner < 0)
    return error(Status::invalid, "task: tensor " + text_of(std::uint64_t{tensor}) + ": descriptor's owner is " +
                                      text_of(d.owner) + ", never negative");
  if (d.buffer_id == 0) return wrong_tensor(tensor, "descriptor's buffer", 0, "never 0");
  if (d.generation == 0) return wrong_tensor(tensor, "descriptor's generation", 0, "never 0");
  return {};
}

Result<void> check_tensor(const Tensor& t, std::size_t at) {
  if (t.generation == 0) return wrong_tensor(at, "generation", 0, "never 0");
  if (t.access > access_max) return wrong_tensor(at, "access", t.access, "expected 0 to 2");
  if (t.dtype > dtype_max) return wrong_tensor(at, "element type", t.dtype, "expected 0 to 14");
  if (t.shape.empty() || t.shape.size() > dimensions_max)
    return wrong_tensor(at, "dimensions", t.shape.size(), "expected 1 to 5");
  if (t.stride.size() != t.shape.size()) return wrong_tensor(at, "strides", t.stride.size(), "one a dimension");
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] == 0) return wrong_tensor(at, "shape", 0, "never 0");
    if (t.stride[i] == 0) return wrong_tensor(at, "stride", 0, "never 0");
  }
  if (view_bytes(t) > t.bytes) return wrong_tensor(at, "bytes", t.bytes, "fewer than the view's " + text_of(view_bytes(t)));
  return {};
}

Result<void> check_config(const CallConfig& config) {
  if (config.output_prefix.size() > prefix_bytes_max)
    return error(Status::no_space,
                 "task: output prefix of " + text_of(std::uint64_t{config.output_prefix.size()}) + " bytes, the limit is 1023");
  if (!config.output_prefix.empty() && utf8_run(config.output_prefix, 0) != config.output_prefix.size())
    return error(Status::invalid, "task: output prefix is no UTF-8");
  for (const std::int32_t flag : config.diagnostics)
    if (flag != 0 && config.output_prefix.empty())
      return error(Status::invalid, "task: its config enables diagnostics, but has no output prefix");
  return {};
}

}  // namespace

std::uint64_t element_bytes(std::uint32_t dtype) {
  constexpr std::uint8_t sizes[] = {4, 2, 4, 2, 1, 1, 2, 8, 8};
  return dtype < std::size(sizes) ? sizes[dtype] : 1;
}

std::uint64_t view_bytes(const Tensor& tensor) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < tensor.shape.size() && i < tensor.stride.size(); ++i)
    last = plus(last, times(tensor.shape[i] - std::uint64_t{1}, tensor.stride[i]));
  return times(plus(last, 1), element_bytes(tensor.dtype));
}

Result<void> check_task(const TaskCall& call) {
  const auto limited = [](std::string_view what, std::size_t found, std::size_t limit) -> Result<void> {
    if (found <= limit) return {};
    return error(Status::no_space, "task: " + text_of(std::uint64_t{found}) + " " + std::string(what) + ", the limit is " +
                                       text_of(std::uint64_t{limit}));
  };
  if (auto fits = limited("tensors", call.tensors.size(), tensors_max); !fits) return fits;
  if (auto fits = limited("scalars", call.scalars.size(), scalars_max); !fits) return fits;
  if (auto fits = limited("inline bytes", call.inline_bytes.size(), inline_bytes_max); !fits) return fits;
  if (auto good = check_config(call.config); !good) return good;
  for (std::size_t i = 0; i < call.tensors.size(); ++i) {
    if (auto good = check_tensor(call.tensors[i], i); !good) return good;
    const auto& descriptor = call.tensors[i].descriptor;
    if (!descriptor) continue;
    if (auto good = check_descriptor(*descriptor, i, call.inline_bytes.size()); !good) return good;
  }
  return {};
}

}  // namespace tenter::slr3
