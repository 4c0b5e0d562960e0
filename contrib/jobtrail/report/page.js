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
    Array.from(input.closest("section").querySelector("tbody").rows).forEach(function (row) {
      row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
    });
  }

  document.querySelectorAll("th button").forEach(function (button) {
    button.addEventListener("click", function () { sort(button.closest("th")); });
  });
  document.querySelectorAll("input.filter").forEach(function (input) {
    input.hidden = false;
    input.addEventListener("input", function () { filter(input); });
  });
})();
