// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>

#include "base/page_style.h"
#include "base/svg.h"
#include "bochner/papers.h"

namespace bochner {

namespace {

constexpr const char* kLead =
    "The five documents that bochner was founded on, claim by claim: the number they print, the number computed by "
    "this "
    "run, and what became of the claim. 000: notes on random features (Rahimi and Recht's course). 001: Kumar's slides "
    "on randomized algorithms. 002: Gupta and others on reduced sets. 003: a translation of Random Features for "
    "Large-Scale Kernel Machines. 004: Póczos' slides on random Fourier features.";
constexpr const char* kVerdicts =
    "beaten: ours is better by more than chance and rounding explain, or the document errs and ours is the right "
    "number. level: within that. lost: worse. skipped: not computed, with the reason.";

constexpr const char* kDigitLooks = R"css(<style>
.digit0{fill:#1f77b4}.digit1{fill:#ff7f0e}.digit2{fill:#2ca02c}.digit3{fill:#d62728}.digit4{fill:#9467bd}
.digit5{fill:#8c564b}.digit6{fill:#e377c2}.digit7{fill:#7f7f7f}.digit8{fill:#bcbd22}
td.beaten{color:var(--good);font-weight:600}td.lost{color:var(--bad);font-weight:600}td.skipped{color:var(--soft)}
</style>
)css";

std::string number_text(const std::optional<double>& value) { return value ? short_number(*value) : "–"; }

std::string spread_text(const PaperRow& row) { return row.spread > 0 ? " ± " + short_number(row.spread) : ""; }

std::size_t count_of(const Papers& papers, std::string_view verdict) {
  return std::size_t(std::count_if(papers.rows.begin(), papers.rows.end(),
                                   [&](const PaperRow& row) { return row.verdict == verdict; }));
}

// The groups of the rows, in their order.
std::vector<std::string> groups_of(const Papers& papers) {
  std::vector<std::string> groups;
  for (const PaperRow& row : papers.rows)
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
  return groups;
}

void add_table(std::string& out, const Papers& papers, const std::string& group) {
  out +=
      "<table><tr><th>document</th><th>claim</th><th class=\"n\">printed</th><th class=\"n\">ours</th><th "
      "class=\"n\">seconds</th><th>verdict</th></tr>\n";
  for (const PaperRow& row : papers.rows)
    if (row.group == group)
      out += fmt::format(
          "<tr><td>{} {}</td><td>{}<br><span class=\"soft\">{}</span></td><td class=\"n\">{}</td><td "
          "class=\"n\">{}{}</td><td class=\"n\">{:.2f}</td><td class=\"{}\">{}</td></tr>\n",
          escaped(row.document), escaped(row.place), escaped(row.claim), escaped(row.why), number_text(row.printed),
          number_text(row.ours), spread_text(row), row.seconds, row.verdict, row.verdict);
  out += "</table>\n";
}

// Text of a cell in a Markdown table.
std::string cell_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

}  // namespace

std::string papers_page(const Papers& papers) {
  std::string out = page_head("The documents, claim by claim");
  out += kDigitLooks;
  out += fmt::format("<p class=\"lead\">{}</p>\n<div class=\"tiles\">", escaped(kLead));
  for (const char* verdict : {"beaten", "level", "lost", "skipped"})
    out += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", count_of(papers, verdict), verdict);
  out += fmt::format("</div>\n<p class=\"soft\">{} Seconds are of the processor.</p>\n", escaped(kVerdicts));
  for (const std::string& group : groups_of(papers)) {
    out += fmt::format("<h2>{}</h2>\n", escaped(group));
    add_table(out, papers, group);
    for (const PaperPicture& picture : papers.pictures)
      if (picture.group == group)
        out += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture.svg, escaped(picture.title));
  }
  return out + kPageFoot;
}

std::string papers_markdown(const Papers& papers) {
  std::string out = fmt::format("# The documents, claim by claim\n\n{}\n\n{}\n", kLead, kVerdicts);
  for (const std::string& group : groups_of(papers)) {
    out += fmt::format("\n## {}\n\n| document | claim | printed | ours | verdict |\n|---|---|---|---|---|\n", group);
    for (const PaperRow& row : papers.rows)
      if (row.group == group)
        out += fmt::format("| {} {} | {} ({}) | {} | {}{} | {} |\n", row.document, cell_text(row.place),
                           cell_text(row.claim), cell_text(row.why), number_text(row.printed), number_text(row.ours),
                           spread_text(row), row.verdict);
  }
  return out;
}

}  // namespace bochner
