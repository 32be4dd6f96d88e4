// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "bochner/bounds.h"
#include "bochner/gaussians.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

using Form = FourierOptions::Form;

struct DimsWords {
  double epsilon = 0, delta = 0.01, diameter = 0;
  std::size_t features = 0, inputs = 0, points = 0, components = 0, states = 0;
  std::string kernel = "gaussian", bandwidth = "1", covariance = "full";
  bool json = false, quiet = false, shell = false;
  Word *epsilon_option = nullptr, *diameter_option = nullptr, *kernel_option = nullptr;
};

// One line of the answer. Either number may be missing where no bound is known; then `why` says so.
struct Answer {
  const char *bound, *map, *unit;
  double size, epsilon;
  std::string why;
};

// A bound both ways: the size an error needs, or the error a size gives.
struct Bound {
  const char *bound, *map, *unit;
  std::function<std::size_t(double epsilon)> size;
  std::function<double(std::size_t size)> epsilon;
};

std::vector<Bound> bounds_of(const DimsWords& words) {
  const double delta = words.delta;
  const auto fourier_pair = [=](Form form) {
    return Bound{"one pair", form == Form::cossin ? "fourier:form=cossin" : "fourier:form=shifted", "features",
                 [=](double epsilon) { return fourier_features_pointwise(form, epsilon, delta); },
                 [=](std::size_t D) { return fourier_epsilon_pointwise(form, D, delta); }};
  };
  std::vector<Bound> bounds = {
      fourier_pair(Form::cossin),
      fourier_pair(Form::shifted),
      {"one pair", "binning", "grids", [=](double epsilon) { return binning_grids_pointwise(epsilon, delta); },
       [=](std::size_t P) { return binning_epsilon_pointwise(P, delta); }}};
  if (words.diameter_option->count() > 0) {
    require(words.inputs > 0, "--diameter: a bound over all pairs needs --inputs too");
    Kernel kernel = parse_kernel(words.kernel);
    if (words.bandwidth != "1" || words.kernel.find('=') == words.kernel.npos)
      kernel.length_scales = {parse_number("--bandwidth", words.bandwidth)};
    const std::size_t d = words.inputs;
    const double diameter = words.diameter;
    const auto fourier_all = [=](Form form) {
      return Bound{"all pairs", form == Form::cossin ? "fourier:form=cossin" : "fourier:form=shifted", "features",
                   [=](double epsilon) { return fourier_features_uniform(form, kernel, d, diameter, epsilon, delta); },
                   [=](std::size_t D) { return fourier_epsilon_uniform(form, kernel, d, diameter, D, delta); }};
    };
    bounds.push_back(fourier_all(Form::cossin));
    bounds.push_back(fourier_all(Form::shifted));
    if (kernel.family == Kernel::Family::laplacian)
      bounds.push_back({"all pairs", "binning", "grids",
                        [=](double epsilon) { return binning_grids_uniform(kernel, d, diameter, epsilon, delta); },
                        [=](std::size_t P) { return binning_epsilon_uniform(kernel, d, diameter, P, delta); }});
  }
  if (words.points > 0) {
    bounds.push_back({"a distance", "project:kind=sign", "dimensions",
                      [=](double epsilon) { return projection_dimension_pointwise(epsilon, delta); },
                      [=](std::size_t k) { return projection_epsilon_pointwise(k, delta); }});
    bounds.push_back({"a distance", "project:kind=hash", "dimensions",
                      [=](double epsilon) { return hashing_dimension_pointwise(epsilon, delta); },
                      [=](std::size_t k) { return hashing_epsilon_pointwise(k, delta); }});
    const double pairs = double(words.points) * double(words.points - 1) / 2;
    require(pairs > 0, "--points: found {}, expected 2 or more", words.points);
    bounds.push_back({"distances", "project:kind=sign", "dimensions",
                      [=](double epsilon) { return projection_dimension_pointwise(epsilon, delta / pairs); },
                      [=](std::size_t k) { return projection_epsilon_pointwise(k, delta / pairs); }});
    // The lemma asks for a draw that exists: its own bound gives one draw a chance of 1 / n alone.
    bounds.push_back({"some draw's", "projection", "dimensions",
                      [n = words.points](double epsilon) { return projection_dimension(n, epsilon); },
                      [n = words.points](std::size_t k) { return projection_epsilon(n, k); }});
  }
  return bounds;
}

// Squared distances from the centre by their mean: of normal inputs they concentrate as a projection's do, and the
// square of a cube's input is at most three times its mean (Hoeffding).
std::vector<Bound> shells_of(const DimsWords& words) {
  const double delta = words.delta;
  return {{"a shell", "normal rows", "inputs", [=](double e) { return projection_dimension_pointwise(e, delta); },
           [=](std::size_t d) { return projection_epsilon_pointwise(d, delta); }},
          {"a shell", "rows of a cube", "inputs",
           [=](double e) { return std::size_t(std::ceil(4.5 * std::log(2 / delta) / (e * e))); },
           [=](std::size_t d) { return std::sqrt(4.5 * std::log(2 / delta) / double(d)); }}};
}

// ln of the share of a cube of d inputs that the largest ball in it fills: pi^(d/2) / (2^d Gamma(d/2 + 1)).
double log_ball_in_cube(std::size_t d) {
  const double half = double(d) / 2;
  return half * std::log(std::numbers::pi) - double(d) * std::numbers::ln2 - std::lgamma(half + 1);
}

// The free numbers of a mixture, or of a hidden Markov model whose states have one each.
struct Counted {
  double emissions, chain;
};

Counted parameters_asked(const DimsWords& words) {
  require(
      words.inputs > 0 && words.features == 0 && words.epsilon_option->count() == 0 && !words.shell,
      "--components: counts the numbers of a mixture of so many Gaussians, expected --inputs and no other question");
  const double states = double(std::max<std::size_t>(1, words.states));
  return {states * parameters_of(parse_covariance_name(words.covariance), words.components, words.inputs),
          states * states - 1};  // rows of transitions and the start, each one number less
}

// A kernel may have no bound of one kind: that is an answer too.
std::vector<Answer> answers(const DimsWords& words) {
  std::vector<Answer> answers;
  for (const Bound& bound : words.shell ? shells_of(words) : bounds_of(words)) {
    Answer answer{bound.bound, bound.map, bound.unit, double(words.features), words.epsilon, ""};
    try {
      if (words.features > 0)
        answer.epsilon = bound.epsilon(words.features);
      else
        answer.size = double(bound.size(words.epsilon));
    } catch (const std::invalid_argument& error) {
      if (answer.bound != std::string_view("all pairs")) throw;
      answer.why = std::string_view(error.what()).substr(std::string_view(error.what()).find(' ') + 1);
    }
    answers.push_back(answer);
  }
  return answers;
}

std::string to_text(const DimsWords& words) {
  const bool sizes = words.features == 0;
  std::string text =
      sizes ? fmt::format("for an error of at most {} with probability {}\n", words.epsilon, 1 - words.delta)
            : fmt::format("with probability {}, {} of them guarantee\n", 1 - words.delta, words.features);
  for (const Answer& a : answers(words)) {
    text += fmt::format("  {:<11} {:<21} ", a.bound, a.map);
    if (!a.why.empty())
      text += fmt::format("no bound: {}\n", a.why);
    else if (sizes)
      text += fmt::format("{:>10.0f} {}\n", a.size, a.unit);
    else if (a.epsilon < 1)
      text += fmt::format("an error of at most {:.4g}\n", a.epsilon);
    else
      text += "nothing: the bound is 1 or more\n";
  }
  if (words.shell && !sizes)
    text += fmt::format("  the ball in a cube fills 10^{:.4g} of it\n",
                        log_ball_in_cube(words.features) / std::numbers::ln10);
  return text;
}

nlohmann::json to_json(const DimsWords& words) {
  nlohmann::json list = nlohmann::json::array();
  for (const Answer& a : answers(words)) {
    nlohmann::json item{{"bound", a.bound}, {"map", a.map}, {"unit", a.unit}};
    if (a.why.empty() && a.size > 0) item["size"] = std::uint64_t(a.size);
    if (a.why.empty()) item["epsilon"] = a.epsilon;  // null where it is infinite
    if (!a.why.empty()) item["why_not"] = a.why;
    list.push_back(std::move(item));
  }
  nlohmann::json all{{"delta", words.delta}, {"answers", std::move(list)}};
  if (words.shell && words.features > 0) all["log_ball_in_cube"] = log_ball_in_cube(words.features);
  return all;
}

void run_count(const DimsWords& words) {
  const Counted found = parameters_asked(words);
  if (words.json)
    return print_json(
        {{"emissions", found.emissions}, {"chain", found.chain}, {"parameters", found.emissions + found.chain}});
  print(fmt::format("{:.0f} numbers: {:.0f} of Gaussians and their weights, {:.0f} of the chain\n",
                    found.emissions + found.chain, found.emissions, found.chain));
}

void run_dims(const DimsWords& words) {
  if (words.components > 0) return run_count(words);
  require(!words.shell || (words.points == 0 && words.kernel_option->count() == 0),
          "--shell: asks how rows lie about their centre, expected neither --kernel nor --points");
  require(words.states == 0, "--states: found no --components, expected the Gaussians of each state");
  require((words.epsilon_option->count() > 0) != (words.features > 0),
          "dims: expected either --epsilon (how many features?) or --features (what error?)");
  if (words.json)
    print_json(to_json(words));
  else
    print(to_text(words));
}

}  // namespace

void add_dims(Command& app, Job& job) {
  Command* command = app.add_subcommand("dims", "How many features an error needs, and what a number guarantees");
  auto words = std::make_shared<DimsWords>();
  words->epsilon_option =
      command->add_option("--epsilon", words->epsilon, "The error |z(x).z(y) - k(x, y)| to stay within")
          ->type_name("E");
  command->add_option("--features", words->features, "Or: outputs of the map (grids, dimensions) to judge")
      ->type_name("D");
  command->add_option("--delta", words->delta, "Probability that the error is larger")
      ->capture_default_str()
      ->type_name("P");
  words->diameter_option =
      command->add_option("--diameter", words->diameter, "All pairs of points within this distance at once")
          ->type_name("L");
  command->add_option("--inputs", words->inputs, "Inputs of a point, for --diameter")->type_name("d");
  words->kernel_option = command->add_option("--kernel", words->kernel, "The kernel, for --diameter")
                             ->capture_default_str()
                             ->type_name("K");
  command->add_option("--bandwidth", words->bandwidth, "Its bandwidth, for --diameter")
      ->capture_default_str()
      ->type_name("S");
  command->add_option("--points", words->points, "Random projections that keep the distances of N points")
      ->type_name("N");
  command->add_flag("--shell", words->shell,
                    "Instead: how far squared distances from the centre are from their mean, in --features inputs");
  command
      ->add_option("--components", words->components,
                   "Instead: how many numbers a mixture of M Gaussians has, in --inputs inputs")
      ->type_name("M");
  command->add_option("--covariance", words->covariance, "full (default), diag, spherical, tied or lowrank:R")
      ->type_name("C");
  command->add_option("--states", words->states, "A hidden Markov model of S states, each with such a mixture")
      ->type_name("S");
  command->add_flag("--json", words->json, "As JSON");
  command->add_flag("-q,--quiet", words->quiet, "Accepted like everywhere; there are no messages to silence");
  command->footer(
      "Examples:\n"
      "  bochner dims --epsilon 0.1 --delta 0.01\n"
      "  bochner dims --features 4096 --diameter 10 --inputs 21 --bandwidth 4\n"
      "  bochner dims --epsilon 0.1 --points 100000000\n"
      "  bochner dims --shell --epsilon 0.1\n"
      "  bochner dims --components 10 --states 100 --covariance diag --inputs 1000\n"
      "With --points the lines of sign hold for gaussian and sparse too, that of hash for srht and fastjl. The last "
      "line\n"
      "is the lemma of Johnson and Lindenstrauss as it is quoted: some draw keeps all distances, one draw does with\n"
      "probability 1/N at least.\n"
      "Bounds hold for every data set; on one data set fewer features usually do.");
  command->callback([words, &job] { job = [words] { run_dims(*words); }; });
}

}  // namespace bochner
