// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>

namespace bochner {

// The chosen command, ready to run once the whole line has been read.
using Job = std::function<void()>;

// Each declares its words and its help, and sets `job` when it is the one chosen.
void add_demo(CLI::App& app, Job& job);
void add_train(CLI::App& app, Job& job);
void add_predict(CLI::App& app, Job& job);
void add_eval(CLI::App& app, Job& job);
void add_report(CLI::App& app, Job& job);
void add_transform(CLI::App& app, Job& job);
void add_project(CLI::App& app, Job& job);
void add_svd(CLI::App& app, Job& job);
void add_pca(CLI::App& app, Job& job);
void add_kmeans(CLI::App& app, Job& job);
void add_lda(CLI::App& app, Job& job);
void add_cca(CLI::App& app, Job& job);
void add_anomaly(CLI::App& app, Job& job);
void add_drift(CLI::App& app, Job& job);
void add_independence(CLI::App& app, Job& job);
void add_embed(CLI::App& app, Job& job);
void add_reduce(CLI::App& app, Job& job);
void add_plot(CLI::App& app, Job& job);
void add_gmm(CLI::App& app, Job& job);
void add_hmm(CLI::App& app, Job& job);
void add_sample(CLI::App& app, Job& job);
void add_text(CLI::App& app, Job& job);
void add_index(CLI::App& app, Job& job);
void add_neighbors(CLI::App& app, Job& job);
void add_graph(CLI::App& app, Job& job);
void add_dedup(CLI::App& app, Job& job);
void add_inspect(CLI::App& app, Job& job);
void add_accumulate(CLI::App& app, Job& job);
void add_merge(CLI::App& app, Job& job);
void add_solve(CLI::App& app, Job& job);
void add_dims(CLI::App& app, Job& job);
void add_check(CLI::App& app, Job& job);

// --help of this command shows these of its words; --help-all shows every one.
void keep_help_short(CLI::App& command, std::initializer_list<const char*> words);

// A check found more than its user allows: said on stdout and stderr already.
struct AboveLimit {};

}  // namespace bochner
