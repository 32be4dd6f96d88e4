// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/device.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/threads.h"

namespace bochner {
namespace {

class Abacus final : public Device {
 public:
  std::string description() const override { return "beads"; }
};

TEST(Device, IsRegisteredOnceUnderItsName) {
  EXPECT_EQ(device_names().front(), "cpu");
  EXPECT_TRUE(device_named("cpu").is_processor());
  EXPECT_EQ(device_named("cpu").description().find("the processor"), 0u);
  EXPECT_THROW(device_named("abacus"), std::invalid_argument);
  register_device("abacus", std::make_shared<Abacus>());
  EXPECT_EQ(device_named("abacus").description(), "beads");
  EXPECT_FALSE(device_named("abacus").is_processor());
  const std::vector<std::string> names = device_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "abacus"), 1);
  EXPECT_THROW(register_device("abacus", std::make_shared<Abacus>()), std::invalid_argument);
  EXPECT_THROW(register_device("cpu", std::make_shared<Abacus>()), std::invalid_argument);
  EXPECT_THROW(register_device("", std::make_shared<Abacus>()), std::invalid_argument);
  EXPECT_THROW(register_device("none", nullptr), std::invalid_argument);
}

TEST(Device, IsThatOfTheExecution) {
  EXPECT_TRUE(Threads(Execution{.threads = 1}).device().is_processor());
  EXPECT_THROW(Threads(Execution{.threads = 1, .device = "slide rule"}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
