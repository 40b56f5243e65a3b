// Everything works without this file; it saves a few clicks.
"use strict";

// Choosing an inventory or a kind shows it at once.
for (const select of document.querySelectorAll("form.filter select")) {
  select.addEventListener("change", () => {
    // A kind of another inventory would leave the list empty.
    const kind = select.form.elements.namedItem("kind");
    if (select.name === "inventory" && kind) kind.value = "";
    select.form.requestSubmit();
  });
}

// Fields that nobody filled stay out of the address.
for (const form of document.querySelectorAll("form.filter")) {
  form.addEventListener("submit", () => {
    const empty = [...form.elements].filter((field) => field.name && !field.value);
    for (const field of empty) field.disabled = true;
    // The page may be shown again by going back.
    setTimeout(() => empty.forEach((field) => (field.disabled = false)));
  });
}

// `/` goes to the text.
document.addEventListener("keydown", (event) => {
  const text = document.getElementById("q");
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping || !text) return;
  event.preventDefault();
  text.focus();
  text.select();
});

// A button that copies a text, where browsers let pages do that.
for (const source of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  const button = document.createElement("button");
  const label = source.dataset.copy;
  button.type = "button";
  button.className = "copy";
  button.textContent = label;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => (button.textContent = label), 2000);
  });
  source.before(button);
}

// How long ago a time is, when one points to it.
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
document.addEventListener("mouseover", (event) => {
  const time = event.target.closest("time");
  if (!time) return;
  const seconds = (new Date(time.dateTime) - Date.now()) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  time.title = words.format(Math.round(seconds / size), unit);
});
