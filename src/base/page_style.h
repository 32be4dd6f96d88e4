// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/format.h>

#include <string>

#include "base/svg.h"

namespace bochner {

// Colours for light and dark, and for print; pictures take theirs from the same names.
inline constexpr const char* kPageStyle = R"css(
:root{--paper:#fff;--card:#f7f8fa;--ink:#1d2330;--soft:#5b6476;--rule:#e2e5ea;--main:#2f6fde;--second:#9db9ee;
--good:#1f9d6b;--bad:#d9534f;--warn:#b7791f;--warnbg:#fff7e6;--c1:#e08a1e;--c2:#1f9d6b;--c3:#9b59b6;--c4:#c0392b}
@media (prefers-color-scheme:dark){:root{--paper:#14171d;--card:#1c2129;--ink:#e6e9ef;--soft:#9aa4b5;--rule:#2d343f;
--main:#6b9df5;--second:#3f5f99;--good:#4cc38a;--bad:#f0807c;--warn:#e3b341;--warnbg:#2d2616;--c1:#f0a94b;--c2:#4cc38a;
--c3:#c08bdc;--c4:#ef7d70}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:960px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:28px;line-height:1.25;margin:0 0 6px;overflow-wrap:anywhere}
h2{font-size:20px;margin:44px 0 4px}
h3{font-size:15px;margin:18px 0 4px;overflow-wrap:anywhere}
p{margin:6px 0 12px;max-width:72ch;overflow-wrap:anywhere}
.soft,figcaption{color:var(--soft);font-size:14px}
.lead{font-size:18px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin:22px 0}
.tile{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px}
.tile b{display:block;font-size:22px;line-height:1.2;font-variant-numeric:tabular-nums;white-space:nowrap}
.tile span{color:var(--soft);font-size:13px}
.warning{background:var(--warnbg);border-left:4px solid var(--warn);padding:10px 14px;border-radius:6px;margin:14px 0}
.pair{display:flex;flex-wrap:wrap;gap:24px;align-items:flex-start}
.pair figure{flex:0 1 420px}
.many{display:grid;grid-template-columns:repeat(auto-fill,minmax(285px,1fr));gap:10px 18px}
figure{margin:12px 0}
table{border-collapse:collapse;width:100%;font-size:14px;margin:10px 0}
th,td{text-align:left;padding:7px 10px;border-bottom:1px solid var(--rule);vertical-align:top;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bars{display:grid;grid-template-columns:minmax(80px,max-content) 1fr max-content;gap:7px 10px;align-items:center;
font-size:14px;max-width:680px;margin-bottom:12px}
.bars .who{text-align:right;overflow-wrap:anywhere}
.bars .n{color:var(--soft);font-size:13px;font-variant-numeric:tabular-nums}
.track{position:relative;display:block;height:20px}
.track i{position:absolute;left:0;top:1px;display:block;min-width:2px;height:12px;border-radius:2px}
.track .main{background:var(--main)}.track .alone{height:18px}.track .thin{top:14px;height:5px;background:var(--second)}
.track .less{background:var(--c1)}.track .level{width:2px;height:20px;top:0;background:var(--soft)}
.track .reach{top:6px;height:2px;min-width:0;background:var(--ink)}.track .reach.alone{top:9px;height:2px}
.meter{display:inline-block;height:9px;background:var(--main);border-radius:3px;min-width:2px}
ul.notes{padding-left:20px;color:var(--soft);font-size:14px}
ul.notes li{overflow-wrap:anywhere}
.key{display:inline-block;width:11px;height:11px;border-radius:3px;margin:0 6px 0 14px}
svg{max-width:100%;height:auto;display:block}
.scroll{overflow-x:auto}.scroll svg{max-width:none}
svg text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--ink)}
svg text.tick{fill:var(--soft);font-size:12px}
svg text.name{fill:var(--soft);font-size:13px}
svg text.inside{fill:#fff;font-weight:600}
.grid{stroke:var(--rule)}.axis{stroke:var(--soft)}.ideal{stroke:var(--soft);stroke-dasharray:5 5}
.bar{fill:var(--main)}.bar2{fill:var(--second)}.mass{fill:var(--second);fill-opacity:.35}
.whisker{stroke:var(--ink);stroke-width:1.5}.dot{fill:var(--main)}.speck{fill:var(--main);fill-opacity:.45}
.band{fill:var(--second);fill-opacity:.28}.right{fill:var(--good)}.wrong{fill:var(--bad)}.none{fill:var(--card)}
.stroke{fill:none;stroke-width:2.2;stroke-linejoin:round}
.c0{stroke:var(--main)}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3)}.c4{stroke:var(--c4)}
.c0.fill{fill:var(--main)}.c1.fill{fill:var(--c1)}.c2.fill{fill:var(--c2)}.c3.fill{fill:var(--c3)}.c4.fill{fill:var(--c4)}
.key.c0{background:var(--main)}.key.c1{background:var(--c1)}.key.c2{background:var(--c2)}.key.c3{background:var(--c3)}.key.c4{background:var(--c4)}
footer{margin-top:48px;border-top:1px solid var(--rule);padding-top:12px;color:var(--soft);font-size:13px}
@media (max-width:640px){main{padding:24px 16px 48px}table{display:block;overflow-x:auto}
th,td{overflow-wrap:normal}td:first-child{min-width:6em;max-width:9.5em;overflow-wrap:anywhere}
.bars{grid-template-columns:minmax(64px,34%) 1fr max-content}}
@media print{main{max-width:none;padding:0}figure,.tile,table,.bars{break-inside:avoid}.track i,.key,.meter{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

// How every page begins and ends: nothing is loaded from elsewhere, and no script runs.
inline std::string page_head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
      "<body>\n<main>\n<h1>{0}</h1>\n",
      escaped(title), kPageStyle);
}
inline constexpr const char* kPageFoot =
    "<footer>Made by bochner. Nothing on this page is loaded from elsewhere.</footer>\n</main>\n</body>\n</html>\n";

}  // namespace bochner
