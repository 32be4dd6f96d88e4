// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/device.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/cuda.h"
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
std::unique_ptr<DeviceSums> Device::sums(const Map&, std::size_t, float) const { return nullptr; }
bool Device::is_processor() const { return this == &processor(); }

void register_device(const std::string& name, std::shared_ptr<const Device> device) {
  require(!name.empty() && device, "device: found no {}, expected a name and a device",
          name.empty() ? "name" : "device");
  registered().add({name, std::move(device)}, [&](std::span<const NamedDevice> known) {
    const auto same = [&](const NamedDevice& other) { return other.name == name; };
    require(name != "cpu" && name != "cuda" && name != "auto" && std::none_of(known.begin(), known.end(), same),
            "device: found {} a second time, expected a name of its own", name);
  });
}

std::vector<std::string> device_names() {
  std::vector<std::string> names = {"cpu"};
  for (const NamedDevice& each : registered().read()) names.push_back(each.name);
  return names;
}

std::string default_device() {
  const char* const given = std::getenv("BOCHNER_DEVICE");
  return given && *given ? given : "cpu";
}

const Device& device_named(const std::string& name) {
  if (name == "cpu") return processor();
  for (const NamedDevice& each : registered().read())
    if (each.name == name) return *each.device;
  if (name == "cuda" || name == "auto") {
    std::string why;
    if (const Device* cuda = cuda_device(why)) return *cuda;
    require(name == "auto", "device: cuda cannot be used: {}; use cpu", why);
    return processor();
  }
  std::string known = "cuda, auto, ";
  for (const std::string& each : device_names()) known += (known.ends_with(", ") ? "" : ", ") + each;
  require(false, "device: found \"{}\", expected one that is registered: {}", name, known);
  return processor();
}

}  // namespace bochner
