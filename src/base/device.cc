// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/device.h"

#include <algorithm>
#include <utility>

#include "base/published.h"
#include "base/require.h"
#include "bochner/processor.h"

namespace bochner {

namespace {

class Processor final : public Device {
 public:
  std::string description() const override { return "the processor, by " + instructions_in_use(); }
};

struct NamedDevice {
  std::string name;
  std::shared_ptr<const Device> device;
};

const Device& processor() {
  static const Processor device;
  return device;
}

Published<NamedDevice>& registered() {
  static Published<NamedDevice> devices;
  return devices;
}

}  // namespace

bool Device::map(const Map&, const RowBlock<float>&, MatrixView<float>) const { return false; }
bool Device::map(const Map&, const RowBlock<double>&, MatrixView<double>) const { return false; }
bool Device::is_processor() const { return this == &processor(); }

void register_device(const std::string& name, std::shared_ptr<const Device> device) {
  require(!name.empty() && device, "device: found no {}, expected a name and a device",
          name.empty() ? "name" : "device");
  registered().add({name, std::move(device)}, [&](std::span<const NamedDevice> known) {
    const auto same = [&](const NamedDevice& other) { return other.name == name; };
    require(name != "cpu" && std::none_of(known.begin(), known.end(), same),
            "device: found {} a second time, expected a name of its own", name);
  });
}

std::vector<std::string> device_names() {
  std::vector<std::string> names = {"cpu"};
  for (const NamedDevice& each : registered().read()) names.push_back(each.name);
  return names;
}

const Device& device_named(const std::string& name) {
  if (name == "cpu") return processor();
  for (const NamedDevice& each : registered().read())
    if (each.name == name) return *each.device;
  std::string known;
  for (const std::string& each : device_names()) known += (known.empty() ? "" : ", ") + each;
  require(false, "device: found \"{}\", expected one that is registered: {}", name, known);
  return processor();
}

}  // namespace bochner
