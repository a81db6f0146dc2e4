// Steps through a match by keys, and without loading the whole page anew. All of it also works by
// the links alone.

const KEYS = new Set(["ArrowLeft", "ArrowRight", "T", "t", "D", "d", "G", "g", "e"]);
let going = Promise.resolve();

async function show(address) {
  const answer = await fetch(address);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("#replay");
  if (!answer.ok || !fresh) throw new Error(answer.statusText);
  const key = document.activeElement?.dataset.key;
  const open = [...document.querySelectorAll("#replay details[open]")].map((part) => part.id);
  for (const part of [".symbols", "#replay"]) {
    document.querySelector(part).replaceWith(page.querySelector(part));
  }
  for (const part of fresh.querySelectorAll("details")) part.open = open.includes(part.id);
  prepare();
  if (key) fresh.querySelector(`[data-key="${key}"]`)?.focus();
  history.replaceState(null, "", answer.url);
}

const PAUSE = 1000; // milliseconds between two steps that are played
let playing = 0;

function next() {
  return document.querySelector('#replay [data-key="ArrowRight"]')?.href;
}

function setPlaying(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => (next() ? go(next) : setPlaying(false)), PAUSE) : 0;
  prepare();
}

function prepare() {
  const button = document.querySelector("[data-play]");
  button.hidden = false;
  button.textContent = playing ? "Pause" : "Play";
}

// One after the other, so that each key goes on from where the one before has led.
function go(find) {
  going = going.then(async () => {
    const address = find();
    if (address) await show(address).catch(() => location.assign(address));
  });
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !KEYS.has(event.key)) return;
  if (event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  go(() => document.querySelector(`#replay [data-key="${event.key}"]`)?.href);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-play]")) {
    setPlaying(!playing);
    return;
  }
  const link = event.target.closest("#replay nav a");
  if (!link || event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const key = link.dataset.key;
  go(() => (key ? document.querySelector(`#replay [data-key="${key}"]`)?.href : link.href));
});

prepare();
