// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace bochner {

namespace {

constexpr std::size_t kMostFound = 100;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

// visit(piece, whether it is a word) for text from its beginning to its end. A word is a run of letters, digits and _;
// every byte beyond ASCII counts as a letter.
template <class Visit>
void each_piece(std::string_view text, const Visit& visit) {
  const auto letter = [](char c) -> bool {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
  };
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    const bool word = letter(text[begin]);
    while (end < text.size() && letter(text[end]) == word) ++end;
    visit(text.substr(begin, end - begin), word);
  }
}

std::string in_small_letters(std::string_view word) {
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

// The text escaped, with the words of the query marked.
std::string marked(std::string_view text, const std::set<std::string>& words) {
  std::string out;
  each_piece(text, [&](std::string_view piece, bool word) {
    const bool asked = word && words.contains(in_small_letters(piece));
    out += asked ? "<mark>" + escaped(piece) + "</mark>" : escaped(piece);
  });
  return out;
}

// %41 and + of a query; nothing where it is malformed.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
      };
      if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return {};
      out += char(16 * digit(text[i + 1]) + digit(text[i + 2]));
      i += 2;
    }
  }
  return out;
}

std::string answer(int code, const char* said, const char* type, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
      "frame-ancestors 'none'\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n{}",
      code, said, type, body.size(), body);
}
}  // namespace

std::string refusal(int code, const char* said) { return answer(code, said, "text/plain", std::string(said) + "\n"); }

namespace {

std::string page(const std::string& query, const std::vector<Retrieved>& found, std::size_t documents) {
  std::string body = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>{0}bochner retrieve</title><style>"
      ":root{{color-scheme:light dark}}"
      "body{{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}}"
      "form{{display:flex;gap:.5rem}}input{{flex:1;font:inherit;padding:.4rem "
      ".6rem}}button{{font:inherit;padding:.4rem "
      "1rem}}li{{margin:1rem 0;overflow-wrap:anywhere}}.about{{opacity:.7;font-size:.85rem}}p{{margin:.2rem 0}}"
      "</style></head><body><form action=\"/\" method=\"get\"><input name=\"q\" aria-label=\"Words\" "
      "value=\"{1}\" autofocus><button>Search</button></form>",
      query.empty() ? "" : escaped(query) + " - ", escaped(query));
  if (query.empty())
    body += fmt::format("<p class=\"about\">{} documents</p>", documents);
  else if (found.empty())
    body += "<p>No document has any of these words.</p>";
  else
    body += "<ol>";
  std::set<std::string> words;
  each_piece(query, [&](std::string_view piece, bool word) {
    if (word && piece.size() > 1) words.insert(in_small_letters(piece));  // as `text` takes words
  });
  for (const Retrieved& each : found)
    body += fmt::format("<li><p class=\"about\">document {}{} &middot; {:.3f}</p><p>{}</p></li>", each.document,
                        origin_of(each).empty() ? "" : " &middot; " + escaped(origin_of(each)), each.score,
                        marked(each.snippet, words));
  return body + (found.empty() ? "" : "</ol>") + "</body></html>\n";
}

// The value of a header, whose name is written in small letters here.
std::optional<std::string> header(std::string_view head, std::string_view name) {
  std::optional<std::string> found;
  for (std::size_t at = head.find("\r\n"); at != head.npos && at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != name.size()) continue;
    if (in_small_letters(line.substr(0, colon)) != name) continue;
    if (found) return {};  // twice
    std::string_view value = line.substr(colon + 1);
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
    while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
    found = std::string(value);
  }
  return found;
}

bool is_ours(const std::string& host, const RequestPlace& place) {
  for (const std::string& name : {std::string("127.0.0.1"), std::string("localhost"), place.host})
    if (host == fmt::format("{}:{}", name, place.port) || (place.port == 80 && host == name)) return true;
  return place.host == "0.0.0.0";  // any name leads here: its user asked for it
}

}  // namespace

std::string retrieved_json(const std::string& query, const std::vector<Retrieved>& found) {
  nlohmann::json results = nlohmann::json::array();
  for (std::size_t i = 0; i < found.size(); ++i)
    results.push_back({{"rank", i + 1},
                       {"document", found[i].document},
                       {"score", found[i].score},
                       {"label", found[i].label},
                       {"name", found[i].name},
                       {"snippet", found[i].snippet}});
  const nlohmann::json tree{{"query", query}, {"results", std::move(results)}};
  return tree.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);  // documents may be no UTF-8
}

const std::string& origin_of(const Retrieved& found) { return found.name.empty() ? found.label : found.name; }

std::string answer_request(std::string_view head, const Retrieval& documents, const RequestPlace& place) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first == line.npos || second == line.npos || line.find(' ', second + 1) != line.npos ||
      !line.substr(second + 1).starts_with("HTTP/1."))
    return refusal(400, "Bad Request");
  if (line.substr(0, first) != "GET") return refusal(405, "Method Not Allowed");
  const std::optional<std::string> host = header(head, "host");
  if (!host) return refusal(400, "Bad Request");
  if (!is_ours(*host, place) || header(head, "sec-fetch-site") == "cross-site") return refusal(403, "Forbidden");
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view path = target.substr(0, target.find('?'));
  if (path != "/" && path != "/search") return refusal(404, "Not Found");
  std::string query;
  std::size_t k = place.k;
  std::string_view rest = path.size() < target.size() ? target.substr(path.size() + 1) : "";
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::optional<std::string> value = decoded(part.substr(std::min(part.size(), part.find('=') + 1)));
    if (!value) return refusal(400, "Bad Request");
    if (part.starts_with("q=")) query = *value;
    if (!part.starts_with("k=")) continue;
    if (value->empty() || value->size() > 3 || value->find_first_not_of("0123456789") != value->npos)
      return refusal(400, "Bad Request");
    k = std::clamp<std::size_t>(std::stoul(*value), 1, kMostFound);
  }
  const std::vector<Retrieved> found = documents.find(query, k);
  if (path == "/search") return answer(200, "OK", "application/json", retrieved_json(query, found) + "\n");
  return answer(200, "OK", "text/html", page(query, found, documents.documents()));
}

}  // namespace bochner
