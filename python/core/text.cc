// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/text.h"

#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

// Documents of a list of strings.
class ListedDocuments final : public Documents {
 public:
  explicit ListedDocuments(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  bool next(Document& document) override {
    if (at_ == texts_.size()) return false;
    document = {texts_[at_++], {}, {}};
    return true;
  }
  void rewind() override { at_ = 0; }
  double fraction_read() const override { return texts_.empty() ? 1 : double(at_) / double(texts_.size()); }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  std::vector<std::string> texts_, labels_;
  std::size_t at_ = 0;
};

Execution with_cancel(Execution execution, const CancelFunction& cancel) {
  execution.cancel = cancel;
  return execution;
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<TextOptions>(m, "TextOptions")
      .def(nb::init<>())
      .def_rw("least_words", &TextOptions::least_words)
      .def_rw("most_words", &TextOptions::most_words)
      .def_rw("min_documents", &TextOptions::min_documents)
      .def_rw("max_share", &TextOptions::max_share)
      .def_rw("hashed", &TextOptions::hashed)
      .def_rw("idf", &TextOptions::idf)
      .def_rw("sublinear", &TextOptions::sublinear)
      .def_rw("pair_weight", &TextOptions::pair_weight)
      .def_rw("bm25", &TextOptions::bm25)
      .def_rw("k1", &TextOptions::k1)
      .def_rw("b", &TextOptions::b);
  m.def("before_projection", &before_projection);
  nb::class_<Documents>(m, "Documents");
  nb::class_<ListedDocuments, Documents>(m, "ListedDocuments").def(nb::init<std::vector<std::string>>());
  nb::class_<TextCounts>(m, "TextCounts")
      .def("choose", &TextCounts::choose)
      .def("merge", &TextCounts::merge)
      .def_prop_ro("documents", &TextCounts::documents);
  m.def("count_text", [](Documents& documents, const TextOptions& options, const Execution& execution) {
    return run_long([&](const CancelFunction& cancel) {
      documents.rewind();
      return count_text(documents, options, with_cancel(execution, cancel));
    });
  });
  nb::class_<TextModel>(m, "TextModel")
      .def(nb::init<const TextCounts&>())
      .def_static("load", &TextModel::load, nb::call_guard<nb::gil_scoped_release>())
      .def("save", nb::overload_cast<const std::string&>(&TextModel::save, nb::const_),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("columns", &TextModel::columns)
      .def_prop_ro("documents", &TextModel::documents)
      .def_prop_ro("options", [](const TextModel& model) { return model.options(); })
      .def("term", &TextModel::term)
      .def("with_map", [](const TextModel& model, const HeldMap& map) { return model.with_map(map.map); })
      .def_prop_ro("map",
                   [](const TextModel& model) {
                     return model.map() ? std::optional<HeldMap>(HeldMap{model.map()}) : std::nullopt;
                   })
      // The rows read the documents, which stay with them.
      .def("rows", [](const TextModel& model, const nb::object& documents, const Execution& execution, bool queries) {
        Documents& read = nb::cast<Documents&>(documents);
        read.rewind();
        return HeldRows{queries ? model.query_rows(read, execution) : model.rows(read, execution), documents};
      });
}

}  // namespace bochner::python
