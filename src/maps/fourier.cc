// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "backend/backend.h"
#include "base/archive.h"
#include "base/require.h"
#include "kernels/law.h"
#include "random/draw.h"

namespace bochner {

namespace {

using Form = FourierOptions::Form;

// 2^30 entries of W are 4 GiB in float: what a model file of a hundred bytes may ask of its reader.
constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 30;

const char* form_name(Form form) { return form == Form::cossin ? "cossin" : "shifted"; }

constexpr const char* kDraws[] = {"independent", "orthogonal", "structured", "quasi"};

}  // namespace

std::string draw_name(FourierOptions::Draw draw) { return kDraws[std::size_t(draw)]; }

FourierOptions::Draw parse_draw_name(const std::string& text) {
  const auto* found = std::find(std::begin(kDraws), std::end(kDraws), text);
  require(found != std::end(kDraws), "map: found draw={}, expected independent, orthogonal, structured or quasi", text);
  return FourierOptions::Draw(found - std::begin(kDraws));
}

FourierMap::FourierMap(std::size_t inputs, const FourierOptions& options, std::vector<std::uint64_t> chosen)
    : inputs_(inputs), options_(options), chosen_(std::move(chosen)), scale_(0) {
  require(inputs > 0, "fourier map: no inputs, expected at least 1");
  require(options.features > 0, "fourier map: no features, expected at least 1");
  require(options.form == Form::shifted || options.features % 2 == 0,
          "fourier map: {} features, expected an even number: cos and sin come in pairs (or use form=shifted)",
          options.features);
  // Structured frequencies are never formed; two numbers of each are.
  require(frequencies() <= kMostWeights / (options.draw == FourierOptions::Draw::structured ? 2 : inputs),
          "fourier map: {} frequencies of {} inputs, expected at most {} weights; lower the features", frequencies(),
          inputs, kMostWeights);
  check_kernel(options.kernel, inputs);
  require(options.draw == FourierOptions::Draw::independent || has_radial_law(options.kernel),
          "fourier map: draw={} needs a kernel of the L2 distance, found {}", draw_name(options.draw),
          kernel_name(options.kernel));
  require(chosen_.empty() || (chosen_.size() == frequencies() && options.draw == FourierOptions::Draw::independent),
          "fourier map: found {} chosen frequencies, expected {} of independent draws", chosen_.size(), frequencies());
  scale_ =
      options.form == Form::cossin ? std::sqrt(1.0 / double(frequencies())) : std::sqrt(2.0 / double(options.features));
}

std::size_t FourierMap::frequencies() const {
  return options_.form == Form::cossin ? options_.features / 2 : options_.features;
}

// A few panels, one where rows are wide: the double precision W would be twice what is kept.
std::size_t FourierMap::drawn_at_once() const {
  constexpr std::size_t kFewInputs = 4096;
  return (inputs_ <= kFewInputs ? 4 : 1) * FourierWeights<float>::kPanel;
}

// The bytes of the map in float and of drawing it: all frequencies in double if they are drawn together.
std::size_t FourierMap::held_bytes() const {
  constexpr std::size_t kPanel = FourierWeights<float>::kPanel;
  const std::size_t F = (frequencies() + kPanel - 1) / kPanel * kPanel;
  if (options_.draw == FourierOptions::Draw::structured)
    return (5 * F + 4 * std::bit_ceil(inputs_)) *
           sizeof(float);  // three signs, factor and phase; the last block's rest
  const std::size_t together = options_.draw == FourierOptions::Draw::independent ? 0 : F;
  return inputs_ * (F * sizeof(float) + together * sizeof(double) + drawn_at_once() * (sizeof(double) + sizeof(float)));
}

template <class T>
FourierWeights<T> FourierMap::draw_weights() const {
  const std::size_t F = frequencies(), d = inputs_, chunk = drawn_at_once();

  FourierWeights<T> all;
  all.inputs = d;
  all.frequencies = F;
  all.scale = T(scale_);
  const std::size_t padded =
      (F + FourierWeights<T>::kPanel - 1) / FourierWeights<T>::kPanel * FourierWeights<T>::kPanel;
  all.panels.reserve(padded * d);
  std::vector<double> omega, b, all_omega;
  const bool together = options_.draw != FourierOptions::Draw::independent;
  if (together) {
    const bool quasi = options_.draw == FourierOptions::Draw::quasi;
    const auto draw_all = quasi ? draw_quasi_frequencies : draw_orthogonal_frequencies;
    all_omega.resize(F * d);
    draw_all(options_.kernel, options_.seed, F, d, all_omega);
  }
  for (std::size_t begin = 0; begin < F; begin += chunk) {
    const std::size_t count = std::min(chunk, F - begin);
    omega.resize(count * d);
    if (together) std::copy_n(all_omega.begin() + std::ptrdiff_t(begin * d), count * d, omega.begin());
    const auto number = [&](std::size_t i) { return chosen_.empty() ? begin + i : chosen_[begin + i]; };
    for (std::size_t i = 0; i < count && !together; ++i)
      draw_frequency(options_.kernel, options_.seed, number(i), std::span(omega).subspan(i * d, d));
    if (options_.form == Form::shifted) {
      b.resize(count);
      for (std::size_t i = 0; i < count; ++i)
        b[i] = 2 * std::numbers::pi * uniform(options_.seed, Draw::phase, number(i));
    }
    const FourierWeights<T> part = pack_fourier<T>(omega, d, b, scale_);
    all.panels.insert(all.panels.end(), part.panels.begin(), part.panels.end());
    all.phase.insert(all.phase.end(), part.phase.begin(), part.phase.end());
    all.largest = std::max(all.largest, part.largest);
  }
  return all;
}

template <>
const FourierWeights<float>& FourierMap::weights() const {
  std::call_once(float_.once, [this] { float_.weights = draw_weights<float>(); });
  return float_.weights;
}

template <>
const FourierWeights<double>& FourierMap::weights() const {
  std::call_once(double_.once, [this] { double_.weights = draw_weights<double>(); });
  return double_.weights;
}

const FourierWeights<float>* FourierMap::fourier_weights() const {
  return options_.draw == FourierOptions::Draw::structured ? nullptr : &weights<float>();
}

template <>
const StructuredWeights<float>& FourierMap::structured() const {
  std::call_once(float_.once,
                 [this] { float_.structured = structured_weights<float>(inputs_, options_, frequencies(), scale_); });
  return float_.structured;
}

template <>
const StructuredWeights<double>& FourierMap::structured() const {
  std::call_once(double_.once,
                 [this] { double_.structured = structured_weights<double>(inputs_, options_, frequencies(), scale_); });
  return double_.structured;
}

template <class T>
void FourierMap::apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
  require(block.cols == inputs_, "fourier map: block has {} columns, expected {}", block.cols, inputs_);
  require(out.rows == block.rows && out.cols == outputs(), "fourier map: output is {} x {}, expected {} x {}", out.rows,
          out.cols, block.rows, outputs());
  if (options_.draw == FourierOptions::Draw::structured)
    structured_features(on, block, structured<T>(), out);
  else
    on.fourier(block, weights<T>(), out);
}

void FourierMap::apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const {
  apply_as(on, block, out);
}
void FourierMap::apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const {
  apply_as(on, block, out);
}

std::string FourierMap::spec() const {
  return fmt::format("{}fourier:kernel={},features={},form={},{}seed={}", chosen_.empty() ? "" : "chosen-",
                     kernel_name(options_.kernel), options_.features, form_name(options_.form),
                     options_.draw == FourierOptions::Draw::independent ? "" : "draw=" + draw_name(options_.draw) + ",",
                     options_.seed);
}

void FourierMap::save(Archive& archive) const {
  const std::vector<double>& scales = options_.kernel.length_scales;
  archive.tree = {{"type", "fourier"},
                  {"kernel", kernel_name(options_.kernel)},
                  {"features", options_.features},
                  {"form", form_name(options_.form)},
                  {"draw", draw_name(options_.draw)},
                  {"seed", options_.seed},
                  {"inputs", inputs_}};
  if (scales.size() == 1)
    archive.tree["length_scale"] = scales[0];
  else
    archive.tree["length_scale"] = scales;
  if (!chosen_.empty()) archive.tree["chosen"] = chosen_;
}

MapPtr load_fourier(const Archive& archive) {
  const nlohmann::json& tree = archive.tree;
  if (const std::string type = get_text(tree, "type"); type != "fourier")
    fail(Error::Kind::model, "fourier map: type is '{}', expected 'fourier'", type);
  const std::string form = get_text(tree, "form");
  if (form != "cossin" && form != "shifted")
    fail(Error::Kind::model, "fourier map: form is '{}', expected cossin or shifted", form);
  const std::uint64_t inputs = get_count(tree, "inputs", kMostWeights);
  try {
    FourierOptions options;
    options.kernel = parse_kernel(get_text(tree, "kernel"));
    options.features = get_count(tree, "features", 2 * kMostWeights);
    options.form = form == "cossin" ? Form::cossin : Form::shifted;
    options.draw = parse_draw_name(get_text(tree, "draw"));
    options.seed = get_count(tree, "seed", ~std::uint64_t{0});
    if (const nlohmann::json& scales = get_node(tree, "length_scale"); scales.is_array()) {
      options.kernel.length_scales.clear();
      for (const nlohmann::json& scale : scales) {
        require(scale.is_number(), "fourier map: a length scale is no number");
        options.kernel.length_scales.push_back(scale.get<double>());
      }
    } else {
      options.kernel.length_scales = {get_number(tree, "length_scale")};
    }
    std::vector<std::uint64_t> chosen;
    if (tree.contains("chosen"))
      for (const nlohmann::json& number : get_node(tree, "chosen")) {
        require(number.is_number_unsigned(), "fourier map: the number of a chosen frequency is no whole number");
        chosen.push_back(number.get<std::uint64_t>());
      }
    return std::make_shared<FourierMap>(inputs, options, std::move(chosen));
  } catch (const std::invalid_argument& wrong) {
    fail(Error::Kind::model, "{}", wrong.what());
  }
}

MapPtr fourier(std::size_t inputs, const FourierOptions& options) {
  return std::make_shared<FourierMap>(inputs, options);
}

}  // namespace bochner
