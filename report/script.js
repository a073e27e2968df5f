"use strict";
// Without this script everything is there, main claims first. It filters and sorts claims and opens what an address names; it stores nothing.
(() => {
  const claims = [...document.querySelectorAll(".claim")];
  const controls = document.getElementById("controls");
  const shown = document.getElementById("shown");
  const all = { verdict: "", paper: "", kind: "", evidence: "" };
  const wanted = { ...all };

  const matches = ({ dataset }) =>
    (!wanted.verdict || dataset.marks.split(" ").includes(wanted.verdict)) &&
    (!wanted.paper || dataset.paper === wanted.paper) &&
    (!wanted.kind || dataset.kind === wanted.kind) &&
    (!wanted.evidence || dataset.evidence === wanted.evidence);

  function narrow() {
    for (const claim of claims) claim.hidden = !matches(claim);
    const count = claims.filter((claim) => !claim.hidden).length;
    shown.textContent = `Showing ${count} of ${claims.length}`;
    for (const button of controls.querySelectorAll("[data-verdict]"))
      button.setAttribute("aria-pressed", String(button.dataset.verdict === wanted.verdict));
    for (const select of controls.querySelectorAll("[data-by]")) select.value = wanted[select.dataset.by];
  }

  function sort(by) {
    // Rows that are alike keep the order of the papers: the list is the order in which they came.
    const order = [...claims].sort((a, b) => a.dataset[by] - b.dataset[by]);
    document.querySelector(".claims").append(...order);
  }

  if (controls) {
    controls.hidden = false;
    controls.addEventListener("click", (event) => {
      const button = event.target.closest("[data-verdict]");
      if (!button) return;
      wanted.verdict = button.dataset.verdict;
      narrow();
    });
    controls.addEventListener("change", ({ target }) => {
      if (target.matches("[data-sort]")) return sort(target.value);
      wanted[target.dataset.by] = target.value;
      narrow();
    });
    narrow();
  }

  // An address that names something hidden shows it, and one that names a filter applies it.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.matches("button")) return target.click();
    if (target.hidden) {
      Object.assign(wanted, all);
      narrow();
    }
    const folded = target.closest("details");
    if (!folded) return;
    folded.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
})();
