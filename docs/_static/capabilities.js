// Filters the table of reference/capabilities: by name, package and status, for one column or all.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("capabilities");
  if (!box) return;
  const field = (name) => document.getElementById("c-" + name);
  const [name, group, column, status, count] =
    ["name", "package", "column", "status", "count"].map(field);
  const rows = [...box.querySelectorAll("tbody tr")];

  function show() {
    const k = Number(column.value);
    const text = name.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const own = row.dataset.name;
      let found = status.value === "";
      for (const cell of row.cells) {
        if (!cell.dataset.all) continue;
        const value = k < 0 ? cell.dataset.all : cell.dataset.each.split("|")[k];
        cell.textContent = value;
        cell.className = "c-" + value.replace(" ", "-").replace("/", "");
        found = found || value === status.value;
      }
      row.hidden = !(found && own.toLowerCase().includes(text) &&
        (group.value === "" || own.startsWith(group.value + ".")));
      shown += !row.hidden;
    }
    count.textContent = shown + " of " + rows.length + " functions";
  }

  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  }

  [group, column, status].forEach((x) => x.addEventListener("change", show));
  name.addEventListener("input", show);
  window.addEventListener("hashchange", open);
  show();
  open();
});
