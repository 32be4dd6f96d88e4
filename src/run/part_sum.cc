// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/part_sum.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"

namespace bochner {

void SumOrigin::merge(const SumOrigin& other) {
  std::map<std::uint64_t, const PartRows*> known;
  for (const PartRows& part : parts) known.emplace(part.number, &part);
  for (const PartRows& part : other.parts)
    if (const auto found = known.find(part.number); found != known.end())
      fail(Error::Kind::data,
           "{}: its part {} is the same as {} in {}, whose rows would count twice; leave one out, or accumulate it "
           "with another {} number if the rows do repeat",
           other.name, part.name, found->second->name, name, Option::part);
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  std::sort(parts.begin(), parts.end());
  std::vector<std::string> all;
  std::set_union(machines.begin(), machines.end(), other.machines.begin(), other.machines.end(),
                 std::back_inserter(all));
  machines = std::move(all);
}

void SumOrigin::save_parts(Archive& archive) const {
  archive.tree["parts"] = nlohmann::json::array();
  for (const PartRows& part : parts)
    archive.tree["parts"].push_back({{"name", part.name}, {"number", part.number}, {"rows", part.rows}});
}

void SumOrigin::load_parts(const Archive& archive) {
  for (const nlohmann::json& part : get_node(archive.tree, "parts"))
    parts.push_back({get_text(part, "name"), get_count(part, "number", ~std::uint64_t(0)),
                     get_count(part, "rows", std::uint64_t(1) << 53)});
  std::sort(parts.begin(), parts.end());
}

void SumOrigin::load_machines(const Archive& archive) {
  if (!archive.tree.contains("machines")) return;
  for (const nlohmann::json& machine : archive.tree["machines"]) {
    if (!machine.is_string()) fail(Error::Kind::model, "sum: the name of a machine is no text; the file is damaged");
    machines.push_back(machine.get<std::string>());
  }
  std::sort(machines.begin(), machines.end());
}

}  // namespace bochner
