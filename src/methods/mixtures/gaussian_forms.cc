// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <charconv>

#include "base/require.h"
#include "bochner/gaussians.h"

namespace bochner {

namespace {
using Kind = CovarianceForm::Kind;
constexpr const char* kNames[] = {"full", "diag", "spherical", "tied", "lowrank"};
}  // namespace

std::string covariance_name(const CovarianceForm& form) {
  const std::string name = kNames[std::size_t(form.kind)];
  return form.kind == Kind::lowrank ? fmt::format("{}:{}", name, form.rank) : name;
}

CovarianceForm parse_covariance_name(const std::string& text) {
  for (const Kind kind : {Kind::full, Kind::diag, Kind::spherical, Kind::tied})
    if (text == kNames[std::size_t(kind)]) return {.kind = kind};
  const std::string prefix = "lowrank:";
  CovarianceForm form{.kind = Kind::lowrank};
  if (text.starts_with(prefix)) {
    const char *begin = text.data() + prefix.size(), *end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, form.rank);
    if (error == std::errc() && rest == end && form.rank > 0) return form;
  }
  mistake("covariance: found '{}', expected full, diag, spherical, tied or lowrank:R with R = 1 or more", text);
}

Matrix<double> Gaussians::covariance(std::size_t k) const {
  const std::size_t d = inputs();
  if (form.kind == Kind::full) return matrices[k];
  if (form.kind == Kind::tied) return matrices[0];
  Matrix<double> covariance(d, d);
  for (std::size_t j = 0; j < d; ++j) covariance(j, j) = variances(k, form.kind == Kind::spherical ? 0 : j);
  for (std::size_t i = 0; form.kind == Kind::lowrank && i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t a = 0; a < form.rank; ++a) covariance(i, j) += matrices[k](i, a) * matrices[k](j, a);
  return covariance;
}

double parameters_of(const CovarianceForm& form, std::size_t components, std::size_t inputs) {
  const double M = double(components), d = double(inputs), r = double(form.rank), matrix = d * (d + 1) / 2;
  double of_covariances = 0;
  switch (form.kind) {
    case Kind::full:
      of_covariances = M * matrix;
      break;
    case Kind::tied:
      of_covariances = matrix;
      break;
    case Kind::diag:
      of_covariances = M * d;
      break;
    case Kind::spherical:
      of_covariances = M;
      break;
    case Kind::lowrank:  // turning the directions changes nothing
      of_covariances = M * (d + d * r - r * (r - 1) / 2);
      break;
  }
  return M - 1 + M * d + of_covariances;
}

}  // namespace bochner
