// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "feature_words.h"

#include <algorithm>
#include <utility>

#include "bochner/kernel_family.h"
#include "bochner/map_kind.h"
#include "require.h"

namespace bochner {

namespace {

using Method = ColumnScaling::Method;

// "gaussian+laplacian:weight=2" is a mixture of Fourier parts, one per kernel, in the options of the map given.
void mix_kernels(const FeatureWords& words, std::vector<MapPart> kernels, FeatureOptions& options) {
  const MapPart& map = options.map.parts[0];
  require(options.map.parts.size() == 1 && std::holds_alternative<Fourier>(map.map) && !map.kernel,
          "--kernel: found {} kernels with --map {}, expected --map fourier; or give each part of the map its kernel=",
          kernels.size(), words.map);
  const bool scaled = std::any_of(kernels.begin(), kernels.end(), [](const MapPart& part) { return part.kernel; });
  for (const auto& [option, word] : {std::pair("--bandwidth", words.bandwidth), std::pair("--gamma", words.gamma)})
    require(
        scaled || word.empty(),
        "{}: found {}, but each kernel over columns has a length scale of its own: gaussian(a,sigma=2); leave it out",
        option, word);
  require(words.gamma.empty(), "--gamma: found {} kernels, expected one; use --bandwidth", kernels.size());
  for (MapPart& part : kernels) {
    if (part.kernel) part.map = map.map;
    part.features = map.features;
    if (!part.bandwidth) part.bandwidth = map.bandwidth;
    if (!part.weight) part.weight = map.weight;
  }
  auto before = std::move(options.map.before);
  options.map = std::move(kernels);
  options.map.before = std::move(before);
}

// One bandwidth from --bandwidth, --gamma or the kernel's own sigma= or gamma=; two of them contradict each other.
void parse_kernel_words(const FeatureWords& words, FeatureOptions& options) {
  const std::string kernel = words.kernel.empty() ? "gaussian" : words.kernel;
  options.bandwidth = parse_bandwidth(words.bandwidth);
  std::vector<MapPart> parts = parse_kernel_parts(kernel);
  if (parts.size() > 1 || !parts[0].kernel) return mix_kernels(words, std::move(parts), options);
  options.kernel = *parts[0].kernel;
  require(int(parts[0].bandwidth.has_value()) + int(!words.gamma.empty()) + int(!words.bandwidth.empty()) <= 1,
          "--bandwidth: given twice, expected one of --bandwidth, --gamma and sigma= or gamma= in --kernel");
  if (parts[0].bandwidth) options.bandwidth = *parts[0].bandwidth;
  if (words.gamma.empty()) return;
  parse_number("--gamma", words.gamma);
  const bool more = kernel.find(':') != kernel.npos;
  options.bandwidth = parse_kernel(kernel + (more ? "," : ":") + "gamma=" + words.gamma).length_scales;
}

// A kernel that was asked for by name, and that random bins cannot have.
void check_bins_kernel(const FeatureWords& words, const FeatureOptions& options) {
  const auto* bins = options.map.parts.size() == 1 ? std::get_if<Binning>(&options.map.parts[0].map) : nullptr;
  if (!bins || bins->law || bins->order_high > 0) return;
  require((words.kernel.empty() && words.gamma.empty()) || options.kernel.family == Kernel::Family::laplacian,
          "--kernel: the {} kernel is no mixture of hats, expected laplacian with --map binning; or leave it out, give "
          "law=hat, reciprocal or log-uniform in the map, or use --map fourier",
          kernel_name(options.kernel));
}

// Every kind as its row says it; none, the first, comes last.
std::string map_help() {
  const std::vector<const MapKind*> kinds = map_kinds();
  std::string help;
  for (std::size_t i = 1; i < kinds.size(); ++i) help += kinds[i]->usage + ", ";
  return help + "several (fourier+binning), or " + kinds[0]->usage;
}

}  // namespace

void parse_scales(const std::vector<std::string>& scales, FeatureOptions& options) {
  for (const std::string& text : scales) {
    const auto [name, word] = split_pair(text);
    const Method method = parse_word<Method>("--scale", word,
                                             {{"none", Method::none},
                                              {"standardize", Method::standardize},
                                              {"minmax", Method::minmax},
                                              {"log", Method::log},
                                              {"quantile", Method::quantile},
                                              {"whiten", Method::whiten}});
    if (name.empty())
      options.scale = method;
    else
      options.scale_inputs.emplace_back(name, method);
  }
}

void FeatureWords::add_map(Command& app, const std::string& default_bandwidth) {
  app.add_option("--kernel", kernel,
                 kernel_names() +
                     ", a mixture: gaussian+laplacian:weight=2, or kernels over "
                     "columns: gaussian(a,b)*periodic(hour,period=24)+linear(c)")
      ->type_name("K")
      ->group(kMachine);
  app.add_option("--bandwidth", bandwidth,
                 "A number, one per input (a,b,...), scale, median, or auto: one per input, searched; default: " +
                     default_bandwidth)
      ->type_name("S")
      ->group(kMachine);
  app.add_option("--gamma", gamma, "Instead: 1 / (2 bandwidth^2) for gaussian, 1 / bandwidth for laplacian")
      ->type_name("G")
      ->group(kMachine);
  app.add_option("--map", map, map_help())->type_name("M")->group(kMachine);
  features_given =
      app.add_option("--features", features,
                     "Outputs of the map, grids of binning or landmarks of nystroem; default: by the number of rows")
          ->type_name("D")
          ->group(kMachine);
  add_repeatable(
      app, "--scale", scales,
      "standardize, minmax, log, quantile, whiten or none, for all inputs or NAME=METHOD for one; default: by column")
      ->type_name("METHOD")
      ->group(kColumns);
}

void FeatureWords::add_precision_and_seed(Command& app) {
  app.add_option("--precision", precision, "Precision of the features: float or double")
      ->type_name("P")
      ->group(kMachine);
  app.add_option("--seed", seed, "Seed of everything random; the same seed gives the same model")
      ->type_name("N")
      ->group(kMachine);
}

bool FeatureWords::double_precision() const {
  return parse_word<bool>("--precision", precision, {{"float", false}, {"double", true}});
}

FeatureOptions FeatureWords::feature_options() const {
  FeatureOptions options;
  options.map = parse_map_options(map);
  parse_kernel_words(*this, options);
  check_bins_kernel(*this, options);
  require(features_given->count() == 0 || features > 0,
          "--features: found 0, expected at least 1; leave it out for a number by the rows");
  options.features = features;
  parse_scales(scales, options);
  options.double_precision = double_precision();
  options.seed = seed;
  return options;
}

}  // namespace bochner
