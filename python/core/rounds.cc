// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/rounds.h"

#include "bochner/atomic_file.h"
#include "bochner/hmm.h"
#include "bochner/kmeans.h"
#include "bochner/lda.h"
#include "bochner/mixture.h"
#include "bochner/pca.h"
#include "bochner/svd.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

struct HeldLearn {
  Learn learn;
  std::string gathered_because = {};  // why rows meet; empty: they do not
};

// The rows of a partition, and the Python objects whose memory they read.
struct HeldPartition {
  Partition partition = {};
  nb::object memory = {};
};

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// A method whose options have the features' options among them.
template <class Options>
auto by_features(Model (*method)(Rows&, const Options&)) {
  return [method](Options options) {
    options.features.say = {};
    options.features.execution = {};
    return HeldLearn{[method, options](Rows& rows, const Execution& execution) {
      Options own = options;
      own.features.execution = execution;
      return method(rows, own);
    }};
  };
}

// for_each_row: lambdas are penalties of all rows together.
HeldLearn learn_train(TrainOptions options, bool for_each_row) {
  options.say = options.notice = {};
  options.execution = {};
  const Learn learn = [options, for_each_row](Rows& rows, const Execution& execution) {
    TrainOptions own = options;
    own.execution = execution;
    for (double& lambda : own.ridge.lambdas)
      if (for_each_row) lambda /= double(rows.counts().rows);
    return train(rows, own);
  };
  return {learn, gathered_because(options)};
}

HeldLearn learn_svd(const SvdOptions& options) {
  return {[options](Rows& rows, const Execution& execution) {
    SvdOptions own = options;
    own.execution = execution;
    return svd(rows, own);
  }};
}

void bind_partitions(nb::module_& m) {
  nb::class_<HeldPartition>(m, "Partition").def(nb::init<>());
  m.def("file_partition", [](const std::string& path, const RowsOptions& options) {
    return HeldPartition{file_partition(path, options)};
  });
  m.def("sequence_partition", [](const std::string& path, const std::string& column, const RowsOptions& options) {
    return HeldPartition{sequence_partition(path, column, options)};
  });
  m.def(
      "frame_partition",
      [](const Frame& frame, const RowsOptions& options, nb::object memory, const std::vector<std::size_t>& starts,
         const std::vector<std::string>& names) {
        HeldPartition held{frame_partition(frame, options), std::move(memory)};
        const PartSequences sequences = named_sequences(starts, names);
        if (!starts.empty()) held.partition.sequences = [sequences](const Schema&) { return sequences; };
        return held;
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg() = std::vector<std::size_t>(), nb::arg() = std::vector<std::string>());
  m.def("run_task", [](const nb::bytes& plan, std::size_t index, const HeldPartition& partition, const HeldLearn& learn,
                       Execution execution) {
    return bytes_of(run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      return run_task(view_of(plan), index, partition.partition, learn.learn, execution);
    }));
  });
  m.def("what_is_learnt", [](const nb::bytes& plan) { return what_is_learnt(view_of(plan)); });
}

}  // namespace

void bind_rounds(nb::module_& m) {
  nb::class_<HeldLearn>(m, "Learn").def_ro("gathered_because", &HeldLearn::gathered_because);
  m.def("learning", &learn_train);
  m.def("learning", &learn_svd);
  m.def("learning", by_features<PcaOptions>(&pca));
  m.def("learning", by_features<LdaOptions>(&lda));
  m.def("learning", by_features<KMeansOptions>(&kmeans));
  m.def("learning", by_features<MixtureOptions>(&mixture));
  m.def("learning",
        by_features<HmmOptions>([](Rows& rows, const HmmOptions& options) { return hmm(rows, {}, options); }));
  bind_partitions(m);
  nb::class_<Rounds>(m, "Rounds")
      .def("__init__", [](Rounds* made, const std::string& what, std::size_t partitions, const HeldLearn& learn,
                          const Execution& execution) { new (made) Rounds(what, partitions, learn.learn, execution); })
      .def_static("of_state",
                  [](const nb::bytes& state, const HeldLearn& learn, const Execution& execution) {
                    return run_long([&](const CancelFunction&) {
                      return Rounds::of_state(view_of(state), learn.learn, execution);
                    });
                  })
      .def_prop_ro("done", &Rounds::done)
      .def_prop_ro("round", &Rounds::round)
      .def_prop_ro("partitions", &Rounds::partitions)
      .def_prop_ro("missing", &Rounds::missing)
      .def("plan", [](const Rounds& rounds) { return bytes_of(rounds.plan()); })
      .def("state", [](const Rounds& rounds) { return bytes_of(rounds.state()); })
      .def(
          "save",
          [](const Rounds& rounds, const std::string& path) {
            AtomicFile file(path);
            file.write(rounds.state());
            file.commit();
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def("add",
           [](Rounds& rounds, const nb::bytes& result) {
             const std::string text(view_of(result));
             return run_long([&](const CancelFunction&) { return rounds.add(text); });
           })
      .def("model", [](const Rounds& rounds) { return rounds.model(); });
}

}  // namespace bochner::python
