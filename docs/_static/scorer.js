/* Search: a page whose own title has the words that were asked for comes first; what went wrong and what
   changed come after the pages that say how. The numbers below `score` are Sphinx's own. */
"use strict";

var Scorer = {
  score: ([docname, title, anchor, , score]) => {
    const asked = new URLSearchParams(window.location.search).get("q") ?? "";
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.filter((word) => title.toLowerCase().includes(word)).length;
    const own = anchor ? 0 : (30 * found) / Math.max(words.length, 1);
    const later = docname === "changes" || docname.endsWith("-wrong") ? 10 : 0;
    return score + own - later;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
