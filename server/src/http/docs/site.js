// The search, the menu on small screens and the buttons that copy code. Pages can be read without it.

// Links into the API reference from before it had its own address.
if (location.pathname === "/docs/" && /^#(?:tag|model|description)\b/.test(location.hash)) {
  location.replace(`/docs/api/${location.hash}`);
}

const menuButton = document.querySelector(".open-menu");
menuButton.addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("menu-open");
  menuButton.setAttribute("aria-expanded", String(isOpen));
});
document.querySelector(".menu [aria-current]")?.scrollIntoView({ block: "nearest" });

for (const pre of document.querySelectorAll("pre")) {
  const frame = document.createElement("div");
  frame.className = "code";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => void copy(pre, button));
  pre.replaceWith(frame);
  frame.append(pre, button);
}

/** Without a secure origin there is no clipboard: the code is selected instead. */
async function copy(pre, button) {
  const text = pre.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(pre);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 2_000);
}

const form = document.querySelector(".search");
const input = form.querySelector("input");
const found = form.querySelector(".found");
const list = found.querySelector("ul");
const status = found.querySelector("p");
const maxShown = 12;
let loading;

/** Loaded with the first use of the search. */
function load() {
  loading ??= fetch("/docs/search.json").then((answer) => answer.json());
  return loading;
}

/** Every word must occur: best in the title or heading, and at the start of a word. */
function rank(data, words) {
  const hits = [];
  for (const [page, anchor, heading, text] of data.sections) {
    const [address, title] = data.pages[page];
    const places = [
      [` ${title.toLowerCase()}`, anchor === "" ? 12 : 4],
      [` ${heading.toLowerCase()}`, 8],
      [` ${text}`, 1],
    ];
    let score = 0;
    for (const word of words) {
      const scores = places.map(([place, weight]) => {
        if (place.includes(` ${word} `) || place.endsWith(` ${word}`)) return weight * 2;
        if (place.includes(` ${word}`)) return weight;
        return place.includes(word) ? weight / 4 : 0;
      });
      const best = Math.max(...scores);
      if (best === 0) {
        score = 0;
        break;
      }
      score += best;
    }
    if (score > 0) hits.push({ score, href: anchor === "" ? address : `${address}#${anchor}`, heading, title });
  }
  return hits.toSorted((one, other) => other.score - one.score);
}

function show(hits) {
  const items = hits.slice(0, maxShown).map(({ href, heading, title }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = href;
    link.append(heading);
    if (title !== heading) {
      const page = document.createElement("small");
      page.textContent = title;
      link.append(page);
    }
    item.append(link);
    return item;
  });
  list.replaceChildren(...items);
  const more = hits.length > maxShown ? `, the best ${maxShown} shown` : "";
  status.textContent = hits.length === 0 ? "No section matches." : `${hits.length} sections${more}`;
  found.hidden = false;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    found.hidden = true;
    return;
  }
  try {
    const data = await load();
    show(rank(data, words));
  } catch {
    loading = undefined;
    list.replaceChildren();
    status.textContent = "The search could not be loaded. Try again.";
    found.hidden = false;
  }
}

input.disabled = false;
input.addEventListener("focus", () => void load().catch(() => (loading = undefined)));
input.addEventListener("input", () => void search());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  if (event.key === "Escape") {
    found.hidden = true;
    input.focus();
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  (at < 0 ? input : (links[at] ?? links.at(-1) ?? input)).focus();
});
list.addEventListener("click", () => (found.hidden = true));
document.addEventListener("click", (event) => {
  if (!form.contains(event.target)) found.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  input.focus();
});
