// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

namespace bochner {

// Elementary functions whose bits do not depend on a vendor's libm: +, -, *, / and square root only.
// For draws, features and models that are the same on every machine; everything else uses <cmath>.
double portable_log(double x);    // as the library's at 0, below it and of NaN; within 1 ulp of a normal x
double portable_log1p(double x);  // x >= 0; within 1 ulp
double portable_exp(
    double x);  // any x: infinity above 709.78, 0 below -745.13; within 1 ulp where the result is normal
double portable_sin_pi(double x);  // sin(pi x), |x| <= 1; relative error about 1e-16
double portable_cos_pi(double x);  // cos(pi x), |x| <= 1/2; likewise
double normal_quantile(double p);  // p in (0, 1); relative error about 1e-16

}  // namespace bochner
