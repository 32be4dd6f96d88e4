// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/map_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "bochner/model.h"
#include "bochner/train.h"
#include "choose/problem.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "scratch.h"

namespace bochner {
namespace {

// z_j(x) = x_0^(j+1) / (j+1): a map that no table of the library knows.
class Powers final : public MapOf<Powers> {
 public:
  Powers(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}
  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return outputs_; }
  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    for (std::size_t i = 0; i < block.rows; ++i) {
      T power = 1;
      for (std::size_t j = 0; j < outputs_; ++j) out(i, j) = (power *= block.values[i * block.stride]) / T(j + 1);
    }
  }
  std::string spec() const override { return "powers"; }
  void save(Archive& archive) const override {
    archive.tree = {{"type", "powers"}, {"inputs", inputs_}, {"outputs", outputs_}};
  }

 private:
  std::size_t inputs_, outputs_;
};

void register_powers() {
  if (find_map_kind("powers")) return;
  register_map_kind({.name = "powers",
                     .make = [](const MapRequest& request) -> MapPtr {
                       return std::make_shared<Powers>(request.inputs, request.features ? request.features : 3);
                     },
                     .load = [](const Archive& archive) -> MapPtr {
                       return std::make_shared<Powers>(get_count(archive.tree, "inputs", 1000),
                                                       get_count(archive.tree, "outputs", 1000));
                     }});
}

TEST(MapKinds, StandInTheOrderOfTheAlternatives) {
  EXPECT_EQ(kind_of(NoMap{}).name, "none");
  EXPECT_EQ(kind_of(Fourier{}).name, "fourier");
  EXPECT_EQ(kind_of(Binning{}).name, "binning");
  EXPECT_EQ(kind_of(Nystroem{}).name, "nystroem");
  EXPECT_EQ(kind_of(Project{}).name, "project");
  for (const MapKind* kind : map_kinds()) EXPECT_EQ(find_map_kind(kind->name), kind);
}

TEST(MapKinds, HaveAllOfTheirRow) {
  for (std::size_t i = 0; i + 1 < std::variant_size_v<AnyMap>; ++i) {
    const MapKind& kind = *map_kinds()[i];
    EXPECT_NE(kind.usage.find(kind.name), std::string::npos);
    EXPECT_EQ(kind.parse({}).index(), i);
    EXPECT_TRUE(kind.words(kind.parse({})).empty()) << kind.name;
    EXPECT_EQ(bool(kind.make), !kind.learnt_with_head) << kind.name;
    EXPECT_GT(map_size(kind, {.options = kind.parse({}), .inputs = 3, .rows = 100}).features, 0u) << kind.name;
  }
}

TEST(MapKinds, AreLoadedByTheTypeTheirMapSaves) {
  Matrix<double> sample(20, 2);
  for (std::size_t i = 0; i < 20; ++i) sample(i, 0) = double(i), sample(i, 1) = double(i * i % 7);
  for (const AnyMap& map : {AnyMap(Fourier{}), AnyMap(Nystroem{})}) {
    const MapPtr made = kind_of(map).make({.options = map,
                                           .features = 6,
                                           .inputs = 2,
                                           .rows = 20,
                                           .sample = [&](std::size_t) { return sample; },
                                           .note = [](const std::string&) {}});
    Archive archive;
    made->save(archive);
    EXPECT_EQ(archive.tree["type"], kind_of(map).name);
    EXPECT_EQ(load_map(archive)->spec(), made->spec());
  }
}

TEST(MapKinds, OneThatIsRegisteredIsTrainedSavedAndLoaded) {
  register_powers();
  Problem p(200, 1);
  const testing_files::Scratch scratch;
  const std::string path = scratch.path("powers.model");
  const auto rows = p.rows();
  const Model model = train(*rows, {.map = parse_map_options("powers:any=word"), .features = 5});
  EXPECT_EQ(model.report().features, 5u);
  model.save(path);
  const Model again = Model::load(path);
  const Matrix<double> before = model.predict(*rows), after = again.predict(*rows);
  for (std::size_t i = 0; i < before.rows(); ++i) EXPECT_EQ(before(i, 0), after(i, 0));
  EXPECT_EQ(map_words(parse_map_options("powers:any=word")), "powers:any=word");
  EXPECT_EQ(train(*rows, {.map = CustomMap{"powers"}}).report().features, 3u);
}

TEST(MapKinds, RefuseANameThatIsTakenAndAKindThatLacksSomething) {
  register_powers();
  const MapKind whole = *find_map_kind("powers");
  EXPECT_THROW(register_map_kind(whole), std::invalid_argument);
  for (MapKind kind : {whole, whole, whole}) {
    static int which = 0;
    kind.name = "lacking";
    if (which == 0) kind.name.clear();
    if (which == 1) kind.make = {};
    if (which++ == 2) kind.load = {};
    EXPECT_THROW(register_map_kind(kind), std::invalid_argument);
  }
  MapKind chain = whole;
  chain.name = "chain";
  EXPECT_THROW(register_map_kind(chain), std::invalid_argument);  // load_map would never ask it
  EXPECT_THROW(kind_of(CustomMap{"nobody"}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
