// The trainer of the example: a process that shares nothing with the core job but a directory and a network. It joins the
// samples, reads them in shuffled batches, and fits a linear model to them by stochastic gradient descent.
//
//   store_read D [EPOCHS]        exit code 0: the law behind the samples was found
//
// Its other half is publish.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "examples/store/samples.hpp"
#include "hw/store/store_reader.hpp"

namespace {

using namespace tenter;

constexpr std::size_t batch_rows = 64;
constexpr float rate = 0.5F;

class Model {
 public:
  // One step down the gradient of the batch; its mean squared error before.
  double learn(const std::vector<samples::Sample>& batch) {
    std::array<float, samples::features> gradient{};
    double squares = 0;
    for (const samples::Sample& sample : batch) {
      const float wrong = std::inner_product(weights.begin(), weights.end(), sample.begin(), 0.0F) - sample[samples::features];
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += wrong * sample[i];
      squares += static_cast<double>(wrong) * static_cast<double>(wrong);
    }
    const auto count = static_cast<float>(batch.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) weights[i] -= rate * gradient[i] / count;
    return squares / static_cast<double>(count);
  }
  std::array<float, samples::features> weights{};
};

Result<double> train(hw::StoreReader& reader, std::uint64_t rows, std::uint64_t epochs, Model& model) {
  std::vector<std::uint64_t> order(rows);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::mt19937_64 random(1);
  double error = 0;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    double sum = 0;
    std::uint64_t batches = 0;
    for (std::uint64_t at = 0; at + batch_rows <= rows; at += batch_rows, ++batches) {
      std::vector<store::RowRange> wanted;
      for (std::size_t i = 0; i < batch_rows; ++i) wanted.push_back({order[at + i], 1});
      std::vector<samples::Sample> batch(batch_rows);
      const MutableBytes into = std::as_writable_bytes(std::span(batch));
      if (auto got = reader.get(samples::variable, wanted, into, seconds(10)); !got) return tl::unexpected(got.error());
      sum += model.learn(batch);
    }
    error = sum / static_cast<double>(batches == 0 ? 1 : batches);
    std::printf("epoch %llu: mean squared error %.6f\n", static_cast<unsigned long long>(epoch + 1), error);
  }
  return error;
}

Result<bool> read(const char* directory, std::uint64_t epochs) {
  hw::StoreReaderOptions options;
  options.directory = directory;
  auto reader = hw::StoreReader::open(options);
  if (!reader) return tl::unexpected(reader.error());
  const auto record = (*reader)->join(samples::variable, seconds(30));  // waits until they are published
  if (!record) return tl::unexpected(record.error());
  std::uint64_t rows = 0;
  for (const store::Shard& shard : record->shards) rows += shard.rows;
  std::printf("%llu samples of %zu ranks of job \"%s\"\n", static_cast<unsigned long long>(rows), record->shards.size(),
              record->job.c_str());
  Model model;
  const auto error = train(**reader, rows, epochs, model);
  if (!error) return tl::unexpected(error.error());
  bool found = true;
  for (std::size_t i = 0; i < model.weights.size(); ++i) found = found && std::abs(model.weights[i] - samples::law[i]) < 0.01F;
  if (auto left = (*reader)->leave(samples::variable, seconds(10)); !left) return tl::unexpected(left.error());
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return std::fprintf(stderr, "usage: store_read DIRECTORY [EPOCHS]\n"), 64;
  const auto found = read(argv[1], argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 3);
  if (!found) return std::fprintf(stderr, "store_read: %s\n", found.error().what.c_str()), 4;
  std::printf(*found ? "the law was found\n" : "the law was not found\n");
  return *found ? 0 : 1;
}
