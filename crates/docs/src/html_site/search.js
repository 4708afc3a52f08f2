"use strict";
(() => {
  const words = JSON.parse(document.getElementById("words").textContent);
  const items = [...document.querySelectorAll(".tools > li")];
  const sections = [...document.querySelectorAll("main > section")];
  const box = document.getElementById("q");
  const count = document.getElementById("count");
  const all = count.textContent;
  const find = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    items.forEach((item, index) => {
      item.hidden = !wanted.every((word) => words[index].includes(word));
      found += item.hidden ? 0 : 1;
    });
    sections.forEach((section) => {
      section.hidden = !section.querySelector("li:not([hidden])");
    });
    document.querySelectorAll(".contents").forEach((contents) => {
      contents.hidden = wanted.length > 0;
    });
    document.getElementById("nothing").hidden = found > 0;
    count.textContent = wanted.length ? `${found} of ${all}` : all;
  };
  document.getElementById("search").hidden = false;
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = items.find((item) => !item.hidden);
    if (first) first.querySelector("a").focus();
  });
  box.value = new URLSearchParams(location.search).get("q") || "";
  box.addEventListener("input", find);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== box) {
      event.preventDefault();
      box.focus();
    }
  });
  find();
})();
