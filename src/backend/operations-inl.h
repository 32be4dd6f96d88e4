// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// No guard: the operations of one device, inside its class, which defines them. backend/backend.h says what each does
// and forwards to them. T is float or double; of kept rows also std::int16_t.

template <class T>
static void fourier(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z);

template <class T>
static void add_product(MatrixView<const T> a, MatrixView<const T> b, double per_unit, MatrixView<std::int64_t> sum);
static void add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum);

static bool has_bfloat16();
static std::size_t bfloat16_bytes(std::size_t rows, std::size_t cols);
static void pack_bfloat16(MatrixView<const float> x, std::byte* packed);
static void add_bfloat16_product(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<double> sum);

template <class T>
static void multiply(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c);

template <class T>
static void kernel_block(const RowBlock<T>& x, const Landmarks<T>& y, MatrixView<T> k);

template <class T>
static void multiply_lower(MatrixView<const T> x, const LowerPanels<T>& r, MatrixView<T> z);

template <class T>
static void radial_block(MatrixView<const T> x, const PointPanels<T>& y, double q, MatrixView<T> k);

template <class T>
static void radial_entries(MatrixView<const T> x, const PointPanels<T>& y, double q, const RadialEntries<T>& entries);

template <class T>
static void radial_slope(const RadialEntries<T>& of, double q, const RadialSlope<T>& slope);

static void nearest(MatrixView<const float> x, const PointPanels<float>& y, const MetPoints& points,
                    const NearestView& best);
static void squared_distances(const float* x, MatrixView<const float> points, std::span<const std::uint32_t> at,
                              double* squared);

template <class T>
static void bin_hashes(const PackedRows<T>& rows, const Grid<T>& grid, std::uint64_t* hashes);

template <class T>
static void hadamard(MatrixView<T> x);

template <class T>
static void cosines(MatrixView<const T> y, const T* factor, const T* phase, T scale, MatrixView<T> z);

static void sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t rows, std::size_t first, std::size_t words,
                      std::uint64_t* bits);
template <class T>
static void expand_signs(const std::uint64_t* bits, std::size_t words, T size, MatrixView<T> r);

template <class T>
static void project(MatrixView<const T> z, MatrixView<const Computed<T>> v, MatrixView<Computed<T>> u);
static void project_and_widen(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
                              MatrixView<float> wide);

template <class T>
static void add_combined(MatrixView<const T> z, MatrixView<const Computed<T>> u, MatrixView<Computed<T>> sum);

// The same in double for rows that may lie anywhere.
template <class T>
static void project(std::span<const T* const> z, MatrixView<const double> v, MatrixView<double> u);

template <class T>
static void add_combined(std::span<const T* const> z, MatrixView<const double> u, MatrixView<double> sum);

template <class T>
static void scatter(std::span<const T* const> z, const std::uint32_t* to, const float* factor, MatrixView<float> sum);

static void to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q);
