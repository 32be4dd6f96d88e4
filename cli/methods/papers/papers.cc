// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/papers.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "digits.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct PapersWords {
  std::string only, output;
  int seeds = 3;
  std::uint64_t seed = 0;
  bool json = false, no_seconds = false;
  RunOptions run;
};

std::string data_folder() {
  const char* given = std::getenv("BOCHNER_DATA");
  const std::string folder = given && *given ? given : "../shared/data";
  return std::filesystem::is_directory(folder) ? folder : "";
}

nlohmann::json number(const std::optional<double>& value) { return value ? nlohmann::json(*value) : nlohmann::json(); }

nlohmann::json to_json(const Papers& papers) {
  nlohmann::json list = nlohmann::json::array();
  for (const PaperRow& row : papers.rows)
    list.push_back({{"document", row.document},
                    {"place", row.place},
                    {"claim", row.claim},
                    {"printed", number(row.printed)},
                    {"ours", number(row.ours)},
                    {"spread", row.ours ? nlohmann::json(row.spread) : nlohmann::json()},
                    {"seconds", row.seconds},
                    {"verdict", row.verdict}});
  return list;
}

std::string line(const PaperRow& row) {
  const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : "-"; };
  return fmt::format("{:<7} {} {:<22} {:>9} {:>9} {:>8}  {}{}\n", row.verdict, row.document, row.place,
                     text(row.printed), text(row.ours), row.spread > 0 ? fmt::format("{:.2g}", row.spread) : "",
                     row.claim, row.verdict == "lost" || row.verdict == "skipped" ? fmt::format(" ({})", row.why) : "");
}

void run_papers(const PapersWords& words) {
  Messages messages(words.run.quiet);
  const std::vector<std::string> groups = paper_groups();
  require(words.only.empty() || std::find(groups.begin(), groups.end(), words.only) != groups.end(),
          "--only: found '{}', expected one of {}{}", one_line(words.only), fmt::join(groups, ", "),
          suggestion(words.only, groups));
  require(words.seeds >= 1 && words.seeds <= 100, "--seeds: found {}, expected 1 to 100", words.seeds);
  require(!words.json || !is_stdout(words.output) || words.output.empty(),
          "-o: found - with --json, which goes to stdout too; expected a file");
  if (!words.output.empty()) check_output(words.output, {});
  Digits loaded = load_digits();
  const PaperDigits digits{loaded.schema, std::move(loaded.pixels), std::move(loaded.labels), loaded.train_rows};
  PapersOptions options{.only = words.only,
                        .data = data_folder(),
                        .digits = &digits,
                        .seeds = words.seeds,
                        .seed = words.seed,
                        .pictures = !words.output.empty() && !words.output.ends_with(".md"),
                        .execution = words.run.execution(messages)};
  if (!words.json && words.output.empty()) {
    print(
        fmt::format("{:<7} {:<26} {:>9} {:>9} {:>8}  {}\n", "verdict", "place", "printed", "ours", "spread", "claim"));
    options.visit = [](const PaperRow& row) { print(line(row)); };
  }
  Papers papers = reproduce_papers(options);
  for (PaperRow& row : papers.rows)
    if (words.no_seconds) row.seconds = 0;
  if (words.json) print_json(to_json(papers));
  if (words.output.empty()) return;
  Output output(words.output);
  output.write(words.output.ends_with(".md") ? papers_markdown(papers) : papers_page(papers));
  output.finish();
  messages.say(fmt::format("{} in {}", counted(papers.rows.size(), "claim"), words.output));
}

}  // namespace

void add_papers(Command& app, Job& job) {
  Command* command =
      app.add_subcommand("papers", "Compute what the founding documents claim, beside the numbers they print");
  auto words = std::make_shared<PapersWords>();
  command
      ->add_option("--only", words->only,
                   "One group of claims: digits, maps, slips, ladder, jl, mixtures, reduced-sets, tables, ads, usps")
      ->type_name("NAME");
  command->add_option("-o,--output", words->output, "A page with pictures, or a Markdown table if it ends in .md")
      ->type_name("PAGE.html");
  command->add_option("--seeds", words->seeds, "Draws of what is random")->capture_default_str()->type_name("N");
  command->add_option("--seed", words->seed, "The first seed")->capture_default_str()->type_name("N");
  command->add_flag("--json", words->json, "As JSON");
  command->add_flag("--no-seconds", words->no_seconds)->group("");  // for tests: the same bytes in every run
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner papers --only digits\n"
      "  bochner papers -o papers.html\n"
      "The real sets are read from the folder that BOCHNER_DATA names, by default ../shared/data; without it their\n"
      "claims are skipped. Verdicts: beaten, level (within chance and rounding), lost, skipped. Exits with 0 whatever\n"
      "they are.");
  command->callback([words, &job] { job = [words] { run_papers(*words); }; });
}

}  // namespace bochner
