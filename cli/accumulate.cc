// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/parts.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "train_words.h"

namespace bochner {

namespace {

struct AccumulateWords {
  TrainWords train;  // its file, and what it says of rows and maps
  std::string spec;
  std::uint64_t part = 0;
  Word* part_given = nullptr;
};

constexpr std::initializer_list<const char*> kReading = {"--target", "--task",     "--missing",   "--weights",
                                                         "--ignore", "--category", "--max-levels"};
constexpr std::initializer_list<const char*> kMaps = {"--kernel",   "--bandwidth", "--gamma", "--map",
                                                      "--features", "--precision", "--scale"};
constexpr std::initializer_list<const char*> kSums = {"--no-intercept", "--class-weight", "--keep-background"};

void refuse(const Command& command, std::initializer_list<const char*> options, const std::string& why) {
  for (const char* name : options) require(command.get_option(name)->count() == 0, "{}: {}", name, why);
}

Sum first_round(const AccumulateWords& words, const PartName& part, const Execution& execution, Messages& messages) {
  RowsOptions reading = words.train.rows();
  if (!reading.missing) reading.missing = Missing::mark;  // which of them tell something, the survey of all parts says
  const std::unique_ptr<Rows> rows = open_rows(words.train.file, reading);
  for (const std::string& note : rows->notes()) messages.say("  " + note);
  return survey_part(*rows, part, words.train.seed, execution);
}

Sum second_round(const Command& command, const AccumulateWords& words, const PartName& part,
                 const TrainOptions& options) {
  const RowsOptions reading = words.train.format.rows(words.train.run);
  if (!is_sum(words.spec)) {
    refuse(command, kMaps, "is decided by the model given as --spec; leave it out");
    const Model model = load_model(words.spec);
    const std::unique_ptr<Rows> rows = open_rows(words.train.file, model.schema(), reading);
    return sum_part(*rows, model, part, options);
  }
  const Sum spec = load_sum(words.spec);
  if (spec.kind() == Sum::Kind::gram)
    for (const auto& list : {kMaps, kSums})
      refuse(command, list, "is decided by the sums given as --spec; leave it out, or give the survey");
  const std::unique_ptr<Rows> rows = open_rows(words.train.file, spec.schema(), reading);
  return sum_part(*rows, spec, part, options);
}

void run_accumulate(const Command& command, const AccumulateWords& words) {
  Clock clock;
  Messages messages(words.train.run.quiet);
  TrainOptions options = words.train.options();
  options.execution = words.train.run.execution(messages);
  options.say = [&](const std::string& line) { messages.say("  " + line); };
  check_parts(options);
  check_output(words.train.output, {words.train.file, words.spec});
  if (words.spec.empty())
    for (const auto& list : {kMaps, kSums})
      refuse(command, list,
             "belongs to the second round; leave it out here, merge the surveys, and give it together with --spec");
  else
    refuse(command, kReading, "is decided by --spec; leave it out");

  PartName part = part_of_file(words.train.file);
  if (words.part_given->count() > 0) part.number = words.part;
  messages.say("reading " + words.train.file);
  const Sum sum = words.spec.empty() ? first_round(words, part, options.execution, messages)
                                     : second_round(command, words, part, options);
  sum.save(words.train.output);
  messages.say(fmt::format("{} of {} rows in {}, {:.2f} s", words.spec.empty() ? "survey" : "sums", sum.rows(),
                           words.train.output, clock.lap()));
  messages.say(
      words.spec.empty()
          ? "next: `bochner merge` the surveys of all parts, then accumulate each part with the result as --spec"
          : "next: `bochner merge` the sums of all parts, then `bochner solve` the result");
}

}  // namespace

void add_accumulate(Command& app, Job& job) {
  Command* command = app.add_subcommand("accumulate", "Sum up one part of the rows, for training from many parts");
  auto words = std::make_shared<AccumulateWords>();
  command->add_option("FILE", words->train.file, "The rows of this part")->required()->type_name("");
  command->add_option("-o,--output", words->train.output, "Where to save the sum")->required()->type_name("SUM");
  command->add_option("--spec", words->spec, "The merged survey of all parts, or a model trained on a sample of rows")
      ->type_name("FILE");
  words->part_given =
      command->add_option("--part", words->part, "Number of this part, unlike all others; default: by its content")
          ->type_name("N");
  command
      ->add_option("--learner", words->train.learner,
                   "Only ridge is a sum over rows; of the others it says why they are not")
      ->type_name("NAME");
  words->train.add_reading(*command);
  words->train.add_choices(*command);
  words->train.format.add(*command);
  words->train.run.add(*command);
  command->footer(
      "Two rounds, since scaling, levels and bandwidth must be the same for all parts:\n"
      "  bochner accumulate a.csv --target price -o a.survey      without --spec: a survey of the part\n"
      "  bochner accumulate b.csv --target price -o b.survey\n"
      "  bochner merge a.survey b.survey -o all.survey\n"
      "  bochner accumulate a.csv --spec all.survey -o a.sum      with it: the sums of least squares\n"
      "  bochner accumulate b.csv --spec all.survey -o b.sum\n"
      "  bochner merge a.sum b.sum -o all.sum\n"
      "  bochner solve all.sum -o prices.model\n"
      "Examples of the second round with choices of your own, the same for every part:\n"
      "  bochner accumulate a.csv --spec all.survey --kernel laplacian --features 4096 -o a.sum\n"
      "  bochner accumulate a.csv --spec sample.model -o a.sum");
  command->callback([words, command, &job] { job = [words, command] { run_accumulate(*command, *words); }; });
}

}  // namespace bochner
