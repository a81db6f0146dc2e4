// Shows a part of a page anew while it changes: the standing of a tournament, the progress of a
// trial. Without it the page is as it was when it was loaded.

const live = document.querySelector("#live[data-events]");
const FIRST_WAIT = 2000; // milliseconds before a refused stream is asked for again
const LONGEST_WAIT = 30000;
const lost = document.createElement("p");
let events;
let wait = FIRST_WAIT;
let waiting;

function watch() {
  events = new EventSource(live.dataset.events);
  events.addEventListener("part", (event) => {
    lost.textContent = "";
    const page = new DOMParser().parseFromString(event.data, "text/html");
    const left = [...live.querySelectorAll("[tabindex]")].map((part) => part.scrollLeft);
    // What was opened stays open as long as it says the same.
    const open = new Set([...live.querySelectorAll("details[open]")].map((part) => part.textContent));
    live.replaceChildren(...page.body.childNodes);
    live.querySelectorAll("[tabindex]").forEach((part, index) => (part.scrollLeft = left[index] ?? 0));
    live.querySelectorAll("details").forEach((part) => (part.open ||= open.has(part.textContent)));
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
  events.addEventListener("open", () => {
    wait = FIRST_WAIT;
    lost.textContent = "";
  });
  // Browsers ask again where a stream breaks off, but never where it is refused.
  events.addEventListener("error", () => {
    tellLoss();
    if (events.readyState === EventSource.CLOSED) waiting = setTimeout(askForPage, wait);
  });
}

function tellLoss() {
  lost.textContent = "The server does not answer now. This page tries again by itself.";
}

// Loads the page anew where it has become another one: what it showed is gone, or one has to log in
// first. While there is no answer it waits, each time for longer; where the page is still there, the
// stream is asked for again.
async function askForPage() {
  const refused = events;
  wait = Math.min(wait * 2, LONGEST_WAIT);
  const asked = { redirect: "manual", cache: "no-store" };
  // The page may stand at the address of a form that was refused.
  const page = live.dataset.page ?? location.href;
  const answer = await fetch(page, asked).catch(() => null);
  if (events !== refused || document.hidden) return; // it is watched again, or will be
  if (answer?.ok) watch();
  else if (!answer || answer.status >= 500) waiting = setTimeout(askForPage, wait);
  else if (live.dataset.page) location.replace(page);
  else location.reload();
}

if (live) {
  lost.role = "status";
  live.before(lost);
  live.addEventListener("loss", (event) => (lost.textContent = event.detail));
  // A page that nobody sees costs nothing.
  document.addEventListener("visibilitychange", () => {
    clearTimeout(waiting);
    if (document.hidden) events?.close();
    else watch();
  });
  if (!document.hidden) watch();
}
