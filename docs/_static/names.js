// Filters the tables of reference/names by what is in the name.
document.addEventListener("DOMContentLoaded", () => {
  const field = document.getElementById("n-name");
  if (!field) return;
  const rows = [...document.querySelectorAll(".names tr[data-name]")];
  const count = document.getElementById("n-count");

  function show() {
    const text = field.value.trim().toLowerCase();
    for (const row of rows) {
      const told = (row.dataset.name + " " + row.textContent).toLowerCase();
      row.hidden = !told.includes(text);
    }
    for (const group of document.querySelectorAll(".names tbody")) {
      group.hidden = ![...group.rows].some((row) => row.dataset.name && !row.hidden);
    }
    count.textContent = rows.filter((row) => !row.hidden).length + " of " + rows.length + " rows";
  }

  field.addEventListener("input", show);
  show();
});
