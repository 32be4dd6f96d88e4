// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The search: every word of the query must begin a word of a section; headings count more than text. SECTIONS, of
// sections.js, holds [address, page, heading, text].
"use strict";

const query = document.getElementById("query");
const found = document.getElementById("found");
const MOST = 12;
const all = SECTIONS.map(([address, page, heading, text]) => ({
  address, page, heading, text, low: " " + text.toLowerCase(), head: " " + (page + " " + heading).toLowerCase(),
}));

function begins(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text[at - 1]) || !/[\p{L}\p{N}]/u.test(word[0])) return at;
  return -1;
}

function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const inHead = begins(section.head, word) >= 0;
    if (!inHead && begins(section.low, word) < 0) return 0;
    sum += inHead ? 10 : 1 + 200 / (200 + section.low.length);
  }
  const phrase = words.join(" ");
  return sum + (section.head.includes(phrase) ? 10 : 0) + (section.low.includes(phrase) ? 2 : 0);
}

function snippet(section, words) {
  const at = Math.max(0, ...words.map((word) => begins(section.low, word)));
  const from = Math.max(0, at - 60);
  const line = document.createElement("span");
  const cut = section.text.slice(from, from + 170);
  const pattern = new RegExp("(" + words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "gi");
  cut.split(pattern).forEach((part, i) => {
    const piece = document.createElement(i % 2 ? "mark" : "span");
    piece.textContent = part;
    line.append(piece);
  });
  return line;
}

function show() {
  const words = query.value.toLowerCase().split(/\s+/).filter((word) => word);
  found.replaceChildren();
  found.hidden = !words.length;
  if (!words.length) return;
  const hits = all.map((section) => [score(section, words), section]).filter(([points]) => points > 0);
  hits.sort((a, b) => b[0] - a[0]);
  for (const [, section] of hits.slice(0, MOST)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = section.address;
    link.textContent = section.heading || section.page;
    const at = document.createElement("span");
    at.className = "at";
    at.textContent = section.heading && section.heading !== section.page ? " · " + section.page : "";
    link.append(at);
    item.append(link, snippet(section, words));
    found.append(item);
  }
  if (!hits.length) {
    const item = document.createElement("li");
    item.textContent = "Nothing found.";
    found.append(item);
  }
}

query.addEventListener("input", show);
query.addEventListener("keydown", (event) => {
  const first = found.querySelector("a");
  if (event.key === "Enter" && first) location.href = first.href;
  if (event.key === "Escape") query.value = "", show();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== query) event.preventDefault(), query.focus();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) found.hidden = true;
  else if (event.target === query) show();
});
if (matchMedia("(max-width: 760px)").matches) document.querySelector("nav.all details").open = false;
const asked = new URLSearchParams(location.search).get("q");
if (asked) query.value = asked, show();
