// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "bochner/atomic_file.h"
#include "bochner/error.h"
#include "bochner/execution.h"
#include "bochner/option_spelling.h"
#include "bochner/processor.h"
#include "commands.h"
#include "exit_codes.h"
#include "help.h"
#include "manual/manual.h"
#include "messages.h"
#include "methods/neighbors/retrieve.h"
#include "output.h"
#include "outside_command.h"
#include "signals.h"
#include "streams.h"

#ifndef BOCHNER_VERSION
#error "the build gives the version"
#endif

namespace bochner {

namespace {

int report(int code, const std::string& message) {
  say_error(message);
  return code;
}

// The help has the same order.
void add_commands(Command& app, Job& job) {
  add_train(app, job);
  add_predict(app, job);
  add_eval(app, job);
  add_report(app, job);
  add_explain(app, job);
  add_transform(app, job);
  add_project(app, job);
  add_svd(app, job);
  add_pca(app, job);
  add_kmeans(app, job);
  add_lda(app, job);
  add_cca(app, job);
  add_anomaly(app, job);
  add_drift(app, job);
  add_independence(app, job);
  add_embed(app, job);
  add_reduce(app, job);
  add_plot(app, job);
  add_gmm(app, job);
  add_hmm(app, job);
  add_sample(app, job);
  add_text(app, job);
  add_index(app, job);
  add_neighbors(app, job);
  add_graph(app, job);
  add_dedup(app, job);
  add_retrieve(app, job);
  add_inspect(app, job);
  add_update(app, job);
  add_forget(app, job);
  add_watch(app, job);
  add_accumulate(app, job);
  add_merge(app, job);
  add_solve(app, job);
  add_rounds(app, job);
  add_mpi_train(app, job);
  add_dims(app, job);
  add_check(app, job);
  add_demo(app, job);
  add_completion(app, job);
  add_manual(app, job);
  add_papers(app, job);
}

bool is_command(CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&](const CLI::App* command) { return command->check_name(word); }).empty();
}

int run(int argc, char** argv) {
  CLI::App app("Kernel machines at the speed of linear ones.", "bochner");
  app.set_version_flag(
      "--version", [] { return fmt::format("bochner {} ({})", BOCHNER_VERSION, instructions_in_use()); },
      "Print the version and the instruction set in use, and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  bochner demo\n"
      "  bochner train cars.csv --target price -o cars.model\n"
      "  bochner predict cars.model new.csv -o prices.csv\n"
      "  bochner help train\n"
      "  source <(bochner completion bash)\n"
      "Exit codes: 0 done, 1 misuse, 2 data, 3 model, 4 check above its limit. Results go to stdout, messages to "
      "stderr.");
  Job job;
  Command program(app);
  add_commands(program, job);
  const std::vector<std::string> words = arranged_words(argc, argv);
  if (!is_command(app, words[0])) become_outside_command(words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::CallForHelp& asked) {
    if (app.get_subcommands().empty() && !words[0].starts_with("-"))  // help of what is no command
      return report(kUsage, explain(app, asked, words));
    print(help_text(app, false));
    return 0;
  } catch (const CLI::CallForAllHelp&) {
    print(help_text(app, true));
    return 0;
  } catch (const CLI::Success& asked) {  // --version
    print(std::string(asked.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    return report(kUsage, explain(app, error, words));
  }
  choose_instructions();  // a wrong BOCHNER_TARGET is refused before any work
  job();
  return 0;
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Stopped& stopped) {
    return report(stop_code(),
                  stopped.saved()
                      ? "stopped; the checkpoint holds how far it was: go on with the same words and --resume"
                      : "stopped; no checkpoint could be saved, the training has to begin anew");
  } catch (const AboveLimit&) {
    return kAboveLimit;
  } catch (const EndedBySignal&) {
    return stop_code();
  } catch (const ReaderLeft&) {
    return kReaderLeft;
  } catch (const Error& error) {
    return report(error.kind() == Error::Kind::model ? kModel : kData, error.what());
  } catch (const std::invalid_argument& error) {
    return report(kUsage, error.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    return report(kData, error.what());
  } catch (const std::system_error& error) {  // no thread
    return report(kUsage, error.what());
  } catch (const std::exception& error) {
    return report(kOurFault, fmt::format("{}; this is a fault of bochner, please report it", error.what()));
  }
}

// Needs no memory, as the message of another error may.
int say_no_memory() {
  constexpr std::string_view kLine =
      "bochner: memory: there is not enough; use fewer --features or a machine with more\n";
  write_message(kLine);
  return kUsage;
}

int ended(int argc, char** argv) {
  try {
    return guarded(argc, argv);
  } catch (const std::bad_alloc&) {
    return say_no_memory();
  }
}

// Functions of the standard library and of nlohmann::json that promise not to throw, destructors among them, allocate.
[[noreturn]] void end_where_nothing_may_throw() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    remove_unfinished_files();
    ::_exit(say_no_memory());
  } catch (...) {
  }
  std::abort();
}

// glibc loads what passes exceptions through its own functions when it first needs it, and aborts if memory is short.
void load_what_exceptions_need() {
#if __has_include(<execinfo.h>)
  void* frame = nullptr;
  ::backtrace(&frame, 1);
#endif
}

// A thread that OpenBLAS started by itself may ask for memory for ever under ulimit -v, and at the end of a program the
// library waits for it. Our own work is done by then, so the program does not wait.
int end_without_waiting(int code) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::fflush(nullptr);
    ::_exit(code);
  }
  return code;
}

}  // namespace
}  // namespace bochner

int main(int argc, char** argv) {
  bochner::hold_standard_streams();
  bochner::spell_options(bochner::OptionSpelling::flags);
  bochner::catch_signals();
  std::set_terminate(bochner::end_where_nothing_may_throw);
  bochner::load_what_exceptions_need();
  return bochner::end_without_waiting(bochner::ended(argc, argv));
}
