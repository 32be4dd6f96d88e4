// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "bochner/contours.h"
#include "commands.h"
#include "expansion_words.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct PlotWords {
  std::string x, y, output, title, window;
  std::size_t levels = 10, dots = 2000;
  ExpansionWords expansion;
};

// The number of the input with that name or number.
std::size_t input_of(const std::string& flag, const std::string& word, const std::vector<std::string>& names) {
  const auto at = std::find(names.begin(), names.end(), word);
  if (at != names.end()) return std::size_t(at - names.begin());
  const bool digits =
      !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  require(digits && word.size() < 8 && std::stoul(word) < names.size(),
          "{}: found '{}', expected one of the {} by name or number from 0", flag, one_line(word),
          counted(names.size(), "input"));
  return std::stoul(word);
}

std::array<std::array<double, 2>, 2> parse_window(const std::string& text) {
  const std::vector<std::string> words = split_lists({text});
  require(words.size() == 4, "--window: found {}, expected four numbers: left,right,bottom,top", one_line(text));
  std::array<std::array<double, 2>, 2> window;
  for (std::size_t k = 0; k < 4; ++k) window[k / 2][k % 2] = parse_number("--window", words[k]);
  return window;
}

void run_plot(const PlotWords& words) {
  Messages messages(words.expansion.run.quiet);
  check_output(words.output, {words.expansion.file});
  const std::unique_ptr<Rows> rows = words.expansion.open();
  const std::vector<std::string> names = rows->schema().input_names();
  require((!words.x.empty() && !words.y.empty()) || names.size() == 2,
          "--x, --y: the rows have {}, expected both words to name two of them", counted(names.size(), "input"));
  const std::vector<std::size_t> inputs = {words.x.empty() ? 0 : input_of("--x", words.x, names),
                                           words.y.empty() ? 1 : input_of("--y", words.y, names)};
  require(inputs[0] != inputs[1], "--y: is the input of --x too, expected another");
  const Expansion of = expansion_of(*rows, words.expansion.parsed_kernel(), words.expansion.parsed_bandwidth(),
                                    !words.expansion.coefficients.empty(), inputs);
  ContourOptions options{.title = words.title,
                         .names = {names[inputs[0]], names[inputs[1]]},
                         .levels = words.levels,
                         .dots = words.dots,
                         .execution = words.expansion.run.execution(messages)};
  if (!words.window.empty()) options.window = parse_window(words.window);
  Output output(words.output);
  output.write(contour_plot(of, options));
  output.finish();
  messages.say(fmt::format("{} of {} in {}, length scale {:.4g}", counted(words.levels, "contour"),
                           counted(of.points.rows(), "point"), words.output, of.kernel.length_scale(0)));
}

}  // namespace

void add_plot(Command& app, Job& job) {
  Command* command = app.add_subcommand("plot", "Draw the density of rows, or a kernel expansion, over two inputs");
  auto words = std::make_shared<PlotWords>();
  words->expansion.add_file(*command);
  command->add_option("-o,--output", words->output, "Where to write the picture: an SVG file; -: stdout")
      ->required()
      ->type_name("OUT.svg");
  command->add_option("--x", words->x, "Input across, by name or number; default: the first of two")
      ->type_name("INPUT");
  command->add_option("--y", words->y, "Input upwards; default: the second of two")->type_name("INPUT");
  command->add_option("--levels", words->levels, "How many lines of equal value; default 10")->type_name("N");
  command->add_option("--dots", words->dots, "The most points that are drawn; default 2000")->type_name("N");
  command->add_option("--window", words->window, "left,right,bottom,top; default: the points and a margin")
      ->type_name("LIST");
  command->add_option("--title", words->title, "Above the picture")->type_name("TEXT");
  words->expansion.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner plot cars.csv --x weight --y price -o density.svg\n"
      "  bochner reduce cars.csv --points 20 --bandwidth 0.5 -o points.csv\n"
      "  bochner plot points.csv --coefficients weight --bandwidth 0.5 --x weight --y price -o reduced.svg\n"
      "Lines join places where the mean of the kernel over the rows, or the sum with --coefficients, is the same.");
  command->callback([words, &job] { job = [words] { run_plot(*words); }; });
}

}  // namespace bochner
