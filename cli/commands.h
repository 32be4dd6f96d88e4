// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <initializer_list>

#include "command.h"

namespace bochner {

// The chosen command, ready to run once the whole line has been read.
using Job = std::function<void()>;

// Each declares its words and its help, and sets `job` when it is the one chosen.
void add_demo(Command& app, Job& job);
void add_train(Command& app, Job& job);
void add_predict(Command& app, Job& job);
void add_eval(Command& app, Job& job);
void add_report(Command& app, Job& job);
void add_explain(Command& app, Job& job);
void add_transform(Command& app, Job& job);
void add_project(Command& app, Job& job);
void add_svd(Command& app, Job& job);
void add_pca(Command& app, Job& job);
void add_kmeans(Command& app, Job& job);
void add_lda(Command& app, Job& job);
void add_cca(Command& app, Job& job);
void add_anomaly(Command& app, Job& job);
void add_drift(Command& app, Job& job);
void add_independence(Command& app, Job& job);
void add_embed(Command& app, Job& job);
void add_reduce(Command& app, Job& job);
void add_plot(Command& app, Job& job);
void add_gmm(Command& app, Job& job);
void add_hmm(Command& app, Job& job);
void add_sample(Command& app, Job& job);
void add_text(Command& app, Job& job);
void add_index(Command& app, Job& job);
void add_neighbors(Command& app, Job& job);
void add_graph(Command& app, Job& job);
void add_dedup(Command& app, Job& job);
void add_inspect(Command& app, Job& job);
void add_update(Command& app, Job& job);
void add_forget(Command& app, Job& job);
void add_watch(Command& app, Job& job);
void add_accumulate(Command& app, Job& job);
void add_merge(Command& app, Job& job);
void add_solve(Command& app, Job& job);
void add_rounds(Command& app, Job& job);
void add_mpi_train(Command& app, Job& job);
void add_dims(Command& app, Job& job);
void add_check(Command& app, Job& job);
void add_papers(Command& app, Job& job);

// --help of this command shows these of its words; --help-all shows every one.
void keep_help_short(Command& command, std::initializer_list<const char*> words);

// A check found more than its user allows: said on stdout and stderr already.
struct AboveLimit {};

}  // namespace bochner
