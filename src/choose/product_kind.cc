// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "base/require.h"
#include "base/spec.h"
#include "bochner/bandwidth.h"
#include "choose/map_kinds.h"
#include "choose/map_parts.h"
#include "maps/formula/product.h"

namespace bochner {

namespace {

constexpr std::size_t kMedianRows = 1000;

std::vector<ProductFactor> factors_of(const AnyMap& map) {
  const MapWords& words = std::get<CustomMap>(map).options;
  const Spec spec("product", words);
  spec.allow({"of"});
  require(spec.has("of"), "product: found no kernels, expected of=gaussian(a,b)*periodic(hour,period=24)");
  return parse_product(spec.text("of", ""));
}

// The inputs by their numbers; as many as columns were named while names are not known.
std::vector<ProductFactor> sized_factors(const MapRequest& request) {
  std::vector<ProductFactor> factors = factors_of(request.options);
  const auto is_number = [](const std::string& text) { return text.find_first_not_of("0123456789") == text.npos; };
  const bool known =
      request.inputs > 0 && std::all_of(factors.begin(), factors.end(), [&](const ProductFactor& factor) {
        return std::all_of(factor.columns.begin(), factor.columns.end(), is_number);
      });
  if (known) choose_inputs(factors, request.inputs, {});
  for (ProductFactor& factor : factors) {
    if (known) break;
    factor.inputs.assign(factor.columns.empty() ? std::max<std::size_t>(1, request.inputs) : factor.columns.size(), 0);
    if (factor.inputs.size() % 2 == 1 && factor.formula == &kGreatCircle) factor.inputs.push_back(0);
  }
  return factors;
}

std::size_t features_for(const std::vector<ProductFactor>& factors, const MapRequest& request) {
  return ProductMap::features_of(factors,
                                 request.features ? std::max<std::size_t>(1, request.features / request.sharing) : 0);
}

MapSize size_of_product(const MapRequest& request) {
  const std::vector<ProductFactor> factors = sized_factors(request);
  const std::size_t features = features_for(factors, request);
  MapSize size{.features = features,
               .wanted = request.features,
               .rounded = request.features == features ? "" : "the map has numbers of its own",
               .step = 2};
  size.weights = 2 * ProductMap::drawn_by(factors, features) / double(features);
  return size;
}

// Length scales that were not given are the median distance in the factor's inputs.
MapPtr make_product(const MapRequest& request) {
  std::vector<ProductFactor> factors = factors_of(request.options);
  choose_inputs(factors, request.inputs, {});
  for (ProductFactor& factor : factors) {
    if (factor.formula || factor.scaled) continue;
    const Matrix<double> rows = request.sample(kMedianRows);
    Matrix<double> chosen(rows.rows(), factor.inputs.size());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t j = 0; j < factor.inputs.size(); ++j) chosen(i, j) = rows(i, factor.inputs[j]);
    factor.kernel.length_scales = {median_bandwidth(factor.kernel, chosen.view())};
    factor.scaled = true;
    if (request.note)
      request.note(fmt::format("bandwidth: {:.4g} of {} by the median rule", factor.kernel.length_scales[0],
                               factor.kernel.family->name));
  }
  const std::size_t features = features_for(factors, request);
  return std::make_shared<ProductMap>(std::move(factors), request.inputs, features, request.seed);
}

const ProductMap& product_map(const Map& map) { return static_cast<const ProductMap&>(map); }

}  // namespace

MapKind product_kind() {
  return {.name = "product",
          .usage = "product:of=K(columns)*K(columns)",
          .parse =
              [](const MapWords& words) {
                const AnyMap map = CustomMap{"product", words};
                factors_of(map);
                return map;
              },
          .check = [](const MapRequest& request) { size_of_product(request); },
          .size = size_of_product,
          .make = make_product,
          .load = ProductMap::load,
          .kernel = [](const Map& map, std::span<const double> x,
                       std::span<const double> y) { return product_map(map).kernel(x, y); },
          .redraw = [](const Map& map, std::uint64_t draw) { return product_map(map).redrawn(draw); },
          .variance = [](const Map& map, std::span<const double> x,
                         std::span<const double> y) { return product_map(map).variance(x, y); }};
}

void choose_columns(std::vector<PartPlan>& parts, std::size_t inputs, const std::vector<std::string>& names) {
  for (PartPlan& part : parts) {
    if (part.kind->name != "product") continue;
    std::vector<ProductFactor> factors = factors_of(part.request.options);
    choose_inputs(factors, inputs, names);
    std::string text;
    for (const ProductFactor& factor : factors) text += (text.empty() ? "" : "*") + factor.words();
    part.request.options = CustomMap{"product", {{"of", text}}};
  }
}

namespace {

// Null: the map is none of a table's row.
const Formula* formula_of(const PartPlan& part) {
  for (const Formula* formula : formulas())
    if (part.kind->name == formula->name) return formula;
  return nullptr;
}

}  // namespace

bool wants_as_given(const PartPlan& part) {
  const Formula* const formula = formula_of(part);
  return formula && formula->as_given;
}

std::vector<InputAsGiven> inputs_as_given(const std::vector<PartPlan>& parts, std::size_t inputs) {
  std::vector<InputAsGiven> found;
  for (std::size_t j = 0; j < inputs && parts.size() == 1 && wants_as_given(parts[0]); ++j)
    found.push_back({j, formula_of(parts[0])->from_zero});
  for (const PartPlan& part : parts) {
    if (part.kind->name != "product") continue;
    std::vector<ProductFactor> factors = factors_of(part.request.options);
    choose_inputs(factors, inputs, {});
    for (const ProductFactor& factor : factors)
      for (std::size_t k = 0; k < factor.inputs.size() && factor.formula && factor.formula->as_given; ++k)
        found.push_back({factor.inputs[k], factor.formula->from_zero});
  }
  return found;
}

}  // namespace bochner
