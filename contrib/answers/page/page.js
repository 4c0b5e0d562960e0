// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
(function () {
  function value(row, at) {
    var cell = row.cells[at];
    var text = cell.getAttribute("data-v");
    return text === null ? cell.textContent : text === "" ? -Infinity : Number(text);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a < b ? -1 : a > b ? 1 : 0;
    return String(a).localeCompare(String(b));
  }

  function sort(header) {
    var table = header.closest("table");
    var body = table.tBodies[0];
    var at = header.cellIndex;
    var first = header.classList.contains("t") ? "ascending" : "descending";
    var other = first === "ascending" ? "descending" : "ascending";
    var order = header.getAttribute("aria-sort") === first ? other : first;
    table.querySelectorAll("th[aria-sort]").forEach(function (th) { th.removeAttribute("aria-sort"); });
    header.setAttribute("aria-sort", order);
    var sign = order === "ascending" ? 1 : -1;
    Array.from(body.rows)
      .map(function (row, index) { return { row: row, key: value(row, at), index: index }; })
      .sort(function (a, b) { return sign * compare(a.key, b.key) || a.index - b.index; })
      .forEach(function (item) { body.appendChild(item.row); });
  }

  function filter(input) {
    var wanted = input.value.toLowerCase();
    var section = input.closest("section");
    var rows = Array.from(section.querySelector(".scroll tbody").rows);
    rows.forEach(function (row) {
      row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
    });
    var shown = rows.filter(function (row) { return !row.hidden; }).length;
    section.querySelector(".find output").textContent = wanted ? shown + " of " + rows.length + " rows" : "";
  }

  document.querySelectorAll("th button").forEach(function (button) {
    button.addEventListener("click", function () { sort(button.closest("th")); });
  });
  document.querySelectorAll(".find").forEach(function (find) {
    var input = find.querySelector("input");
    find.hidden = false;
    input.addEventListener("input", function () { filter(input); });
  });
  function unfold() {
    var section = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    var details = section && section.querySelector("details");
    if (details) details.open = true;
  }
  addEventListener("hashchange", unfold);
  unfold();
  // On a small screen the list of pages would fill the first view.
  if (matchMedia("(max-width: 60rem)").matches) {
    document.querySelectorAll("nav details").forEach(function (list) { list.open = false; });
  }
})();
