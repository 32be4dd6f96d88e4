// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// A stranger's own method with a command of its own, by public headers alone: `bochner nearest-mean` runs the program
// bochner-nearest-mean.
//
// A row belongs to the class whose mean of features is nearest. Schoelkopf & Smola, Learning with Kernels, 2002, 1.2:
//   score_c(x) = m_c . z(x) - |m_c|^2 / 2,  m_c the mean of z over class c,  z Fourier features of the Gaussian kernel.

#include <bochner/bochner.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace bochner;

namespace {

// The bandwidth is a length scale of the standardized inputs; 0 stands for the root of their number.
using Options = std::map<std::string, std::string>;
const Options kDefaults = {{"FILE", ""},         {"--target", ""},       {"-o", ""},
                           {"--bandwidth", "0"}, {"--features", "1000"}, {"--seed", "0"}};
const std::string kUsage =
    "bochner nearest-mean FILE --target NAME|INDEX -o MODEL [--bandwidth S] [--features D] [--seed N]";

template <class Number>
Number number(const Options& options, const std::string& name) {
  Number value{};
  const std::string& text = options.at(name);
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, value); read.ec != std::errc() || read.ptr != end)
    throw std::invalid_argument(name + ": found '" + text + "', expected a number");
  return value;
}

Options parse(const std::vector<std::string>& words) {
  Options options = kDefaults;
  if (!words.empty()) options["FILE"] = words[0];
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!words[i].starts_with("-") || !options.contains(words[i]) || i + 1 == words.size())
      throw std::invalid_argument("found '" + words[i] + "', expected an option and its value: " + kUsage);
    options[words[i]] = words[i + 1];
  }
  for (const char* needed : {"FILE", "--target", "-o"})
    if (options[needed].empty())
      throw std::invalid_argument(std::string("found no ") + needed + ", expected " + kUsage);
  if (same_file(options["-o"], options["FILE"]))
    throw std::invalid_argument(options["-o"] + ": is an input of this command; choose another output");
  return options;
}

// The rows of each class, and the sum of their features.
struct ClassSums {
  std::size_t classes = 0, width = 0;
  std::vector<double> rows = std::vector<double>(classes), sums = std::vector<double>(classes * width);

  void add(const RowBlock<float>& z) {
    for (std::size_t i = 0; i < z.rows; ++i) {
      const auto c = std::size_t(z.targets[i * z.target_count]);
      rows[c] += 1;
      for (std::size_t j = 0; j < width; ++j) sums[c * width + j] += double(z.values[i * z.stride + j]);
    }
  }
  void merge(const ClassSums& other) {
    for (std::size_t c = 0; c < rows.size(); ++c) rows[c] += other.rows[c];
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other.sums[k];
  }
  void save(Archive& archive) const {
    archive.put<double>("rows", rows, {classes});
    archive.put<double>("sums", sums, {classes, width});
  }
  void load(const Archive& archive) {
    rows = archive.get<double>("rows", {classes});
    sums = archive.get<double>("sums", {classes, width});
  }
};
static_assert(Fold<ClassSums>);

// A score for each class. Two classes have one score, which is score_1 - score_0, as Outputs::Kind::scores asks.
MapPtr solve(const ClassSums& sums) {
  const bool two = sums.classes == 2;
  Matrix<double> weights(sums.width, two ? 1 : sums.classes);
  std::vector<double> intercepts(weights.cols());
  for (std::size_t c = 0; c < sums.classes; ++c) {
    const std::size_t output = two ? 0 : c;
    const double sign = two && c == 0 ? -1 : 1;
    for (std::size_t j = 0; j < sums.width; ++j) {
      const double mean = sums.sums[c * sums.width + j] / sums.rows[c];
      weights(j, output) += sign * mean;
      intercepts[output] -= sign * mean * mean / 2;
    }
  }
  return linear(std::move(weights), std::move(intercepts));
}

Model nearest_mean(Rows& rows, const Options& options) {
  const Schema& schema = rows.schema();
  if (schema.labels.size() < 2)
    throw Error(Error::Kind::data, options.at("FILE") + ": found one class, expected at least two in the target");
  const double asked = number<double>(options, "--bandwidth");
  const Kernel kernel = gaussian(asked != 0 ? asked : std::sqrt(double(schema.inputs)));
  const auto features = number<std::size_t>(options, "--features");
  const auto seed = number<std::uint64_t>(options, "--seed");
  const auto form = features % 2 == 0 ? FourierOptions::Form::cossin : FourierOptions::Form::shifted;
  std::vector<MapPtr> maps = {
      fourier(schema.inputs, {.kernel = kernel, .features = features, .form = form, .seed = seed})};
  if (const MapPtr scale = column_scaling(rows, {.scale = ColumnScaling::Method::standardize}))
    maps.insert(maps.begin(), scale);
  const ClassSums sums = fold(rows, chain(maps), ClassSums{schema.labels.size(), features});
  Report report;
  report.learner = "nearest mean";
  report.solver = "one pass";
  for (const double rows_of_class : sums.rows) report.rows += std::uint64_t(rows_of_class);
  return Model(schema, maps, solve(sums), report);
}

int fail(int code, const char* message) {
  std::fprintf(stderr, "bochner: %s\n", one_line(message).c_str());
  return code;
}

}  // namespace

// The exit codes are those of bochner: 1 misuse, 2 data.
int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"--help"}) return std::printf("Usage: %s\n", kUsage.c_str()) < 0 ? 2 : 0;
  spell_options(OptionSpelling::flags);
  try {
    const Options options = parse(words);
    const auto rows =
        open_rows(options.at("FILE"), {.targets = {options.at("--target")}, .task = Task::classification});
    nearest_mean(*rows, options).save(options.at("-o"));
    return 0;
  } catch (const Error& error) {
    return fail(2, error.what());
  } catch (const std::exception& mistake) {
    return fail(1, mistake.what());
  }
}
